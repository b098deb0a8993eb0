import { type Sql, sql } from '../fragment.ts'
import type { Column } from '../names/column.ts'
import { TIES } from '../resolve-list.ts'
import type { ResolvedList, SortColumn } from '../resolved.ts'
import type { Compiling, Row } from './context.ts'
import { idKey, keysOf, type OrderKey, sortedColumn } from './order.ts'

/** The keys of each type's rows, alike in number and kind, so that they can be sorted together. */
export function listKeys(
  to: Compiling,
  rows: readonly Row[],
  { sort }: Pick<ResolvedList, 'sort'>,
): readonly (readonly OrderKey[])[] {
  const asked = sort.map((columns, part) => sortKeys(to, rows, columns, part))
  return rows.map((row, at) => [
    ...asked.flatMap((keys) => keys[at] ?? []),
    ...TIES.flatMap((tie, n) => keysOf(to, row, tie, sort.length + n, 'lowest')),
    idKey(row.alias, sort.length + TIES.length),
  ])
}

/** The keys of one sort in every type. */
function sortKeys(
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
