import type { ContentType, TagsAttribute } from '../model.ts'
import type { CompareOperator, ContentQuery, CopyState, TreeAxis } from './ast.ts'
import type { Column, Comparable } from './names/column.ts'
import type { Step } from './names/fields.ts'

/** A filter whose names and values have been checked: it can always be compiled. */
export type Condition<Value = Comparable> =
  | { readonly kind: 'and' | 'or'; readonly of: readonly Condition<Value>[] }
  | { readonly kind: 'not'; readonly of: Condition<Value> }
  | {
      readonly kind: 'compare'
      readonly column: Column
      readonly operator: PositiveOperator
      readonly fold: boolean
      readonly values: readonly Value[]
    }
  | { readonly kind: 'missing'; readonly column: Column }
  /** One of the few entries without a flag that nearly all have. */
  | { readonly kind: 'rare'; readonly rare: NonNullable<Column['rare']> }
  /** One of the tags is one of the values. */
  | {
      readonly kind: 'tagged'
      readonly attribute: TagsAttribute
      readonly fold: boolean
      readonly values: readonly Value[]
    }
  /** As in `Filter`. */
  | {
      readonly kind: 'placed'
      readonly axis: TreeAxis
      readonly of: { readonly documentId: Value } | { readonly collection: ContentType }
    }
  /** `of` null: there is any at all. */
  | { readonly kind: 'some'; readonly step: Step; readonly of: Condition<Value> | null }

/** The others are their negations. */
export type PositiveOperator = Exclude<CompareOperator, 'ne' | 'notIn' | 'notContains'>

export interface SortColumn<Ranked = Ranks> {
  readonly steps: readonly Step[]
  readonly column: Column
  readonly order: 'asc' | 'desc'
  /** As in `SortKey`. */
  readonly ranks?: Ranked | 'present'
}

/** The number of its group for each value, by its text. */
type Ranks = Readonly<Record<string, number>>

export interface ResolvedInclude {
  readonly name: string
  readonly step: Step | { readonly kind: 'localizations'; readonly type: ContentType }
  readonly many: boolean
  readonly condition: Condition | null
  /** Empty: in the order of the links. */
  readonly sort: readonly SortColumn[]
  readonly nulls: 'lowest' | 'last'
  readonly start: number
  readonly limit: number
  readonly include: readonly ResolvedInclude[]
  readonly depth: 'ids' | 'entries'
  /** Null: as the parents'. */
  readonly state: CopyState | null
}

export interface ResolvedQuery {
  readonly type: ContentType
  readonly state: 'live' | 'working'
  /** In order of preference; null: every variant. */
  readonly locales: readonly string[] | null
  readonly condition: Condition | null
  readonly search: string
  readonly sort: readonly SortColumn[]
  readonly include: readonly ResolvedInclude[]
  readonly nulls: 'lowest' | 'last'
  readonly brief: boolean
  readonly linkedFrom: ContentQuery['linkedFrom'] | null
  /** The one entry that was asked for. */
  readonly only: { readonly column: 'id' | 'document_id'; readonly value: number | string } | null
}

/** A question about media files by themselves. */
export interface ResolvedFiles {
  readonly wanted: FilesWanted
  /** Only those that callers without a key may see. */
  readonly isPublic: boolean
  readonly condition: Condition | null
  readonly search: string
  readonly sort: readonly SortColumn[]
  readonly nulls: 'lowest' | 'last'
  readonly start: number
  readonly limit: number
}

/** A page, a page with the total in every row, the total alone, or the folders they lie in. */
export type FilesWanted = 'page' | 'counted' | 'total' | 'folders'

/** One query for each type, and by what their entries are sorted together. */
export interface ResolvedList {
  readonly queries: readonly ResolvedQuery[]
  /** In the order of the queries; null where a type has no such value. */
  readonly sort: readonly (readonly (SortColumn | null)[])[]
  /** By which entries without a language choose variants of others; null: the default locale. */
  readonly locale: string | null
}
