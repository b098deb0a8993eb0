import type { Database, Tx } from '#db'
import type { NewEvent } from '#events'
import { type Actor, type Clock, DomainError, type Ids, memoizeOf, notFound } from '#kernel'
import { type Component, type ContentModel, type ContentType, componentsOf } from '../model.ts'
import type { ContentTables } from '../tables.ts'
import {
  areComponentsSame,
  guardComponents,
  guardDefinition,
  holdDefinition,
} from '../types/store.ts'
import type { Body, Part } from './body.ts'
import { pathInApi } from './events.ts'
import { createMadeNames, type MadeNames } from './made-names.ts'
import { createNumbers } from './numbers.ts'
import { KeyTaken, LostRace, lostRace, typeChanged } from './refusals.ts'
import { type Copies, createCopies } from './store/copies.ts'
import type { Registered } from './store/registry.ts'
import type { Holding, Trx } from './store/statements.ts'
import { type ChangedEntry, eventsOfOthers } from './tell-others.ts'
import { createTree, type Tree } from './tree.ts'
import type { Turn } from './turns.ts'

export interface WritingDeps {
  readonly db: Database
  readonly clock: Clock
  readonly ids: Ids
  model(): ContentModel
  appendEvents(tx: Tx, events: readonly NewEvent[]): Promise<unknown>
  /** Tells whoever keeps answers made from these types. */
  touch(tx: Pick<Tx, 'afterCommit'>, typeNos: readonly number[]): void
  /** Where clients see the server; '' makes the URLs in events relative to it. */
  readonly publicUrl: string
  /** How many revisions of an entry are kept: the default of the setting when absent. */
  keptRevisions?(): number
}

/** One write under way, as a plan or in a transaction, and what it leaves to be told at the end. */
export interface Writing extends Holding {
  readonly trx: Trx
  readonly model: ContentModel
  readonly type: ContentType
  readonly actor: Actor
  readonly nowMs: number
  readonly dialect: Database['dialect']
  readonly copies: Copies
  readonly tree: Tree
  copiesOf(type: ContentType): Copies
  newDocumentId(): string
  /** Numbers of copies and of their revisions, which rise with every write. */
  takeNumber(): Promise<number>
  /** Of so many new entries: in the registry, among its type, of its copy. */
  takeNumbers(count: number): Promise<readonly EntryNumbers[]>
  readonly names: {
    /** False when it is claimed already: by another write of this process that is under way, or by this one. */
    claim(name: string): boolean
    readonly noteTaken: MadeNames['noteTaken']
    readonly findTaken: MadeNames['findTaken']
    /** Bases whose highest suffix this write has asked for. */
    readonly asked: Set<string>
  }
  /** How many revisions of an entry are kept. */
  readonly keptRevisions: number
  /** A plan that has not failed yet: what its guards find out need not be asked before. */
  readonly isHopeful: boolean
  withPartIds(bodies: readonly Body[]): Promise<readonly Body[]>
  tell(events: readonly NewEvent[]): void
  /** Entries that this write changes besides its own: each of them is told of at the end. */
  noteChanged(entries: readonly ChangedEntry[]): void
  touch(typeNo: number): void
  urlOf(entry: Registered): string
}

export interface EntryNumbers {
  readonly no: number
  readonly id: number
  readonly copyNo: number
}

interface Options {
  readonly tx?: Tx | undefined
  readonly turn?: Turn | undefined
  /** By which the input was read, if that was some time ago. */
  readonly model?: ContentModel | undefined
}

/** What a write was asked for, with the components of its type as they were when its input was read. */
interface Asked {
  readonly type: ContentType
  readonly components: readonly Component[]
}

/** A race lost again and again is somebody else's fault; then the caller hears of it. */
const ATTEMPTS = 25
/** Whoever has made the entry of a key is found the next time, unless only a copy that is not searched has the value. */
const KEY_ATTEMPTS = 3
const KEPT_REVISIONS = 10
/** Each takes the database a second to notice. */
const DEADLOCKS = 5
const AT_ONCE: Pick<Tx, 'afterCommit'> = {
  afterCommit: (work) => void (async () => work())().catch(() => {}),
}

/** What each type of a model stores where is found out once. */
const copiesIn = memoizeOf((model: ContentModel) =>
  memoizeOf((type: ContentType) => createCopies(type, model)),
)

