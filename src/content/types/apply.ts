import type { Kysely } from 'kysely'
import type { Alongside, Database } from '#db'
import { type Log, unavailable } from '#kernel'
import { createSlots } from '#queues'
import type { WritingDeps } from '../entries/writing.ts'
import type { ContentTables } from '../tables.ts'
import type { ModelChange, ModelChanges } from './changes.ts'
import type { TypeCall } from './changing.ts'
import { refuseClashes } from './clashes.ts'
import type { Cleanup } from './cleanup.ts'
import { prepareConversions } from './conversions.ts'
import {
  findCopies,
  findLastCopy,
  findSavedSince,
  type Moment,
  savedSince,
} from './copies-store.ts'
import type { StoredModel, StoredType } from './definition.ts'
import { type Design, type DesignedType, designModel, type Edit } from './design.ts'
import { assess, type Impact, isLossy, wouldLoseData } from './impact.ts'
import { createLostEntries } from './lost-entries.ts'
import { createMadeTypes, type Made } from './making.ts'
import { numberDesign } from './number-design.ts'
import { alteredOne, alteredTypes, createPerformer } from './perform.ts'
import { refuseRenames } from './refuse-renames.ts'
import { type Leftover, noteLeftover } from './removed-values.ts'
import { defaultLocaleOf } from './rewrites.ts'
import { createSteps, isSameModel, type Moments, TakenOver, touches } from './steps.ts'
import { lockTypes, readModel } from './store.ts'

export interface ApplyDeps extends WritingDeps {
  readonly db: Database
  readonly log: Log
  readonly changes: ModelChanges
  readonly cleanup: Cleanup
}

export interface ChangeOptions {
  /** Nothing changes; the answer tells what would. */
  readonly dryRun: boolean
  /** Also when stored values are lost. */
  readonly force: boolean
  /** The change that was begun before and is continued, by its id. */
  readonly continues?: string
}

interface Accompanied {
  /** What a change that is done in steps can be repeated by. */
  readonly call?: TypeCall
  readonly alongside?: Alongside<void> | undefined
}

/** What came of a change, and the numbers of the types it removed. */
interface Done {
  readonly impacts: readonly Impact[]
  readonly removed: readonly number[]
}

const NOTHING: Done = { impacts: [], removed: [] }

type Build = (stored: StoredModel) => Edit

const MOST_ATTEMPTS = 5
/** No write takes longer from its plan to its commit. */
const LONGEST_WRITE_MS = 60_000

