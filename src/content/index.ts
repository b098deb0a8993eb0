/**
 * The content store: types that are defined while the server runs, their entries and media. Every
 * dialect reads and writes it through this module and has no data of its own.
 */
import type { FastifyRequest } from 'fastify'
import type { Bus, Revisions } from '#bus'
import type { Database, Tx } from '#db'
import type { NewEvent } from '#events'
import type { HttpApp, HttpPlugin, Metrics, ResponseCache } from '#http'
import type { Clock, Ids, Log, Random } from '#kernel'
import { reportOthers } from '#paging'
import { createEntries } from './entries/entries.ts'
import type { Entries, EntryTarget } from './entries/ports.ts'
import type { Entry, EntryPage, FilePage } from './entry.ts'
import { createEntryImport } from './entry-import/import.ts'
import { entryImportRoutes } from './entry-import/routes.ts'
import { createFreshness } from './freshness.ts'
import { createIndexFields, type IndexFields } from './index-fields/index-fields.ts'
import { loadModules } from './index-fields/modules.ts'
import { type ContentEventInfo, contentEvents } from './known-events.ts'
import { createLocales } from './locales/locales.ts'
import { localeRoutes } from './locales/routes.ts'
import { createVariantRemoval } from './locales/variants.ts'
import { createFolders } from './media/folder-changes.ts'
import { createMedia, type Media } from './media/media.ts'
import { mediaRoutes } from './media/routes.ts'
import { uploadsRoutes } from './media/uploads.ts'
import type { MediaFolder, MediaItem, MediaList, MediaPage, MediaQuery } from './media/words.ts'
import { registerMetrics } from './metrics.ts'
import type { ContentModel, ContentType } from './model.ts'
import { createModelHolder } from './model-holder.ts'
import type { ContentQuery } from './query/ast.ts'
import {
  createFind,
  type EntriesRead,
  type EntryTemplates,
  type FilesRead,
  type FileTemplates,
  type OneQuery,
  type PreparedEntries,
  type PreparedFiles,
} from './query/find.ts'
import { createFindMedia } from './query/find-media.ts'
import { createFindPath, type FoundPath } from './query/find-path.ts'
import type { Question } from './query/templates.ts'
import { createResponseCache } from './response-cache.ts'
import { createRevisions, type Revisions as EntryRevisions } from './revisions/revisions.ts'
import { createSearch, type SearchPage, type SearchQuery } from './search/search.ts'
import { countWaitingTexts } from './search/take-in.ts'
import { writeDemo } from './starter/demo.ts'
import { runFirstStart, type Starter } from './starter/first-start.ts'
import { createContentTree } from './tree/tree.ts'
import type { ContentTree } from './tree/words.ts'
import { createModelChanges } from './types/changes.ts'
import { createCleanup } from './types/cleanup.ts'
import { createDefinitions } from './types/definitions.ts'
import { modelRoute } from './types/model-route.ts'
import { createIndexed } from './types/ready.ts'
import { componentRoutes, typeRoutes } from './types/routes.ts'
import { schemaRoutes } from './types/schema-routes.ts'
import { warnOfShadowed } from './types/shadowed.ts'
import type { Viewer } from './viewer.ts'

export { breathe } from './breathe.ts'
export { isShown } from './document.ts'
export { claimsOf } from './entries/claims.ts'
export { eventNamesOf } from './entries/event-names.ts'
export { HISTORY_EVENTS } from './entries/happened.ts'
export type {
  Entries,
  EntryInput,
  EntryTarget,
  UpdateOptions,
  Written,
  WrittenIds,
} from './entries/ports.ts'
export { isAllowedFile } from './entries/references.ts'
export { orChange } from './entries/refusals.ts'
export { createTurns, type Turn } from './entries/turns.ts'
export type {
  Entry,
  EntryPage,
  EntryStatus,
  Included,
  MediaFile,
  Part,
} from './entry.ts'
export { isCompared, isGenerated, openapiOf, wireKindOf } from './fields/index.ts'
export type { WireKind } from './fields/kind.ts'
export type { ModuleField } from './index-fields/words.ts'
export type { JsonObject, JsonValue } from './json.ts'
export { renderMarkup } from './markup.ts'
export { type Read, sendRead } from './response-cache.ts'
export type { FoundRoute, PlacedDocument, Route, StartItem, TreeView } from './tree/words.ts'
export { type Viewer, viewerOf } from './viewer.ts'

/** Content model §10.9: of other nodes' writes an answer may miss those of the last second. */
const OTHERS_NOTICED_WITHIN_MS = 1_000

