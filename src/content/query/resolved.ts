import type {
  Component,
  ContentType,
  RelationAttribute,
  TagsAttribute,
  ZoneAttribute,
} from '../model.ts'
import type { ZoneTexts } from '../search/zone-texts.ts'
import type { CompareOperator, CopyState, Detail, TreeAxis } from './ast.ts'
import type { Column } from './names/column.ts'
import type { IndexedStep, ListScope, Step } from './names/fields.ts'
import type { Slot } from './slot.ts'

/** A filter whose names have been checked and whose values are converted when it is asked. */
export type Condition =
  | { readonly kind: 'and' | 'or'; readonly of: readonly Condition[] }
  | { readonly kind: 'not'; readonly of: Condition }
  | {
      readonly kind: 'compare'
      readonly column: Column
      readonly operator: PositiveOperator | 'containsOneOf' | 'onDays'
      readonly fold: boolean
      /** Of `in`, `containsOneOf` and `onDays` the one slot is the whole list. */
      readonly values: readonly Slot[]
    }
  | { readonly kind: 'missing'; readonly column: Column }
  /** One of the few entries without a flag that nearly all have. */
  | { readonly kind: 'rare'; readonly rare: NonNullable<Column['rare']> }
  | Tagged
  /** As in `Filter`. */
  | {
      readonly kind: 'placed'
      readonly axis: TreeAxis
      readonly of: { readonly documentId: Slot } | { readonly collection: ContentType }
    }
  /** Of a file: a copy, a live one where that is asked, refers to it by an attribute of the type or a component in it. */
  | {
      readonly kind: 'referred'
      readonly by: readonly {
        readonly type: ContentType
        readonly attributeNos: readonly number[]
      }[]
      readonly live: boolean
    }
  /** For each of these lists one of the tags is in it. */
  | { readonly kind: 'taggedEach'; readonly of: readonly Tagged[] }
  /** `of` null: there is any at all. */
  | { readonly kind: 'some'; readonly step: Step; readonly of: Condition | null }
  /** For each of `of` there is one that fulfils it, which need not be the same. */
  | { readonly kind: 'each'; readonly step: Step; readonly of: readonly Condition[] }

/** One of the tags is one of the list. */
export interface Tagged {
  readonly kind: 'tagged'
  readonly attribute: TagsAttribute
  readonly fold: boolean
  readonly list: Slot
}

/** The others are their negations. */
export type PositiveOperator = Exclude<CompareOperator, 'ne' | 'notIn' | 'notContains'>

export interface SortColumn {
  readonly steps: readonly Step[]
  readonly column: Column
  readonly order: 'asc' | 'desc'
  /** As in `SortKey`; of a value, by its text, the number of its group. */
  readonly ranks?: Slot<Readonly<Record<string, number>>> | 'present'
}

/** To the components of a zone, each with what is included in it. */
export interface ZoneStep {
  readonly kind: 'zone'
  readonly attribute: ZoneAttribute
  readonly members: readonly ZoneMember[]
}

interface ZoneMember {
  readonly component: Component
  readonly include: readonly ResolvedInclude[]
}

/** Where there is something to show. */
type ShownStep = Exclude<Step, IndexedStep>

export interface ResolvedInclude {
  readonly name: string
  readonly step:
    | ShownStep
    | { readonly kind: 'localizations'; readonly type: ContentType }
    | ZoneStep
  readonly many: boolean
  readonly condition: Condition | null
  /** Empty: in the order of the links. */
  readonly sort: readonly SortColumn[]
  readonly nulls: 'lowest' | 'last'
  readonly start: Slot<number>
  readonly isFromStart: boolean
  /** Where the piece of the list ends. */
  readonly until: Slot<number>
  /** In place of these numbers. */
  readonly between: ResolvedBetween | null
  /** Whether rows carry the length of their list. */
  readonly count: boolean
  readonly include: readonly ResolvedInclude[]
  readonly depth: 'ids' | 'entries'
  /** Null: as the parents'. */
  readonly state: CopyState | null
}

export interface ResolvedBetween {
  readonly after: Position | null
  readonly before: Position | null
  readonly first: Slot<number> | null
  readonly last: Slot<number> | null
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
  /** Each entry comes with its position. */
  readonly hasPositions: boolean
}

export type Position = readonly (Slot | null)[]

/** What one type gives to a list; media files are a type. */
export interface ResolvedPart {
  readonly scope: ListScope
  /** In order of preference; null: every variant. */
  readonly locales: readonly string[] | null
  readonly condition: Condition | null
  readonly search: ResolvedSearch | null
  /** Of zones, which `search` looks into, too. */
  readonly zones: readonly ZoneTexts[]
  /** One for each key of the list; null where the type has no such value. */
  readonly sort: readonly (SortColumn | null)[]
  readonly include: readonly ResolvedInclude[]
  readonly linkedFrom: {
    readonly relation: RelationAttribute
    readonly copyNo: Slot<number>
    readonly documentId: Slot<string>
  } | null
  /** The one entry that was asked for. */
  readonly only: { readonly column: 'id' | 'document_id'; readonly value: Slot } | null
}

/** A list of one or more types. */
export interface ResolvedQuery {
  /** None: the list is empty. */
  readonly parts: readonly ResolvedPart[]
  readonly state: CopyState
  /** By which entries without a language choose variants of others; null: the default locale. */
  readonly locale: string | null
  readonly nulls: 'lowest' | 'last'
  readonly detail: Detail
  readonly walk: Walk
}

/** True of no entry, whatever it holds: its type need not be asked. */
export function isNever(condition: Condition): boolean {
  switch (condition.kind) {
    case 'and':
      return condition.of.some(isNever)
    case 'or':
      return condition.of.every(isNever)
    case 'not':
      return isAlways(condition.of)
    default:
      return false
  }
}

function isAlways(condition: Condition): boolean {
  switch (condition.kind) {
    case 'and':
      return condition.of.every(isAlways)
    case 'or':
      return condition.of.some(isAlways)
    case 'not':
      return isNever(condition.of)
    default:
      return false
  }
}

/** Nearly every entry that is visible belongs to the list: little is met in vain along an index. */
export function isCommon(part: ResolvedPart): boolean {
  const { scope, condition, search, linkedFrom, only, locales } = part
  const isOfOne = locales === null || locales.length === 1
  const isWhole = scope.kind === 'entry' && isOfOne && !search && !linkedFrom && !only
  return isWhole && partsOf(condition).every(isUsual)
}

/** What every entry must fulfil. */
export function partsOf(condition: Condition | null): readonly Condition[] {
  if (condition === null) return []
  return condition.kind === 'and' ? condition.of.flatMap(partsOf) : [condition]
}

/** A flag that nearly all entries have. */
export function isUsual(condition: Condition): condition is Extract<Condition, { kind: 'not' }> {
  return condition.kind === 'not' && condition.of.kind === 'rare'
}