/** How a call becomes the definitions in force: whole or not at all. */
export function createApply(deps: ApplyDeps) {
  const { db, clock, ids, log, changes, cleanup, touch } = deps
  const { dialect } = db
  const reader: Kysely<ContentTables> = db.main.reader
  const lost = createLostEntries(deps)
  const steps = createSteps({ db, clock, changes, lost, touch })
  const performer = createPerformer({ dialect, ids, lost })
  const making = createMadeTypes({ dialect, ids, db, clock, cleanup })
  /** Of two changes at the same time one begins anew, so they come one after the other; none waits for one of a large type. */
  const line = createSlots(1)
  return { apply, perform }

  /**
   * Looks at what would happen, does what takes long in steps, and the rest in one transaction; when
   * somebody else changed definitions meanwhile, it begins anew.
   */
  async function apply(
    build: Build,
    { dryRun, force, continues }: ChangeOptions,
    { call, alongside }: Accompanied = {},
  ): Promise<readonly Impact[]> {
    let begun = continues ?? null
    let made: Made = new Map()
    let waitsInLine = begun === null && !dryRun
    // What was begun is half done: it is not left for changes of other types that come in between.
    for (let attempt = 0; begun !== null || attempt < MOST_ATTEMPTS; attempt++) {
      try {
        const done = await (waitsInLine ? line.run(tryOnce) : tryOnce())
        if (done) {
          for (const no of done.removed) await clearNow(`content_v${no}`)
          return done.impacts
        }
        await making.unmake(made)
      } catch (error) {
        await making.unmake(made)
        if (error instanceof TakenOver) throw takenOver(error)
        // When the database is away for a while, the worker continues it.
        if (begun !== null && !dialect.isUnavailable(error)) await giveUp(begun)
        throw error
      }
    }
    throw unavailable('busy', 'Definitions are being changed by others; try again')

    async function tryOnce(): Promise<Done | undefined> {
      const stored = await readModel(reader)
      // Somebody else has finished it, or given it up.
      if (continues !== undefined && !isMarked(stored, continues)) return NOTHING
      const open = designModel(stored, build(stored))
      refuseChanging(open, begun)
      await refuseRenames(reader, open)
      const looked = await lookedAt(open)
      if (waitsInLine && looked.size > 0) {
        waitsInLine = false
        return undefined
      }
      const impacts = await assess(reader, stored, open)
      if (dryRun) return { impacts, removed: [] }
      // What a change that was begun has lost already, its caller has agreed to.
      if (isLossy(impacts) && !force) throw wouldLoseData(impacts)
      await refuseClashes(reader, open, defaultLocaleOf(stored))
      const design = await number(open)
      made = await making.makeAll(design)
      const prepared = await prepareConversions(db, design, force)
      const rewritten = design.types.filter((type) => touches(type, stored))
      let left = without(looked, rewritten)
      let unseen = left
      const large = call ? await steps.findLarge(rewritten, stored) : []
      if (call && large.length > 0) {
        begun ??= ids.uuid()
        const look = () => refuseLosses(stored, open)
        const marked = await steps.run({ types: large, stored, call, force, id: begun, look })
        if (!marked) return undefined
        left = new Map([...left, ...marked.left])
        unseen = new Map([...unseen, ...marked.unseen])
      }
      const since = { left, unseen }
      const finishing = { stored, design, prepared, made, force, ...since, begun, alongside }
      const removed = design.removedTypes.map(({ no }) => no)
      return (await finish(finishing)) ? { impacts, removed } : undefined
    }
  }

  /** As part of a greater change, of types that have no entries yet. */
  async function perform(change: ModelChange, edit: Edit): Promise<void> {
    const design = await number(designModel(change.stored, edit), change.trx)
    const altering = { force: false, prepared: new Set<number>(), made: new Map() }
    await performer.perform(change, design, { ...altering, recentOf: async () => [] })
  }

  interface Finishing {
    readonly stored: StoredModel
    readonly design: Design
    readonly prepared: ReadonlySet<number>
    readonly made: Made
    readonly force: boolean
    /** Since when copies have to be brought to the definition; of types that are not named all. */
    readonly left: Moments
    /** Since when it was not looked at what would be lost; of types that are not named everything is. */
    readonly unseen: Moments
    readonly begun: string | null
    readonly alongside: Alongside<void> | undefined
  }

  /** The change itself, short; false when definitions are others by now. */
  async function finish(finishing: Finishing) {
    const { stored, design, prepared, made, force, left, unseen, begun, alongside } = finishing
    return changes.change(async (change) => {
      if (!isSameModel(change.stored, stored) || !isMine(change.stored, design, begun)) return false
      // Before it is looked once more for what would be lost: nobody saves anything after that.
      await lockTypes(change.trx, dialect, alteredTypes(design, change.stored))
      if (!force) await refuseNewLosses(change, design, unseen)
      const recentOf = (no: number) => findRecent(change, no, left.get(no))
      await performer.perform(change, design, { force, prepared, made, recentOf })
      touch(
        change.tx,
        stored.types.map(({ no }) => no),
      )
      await alongside?.(change.tx)
      return true
    })
  }

  /** For types with many entries; all copies of the others are looked at again. */
  async function lookedAt({ types }: Design): Promise<Moments> {
    const looked = new Map<number, Moment>()
    const ms = clock.now() - LONGEST_WRITE_MS
    for (const { no } of types.flatMap(alteredOne)) {
      if (await steps.isSmall(no)) continue
      looked.set(no, { ms, lastCopy: await findLastCopy(reader, `content_v${no}`) })
    }
    return looked
  }

  async function refuseLosses(stored: StoredModel, design: Design) {
    const impacts = await assess(reader, stored, design)
    if (isLossy(impacts)) throw wouldLoseData(impacts)
  }

  function findRecent({ trx, stored }: ModelChange, no: number, since: Moment | undefined) {
    const table = `content_v${no}` as const
    if (!since) return findCopies(trx, table, 0, Number.MAX_SAFE_INTEGER)
    return findSavedSince(trx, table, since, codesOf(stored))
  }

  /** So that nothing is left when the call is answered; the type is gone whether or not it succeeds. */
  async function clearNow(table: Leftover['table']) {
    try {
      await cleanup.run(table)
    } catch (error) {
      log.warn({ err: error, table }, 'entries of a removed type are left; the worker removes them')
    }
  }

  function number(open: Design, writer: Kysely<ContentTables> = db.main.writer): Promise<Design> {
    const take = (count: number) => dialect.sequences.take(writer, 'content_attribute', count)
    return numberDesign(open, take)
  }

  /** What was saved since the first look; converted values are looked at while they are moved. */
  async function refuseNewLosses({ trx, stored }: ModelChange, design: Design, unseen: Moments) {
    const recentOf = ({ no }: StoredType) => {
      const since = unseen.get(no)
      return since && savedSince(`content_v${no}`, since, codesOf(stored))
    }
    const impacts = await assess(trx, stored, design, { conversions: false, recentOf })
    if (isLossy(impacts)) throw wouldLoseData(impacts)
  }

  /** The old definition stays; entries that have got a language already lose it again. */
  async function giveUp(id: string) {
    try {
      await steps.giveUp(id, async (trx, { no, changing }) => {
        if (changing?.locale == null) return
        const table = `content_v${no}` as const
        await noteLeftover(trx, { table, columns: [], attributeNos: [], relocate: true })
      })
    } catch (error) {
      log.warn({ err: error }, 'a change of a type could not be given up; the worker continues it')
    }
  }
}

