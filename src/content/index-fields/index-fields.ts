import { setImmediate as turn } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Database } from '#db'
import { createLoop, type Loop } from '#jobs'
import type { Clock, Log, Random } from '#kernel'
import type { Entry } from '../entry.ts'
import type { Freshness } from '../freshness.ts'
import type { ContentModel, ContentType } from '../model.ts'
import type { CopyState } from '../query/ast.ts'
import type { createFind } from '../query/find.ts'
import { firstPage } from '../query/walk.ts'
import type { ContentTables } from '../tables.ts'
import type { Viewer } from '../viewer.ts'
import { includesOf, toIndexedEntry } from './indexed-entry.ts'
import type { LoadedModules } from './modules.ts'
import {
  findWaiting,
  forgetGone,
  forgetOthers,
  type RecordedCopy,
  saveRecorded,
  type WaitingCopy,
} from './store.ts'
import type { ModuleField } from './words.ts'

interface Deps {
  readonly db: Database
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly freshness: Pick<Freshness, 'now' | 'isUnchanged'>
  readonly find: Pick<ReturnType<typeof createFind>, 'entryTemplates' | 'readEntries'>
  readonly modules: LoadedModules
  model(): ContentModel
}

/** Fields that modules of the operator add to what content is filtered and sorted by. */
export interface IndexFields {
  readonly fields: readonly ModuleField[]
  /** Whether modules have been asked about every entry of these types as it is now; asks them about a few that waited. */
  isReady(types: readonly ContentType[]): Promise<boolean>
  stop(): Promise<void>
}

/** How far a type was found complete. */
interface Complete {
  readonly shape: number
  /** Of `freshness`. */
  readonly moment: number
  readonly atMs: number
}

const EVERYTHING: Viewer = { level: 'admin' }
/** The main thread calls modules about so many entries, then lets others go first. */
const STEP = 50
/** What a request waits for; more than these are left to the loop. */
const MOST_FOR_A_REQUEST = 200
const LOOK_EVERY_MS = 1_000
const SWEEP_EVERY_MS = 3_600_000
/** What other nodes write is noticed after so long by requests (content model §10.9), and by the loop when a notice was lost. */
const NOTICED_WITHIN_MS = 1_000
const LOST_NOTICES_MS = 30_000
/** Clocks of nodes that differ by more are broken. */
const CLOCKS_DIFFER_MS = 86_400_000

/**
 * Compares what was recorded with the copies themselves, so that whoever writes entries need not know of modules,
 * and nothing is missed when a process dies. What is asked for is completed first: an answer is never made
 * of what entries were before.
 */
export function createIndexFields(deps: Deps): IndexFields {
  const { db, clock, random, log, freshness, find, modules, model } = deps
  const reader: Kysely<ContentTables> = db.main.reader
  const prepare = find.entryTemplates()
  const complete = new Map<number, Complete>()
  let last: Promise<unknown> = Promise.resolve()
  let sweptAtMs = clock.now()
  const isAsked = modules.fields.length > 0
  const loop: Loop = createLoop({
    ...{ name: 'index modules', everyMs: LOOK_EVERY_MS, run: lookAtAll, log, random },
  })
  return { fields: modules.fields, isReady, stop: () => loop.stop() }

  async function isReady(types: readonly ContentType[]): Promise<boolean> {
    let left = MOST_FOR_A_REQUEST
    for (const type of types) {
      if (isComplete(type, NOTICED_WITHIN_MS)) continue
      const taken = await inTurn(() => takeIn(type, left, NOTICED_WITHIN_MS))
      if (typeof taken === 'string') return false
      left -= taken
    }
    return true
  }

  /** Also where there are no modules: those that are gone have left what they said. */
  async function lookAtAll(signal: AbortSignal) {
    for (const type of isAsked ? model().types : []) {
      while (!signal.aborted && !isComplete(type, LOST_NOTICES_MS)) {
        if ((await inTurn(() => takeIn(type, STEP, LOST_NOTICES_MS))) !== 'more') break
      }
    }
    if (signal.aborted || clock.now() - sweptAtMs < SWEEP_EVERY_MS) return
    sweptAtMs = clock.now()
    if (isAsked) for (const type of model().types) await forgetGone(db.main.writer, type)
    await forgetOthers(db.main.writer, modules.registration, model().types)
  }

  /** Two at once would ask modules twice about the same entries. */
  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const own = last.then(work)
    last = own.catch(() => {})
    return own
  }

  function isComplete(type: ContentType, withinMs: number): boolean {
    const known = complete.get(type.no)
    if (!known || known.shape !== type.shape) return false
    const isNotOld = db.dialect.singleProcess || clock.now() - known.atMs < withinMs
    return isNotOld && freshness.isUnchanged(known.moment, [type.no])
  }

  /** How many entries waited; `more`: some still do; `changing`: what waited was something else when it was read. */
  async function takeIn(
    type: ContentType,
    most: number,
    withinMs: number,
  ): Promise<number | 'more' | 'changing'> {
    if (isComplete(type, withinMs)) return 0
    const known = complete.get(type.no)
    // A clock that was put back makes what is written now look old.
    const isKnown = known?.shape === type.shape && known.atMs <= clock.now()
    const sinceMs = isKnown ? known.atMs - CLOCKS_DIFFER_MS : null
    let taken = 0
    while (true) {
      const start = { shape: type.shape, moment: freshness.now(), atMs: clock.now() }
      const waiting = await findWaiting(reader, type, modules.registration, sinceMs, STEP)
      if (waiting.length === 0) {
        complete.set(type.no, start)
        return taken
      }
      if (taken >= most) return 'more'
      const recorded = await record(type, waiting)
      if (recorded === 0) return 'changing'
      taken += recorded
      await turn()
    }
  }

  /** A copy that changes meanwhile is recorded as what it was, and so waits again. */
  async function record(type: ContentType, waiting: readonly WaitingCopy[]): Promise<number> {
    const live = waiting.filter((copy) => copy.live === 1)
    const work = waiting.filter((copy) => copy.live !== 1)
    const copies = [...(await asked(type, 'live', live)), ...(await asked(type, 'working', work))]
    if (copies.length === 0) return 0
    return db.main.write(async (tx) => {
      await saveRecorded(tx.as<ContentTables>(), type, modules.registration, copies)
      return () => copies.length
    })
  }

  async function asked(
    type: ContentType,
    state: CopyState,
    copies: readonly WaitingCopy[],
  ): Promise<readonly RecordedCopy[]> {
    if (copies.length === 0) return []
    const found: RecordedCopy[] = []
    for (const entry of await load(type, state, copies)) {
      const values = await modules.valuesOf(toIndexedEntry(entry, state === 'live'))
      const { copyNo, revisionId, updatedAtMs } = entry
      found.push({ copyNo, revisionId, updatedAtMs, values })
    }
    return found
  }

  async function load(
    type: ContentType,
    state: CopyState,
    copies: readonly WaitingCopy[],
  ): Promise<readonly Entry[]> {
    const current = model()
    const question = prepare(EVERYTHING, {
      model: current,
      template: JSON.stringify([type.no, state]),
      values: [copies.map(({ id }) => String(id))],
      read: (slots) => ({
        query: {
          ...{ type, state, locale: { kind: 'all' }, search: '', sort: [] },
          include: includesOf(current, type),
          page: firstPage(STEP),
          filter: {
            ...{ kind: 'compare', field: 'id', operator: 'in', fold: false, values: [] },
            list: slots.list(0),
          },
        },
      }),
    })
    return (await find.readEntries(question)).entries
  }
}
