/** What the content store leaves to the worker: indexes, leftovers of changes of types, smaller pictures. */
import type { Kysely } from 'kysely'
import type { Bus, Revisions } from '#bus'
import type { Database, Tx } from '#db'
import type { NewEvent } from '#events'
import { anyOf, createLedLoops, type Leases, type Lookout, type Loop, SELDOM } from '#jobs'
import type { Clock, Ids, Log, Random } from '#kernel'
import { eventNamesOf } from './entries/event-names.ts'
import type { EntryTarget } from './entries/ports.ts'
import type { Entry } from './entry.ts'
import { createFreshness } from './freshness.ts'
import { removeAbandoned } from './media/bytes/take-in.ts'
import { startPictures } from './media/pictures/jobs.ts'
import type { ContentModel, ContentType } from './model.ts'
import { createModelHolder } from './model-holder.ts'
import type { createFind, OneQuery } from './query/find.ts'
import { createPruning } from './revisions/prune.ts'
import { DUE_AT_ONCE, findDue, isAnyDue } from './schedule/due.ts'
import type { ScheduleRun } from './schedule/run.ts'
import { createWaitingTexts } from './search/take-in.ts'
import type { ContentTables } from './tables.ts'
import type { ChangesFinisher } from './types/finish-changes.ts'
import {
  buildIndex,
  findLeftovers,
  findOpenIndexes,
  forgetUnwanted,
  isOpen,
  markReady,
  removeIndex,
  type WishedIndex,
} from './types/index-store.ts'
import type { Leftover } from './types/removed-values.ts'
import type { Viewer } from './viewer.ts'

export { completeContent } from './restored.ts'

interface Deps {
  readonly db: Database
  readonly bus: Bus
  readonly clock: Clock
  readonly ids: Ids
  readonly revisions: Revisions
  readonly leases: Leases
  readonly lookout: Pick<Lookout, 'watch'>
  /** Of what is claimed. */
  readonly owner: string
  readonly log: Log
  readonly random: Random
  publicReadDefault(): boolean
  keptRevisions(): number
  appendEvents(tx: Tx, events: readonly NewEvent[]): Promise<unknown>
  readonly publicUrl: string | undefined
  readonly uploads: {
    readonly directory: string
    readonly cacheBytes: number
    readonly formats: boolean
    readonly maxPixels: number
  }
}

/** An entry that an event is about. */
interface EventEntry {
  readonly type: ContentType
  readonly id: number
  /** Where `/api/v1` has it. */
  readonly path: string
}

/** What others in the worker need of content. */
export interface ContentReading {
  model(): ContentModel
  findOne(viewer: Viewer, query: OneQuery, target: EntryTarget): Promise<Entry | undefined>
  /** Undefined for an event that is about none. */
  entryOf(event: {
    readonly type: string
    readonly payload: Readonly<Record<string, unknown>>
  }): EventEntry | undefined
}

/** A change of the model wakes it; this is for notices that were lost and work that failed. */
const EVERY_MS = 10_000
const LEASE_MS = 15_000
/** No more often, so that an import is noticed. Texts that were written are found before, too. */
const TAKE_IN_EVERY_MS = 1_000
const CLEAN_EVERY_MS = 3_600_000