/** Of what uploads of other nodes leave in a directory that several share. */
const CLEAN_EVERY_MS = 3_600_000

export interface ContentDeps {
  readonly db: Database
  readonly clock: Clock
  readonly ids: Ids
  readonly random: Random
  readonly log: Log
  readonly bus: Bus
  readonly revisions: Revisions
  appendEvents(tx: Tx, events: readonly NewEvent[]): Promise<unknown>
  readonly uploads: {
    readonly directory: string
    readonly maxFileBytes: number
    readonly maxFiles: number
    readonly cacheBytes: number
  }
  /** Memory for the cache of responses; none when absent. */
  readonly answersMaxBytes?: number
  /** Related entries and files that one answer may show; as many as there are when absent. */
  readonly answersMaxRelated?: number
  /** Files of modules that add fields to filter and sort by; none when absent. */
  readonly indexModules?: readonly string[]
  /** Where clients see the server, for URLs in events; without it they are relative to it. */
  readonly publicUrl?: string | undefined
  /** Where clients see us: absolute URLs in answers begin so. */
  origin(request: FastifyRequest): string
  /** Where the store says what it does; nowhere when absent. */
  readonly metrics?: Pick<Metrics, 'registry'>
  /** What an empty store is filled with. */
  readonly starter: Starter
  /** The settings in force now (area `content`). */
  settings(): { readonly publicReadDefault: boolean; readonly revisions: number }
}

export interface Content {
  /** The current snapshot; take it once per request. */
  model(): ContentModel
  /** Makes questions of entries ready that differ in their values, those of one kind together. */
  entryTemplates<Read extends EntriesRead = EntriesRead>(): EntryTemplates<Read>
  readEntries(asked: PreparedEntries): Promise<EntryPage>
  /** A question without values: all that stands in it belongs to its template. */
  find(viewer: Viewer, query: ContentQuery): Promise<EntryPage>
  findOne(viewer: Viewer, query: OneQuery, target: EntryTarget): Promise<Entry | undefined>
  /** Entries of all types by words. */
  search(viewer: Viewer, query: SearchQuery): Promise<SearchPage>
  /** Where entries stand: start items, routes, paths. */
  readonly tree: ContentTree
  readonly entries: Entries
  /** What entries said before. */
  readonly revisions: EntryRevisions
  /** Media files by themselves, whoever uses them. */
  fileTemplates<Read extends FilesRead = FilesRead>(): FileTemplates<Read>
  readFiles(asked: PreparedFiles): Promise<FilePage>
  /** Files and the folders they lie in, as one list. */
  findMedia(viewer: Viewer, question: Question<MediaQuery>, page: MediaPage): Promise<MediaList>
  /** All folders the viewer sees files in, parents before children. */
  findFolders(viewer: Viewer): Promise<readonly MediaFolder[]>
  /** What is at `/folder/name`, without regard to case; a folder before a file. */
  findMediaPath(viewer: Viewer, path: string): Promise<MediaItem | undefined>
  /** Whether the index of each of these attributes is built, so that a query by it need not scan. */
  isIndexed(
    fields: readonly { readonly type: ContentType; readonly attribute: string }[],
  ): Promise<boolean>
  /** Fields of the operator's modules, which entries are filtered and sorted by as `@index:<key>`. */
  readonly indexFields: IndexFields
  /** Whose path this is or was; nothing is said of what the caller may see. */
  findPath(path: string): Promise<readonly FoundPath[]>
  /** The same of many at once; those that nothing has or had are left out. */
  findPaths(paths: readonly string[]): Promise<ReadonlyMap<string, readonly FoundPath[]>>
  /** Definitions, for `/api/v1`. */
  readonly adminRoutes: HttpPlugin
  /** `/content-type-builder`, for a dialect whose clients ask for it. */
  readonly schemaRoutes: HttpPlugin
  /** What the store emits now; `onModelChange` tells when that may be something else. */
  knownEvents(): readonly ContentEventInfo[]
  onModelChange(listener: () => void | Promise<void>): () => void
  readonly media: Media
  /** `/media`, below the path of an API version. */
  mediaRoutes(version: 1 | 2): HttpPlugin
  /** The bytes of uploaded files, below `/uploads`. */
  readonly uploadsRoutes: HttpPlugin
  /** Responses of dialects, until what they show changes. */
  readonly cache: ResponseCache
  close(): Promise<void>
}

