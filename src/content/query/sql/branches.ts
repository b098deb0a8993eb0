import { type Sql, sql } from '../fragment.ts'
import type { Column } from '../names/column.ts'
import type { Condition, ResolvedQuery } from '../resolved.ts'
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
  /** Along an index in the order of the first key, until the page is full. */
  readonly walks: boolean
  /** How many rows it may return: none when another branch is the better way. */
  limit(size: Slot): Sql
}

type Comparison = Extract<Condition, { kind: 'compare' }>

/** So many rows are sorted faster than a list in the right order would be searched for them. */
const FEW = 1_000
/** Unless they are one in so many of all: then a page is full soon. */
const SHARE = 4

export interface Branches {
  /** What the limits of the branches refer to: tables that the statement begins with, if any. */
  readonly before: readonly Sql[]
  /** How many rows the list has, where that was counted anyway. */
  readonly total: Sql | null
  readonly of: readonly Branch[]
}

/**
 * The ways to find a page, of which the data lets one return rows. A filter that finds few is best
 * asked first and its rows sorted; one that finds many is best tried on the sorted list until the page
 * is full. Where the planner cannot weigh this, the statement itself counts as far as `FEW`, once, and
 * chooses in the limits: a limit of 0 ends a select before its first row, a condition would be tried on
 * every row.
 */
export function branchesOf(
  to: Compiling,
  row: Row,
  query: ResolvedQuery,
  keys: readonly OrderKey[],
  source: Source,
): Branches {
  const driver = query.condition && driverOf(query.condition)
  const isOpen = !to.dialect.indexes.weighedByLimit && keys.every((key) => key.plain && key.indexed)
  if (!driver || !isOpen || isSorted(driver.column, query))
    return {
      before: [],
      total: null,
      of: [{ ...source, keys, walks: false, limit: (size) => sql.val(size) }],
    }
  to.noteScan()
  const few = sql.ref(to.alias('few'))
  const counted = sql.ref(to.alias('counted'))
  // What is counted whole need not be counted twice.
  const isWhole = query.walk.count && isAlone(query, driver)
  const before = [
    sql`${counted}(n) as materialized (${isWhole ? countOf(source) : countFew(to, row, query, driver, source)})`,
    sql`${few}(n) as materialized (${fewOf(query, counted)})`,
  ]
  const isFew = sql`(select n from ${few}) = 1`
  const sorted = { ...query, condition: replaced(to, query.condition, driver) }
  const of = [
    {
      from: source.from,
      where: source.where,
      keys: keys.map((key) => ({ ...key, value: to.dialect.indexes.unused(key.value) })),
      walks: false,
      limit: (size: Slot) => sql`case when ${isFew} then ${size} else 0 end`,
    },
    {
      from: source.from,
      where: allOf([
        to.dialect.withinDeadline(`${ROOT}.copy_no`),
        ...baseConditions(to, row, sorted),
      ]),
      keys,
      walks: true,
      limit: (size: Slot) => sql`case when ${isFew} then 0 else ${size} end`,
    },
  ]
  return { before, total: isWhole ? sql`(select n from ${counted})` : null, of }
}

export function countOf({ from, where }: Source): Sql {
  return sql`select count(*) as total from ${from} where ${where}`
}

/** The list is what the driver finds, of one language or of all. */
function isAlone(
  { condition, search, linkedFrom, only, locales }: ResolvedQuery,
  driver: Comparison,
) {
  const isPlain = condition === driver && !search && !linkedFrom && !only
  return isPlain && (locales === null || locales.length === 1)
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
  const isRange = !['contains', 'endsWith', 'like', 'startsWith', 'word'].includes(operator)
  const isServed = isRange || (operator === 'startsWith' && fold)
  return own.indexed && !own.registry && isServed ? condition : undefined
}

/** Then one index serves both. */
function isSorted({ name }: Column, { sort }: ResolvedQuery): boolean {
  return name === (sort[0]?.column.name ?? 'id')
}

/**
 * 1 when the filter finds few. How many copies there are is not counted but read off their numbers, of
 * which some may be missing or belong to other types: that errs towards sorting, which is never slow.
 */
function fewOf({ type }: ResolvedQuery, counted: Sql): Sql {
  const table = sql.table(type.table)
  const all = sql`(select max(copy_no) from ${table}) - (select min(copy_no) from ${table})`
  return sql`select case when n <= ${sql.lit(FEW)} and n * ${sql.lit(SHARE)} <= ${all} then 1 else 0 end from ${counted}`
}

/** No further than needed. */
function countFew(
  to: Compiling,
  row: Row,
  { type, locales }: ResolvedQuery,
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
  return sql`select count(*) from (select 1 from ${from} where ${where} limit ${sql.lit(FEW + 1)}) as found`
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