/** Types that are rewritten are so whole, unless it is done in steps, whatever they have grown to since. */
function without(looked: Moments, rewritten: readonly DesignedType[]): Moments {
  const numbers = new Set(rewritten.map(({ before }) => before?.no))
  return new Map([...looked].filter(([no]) => !numbers.has(no)))
}

function codesOf({ locales }: StoredModel): string[] {
  return locales.map(({ code }) => code)
}

/** One change of a type at a time: the next one would be made for entries that are half changed. */
function refuseChanging({ types, removedTypes }: Design, begun: string | null) {
  const [busy] = [...types.flatMap(alteredOne), ...removedTypes].filter(
    ({ changing }) => changing !== null && changing.id !== begun,
  )
  if (!busy) return
  const { singularName } = busy.definition
  const message = `The content type ${singularName} is being changed; try again when that is done`
  throw unavailable('type_changing', message)
}

function isMarked({ types }: StoredModel, id: string): boolean {
  return types.some(({ changing }) => changing?.id === id)
}

function takenOver(cause: TakenOver) {
  const message = 'The change is continued by another process; look at the content type again'
  return unavailable('type_changing', message, cause)
}

/** Nobody else has begun to change these types, and what was begun here nobody else has finished. */
function isMine({ types }: StoredModel, design: Design, begun: string | null): boolean {
  const own = [...design.types.flatMap(alteredOne), ...design.removedTypes]
  const altered = new Set(own.map(({ no }) => no))
  return types
    .filter(({ no }) => altered.has(no))
    .every(({ changing }) => changing === null || changing.id === begun)
}
