import type { Content } from '#content'
import type { ExampleOf } from '#http'
import type { AccessLevel } from '#kernel'

/** The content store as this dialect uses it. */
export type DeliveryContent = Pick<
  Content,
  | ('model' | 'entryTemplates' | 'readEntries' | 'tree' | 'findPaths')
  | ('isIndexed' | 'indexFields')
  | ('fileTemplates' | 'readFiles' | 'findMedia' | 'findFolders' | 'findMediaPath')
>

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
  /** What the operations of the document at this path look like in use. */
  examplesOf(path: string): Promise<ExampleOf>
  readonly content: DeliveryContent
  /** The settings in force now. */
  settings(): DeliverySettings
  /** The level of an Entrepot key that may be used now; throws the refusal of any other. */
  levelOfKey(rawKey: string): AccessLevel | Promise<AccessLevel>
  readonly version: string
}
