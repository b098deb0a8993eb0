import type { FastifyRequest } from 'fastify'
import type {
  AnswerKeeper,
  ContentModel,
  ContentQuery,
  Entries,
  Entry,
  EntryPage,
  EntryTarget,
  EntryTemplates,
  FilesQuery,
  FileTemplates,
  FoundPath,
  Media,
  MediaFile,
  OneQuery,
  PageText,
  PreparedEntries,
  PreparedFiles,
  Viewer,
} from '#content'
import type { Store } from '#kernel'

/** The content store as this dialect uses it. */
export interface JsonApiContent {
  /** The current snapshot; taken once per request. */
  model(): ContentModel
  entryTemplates<Read extends { readonly query: ContentQuery }>(): EntryTemplates<Read>
  readEntries(asked: PreparedEntries, text?: PageText): Promise<EntryPage>
  findOne(viewer: Viewer, query: OneQuery, target: EntryTarget): Promise<Entry | undefined>
  fileTemplates<Read extends { readonly query: FilesQuery }>(): FileTemplates<Read>
  findFiles(asked: PreparedFiles): Promise<readonly MediaFile[]>
  countFiles(asked: PreparedFiles): Promise<number>
  findPath(path: string): Promise<readonly FoundPath[]>
  readonly entries: Entries
  readonly media: Media
  readonly kept: AnswerKeeper['kept']
}

/** An account as others may know it; the address is shown to its owner and to administrators. */
export interface KnownUser {
  readonly id: number
  readonly uuid: string
  readonly name: string | null
  readonly email: string
}

/** The accounts there are; deleted ones are found by none of these. */
export interface KnownUsers {
  byIds(ids: readonly number[]): Promise<readonly KnownUser[]>
  byUuid(uuid: string): Promise<KnownUser | undefined>
  all(): Promise<readonly KnownUser[]>
  /** Called when any of them may have changed. */
  onChange(listener: () => void): void
}

export interface JsonApiDeps {
  readonly content: JsonApiContent
  readonly users: KnownUsers
  /** The settings in force now (contract §5). */
  settings(): { readonly publicRead: boolean; readonly readOnly: boolean }
  /** Where clients see us, for absolute URLs. */
  origin(request: FastifyRequest): string
  readonly transaction: Store['transaction']
}
