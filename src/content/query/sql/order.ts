import { parseBigInteger } from '../../fields/support/numbers.ts'
import { isStorableText } from '../../fields/support/text.ts'
import { fold } from '../../fold.ts'
import { type Sql, sql } from '../fragment.ts'
import type { Column } from '../names/column.ts'
import type { Step } from '../names/fields.ts'
import { SYSTEM_COLUMNS } from '../names/system.ts'
import type { Position, ResolvedQuery, SortColumn } from '../resolved.ts'
import type { Slot } from '../slot.ts'
import { type Compiling, column, type Row } from './context.ts'
import { isOwner, joined, type OwnerRow, related } from './steps.ts'

/** One key of an order; text has two, its folded form and itself. */
export interface OrderKey {
  readonly value: Sql
  readonly kind: Column['kind']
  readonly big: boolean
  readonly order: 'asc' | 'desc'
  readonly nullable: boolean
  readonly nullsFirst: boolean
  /** A column of the row itself, so that an index may hold the order. */
  readonly plain: boolean
  readonly indexed: boolean
  /** The sort key it belongs to, by its place in the query; the last one is `id`. */
  readonly part: number
  readonly isFold: boolean
}

/** The keys of each part's rows, alike in number and kind, so that they can be sorted together. */
export function listKeys(
  to: Compiling,
  rows: readonly Row[],
  { parts, nulls }: Pick<ResolvedQuery, 'parts' | 'nulls'>,
): readonly (readonly OrderKey[])[] {
  const [row] = rows
  const sorts = parts.map(({ sort }) => sort)
  if (row && rows.length === 1) {
    const known = sorts[0]?.filter((each) => each !== null) ?? []
    return [orderKeys(to, row, known, nulls)]
  }
  const asked = (sorts[0] ?? []).map((_, part) =>
    partKeys(
      to,
      rows,
      sorts.map((sort) => sort[part] ?? null),
      part,
    ),
  )
  return rows.map((own, at) => [
    ...asked.flatMap((keys) => keys[at] ?? []),
    idKey(own.alias, asked.length),
  ])
}

/** The keys in order, `id` last, so that no two entries stand equal (content model §10.1). */
export function orderKeys(
  to: Compiling,
  row: Row,
  sort: readonly SortColumn[],
  nulls: 'lowest' | 'last',
): readonly OrderKey[] {
  const own = sort.findIndex(
    ({ steps, column: by, ranks }) => !ranks && steps.length === 0 && by === ID,
  )
  const used = own < 0 ? sort : sort.slice(0, own + 1)
  const keys = used.flatMap((each, part) => keysOf(to, row, each, part, nulls))
  return own < 0 ? [...keys, idKey(row.alias, sort.length)] : keys
}

/** What follows it cannot matter. */
const ID = SYSTEM_COLUMNS.get('id')

function idKey(alias: string, part: number): OrderKey {
  const rules = { nullable: false, nullsFirst: false, isFold: false, big: false }
  const key = { kind: 'integer', order: 'asc', plain: true, indexed: true } as const
  return { value: column(alias, 'id'), part, ...key, ...rules }
}

function keysOf(
  to: Compiling,
  row: Row,
  by: SortColumn,
  part: number,
  nulls: 'lowest' | 'last',
): readonly OrderKey[] {
  const { steps, order } = by
  const sorted = sortedColumn(to, by)
  const plain = steps.length === 0 && !sorted.registry
  if (!plain || !sorted.indexed) to.noteScan()
  const { kind, big, indexed } = sorted
  const nullable = sorted.nullable || steps.length > 0
  const rules = { kind, big, order, nullable, plain, indexed, part }
  const nullsFirst = nulls === 'lowest' && order === 'asc'
  const values = [...(sorted.fold ? [sorted.fold] : []), (alias: string) => sorted.sql(alias)]
  return values.map((value, at) => ({
    ...rules,
    value: sortedValue(to, row, steps, sorted, value, order),
    nullsFirst,
    isFold: at < values.length - 1,
  }))
}

/** What is compared, which is not the value itself when its rank counts. */
function sortedColumn({ dialect }: Compiling, { column: own, ranks }: SortColumn): Column {
  if (ranks === undefined) return own
  const rank = (value: Sql) =>
    ranks === 'present'
      ? sql`case when ${value} is null then null else 0 end`
      : dialect.rankOf(value, sql.val(ranks.map((given) => JSON.stringify(given))))
  const kind = { kind: 'integer', nullable: true, indexed: false, big: false, scale: 0 } as const
  return { ...own, ...kind, fold: null, sql: (alias) => rank(own.sql(alias)) }
}

function sortedValue(
  to: Compiling,
  row: Row,
  steps: readonly Step[],
  sorted: Column,
  value: (alias: string) => Sql,
  order: 'asc' | 'desc',
): Sql {
  const [step, ...rest] = steps
  if (step && isOwner(row)) return outermost(to, row, step, rest, sorted, value, order)
  if (!sorted.registry) return value(row.alias)
  const alias = to.alias('e')
  return sql`(select ${value(alias)} from content_entries as ${sql.ref(alias)} where ${column(alias, 'no')} = ${column(row.alias, 'entry_no')})`
}

