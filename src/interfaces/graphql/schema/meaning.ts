import type { Component, ContentType, ScalarAttribute } from '#content-model'

/** The shapes that one content model has, each with an endpoint of its own (contract §1). */
export type Form = 'cms' | 'offset' | 'connection'

/** What attributes and root fields lead to. */
type Thing = ContentType | Component | 'files'

/** What entries have beside their attributes; `globalId` and `databaseId` are of the cursor shape. */
export type Member =
  | ('id' | 'globalId' | 'databaseId' | 'documentId')
  | ('createdAt' | 'updatedAt' | 'publishedAt' | 'locale')

/** Numbers of a page and what is known of its ends. */
export type PageMember =
  | ('total' | 'page' | 'pageSize' | 'pageCount' | 'limit' | 'offset')
  | ('hasNextPage' | 'hasPreviousPage' | 'startCursor' | 'endCursor')

export type Action = 'create' | 'update' | 'remove' | 'localize' | 'publish' | 'unpublish'

/** What a field of a schema shows. Renderers and queries are made of these, whatever its name is. */
export type Meaning =
  | { readonly of: 'value'; readonly attribute: ScalarAttribute }
  | { readonly of: 'member'; readonly name: Member }
  | { readonly of: 'fileMember'; readonly name: string }
  | { readonly of: 'localeMember'; readonly name: string }
  /** Follows an attribute, or `localizations`. */
  | {
      readonly of: 'step'
      readonly attribute: string
      readonly to: Thing
      readonly many: boolean
      /** Items that are counted where no page size is given. */
      readonly most?: number
    }
  /** Components of several kinds, by the names of their types. */
  | {
      readonly of: 'zone'
      readonly attribute: string
      readonly kinds: ReadonlyMap<string, Component>
      readonly most: number
    }
  /** The id of what a relation to one leads to. */
  | { readonly of: 'reference'; readonly attribute: string; readonly to: ContentType }
  /** More of the same thing: `attributes`, `data` of one entry, `node`, `meta`, `pageInfo`. */
  | { readonly of: 'self' }
  | { readonly of: 'items' }
  | { readonly of: 'edges' }
  | { readonly of: 'cursor' }
  | { readonly of: 'page'; readonly name: PageMember }
  | { readonly of: 'list'; readonly to: ContentType | 'files' }
  | { readonly of: 'one'; readonly to: ContentType | 'files' }
  | { readonly of: 'single'; readonly to: ContentType }
  | { readonly of: 'node' }
  | { readonly of: 'locales' }
  | { readonly of: 'change'; readonly action: Action; readonly to: ContentType }
  | { readonly of: 'fileChange'; readonly action: 'update' | 'remove' }
