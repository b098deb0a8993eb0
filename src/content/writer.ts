/** The content store for a thread that writes entries and answers nobody: scrapers publish with it. */
import type { Bus, Revisions } from '#bus'
import type { Database, Tx } from '#db'
import type { NewEvent } from '#events'
import type { Clock, Ids, Log, Random } from '#kernel'
import { createEntries } from './entries/entries.ts'
import { createFreshness } from './freshness.ts'
import { createMedia } from './media/media.ts'
import { createModelHolder } from './model-holder.ts'
import { createFind } from './query/find.ts'
import { createModelChanges } from './types/changes.ts'
import { createCleanup } from './types/cleanup.ts'
import { createDefinitions } from './types/definitions.ts'

interface Deps {
  readonly db: Database
  readonly clock: Clock
  readonly ids: Ids
  readonly random: Random
  readonly log: Log
  readonly bus: Bus
  readonly revisions: Revisions
  /** Where clients see the server; '' makes the URLs in events relative to it. */
  readonly publicUrl: string
  readonly uploads: {
    readonly directory: string
    readonly maxFileBytes: number
    readonly maxFiles: number
    readonly cacheBytes: number
  }
  publicReadDefault(): boolean
  keptRevisions?(): number
  appendEvents(tx: Tx, events: readonly NewEvent[]): Promise<unknown>
}

export async function openContentWriter(deps: Deps) {
  const { db, clock, revisions, publicReadDefault } = deps
  const holder = await createModelHolder({ db, revisions })
  const { model } = holder
  const freshness = createFreshness({ bus: deps.bus, isSingleProcess: db.dialect.singleProcess })
  const { touch } = freshness
  const changes = createModelChanges({ db, clock, revisions, follow: holder.follow })
  const cleanup = createCleanup({ ...deps, model })
  const { createType } = createDefinitions({
    ...deps,
    ...{ changes, model, cleanup, touch, publicReadDefault },
  })
  // Nobody asks this thread for figures.
  const { findOne, entryTemplates, readEntries } = createFind({ db, model, countPlan: () => {} })
  const entries = createEntries({ ...deps, model, touch })
  const media = createMedia({ ...deps, ...deps.uploads, model, touch })
  return { model, entries, media, findOne, entryTemplates, readEntries, createType, close }

  function close() {
    freshness.close()
    holder.close()
  }
}

export type ContentWriter = Awaited<ReturnType<typeof openContentWriter>>
