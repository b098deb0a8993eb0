import type { Kysely } from 'kysely'
import type { Bus, Revisions } from '#bus'
import type { Database } from '#db'
import type { Clock, Ids, Log } from '#kernel'
import { createFreshness } from '../freshness.ts'
import type { createModelHolder } from '../model-holder.ts'
import type { ContentTables } from '../tables.ts'
import { createModelChanges } from './changes.ts'
import type { Changing } from './changing.ts'
import { createCleanup } from './cleanup.ts'
import { createDefinitions } from './definitions.ts'
import type { TellingDeps } from './entry-events.ts'
import { readModel } from './store.ts'

interface Deps extends TellingDeps {
  readonly db: Database
  readonly bus: Bus
  readonly clock: Clock
  readonly ids: Ids
  readonly revisions: Pick<Revisions, 'bump'>
  readonly log: Log
  /** When this thread began. */
  readonly startedAtMs: number
  readonly holder: Awaited<ReturnType<typeof createModelHolder>>
  publicReadDefault(): boolean
}

/** Whoever carries out a change says more often than this that he is at it. */
const SILENT_MS = 30_000

/** Finishes changes of types whose process has died, for the worker. */
export function createChangesFinisher(deps: Deps) {
  const { db, bus, clock, revisions, log, holder } = deps
  const { model } = holder
  const reader: Kysely<ContentTables> = db.main.reader
  const freshness = createFreshness({ bus, isSingleProcess: db.dialect.singleProcess })
  const changes = createModelChanges({ db, clock, revisions, follow: holder.follow })
  const cleanup = createCleanup({ ...deps, model })
  const definitions = createDefinitions({
    ...deps,
    ...{ changes, cleanup, model, touch: freshness.touch },
  })
  // Where there is one process only, nobody is at what was begun before it started.
  const startedMs = db.dialect.singleProcess ? deps.startedAtMs : 0
  return { run, close: freshness.close }

  /** Each as it is when its turn comes: one may take minutes, and others go on meanwhile. */
  async function run(signal: AbortSignal): Promise<void> {
    const continued = new Set<string>()
    while (!signal.aborted) {
      const { types } = await readModel(reader)
      const left = types.find(({ changing }) => changing && isLeft(changing, continued))
      if (!left?.changing) return
      const { definition, changing } = left
      continued.add(changing.id)
      const { singularName } = definition
      const { members } = changing
      log.info({ type: singularName, members }, 'the change of a content type is continued')
      await definitions.resume(changing)
    }
  }

  function isLeft({ id, aliveAtMs }: Changing, continued: ReadonlySet<string>): boolean {
    if (continued.has(id)) return false
    return aliveAtMs < startedMs || clock.now() - aliveAtMs >= SILENT_MS
  }
}

export type ChangesFinisher = ReturnType<typeof createChangesFinisher>
