import type { Database, Tx } from '#db'
import type { NewEvent } from '#events'
import { type Actor, type Clock, DomainError, type Ids, notFound, unavailable } from '#kernel'
import type { ContentModel, ContentType } from '../model.ts'
import type { ContentTables } from '../tables.ts'
import { holdShape } from '../types/store.ts'
import type { Body, Part } from './body.ts'
import { LostRace } from './refusals.ts'
import { type Copies, createCopies } from './store/copies.ts'
import type { Registered } from './store/registry.ts'
import type { Trx } from './store/statements.ts'
import { createTree, type Tree } from './tree.ts'

export interface WritingDeps {
  readonly db: Database
  readonly clock: Clock
  readonly ids: Ids
  model(): ContentModel
  appendEvents(tx: Tx, events: readonly NewEvent[]): Promise<unknown>
  /** Tells whoever keeps answers made from these types. */
  touch(tx: Tx, typeNos: readonly number[]): void
  /** Where clients see the server; '' makes the URLs in events relative to it. */
  readonly publicUrl: string
}

/** One write under way: its transaction and what it leaves to be told at the end. */
export interface Writing {
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
  takeIdAndNumber(): Promise<{ id: number; copyNo: number }>
  withPartIds(body: Body): Promise<Body>
  tell(events: readonly NewEvent[]): void
  touch(typeNo: number): void
  urlOf(entry: Registered): string
}

interface Options {
  readonly tx?: Tx | undefined
}

/** A race lost again and again is somebody else's fault; then the caller hears of it. */
const ATTEMPTS = 25
/** Each takes the database a second to notice. */
const DEADLOCKS = 5

/** Runs writes: one transaction each, tried again when another writer was quicker. */
export function createRunner(deps: WritingDeps) {
  const { db } = deps
  return { run }

  async function run<T>(
    actor: Actor,
    asked: ContentType,
    { tx }: Options,
    work: (writing: Writing) => Promise<T>,
  ): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await inTransaction(tx, (own) => once(own, actor, asked, work))
      } catch (error) {
        if (!isLostRace(error, tx)) throw error
        const most = db.dialect.isDeadlock(error) ? DEADLOCKS : ATTEMPTS
        if (attempt >= most) throw tooManyRaces(error)
      }
    }
  }

  /**
   * Inside the transaction of a caller a write that is refused leaves nothing behind. A value that
   * another writer has just taken is found by an index; the check that names the attribute is then
   * repeated, which needs the transaction as it was before.
   */
  function inTransaction<T>(tx: Tx | undefined, work: (tx: Tx) => Promise<T>): Promise<T> {
    return tx ? tx.savepoint(() => work(tx)) : db.main.transaction(undefined, work)
  }

  function isLostRace(error: unknown, tx: Tx | undefined): boolean {
    if (error instanceof LostRace) return true
    if (db.dialect.isUniqueViolation(error)) return db.dialect.rowLocks || !tx
    // Inside a caller's transaction only its owner can give up what the other waits for.
    return !tx && db.dialect.isDeadlock(error)
  }

  async function once<T>(
    tx: Tx,
    actor: Actor,
    asked: ContentType,
    work: (writing: Writing) => Promise<T>,
  ): Promise<T> {
    const model = deps.model()
    const type = model.typeByNo(asked.no)
    if (!type) throw notFound()
    await refuseOutdated(tx.as<ContentTables>(), asked)
    const events: NewEvent[] = []
    const touched = new Set<number>()
    const writing = createWriting(deps, { tx, actor, model, type, events, touched })
    const result = await work(writing)
    if (events.length > 0) await deps.appendEvents(tx, events)
    deps.touch(tx, [...touched])
    return result
  }

  /** What was read for another definition must not be written by the present one. */
  async function refuseOutdated(trx: Trx, { no, shape }: ContentType) {
    const stored = await holdShape(trx, db.dialect, no)
    if (stored === undefined) throw notFound()
    if (stored !== shape) {
      throw unavailable('type_changed', 'The content type was changed just now; try again')
    }
  }
}

function tooManyRaces(cause: unknown): DomainError {
  const message = 'Others are writing the same values'
  return new DomainError('conflict', 'conflict', message, { cause })
}

interface Own {
  readonly tx: Tx
  readonly actor: Actor
  readonly model: ContentModel
  readonly type: ContentType
  readonly events: NewEvent[]
  readonly touched: Set<number>
}

function createWriting(deps: WritingDeps, own: Own): Writing {
  const { dialect } = deps.db
  const { model, type, events, touched } = own
  const trx = own.tx.as<ContentTables>()
  return {
    trx,
    model,
    type,
    actor: own.actor,
    nowMs: deps.clock.now(),
    dialect,
    copies: createCopies(type, model),
    tree: createTree({ dialect, model, touch: (typeNo) => touched.add(typeNo) }),
    copiesOf: (other) => createCopies(other, model),
    newDocumentId: () => deps.ids.uuid(),
    takeNumber: () => take('content_copy'),
    takeIdAndNumber,
    withPartIds,
    tell: (more) => void events.push(...more),
    touch: (typeNo) => void touched.add(typeNo),
    urlOf: (entry) => `${deps.publicUrl}${pathInApi(type, entry)}`,
  }

  async function takeIdAndNumber() {
    const names = [`content_v${type.no}_id`, 'content_copy']
    const [id = 0, copyNo = 0] = await dialect.sequences.takeEach(trx, names)
    return { id, copyNo }
  }

  async function take(sequence: string): Promise<number> {
    const [number] = await dialect.sequences.take(trx, sequence, 1)
    if (number === undefined) throw new Error(`the sequence ${sequence} gave no number`)
    return number
  }

  /** Components that are new get the ids they keep from then on. */
  async function withPartIds(body: Body): Promise<Body> {
    const count = countNew(body)
    if (count === 0) return body
    return numbered(body, await dialect.sequences.take(trx, 'content_part', count))
  }
}

export function pathInApi(type: ContentType, { id }: Registered): string {
  if (type.kind === 'singleType') return `/api/v1/${type.singularName}`
  return `/api/v1/${type.pluralName}/${id}`
}

function countNew({ parts }: Body): number {
  let count = 0
  for (const part of [...parts.values()].flat()) {
    count += (part.id === 0 ? 1 : 0) + countNew(part.body)
  }
  return count
}

/** Takes the numbers out of `ids`, outer components first. */
function numbered(body: Body, ids: number[]): Body {
  const give = (part: Part): Part => {
    const id = part.id === 0 ? (ids.shift() ?? 0) : part.id
    return { ...part, id, body: numbered(part.body, ids) }
  }
  return { ...body, parts: new Map([...body.parts].map(([no, list]) => [no, list.map(give)])) }
}
