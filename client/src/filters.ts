import type { Content, RecordOf } from './model.ts'

/** A condition on an entry: members by name, all of which must hold, and groups of conditions. */
export type Filters<C extends Content<C>, T extends keyof C> = Groups<Filters<C, T>> & {
  readonly [M in Filterable<C, T>]?: Condition<RecordOf<C, T>[M]>
} & {
  readonly [R in keyof C[T]['relations']]?: RelationCondition<C, C[T]['relations'][R]>
}

interface Groups<F> {
  readonly $and?: readonly F[]
  readonly $or?: readonly F[]
  readonly $not?: F
}

/** Members of records that are no values of the entry; references are asked by their relation. */
type NotFiltered = 'status' | 'tree_parent_id' | 'sort_order' | 'is_root' | 'entry_id'

type Filterable<C extends Content<C>, T extends keyof C> = Exclude<
  keyof RecordOf<C, T>,
  NotFiltered | `${keyof C[T]['relations'] & string}_id`
>

type RelationCondition<C extends Content<C>, Link> =
  | number
  | string
  | null
  | { readonly $null?: boolean; readonly $notNull?: boolean }
  | (Link extends { to: infer To extends keyof C }
      ? Filters<C, To>
      : Readonly<Record<string, unknown>>)

/** Null asks for entries without a value, a list for any of its values. */
type Condition<V> = 0 extends 1 & V
  ? unknown
  : NonNullable<V> extends infer Value
    ? Value extends readonly (infer Item)[]
      ? Item extends object
        ? ComponentCondition<Item>
        : ScalarCondition<Item>
      : Value extends object
        ? ComponentCondition<Value>
        : ScalarCondition<Value>
    : never

type ComponentCondition<V> =
  | null
  | ({ readonly [M in keyof V]?: Condition<V[M]> } & Nullness &
      Groups<{ readonly [M in keyof V]?: Condition<V[M]> }>)

type ScalarCondition<V> =
  | Operand<V>
  | readonly Operand<V>[]
  | null
  | (Comparisons<Operand<V>> & (V extends string ? TextComparisons : unknown))

/** Times are texts in records; a `Date` is written as one. */
type Operand<V> = V extends string ? V | Date : V

interface Nullness {
  readonly $null?: boolean
  readonly $notNull?: boolean
}

interface Comparisons<V> extends Nullness {
  readonly $eq?: V
  /** Also of entries without a value. */
  readonly $ne?: V
  readonly $lt?: V
  readonly $lte?: V
  readonly $gt?: V
  readonly $gte?: V
  readonly $in?: readonly V[]
  readonly $notIn?: readonly V[]
  /** Both ends included. */
  readonly $between?: readonly [V, V]
  readonly $not?: Comparisons<V> & TextComparisons
}

/** Those that end in `i` make no difference between capital and small letters. */
interface TextComparisons {
  readonly $eqi?: string
  readonly $nei?: string
  readonly $ini?: readonly string[]
  readonly $notIni?: readonly string[]
  readonly $contains?: string
  readonly $notContains?: string
  readonly $containsi?: string
  readonly $notContainsi?: string
  readonly $startsWith?: string
  readonly $startsWithi?: string
  readonly $endsWith?: string
  readonly $endsWithi?: string
}
