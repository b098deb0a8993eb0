import { type Sql, sql } from '../fragment.ts'
import type { Column } from '../names/column.ts'
import type { ShapedCondition as Condition, ShapedQuery } from '../shaped.ts'
import type { Slot } from '../slot.ts'
import { baseConditions, ROOT } from './base.ts'
import { allOf, type Compiling, column, isVisible, type Row } from './context.ts'
import { compileCondition } from './filter.ts'
import type { OrderKey } from './order.ts'

export interface Source {
  readonly from: Sql
  readonly where: Sql
}

/** One way to find a page. */
export interface Branch extends Source {
  readonly keys: readonly OrderKey[]
  /** How many rows it may return: none when another branch is the better way. */
  limit(size: Slot): Sql
}

type Comparison = Extract<Condition, { kind: 'compare' }>

/** So many rows are sorted faster than a list in the right order would be searched for them. */
const FEW = 1_000

/**
 * The ways to find a page, of which the data lets one return rows. A filter that finds few is best
 * asked first and its rows sorted; one that finds many is best tried on the sorted list until the page
 * is full. Where the planner cannot weigh this, the statement itself counts as far as `FEW`, in the
 * limits: a limit of 0 ends a select before its first row, a condition would be tried on every row.
 */
export function branchesOf(
  to: Compiling,
  row: Row,
  query: ShapedQuery,
  keys: readonly OrderKey[],
  source: Source,
): readonly Branch[] {
  const driver = query.condition && driverOf(query.condition)
  const isOpen = !to.dialect.indexes.weighedByLimit && keys.every((key) => key.plain && key.indexed)
  if (!driver || !isOpen || isSorted(driver.column, query))
    return [{ ...source, keys, limit: (size) => sql.val(size) }]
  to.noteScan()
  const count = countUpTo(to, row, query, driver, source)
  const sorted = { ...query, condition: replaced(to, query.condition, driver) }
  return [
    {
      from: source.from,
      where: source.where,
      keys: keys.map((key) => ({ ...key, value: to.dialect.indexes.unused(key.value) })),
      limit: (size) => sql`case when ${count} <= ${sql.lit(FEW)} then ${size} else 0 end`,
    },
    {
      from: source.from,
      where: allOf([
        to.dialect.withinDeadline(`${ROOT}.copy_no`),
        ...baseConditions(to, row, sorted),
      ]),
      keys,
      limit: (size) => sql`case when ${count} > ${sql.lit(FEW)} then ${size} else 0 end`,
    },
  ]
}

/** A part of the filter that has an index of its own and that every entry must fulfil. */
function driverOf(condition: Condition): Comparison | undefined {
  if (condition.kind === 'and') {
    for (const each of condition.of) {
      const found = driverOf(each)
      if (found) return found
    }
    return undefined
  }
  if (condition.kind !== 'compare') return undefined
  const { column: own, operator, fold } = condition
  const isRange = !['contains', 'endsWith', 'like', 'startsWith'].includes(operator)
  const isServed = isRange || (operator === 'startsWith' && fold)
  return own.indexed && !own.registry && isServed ? condition : undefined
}

/** Then one index serves both. */
function isSorted({ name }: Column, { sort }: ShapedQuery): boolean {
  return name === (sort[0]?.column.name ?? 'id')
}

function countUpTo(
  to: Compiling,
  row: Row,
  { type, locales }: ShapedQuery,
  driver: Comparison,
  { from }: Source,
): Sql {
  const [code] = locales ?? []
  const where = allOf([
    isVisible(to, type, ROOT),
    ...(code !== undefined && locales?.length === 1
      ? [sql`${column(ROOT, 'locale')} = ${code}`]
      : []),
    compileCondition(to, row, driver),
  ])
  return sql`(select count(*) from (select 1 from ${from} where ${where} limit ${sql.lit(FEW + 1)}) as n)`
}

function replaced(
  to: Compiling,
  condition: Condition | null,
  driver: Comparison,
): Condition | null {
  if (condition === driver) return { ...driver, column: withoutIndex(to, driver.column) }
  if (condition?.kind !== 'and') return condition
  return { ...condition, of: condition.of.map((each) => replaced(to, each, driver) ?? each) }
}

function withoutIndex({ dialect }: Compiling, own: Column): Column {
  const { unused } = dialect.indexes
  const { fold } = own
  return {
    ...own,
    sql: (alias) => unused(own.sql(alias)),
    fold: fold && ((alias) => unused(fold(alias))),
  }
}
