import type { ContentType, RelationAttribute, TagsAttribute } from '../model.ts'
import type { CompareOperator, CopyState, TreeAxis } from './ast.ts'
import type { Column } from './names/column.ts'
import type { Step } from './names/fields.ts'
import type { Slot } from './slot.ts'

/** A filter whose names have been checked and whose values are converted when it is asked. */
export type Condition =
  | { readonly kind: 'and' | 'or'; readonly of: readonly Condition[] }
  | { readonly kind: 'not'; readonly of: Condition }
  | {
      readonly kind: 'compare'
      readonly column: Column
      readonly operator: PositiveOperator
      readonly fold: boolean
      /** Of `in` the one slot is the whole list. */
      readonly values: readonly Slot[]
    }
  | { readonly kind: 'missing'; readonly column: Column }
  /** One of the few entries without a flag that nearly all have. */
  | { readonly kind: 'rare'; readonly rare: NonNullable<Column['rare']> }
  /** One of the tags is one of the list. */
  | {
      readonly kind: 'tagged'
      readonly attribute: TagsAttribute
      readonly fold: boolean
      readonly list: Slot
    }
  /** As in `Filter`. */
  | {
      readonly kind: 'placed'
      readonly axis: TreeAxis
      readonly of: { readonly documentId: Slot } | { readonly collection: ContentType }
    }
  /** `of` null: there is any at all. */
  | { readonly kind: 'some'; readonly step: Step; readonly of: Condition | null }

/** The others are their negations. */
export type PositiveOperator = Exclude<CompareOperator, 'ne' | 'notIn' | 'notContains'>

export interface SortColumn {
  readonly steps: readonly Step[]
  readonly column: Column
  readonly order: 'asc' | 'desc'
  /** As in `SortKey`; of a value, by its text, the number of its group. */
  readonly ranks?: Slot<Readonly<Record<string, number>>> | 'present'
}

export interface ResolvedInclude {
  readonly name: string
  readonly step: Step | { readonly kind: 'localizations'; readonly type: ContentType }
  readonly many: boolean
  readonly condition: Condition | null
  /** Empty: in the order of the links. */
  readonly sort: readonly SortColumn[]
  readonly nulls: 'lowest' | 'last'
  readonly start: Slot<number>
  readonly isFromStart: boolean
  /** Where the piece of the list ends. */
  readonly until: Slot<number>
  readonly include: readonly ResolvedInclude[]
  readonly depth: 'ids' | 'entries'
  /** Null: as the parents'. */
  readonly state: CopyState | null
}

export interface ResolvedSearch {
  /** Folded. */
  readonly text: Slot<string>
  /** Could be part of a number as answers show it, and could be a whole one. */
  readonly isDigits: boolean
  readonly isNumber: boolean
}

/** How a page is walked to; positions have one value for each sort key and the id, null where missing. */
export interface Walk {
  readonly after: Position | null
  readonly until: Position | null
  /** Against the order of the list. */
  readonly backwards: boolean
  /** Null: from the beginning. */
  readonly start: Slot<number> | null
  readonly limit: Slot<number>
  readonly count: boolean
}

export type Position = readonly (Slot | null)[]

export interface ResolvedQuery {
  readonly type: ContentType
  readonly state: CopyState
  /** In order of preference; null: every variant. */
  readonly locales: readonly string[] | null
  readonly condition: Condition | null
  readonly search: ResolvedSearch | null
  readonly sort: readonly SortColumn[]
  readonly include: readonly ResolvedInclude[]
  readonly nulls: 'lowest' | 'last'
  readonly brief: boolean
  readonly linkedFrom: {
    readonly relation: RelationAttribute
    readonly copyNo: Slot<number>
    readonly documentId: Slot<string>
  } | null
  /** The one entry that was asked for. */
  readonly only: { readonly column: 'id' | 'document_id'; readonly value: Slot } | null
  readonly walk: Walk
}

/** A question about media files by themselves. */
export interface ResolvedFiles {
  readonly wanted: FilesWanted
  /** Only those that callers without a key may see. */
  readonly isPublic: boolean
  readonly condition: Condition | null
  /** Folded. */
  readonly search: Slot<string> | null
  readonly sort: readonly SortColumn[]
  readonly nulls: 'lowest' | 'last'
  readonly start: Slot<number>
  readonly limit: Slot<number>
}

/** A page, a page with the total in every row, the total alone, or the folders they lie in. */
export type FilesWanted = 'page' | 'counted' | 'total' | 'folders'

/** One query for each type, each walking to as many of its entries as the page may hold. */
export interface ResolvedList {
  readonly queries: readonly ResolvedQuery[]
  /** By what entries are sorted together, in the order of the queries; null where a type has no such value. */
  readonly sort: readonly (readonly (SortColumn | null)[])[]
  readonly state: CopyState
  /** By which entries without a language choose variants of others; null: the default locale. */
  readonly locale: string | null
  readonly start: Slot<number>
  readonly limit: Slot<number>
}
