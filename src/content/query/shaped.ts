import type { RelationAttribute } from '../model.ts'
import type { CopyState } from './ast.ts'
import type {
  Condition,
  ResolvedFiles,
  ResolvedInclude,
  ResolvedQuery,
  SortColumn,
} from './resolved.ts'
import type { Slot } from './slot.ts'

/** Everything of a query but its values; what statements are compiled from. */
export interface ShapedQuery extends Pick<ResolvedQuery, 'type' | 'state' | 'nulls' | 'brief'> {
  readonly sort: readonly ShapedSort[]
  readonly locales: readonly Slot[] | null
  readonly condition: ShapedCondition | null
  readonly search: ShapedSearch | null
  readonly include: readonly ShapedInclude[]
  readonly linkedFrom: ShapedLink | null
  readonly only: { readonly column: 'id' | 'document_id'; readonly value: Slot } | null
  readonly walk: ShapedWalk
}

/** Of `in` and tags the one slot is the whole list. */
export type ShapedCondition = Condition<Slot>

export type ShapedSort = SortColumn<Slot>

export interface ShapedSearch {
  /** Folded. */
  readonly text: Slot
  /** Could be part of a number as answers show it, and could be a whole one. */
  readonly isDigits: boolean
  readonly isNumber: boolean
}

interface ShapedLink {
  readonly relation: RelationAttribute
  readonly copyNo: Slot
  readonly documentId: Slot
}

/** How a page is walked to; positions have one value for each sort key and the id, null where missing. */
export interface ShapedWalk {
  readonly after: ShapedPosition | null
  readonly until: ShapedPosition | null
  readonly backwards: boolean
  /** Null: from the beginning. */
  readonly start: Slot | null
  readonly limit: Slot
  readonly count: boolean
}

export type ShapedPosition = readonly (Slot | null)[]

export interface ShapedInclude extends Pick<ResolvedInclude, 'name' | 'step' | 'many' | 'nulls'> {
  readonly sort: readonly ShapedSort[]
  readonly condition: ShapedCondition | null
  readonly start: Slot
  readonly isFromStart: boolean
  /** Where the piece of the list ends. */
  readonly until: Slot
  readonly include: readonly ShapedInclude[]
  readonly depth: 'ids' | 'entries'
  readonly state: CopyState | null
}

/** A list over several types. Each query walks to as many of its entries as the page may hold. */
export interface ShapedList {
  /** As in `ResolvedList`. */
  readonly sort: readonly (readonly (ShapedSort | null)[])[]
  readonly queries: readonly ShapedQuery[]
  readonly state: CopyState
  /** By which entries without a language choose variants of others; null: the default locale. */
  readonly locale: Slot | null
  readonly start: Slot
  readonly limit: Slot
}

export interface ShapedFiles extends Pick<ResolvedFiles, 'wanted' | 'isPublic' | 'nulls'> {
  readonly condition: ShapedCondition | null
  /** Folded. */
  readonly search: Slot | null
  readonly sort: readonly ShapedSort[]
  readonly start: Slot
  readonly limit: Slot
}

/** A query apart: what decides about its statements, and the values that are bound in them. */
export interface Shape<Asked = ShapedQuery> {
  /** Equal only for queries that differ in nothing but their values. */
  readonly key: string
  readonly query: Asked
  readonly values: readonly unknown[]
}