/** Runs writes: one plan each, made again when another writer was quicker. */
export function createRunner(deps: WritingDeps) {
  const { db } = deps
  const names = createMadeNames()
  const numbers = createNumbers(db.dialect)
  return { run }

  async function run<T>(
    actor: Actor,
    type: ContentType,
    { tx, turn, model = deps.model() }: Options,
    work: (writing: Writing) => Promise<() => T>,
  ): Promise<T> {
    const asked = { type, components: [...componentsOf(model, type)] }
    for (let attempt = 1; ; attempt++) {
      const claimed: string[] = []
      const touched = new Set<number>()
      let plans = 0
      try {
        return await inUnit(tx, (own) => {
          names.release(claimed.splice(0))
          const claim = (name: string) => names.claim(name, claimed)
          const made = { ...names, claim, asked: new Set<string>() }
          const isHopeful = own.isPlan && attempt === 1 && plans++ === 0
          const given = { tx: own, actor, names: made, isHopeful, turn, touched }
          return once(given, asked, work)
        })
      } catch (error) {
        if (!isLostRace(error, tx)) {
          // When the database did not say what came of it, it may have been carried out.
          if (!tx && !(error instanceof DomainError)) deps.touch(AT_ONCE, [...touched])
          throw error
        }
        if (attempt >= mostAttempts(error)) throw tooManyRaces(error)
      } finally {
        names.release(claimed)
        turn?.end()
      }
    }
  }

  function mostAttempts(error: unknown): number {
    if (error instanceof KeyTaken) return KEY_ATTEMPTS
    return db.dialect.isDeadlock(error) ? DEADLOCKS : ATTEMPTS
  }

  /**
   * Inside the transaction of a caller a write that is refused leaves nothing behind. A value that
   * another writer has just taken is found by an index; the check that names the attribute is then
   * repeated, which needs the transaction as it was before.
   */
  function inUnit<T>(tx: Tx | undefined, work: (tx: Tx) => Promise<() => T>): Promise<T> {
    return tx ? tx.savepoint(async () => (await work(tx))()) : db.main.write(work)
  }

  function isLostRace(error: unknown, tx: Tx | undefined): boolean {
    if (error instanceof LostRace) return true
    if (db.dialect.isUniqueViolation(error)) return db.dialect.rowLocks || !tx
    // Inside a caller's transaction only its owner can give up what the other waits for.
    return !tx && db.dialect.isDeadlock(error)
  }

  async function once<T>(
    given: Pick<Own, 'tx' | 'actor' | 'names' | 'isHopeful' | 'turn' | 'touched'>,
    asked: Asked,
    work: (writing: Writing) => Promise<() => T>,
  ): Promise<() => T> {
    const { tx } = given
    // Whoever holds the writer must not wait for somebody who may be waiting for it.
    const turn = tx.isPlan ? given.turn : undefined
    if (!turn) given.turn?.end()
    const model = deps.model()
    const type = model.typeByNo(asked.type.no)
    if (!type) throw notFound()
    await refuseOutdated(tx, model, type, asked)
    const events: NewEvent[] = []
    const others: ChangedEntry[] = []
    const writing = createWriting(deps, { ...given, turn, model, type, events, others, numbers })
    const result = await work(writing)
    if (others.length > 0) {
      addAll(events, await eventsOfOthers(writing.trx, model, deps.publicUrl, others, events))
    }
    if (events.length > 0) await deps.appendEvents(tx, events)
    deps.touch(tx, [...given.touched])
    await turn?.beforeSending()
    turn?.end()
    return result
  }

  /** What was read for other shapes must not be written, nor anything by a definition that is past. */
  async function refuseOutdated(tx: Tx, model: ContentModel, type: ContentType, asked: Asked) {
    const trx = tx.as<ContentTables>()
    const { components } = asked
    const isOther = ({ uid, shape }: Component) => model.findComponent(uid)?.shape !== shape
    if (type.shape !== asked.type.shape || components.some(isOther)) throw typeChanged()
    if (tx.isPlan) {
      guardDefinition(tx, trx, db.dialect, type)
      return guardComponents(tx, trx, components)
    }
    const stored = await holdDefinition(trx, db.dialect, type.no)
    if (stored === undefined) throw notFound()
    const isSame = stored.shape === type.shape && stored.updatedAtMs === type.updatedAtMs
    if (!isSame || !(await areComponentsSame(trx, components))) throw typeChanged()
  }
}

