import type { Kysely } from 'kysely'
import { againAfterDeadlock, type Database, type Tx } from '#db'
import type { WritingDeps } from '../entries/writing.ts'
import type { ContentTables } from '../tables.ts'
import { inWay } from './alter.ts'
import type { ModelChanges } from './changes.ts'
import { type Changing, changedMembers, type TypeCall } from './changing.ts'
import { fillConversions } from './conversions.ts'
import { findCopies, findLastCopy, findSavedSince, type Moment } from './copies-store.ts'
import { isSame, type StoredModel, type StoredType } from './definition.ts'
import type { DesignedType } from './design.ts'
import { type LostEntries, lossesOf } from './lost-entries.ts'
import { defaultLocaleOf, type Rewrite, rewritesOf } from './rewrites.ts'
import { guardDefinition, holdDefinition, lockTypes, noteAlive, noteChanging } from './store.ts'

/** A type as it is marked: by its time whoever writes for the change knows that it is still his. */
interface Mark {
  readonly type: StoredType
  readonly changing: Changing
  readonly moment: Moment
}

/** What is to be brought to the new definition, all or what was saved since. */
interface Bringing {
  readonly type: DesignedType
  readonly stored: StoredModel
  readonly force: boolean
  readonly marked: readonly Mark[]
  readonly since: Moments | undefined
}

interface Deps extends Pick<WritingDeps, 'touch' | 'clock'> {
  readonly db: Database
  readonly changes: ModelChanges
  readonly lost: LostEntries
}

/** One change of one call, as far as it is carried out in steps. */
export interface Stepped {
  readonly types: readonly DesignedType[]
  readonly stored: StoredModel
  readonly call: TypeCall
  readonly force: boolean
  readonly id: string
  /** Refuses the change when values would be lost that nobody agreed to lose. */
  look(): Promise<void>
}

/** Moments by the numbers of types. */
export type Moments = ReadonlyMap<number, Moment>

/** Another process carries the change out, under the same id: it is not this one's to give up. */
export class TakenOver extends Error {}

/** Fewer copies than this are brought to the new definition in its own transaction. */
const FEW_COPIES = 100
/** All other writers wait for a step, so its size follows from what the last one took. */
const STEP_MS = 10
const FIRST_STEP = 20
const LARGEST_STEP = 400
/** Where writers wait only for those of the same rows, most of a step is the way to the database. */
const SMALLEST_STEP = { oneWriter: 20, rowLocks: 100 }
const ALIVE_EVERY_MS = 5_000
/** By how much the clocks of nodes may differ. */
const SKEW_MS = 10_000

/**
 * Brings the entries of a type to a new definition before it holds, in steps that hold up nobody. The
 * type says meanwhile that it is being changed. First all copies are gone through, then those that were
 * saved meanwhile; what is saved after that the change itself finds by its time.
 */
