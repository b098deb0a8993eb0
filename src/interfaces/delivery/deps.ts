import type {
  AnswerKeeper,
  ContentModel,
  ContentTree,
  ContentType,
  EntryList,
  FilesQuery,
  FileTemplates,
  FoundPath,
  ListQuery,
  ListTemplates,
  ListText,
  MediaFile,
  MediaFolder,
  MediaItem,
  MediaList,
  MediaPage,
  MediaQuery,
  PreparedFiles,
  PreparedList,
  Question,
  Viewer,
} from '#content'
import type { AccessLevel } from '#kernel'

/** The content store as this dialect uses it. */
export interface DeliveryContent {
  /** The current snapshot; taken once per request. */
  model(): ContentModel
  listTemplates<Read extends { readonly query: ListQuery }>(): ListTemplates<Read>
  readList(asked: PreparedList, text?: ListText): Promise<EntryList>
  readonly tree: ContentTree
  fileTemplates<Read extends { readonly query: FilesQuery }>(): FileTemplates<Read>
  findFiles(asked: PreparedFiles): Promise<readonly MediaFile[]>
  findMedia(viewer: Viewer, question: Question<MediaQuery>, page: MediaPage): Promise<MediaList>
  findFolders(viewer: Viewer): Promise<readonly MediaFolder[]>
  findMediaPath(viewer: Viewer, path: string): Promise<MediaItem | undefined>
  findPaths(paths: readonly string[]): Promise<ReadonlyMap<string, readonly FoundPath[]>>
  isIndexed(
    fields: readonly { readonly type: ContentType; readonly attribute: string }[],
  ): Promise<boolean>
  readonly kept: AnswerKeeper['kept']
}

/** A field that content can be filtered and sorted by besides its own (contract §9). */
export interface IndexField {
  readonly FieldName: string
  readonly FieldType: 'StringRaw' | 'StringAnalyzed' | 'StringSortable' | 'Number' | 'Date'
  readonly VariesByCulture?: boolean
  /** `properties.releasedAt`, or one of the members `name`, `createDate`, `updateDate`. */
  readonly Source: string
}

/** The area `delivery` of the settings (contract §1); another object whenever one has changed. */
export interface DeliverySettings {
  readonly enabled: boolean
  readonly publicAccess: boolean
  readonly keyAccess: boolean
  readonly apiKey?: string | undefined
  readonly disallowedContentTypeAliases: readonly string[]
  readonly allowedContentTypeAliases: readonly string[]
  readonly richTextOutputAsJson: boolean
  readonly mediaEnabled: boolean
  readonly mediaPublicAccess: boolean
  readonly maxTake: number
  readonly unexpandedMedia: 'ids' | 'summary'
  readonly indexFields: readonly IndexField[]
}

export interface DeliveryDeps {
  readonly content: DeliveryContent
  /** The settings in force now. */
  settings(): DeliverySettings
  /** The level of an Entrepot key that may be used now; throws the refusal of any other. */
  levelOfKey(rawKey: string): Promise<AccessLevel>
  readonly version: string
}