/** A key that is taken is refused as the value it is: no other attempt can have it. */
function tooManyRaces(cause: unknown): DomainError {
  if (cause instanceof KeyTaken && cause.cause instanceof DomainError) return cause.cause
  return lostRace(cause)
}

export type Runner = ReturnType<typeof createRunner>

interface Own {
  readonly tx: Tx
  readonly actor: Actor
  readonly model: ContentModel
  readonly type: ContentType
  readonly events: NewEvent[]
  readonly others: ChangedEntry[]
  readonly touched: Set<number>
  readonly numbers: ReturnType<typeof createNumbers>
  readonly names: Writing['names']
  readonly isHopeful: boolean
  readonly turn: Turn | undefined
}

function createWriting(deps: WritingDeps, own: Own): Writing {
  const { dialect } = deps.db
  const { tx, model, type, events, others, touched, numbers, names, isHopeful, turn } = own
  const trx = tx.as<ContentTables>()
  const held = { tx, trx, dialect }
  return {
    tx,
    trx,
    model,
    type,
    actor: own.actor,
    nowMs: deps.clock.now(),
    dialect,
    copies: copiesIn(model)(type),
    tree: createTree({
      ...{ held, model, touch: (typeNo) => touched.add(typeNo) },
      noteChanged: (entries) => addAll(others, entries),
    }),
    copiesOf: copiesIn(model),
    newDocumentId: () => deps.ids.uuid(),
    takeNumber,
    takeNumbers,
    names,
    keptRevisions: deps.keptRevisions?.() ?? KEPT_REVISIONS,
    isHopeful,
    withPartIds,
    tell: (more) => addAll(events, more),
    noteChanged: (entries) => addAll(others, entries),
    touch: (typeNo) => void touched.add(typeNo),
    urlOf: (entry) => `${deps.publicUrl}${pathInApi(type, entry)}`,
  }

  async function takeNumbers(count: number): Promise<EntryNumbers[]> {
    const ofType = `content_v${type.no}_id`
    await turn?.beforeNumbers()
    const wanted = { content_entry: count, [ofType]: count, content_copy: count }
    const taking = numbers.take(trx, tx.isPlan, wanted)
    turn?.numbersTaken()
    const { content_entry: nos = [], content_copy: copyNos = [], [ofType]: ids = [] } = await taking
    return nos.map((no, at) => ({ no, id: ids[at] ?? 0, copyNo: copyNos[at] ?? 0 }))
  }

  /** In turn as well: links are ordered by the numbers of the writes that made them. */
  async function takeNumber(): Promise<number> {
    await turn?.beforeNumbers()
    const taking = numbers.take(trx, tx.isPlan, { content_copy: 1 })
    turn?.numbersTaken()
    const { content_copy: [number = 0] = [] } = await taking
    return number
  }

  /** Components that are new get the ids they keep from then on. */
  async function withPartIds(bodies: readonly Body[]): Promise<readonly Body[]> {
    const count = bodies.reduce((sum, body) => sum + countNew(body), 0)
    if (count === 0) return bodies
    const { content_part: taken = [] } = await numbers.take(trx, tx.isPlan, { content_part: count })
    const ids = taken.values()
    return bodies.map((body) => numbered(body, ids))
  }
}

function countNew({ parts }: Body): number {
  if (parts.size === 0) return 0
  let count = 0
  for (const part of [...parts.values()].flat()) {
    count += (part.id === 0 ? 1 : 0) + countNew(part.body)
  }
  return count
}

/** Takes the numbers out of `ids`, outer components first. */
function numbered(body: Body, ids: Iterator<number>): Body {
  if (body.parts.size === 0) return body
  const give = (part: Part): Part => {
    const id = part.id === 0 ? (ids.next().value ?? 0) : part.id
    return { ...part, id, body: numbered(part.body, ids) }
  }
  return { ...body, parts: new Map([...body.parts].map(([no, list]) => [no, list.map(give)])) }
}

/** As arguments of one call, tens of thousands would be too many. */
function addAll<Item>(list: Item[], more: readonly Item[]): void {
  for (const item of more) list.push(item)
}