export async function createContent(deps: ContentDeps): Promise<Content> {
  const { db, clock, revisions, publicUrl = '' } = deps
  const keptRevisions = () => deps.settings().revisions
  const modules = await loadModules(deps.indexModules ?? [], deps.log)
  const holder = await createModelHolder({ db, revisions })
  warnOfShadowed(holder.model(), deps.log)
  const changes = createModelChanges({ db, clock, revisions, follow: holder.follow })
  const { singleProcess } = db.dialect
  const freshness = createFreshness({
    ...{ bus: deps.bus, isSingleProcess: singleProcess, isKeeper: true },
  })
  const definitions = createDefinitions({
    ...deps,
    changes,
    model: holder.model,
    publicUrl,
    cleanup: createCleanup({ ...deps, model: holder.model, publicUrl }),
    touch: freshness.touch,
    publicReadDefault: () => deps.settings().publicReadDefault,
  })
  const entries = createEntries({
    ...deps,
    model: holder.model,
    touch: freshness.touch,
    publicUrl,
    keptRevisions,
  })
  const locales = createLocales({
    ...{ changes, dialect: db.dialect, model: holder.model, touch: freshness.touch },
    removeVariants: createVariantRemoval({ db, entries }),
  })
  const cache = createResponseCache({
    freshness,
    maxBytes: deps.answersMaxBytes ?? 0,
    maxAgeMs: singleProcess ? Number.POSITIVE_INFINITY : OTHERS_NOTICED_WITHIN_MS,
  })
  const media = createMedia({
    ...deps,
    ...deps.uploads,
    model: holder.model,
    touch: freshness.touch,
  })
  const folders = createFolders({
    ...{ db, clock, media, model: holder.model, touch: freshness.touch },
  })
  let plansCompiled = 0
  const querying = {
    ...{ db, model: holder.model, countPlan: () => void plansCompiled++ },
    ...(deps.answersMaxRelated !== undefined && { mostRelated: deps.answersMaxRelated }),
  }
  if (deps.metrics) {
    const { registry } = deps.metrics
    await registerMetrics({
      ...{ registry, plansCompiled: () => plansCompiled, cacheHits: cache.hits },
      unindexed: () => holder.model().types.filter(({ searched }) => !searched).length,
      searchWaiting: () => countWaitingTexts(db),
    })
  }
  const find = createFind(querying)
  await media.clean()
  const cleaning = setInterval(clean, CLEAN_EVERY_MS).unref()
  const closing = new AbortController()
  media.takeIn(closing.signal).catch((error: unknown) => {
    if (!closing.signal.aborted)
      deps.log.warn({ err: error }, 'files were not taken in; the next start goes on')
  })
  await runFirstStart({
    ...{ changes, definitions, model: holder.model, starter: deps.starter },
    writeDemo: () => writeDemo({ db, changes, model: holder.model, entries }),
  })
  const indexFields = createIndexFields({
    ...{ db, clock, random: deps.random, log: deps.log, freshness, find, modules },
    model: holder.model,
  })
  return {
    model: holder.model,
    ...find,
    ...createSearch({ db, model: holder.model, find }),
    entries,
    revisions: createRevisions({ db, model: holder.model, keptRevisions, find }),
    ...createFindPath({ db, model: holder.model }),
    ...createFindMedia(find, querying),
    isIndexed: createIndexed({ db, model: holder.model }),
    indexFields,
    tree: createContentTree({ db, model: holder.model }),
    adminRoutes,
    schemaRoutes: schemaRoutes({ model: holder.model }),
    knownEvents: () => contentEvents(holder.model()),
    onModelChange: (listener) => holder.onChange(listener),
    media,
    mediaRoutes: (version) => mediaRoutes({ ...deps, media, folders, version }),
    uploadsRoutes: uploadsRoutes(media.bytes),
    cache,
    close,
  }

  function clean() {
    media.clean().catch((error: unknown) => {
      deps.log.warn({ err: error }, 'what uploads left was not removed')
    })
  }

  async function close() {
    clearInterval(cleaning)
    closing.abort()
    await indexFields.stop()
    freshness.close()
    holder.close()
  }

  /** A scope of their own, which is not awaited: filled before its mount is, it would miss the mount's last hooks. */
  function adminRoutes(app: HttpApp) {
    app.register(async (scope: HttpApp) => {
      const { settle } = changes
      scope.addHook('preValidation', reportOthers)
      await modelRoute(holder.model)(scope)
      await typeRoutes({ definitions, model: holder.model, settle })(scope)
      const entryImport = createEntryImport({ db, entries, model: holder.model })
      await entryImportRoutes({ entryImport, definitions })(scope)
      await componentRoutes({ definitions, model: holder.model, settle })(scope)
      await localeRoutes({ locales, model: holder.model, settle })(scope)
    })
  }
}