export function createSteps({ db, clock, changes, lost, touch }: Deps) {
  const { dialect } = db
  const reader: Kysely<ContentTables> = db.main.reader
  const skewMs = dialect.singleProcess ? 0 : SKEW_MS
  return { findLarge, isSmall, run, giveUp }

  /** Those of the types whose entries have to be changed and are many. */
  async function findLarge(types: readonly DesignedType[], stored: StoredModel) {
    const large: DesignedType[] = []
    for (const type of types) {
      if (type.before && touches(type, stored) && !(await isSmall(type.before.no))) large.push(type)
    }
    return large
  }

  async function isSmall(typeNo: number): Promise<boolean> {
    const copies = await findCopies(reader, `content_v${typeNo}`, 0, FEW_COPIES + 1)
    return copies.length <= FEW_COPIES
  }

  /**
   * Since when saved copies are left to the change itself, and since when they were not looked at;
   * undefined when definitions were changed by others.
   */
  async function run(stepped: Stepped): Promise<{ left: Moments; unseen: Moments } | undefined> {
    const { types, stored, force } = stepped
    const marks: Moments[] = []
    for (let pass = 0; pass < 2; pass++) {
      const marked = await mark(stepped)
      if (!marked) return undefined
      const stopTelling = tellAlive(marked)
      try {
        // From the first mark on whatever is saved can be found, so that it need not be looked at all again.
        if (pass === 0 && !force) await stepped.look()
        for (const type of types) await bring({ type, stored, force, marked, since: marks[0] })
      } finally {
        stopTelling()
      }
      marks.push(new Map(marked.map(({ type, moment }) => [type.no, moment])))
    }
    const [unseen, left] = marks
    return unseen && left && { unseen, left }
  }

  /** As long as it is told, no other process takes the change over; one that has is not told any more. */
  function tellAlive(marks: readonly Mark[]): () => void {
    const writer: Kysely<ContentTables> = db.main.writer
    let isTelling = false
    const tell = async () => {
      if (isTelling) return
      isTelling = true
      try {
        for (const { type, changing } of marks) {
          await noteAlive(writer, type, { ...changing, aliveAtMs: clock.now() })
        }
      } finally {
        isTelling = false
      }
    }
    const timer = setInterval(() => void tell().catch(() => {}), ALIVE_EVERY_MS).unref()
    return () => clearInterval(timer)
  }

  /** Whoever planned a write before has to plan it again, so all that is saved later is saved after this time. */
  async function mark({ types, stored, call, force, id }: Stepped): Promise<Mark[] | undefined> {
    return changes.change(async ({ trx, stored: now, nowMs }) => {
      const asked = types.map(({ before }) => now.types.find(({ no }) => no === before?.no))
      if (!isSameModel(now, stored) || !asked.every((type) => isFree(type, id))) return undefined
      const marks: Mark[] = []
      await lockTypes(
        trx,
        dialect,
        types.flatMap(({ before }) => before?.no ?? []),
      )
      for (const type of types) {
        const before = now.types.find(({ no }) => no === type.before?.no)
        if (!before) continue
        const locale = before.changing?.locale ?? defaultLocaleOf(now)
        const members = changedMembers(type)
        const becomesLocalized = members.includes('localized') && type.definition.localized
        const changing: Changing = {
          ...{ id, call, force, members, aliveAtMs: nowMs },
          locale: becomesLocalized ? locale : null,
        }
        const updatedAtMs = Math.max(nowMs, before.updatedAtMs + 1)
        await noteChanging(trx, { no: before.no, updatedAtMs }, changing)
        const lastCopy = await findLastCopy(trx, `content_v${before.no}`)
        const moment = { ms: nowMs - skewMs, lastCopy }
        marks.push({ type: { ...before, updatedAtMs }, changing, moment })
      }
      return marks
    })
  }

  async function bring({ type, stored, force, marked, since }: Bringing) {
    const mark = marked.find((each) => each.type.no === type.before?.no)
    if (!mark) return
    const { no } = mark.type
    await fillConversions(db, type, force)
    const rewrites = rewritesOf(type, stored, force)
    if (rewrites.length > 0) await walk(mark.type, rewrites, stored, since?.get(no))
    if (force) await lost.removeAll(no, lossesOf(type), defaultLocaleOf(stored))
  }

  async function walk(
    type: StoredType,
    rewrites: readonly Rewrite[],
    stored: StoredModel,
    since: Moment | undefined,
  ) {
    const table = `content_v${type.no}` as const
    const codes = stored.locales.map(({ code }) => code)
    const queue = since && (await findSavedSince(reader, table, since, codes))
    const smallest = dialect.rowLocks ? SMALLEST_STEP.rowLocks : SMALLEST_STEP.oneWriter
    let last = 0
    for (let size = FIRST_STEP; ; ) {
      const copies = queue ? queue.splice(0, size) : await findCopies(reader, table, last, size)
      if (copies.length === 0) return
      const startedMs = performance.now()
      await step(type, copies, rewrites, stored)
      size = nextSize(size, smallest, performance.now() - startedMs)
      last = copies.at(-1) ?? last
    }
  }

  /** As a plan: what it reads it reads before, so that it holds the writer only while it writes. */
  function step(
    type: StoredType,
    copies: readonly number[],
    rewrites: readonly Rewrite[],
    stored: StoredModel,
  ) {
    const work = async (tx: Tx) => {
      const trx = tx.as<ContentTables>()
      await refuseTakenOver(tx, type)
      for (const rewrite of rewrites) await rewrite(trx, copies)
      touch(
        tx,
        stored.types.map(({ no }) => no),
      )
      return () => undefined
    }
    return againAfterDeadlock(dialect, () => inWay(dialect, db.main.write(work)))
  }

  /** The worker takes a change over whose process was silent; what that one has finished must not be changed again. */
  async function refuseTakenOver(tx: Tx, type: StoredType) {
    const trx = tx.as<ContentTables>()
    if (tx.isPlan) return guardDefinition(tx, trx, dialect, type)
    const held = await holdDefinition(trx, dialect, type.no)
    if (held?.updatedAtMs !== type.updatedAtMs) throw new TakenOver()
  }

  /** The old definition stays, without what is gone already. */
  async function giveUp(
    id: string,
    leave: (trx: Kysely<ContentTables>, type: StoredType) => Promise<void>,
  ) {
    await changes.change(async ({ trx, stored, nowMs }) => {
      for (const type of stored.types.filter(({ changing }) => changing?.id === id)) {
        const updatedAtMs = Math.max(nowMs, type.updatedAtMs + 1)
        await noteChanging(trx, { no: type.no, updatedAtMs }, null)
        await leave(trx, type)
      }
    })
  }
}

/** Whether entries may have to be changed, and not only read otherwise. */
export function touches(type: DesignedType, stored: StoredModel): boolean {
  const { variants, drafts } = lossesOf(type)
  return variants || drafts || rewritesOf(type, stored, true).length > 0
}

function isFree(type: StoredType | undefined, id: string): boolean {
  return type !== undefined && (type.changing === null || type.changing.id === id)
}

/** Whether nobody has changed a definition; that one is being changed is none of it. */
export function isSameModel(one: StoredModel, other: StoredModel): boolean {
  const essence = ({ types, components, locales }: StoredModel) => ({
    types: types.map(({ no, shape, definition }) => ({ no, shape, definition })),
    components,
    locales,
  })
  return isSame(essence(one), essence(other))
}

function nextSize(size: number, smallest: number, tookMs: number): number {
  const fitting = (size * STEP_MS) / Math.max(tookMs, 1)
  return Math.max(smallest, Math.min(LARGEST_STEP, size * 2, Math.round(fitting)))
}