/** One node of all does it; what fails is tried again, and keeps nothing else waiting. */
export async function startContentJobs(deps: Deps): Promise<Loop & ContentReading> {
  const { db, revisions, leases, lookout, log, random, appendEvents, publicUrl } = deps
  const { dialect } = db
  const holder = await createModelHolder({ db, revisions })
  const reader: Kysely<ContentTables> = db.main.reader
  const writer: Kysely<ContentTables> = db.main.writer
  const waiting = createWaitingTexts({ db, model: holder.model })
  const pruning = createPruning(deps)
  const whenTextsWait = lookout.watch(() => anyOf(reader.selectFrom('content_search_waiting')))
  const loop = createLedLoops({
    ...{ name: 'content upkeep', ttlMs: LEASE_MS, leases, log, random },
    loops: [
      { name: 'content upkeep', everyMs: EVERY_MS, wake: (wake) => holder.onChange(wake), run },
      {
        ...{ name: 'content search', ...SELDOM, restMs: TAKE_IN_EVERY_MS },
        ...{ wake: whenTextsWait, run: waiting.takeIn },
      },
      {
        ...{ name: 'content schedule', ...SELDOM },
        ...{ wake: lookout.watch(isAnyDue(reader)), run: publishDue },
      },
      {
        ...{ name: 'abandoned bytes', everyMs: CLEAN_EVERY_MS },
        run: (signal) => removeAbandoned(deps, signal),
      },
    ],
  })
  let reading: ReturnType<typeof createFind> | undefined
  let finisher: ChangesFinisher | undefined
  let schedule: ScheduleRun | undefined
  const startedAtMs = deps.clock.now()
  const freshness = createFreshness({ bus: deps.bus, isSingleProcess: dialect.singleProcess })
  const pictures = deps.uploads.formats
    ? startPictures({ ...deps, model: holder.model, touch: freshness.touch })
    : undefined
  return { stop, model: holder.model, findOne, entryOf }

  /** Loaded when it is first asked for: most workers never read an entry. */
  async function findOne(viewer: Viewer, query: OneQuery, target: EntryTarget) {
    const { createFind } = await import('./query/find.ts')
    // Nobody asks a worker how many plans it compiled.
    reading ??= createFind({ db, model: holder.model, countPlan: () => {} })
    return reading.findOne(viewer, query, target)
  }

  function entryOf(event: Parameters<ContentReading['entryOf']>[0]): EventEntry | undefined {
    const { id } = event.payload
    if (typeof id !== 'number' || !Number.isSafeInteger(id)) return undefined
    const type = holder.model().types.find((one) => eventNamesOf(one).includes(event.type))
    if (!type) return undefined
    const { kind, singularName, pluralName } = type
    const path = kind === 'singleType' ? `/api/v1/${singularName}` : `/api/v1/${pluralName}/${id}`
    return { type, id, path }
  }

  async function stop() {
    await Promise.all([loop.stop(), pictures?.stop()])
    finisher?.close()
    schedule?.close()
    freshness.close()
    holder.close()
  }

  async function run(signal: AbortSignal) {
    if (holder.model().types.some(({ changing }) => changing)) {
      await attempt({ table: 'content_types' }, () => finishChanges(signal))
    }
    for (const wish of await findOpenIndexes(reader)) {
      if (signal.aborted) return
      await attempt({ index: wish.spec.name, table: wish.spec.table }, () => settle(wish))
    }
    await attempt({ table: 'content_revisions' }, () => pruning.prune(signal))
    for (const { table, notBeforeMs = 0 } of await findLeftovers(reader)) {
      if (signal.aborted) return
      if (deps.clock.now() < notBeforeMs) continue
      await attempt({ table }, () => clear(table, signal))
    }
    if (holder.model().types.every(({ searched }) => searched)) return
    await attempt({ index: 'content_search' }, () => buildSearch(signal))
  }

  /** All that writes entries is loaded with the first that is due. */
  async function publishDue(signal: AbortSignal) {
    const due = await findDue(db, deps.clock.now())
    if (due.length === 0) return false
    const { createScheduleRun } = await import('./schedule/run.ts')
    schedule ??= createScheduleRun({ ...deps, model: holder.model, publicUrl: publicUrl ?? '' })
    const done = await schedule.run(due, signal)
    // What cannot be done now must not be tried without a pause.
    return done > 0 && due.length >= DUE_AT_ONCE
  }

  /** Of processes that died, loaded as seldom. */
  async function finishChanges(signal: AbortSignal) {
    const { createChangesFinisher } = await import('./types/finish-changes.ts')
    const told = { appendEvents, publicUrl: publicUrl ?? '' }
    finisher ??= createChangesFinisher({ ...deps, ...told, holder, startedAtMs })
    await finisher.run(signal)
  }

  /** Loaded as seldom. */
  async function buildSearch(signal: AbortSignal) {
    const { createIndexBuilder } = await import('./search/builder.ts')
    await createIndexBuilder({ db, revisions, log, model: holder.model }).build(signal)
  }

  /** Loaded when a change of a type has left something: all kinds of fields come with it. */
  async function clear(table: Leftover['table'], signal: AbortSignal) {
    const { createCleanup } = await import('./types/cleanup.ts')
    const told = { appendEvents, publicUrl: publicUrl ?? '' }
    await createCleanup({ db, clock: deps.clock, model: holder.model, ...told }).run(table, signal)
  }

  async function settle({ spec, state }: WishedIndex) {
    if (!(await isOpen(reader, spec.name))) return
    const startedMs = performance.now()
    if (state === 'unwanted') {
      await removeIndex(writer, dialect, spec.name)
      await forgetUnwanted(writer, spec.name)
      return
    }
    await buildIndex(writer, dialect, spec)
    await markReady(writer, spec.name)
    const durationMs = Math.round(performance.now() - startedMs)
    log.info({ index: spec.name, table: spec.table, durationMs }, 'an index was built')
  }

  /** The table may go with its type while it is worked on. */
  async function attempt(about: object, work: () => Promise<void>) {
    try {
      await work()
    } catch (error) {
      log.warn({ err: error, ...about }, 'work on a table of content failed; it is tried again')
    }
  }
}