/** Over to-many relations ascending order goes by the smallest value, descending by the largest. */
function outermost(
  to: Compiling,
  row: OwnerRow,
  step: Step,
  rest: readonly Step[],
  sorted: Column,
  value: (alias: string) => Sql,
  order: 'asc' | 'desc',
): Sql {
  const found = related(to, row, step)
  const at = (of: (alias: string) => Sql) => sortedValue(to, found.row, rest, sorted, of, order)
  const direction = order === 'asc' ? sql`asc` : sql`desc`
  const own = at((alias) => sorted.sql(alias))
  const by = sorted.fold
    ? sql`${at(sorted.fold)} ${direction}, ${own} ${direction}`
    : sql`${own} ${direction}`
  return sql`(select ${at(value)} from ${found.from} where ${joined(found)} and ${own} is not null order by ${by} limit 1)`
}

/** The keys of one sort in every type. */
function partKeys(
  to: Compiling,
  rows: readonly Row[],
  columns: readonly (SortColumn | null)[],
  part: number,
): readonly (readonly OrderKey[])[] {
  const known = columns.filter((each) => each !== null)
  const [first] = known
  if (!first) return rows.map(() => [])
  const compared = sortedColumn(to, first)
  if (!known.every((each) => isAlike(sortedColumn(to, each), compared))) {
    to.noteScan()
    return rows.map((row, at) => mixedKeys(to, row, columns[at] ?? null, first.order, part))
  }
  return rows.map((row, at) => {
    const own = columns[at]
    return keysOf(to, row, own ?? first, part, 'lowest').map((key) => (own ? key : missing(key)))
  })
}

/** Both hold values that databases compare as they stand. */
function isAlike(one: Column, other: Column): boolean {
  return (
    one.kind === other.kind &&
    one.scale === other.scale &&
    (one.fold === null) === (other.fold === null)
  )
}

const NULLS = {
  text: sql`cast(null as text)`,
  integer: sql`cast(null as bigint)`,
  double: sql`cast(null as double precision)`,
}

function missing(key: OrderKey): OrderKey {
  return { ...key, value: NULLS[key.kind], nullable: true, plain: true, indexed: true }
}

/** Where types differ in kind: what is missing, then numbers by their value, then texts. */
function mixedKeys(
  to: Compiling,
  row: Row,
  sorted: SortColumn | null,
  order: OrderKey['order'],
  part: number,
): readonly OrderKey[] {
  const common = { order, part, big: false, plain: false, indexed: false, isFold: false }
  const nulls = { nullable: true, nullsFirst: order === 'asc' }
  const key = (kind: OrderKey['kind'], value: Sql): OrderKey => ({
    ...common,
    ...nulls,
    kind,
    value,
  })
  const { rank, number, fold, text } = mixedValues(to, row, sorted)
  return [key('integer', rank), key('double', number), key('text', fold), key('text', text)]
}

function mixedValues(to: Compiling, row: Row, sorted: SortColumn | null) {
  const none = { number: NULLS.double, fold: NULLS.text, text: NULLS.text }
  if (!sorted) return { rank: sql`0`, ...none }
  const keys = keysOf(to, row, sorted, 0, 'lowest')
  const own = keys.at(-1)?.value ?? NULLS.text
  const rank = (of: number) => sql`case when ${own} is null then 0 else ${sql.lit(of)} end`
  const { kind, scale } = sortedColumn(to, sorted)
  if (kind === 'text') {
    return { ...none, rank: rank(2), fold: keys[0]?.value ?? own, text: own }
  }
  const unit = sql.lit(10 ** scale)
  return { ...none, rank: rank(1), number: sql`cast(${own} as double precision) / ${unit}` }
}

export function reversed(key: OrderKey): OrderKey {
  return { ...key, order: key.order === 'asc' ? 'desc' : 'asc', nullsFirst: !key.nullsFirst }
}

/** `values` where the keys stand under other names in the statement. */
export function orderBy(keys: readonly OrderKey[], values?: readonly Sql[]): Sql {
  const terms = keys.map((key, at) => {
    const direction = key.order === 'asc' ? sql`asc` : sql`desc`
    const nulls = key.nullsFirst ? sql` nulls first` : sql` nulls last`
    // Behind its folded form a text is never missing by itself, and SQLite walks along an index only
    // where no more than the first ascending key says that what is missing comes last.
    const isOwn = key.nullsFirst || key.order === 'desc' || keys[at - 1]?.isFold !== true
    const isSaid = key.nullable && isOwn
    return sql`${values?.[at] ?? key.value} ${direction}${isSaid ? nulls : sql``}`
  })
  return sql.join(terms)
}

/** The keys' values of a position, which has one value for each part; checked when they are bound. */
export function keyValues(
  keys: readonly OrderKey[],
  position: Position,
  refuse: () => never,
): Position {
  if (position.length !== (keys.at(-1)?.part ?? 0) + 1) refuse()
  return keys.map((key): Slot | null => {
    const slot = position[key.part]
    if (slot) return slot.map((value) => keyValue(key, value) ?? refuse())
    return key.nullable ? null : refuse()
  })
}

/** Undefined: not of the key's kind, or nothing that a column can hold. */
function keyValue({ kind, big, isFold }: OrderKey, value: unknown) {
  if (kind === 'text') {
    if (typeof value !== 'string' || !isStorableText(value)) return undefined
    return isFold ? fold(value) : value
  }
  if (big) {
    const whole = typeof value === 'string' ? parseBigInteger(value) : undefined
    return whole?.ok ? whole.value : undefined
  }
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined
  return kind === 'double' || Number.isSafeInteger(value) ? value : undefined
}
