import type { ContentType } from '../../model.ts'
import { type Sql, sql } from '../fragment.ts'
import type { Column } from '../names/column.ts'
import {
  type Condition,
  isCommon,
  isUsual,
  partsOf,
  type ResolvedPart,
  type Walk,
} from '../resolved.ts'
import { baseConditions, ROOT, type Source } from './base.ts'
import { allOf, type Compiling, column, isVisible, type Row } from './context.ts'
import { countOf, countWithout, regardless } from './count.ts'
import { compileCondition } from './filter.ts'
import type { OrderKey } from './order.ts'

/** One part of a list, and how its rows are found. */
export interface Listed {
  readonly part: ResolvedPart
  readonly row: Row
  readonly keys: readonly OrderKey[]
  readonly source: Source
}

/** One way to find a page. */
export interface Branch extends Source {
  readonly keys: readonly OrderKey[]
  /** Along an index in the order of the first key, until the page is full. */
  readonly walks: boolean
  /** How many rows it may return: none when another branch is the better way. */
  limit(size: Sql): Sql
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
export function branchesOf(to: Compiling, listed: Listed, walk: Walk): Branches {
  const { part, row, keys, source } = listed
  const searched = searchedBranches(to, listed)
  if (searched) return searched
  const driver = part.condition && driverOf(part.condition)
  const isOpen = !to.dialect.indexes.weighedByLimit && keys.every((key) => key.plain && key.indexed)
  const isChosen = driver && isOpen && !isSorted(driver.column, part)
  if (!isChosen || part.scope.kind === 'file') {
    const walks = isWalked(to, listed)
    return { before: [], total: null, of: [{ ...source, keys, walks, limit: (size) => size }] }
  }
  const sortedKeys = keys.map((key) => ({ ...key, value: to.dialect.indexes.unused(key.value) }))
  if (isOfIds(driver)) {
    return {
      before: [],
      total: null,
      of: [{ ...source, keys: sortedKeys, walks: false, limit: (size) => size }],
    }
  }
  const few = sql.ref(to.alias('few'))
  const counted = sql.ref(to.alias('counted'))
  // What is counted whole need not be counted twice.
  const isWhole = walk.count && isAlone(part, driver)
  const all = isWhole ? countOf(regardless(to, listed)) : null
  const without = isWhole ? countWithout(to, listed) : null
  to.noteScan()
  const before = [
    sql`${counted}(n) as materialized (${all ?? countFew(to, listed, part.scope.type, driver)})`,
    sql`${few}(n) as materialized (${fewOf(part.scope.type, counted)})`,
  ]
  const isFew = sql`(select n from ${few}) = 1`
  const sorted = { ...part, condition: replaced(to, part.condition, driver) }
  const of = [
    {
      ...source,
      keys: sortedKeys,
      walks: false,
      limit: (size: Sql) => sql`case when ${isFew} then ${size} else 0 end`,
    },
    {
      from: source.from,
      where: allOf([
        to.dialect.withinDeadline(`${ROOT}.copy_no`),
        ...baseConditions(to, row, sorted),
      ]),
      keys,
      walks: !isHeld(keys),
      limit: (size: Sql) => sql`case when ${isFew} then 0 else ${size} end`,
    },
  ]
  const total = without
    ? sql`(select n from ${counted}) - ${without}`
    : sql`(select n from ${counted})`
  return { before, total: isWhole ? total : null, of }
}

/** So many candidates are looked at, and those that belong to the list sorted, in little time. */
const SEARCHED = 10_000

/** The same choice for what the search index finds: few are sorted, of many a page is full soon. */
function searchedBranches(to: Compiling, { row, part, keys, source }: Listed): Branches | null {
  const { candidates, table } = source
  const isOpen = !to.dialect.indexes.weighedByLimit && keys.every((key) => key.plain && key.indexed)
  if (!candidates || !table || !isOpen) return null
  const counted = sql.ref(to.alias('counted'))
  const most = sql.lit(SEARCHED + 1)
  const isFew = sql`(select n from ${counted}) <= ${sql.lit(SEARCHED)}`
  return {
    before: [
      sql`${counted}(n) as materialized (select count(*) from (select 1 from (${candidates.settled}) limit ${most}))`,
    ],
    total: null,
    of: [
      {
        ...{ from: source.from, where: source.where, walks: false },
        keys: keys.map((key) => ({ ...key, value: to.dialect.indexes.unused(key.value) })),
        limit: (size) => sql`case when ${isFew} then ${size} else 0 end`,
      },
      {
        from: table,
        where: allOf([
          to.dialect.withinDeadline(`${ROOT}.copy_no`),
          ...baseConditions(to, row, part),
        ]),
        ...{ keys, walks: !isHeld(keys) },
        limit: (size) => sql`case when ${isFew} then 0 else ${size} end`,
      },
    ],
  }
}

/**
 * Where the planner does not weigh it: a list that nearly every entry belongs to is found along the
 * index of its first key, unless that index holds the whole order and is taken anyway.
 */
function isWalked(to: Compiling, { part, keys }: Listed): boolean {
  const [key] = keys
  const isServed = !to.dialect.indexes.weighedByLimit && key?.plain === true && key.indexed
  return isServed && isCommon(part) && !isHeld(keys)
}

/** An index in the order of the first sort key holds the id behind it, and can be walked both ways. */
export function isHeld(keys: readonly OrderKey[]): boolean {
  const [first] = keys
  const isOne = keys.every((key) => key.plain && key.indexed && key.order === first?.order)
  return isOne && (keys.at(-1)?.part ?? 0) <= 1
}

/** The list is what the driver finds, but for a few without a usual flag, of one language or of all. */
function isAlone(
  { condition, search, linkedFrom, only, locales }: ResolvedPart,
  driver: Comparison,
) {
  const isDriven = partsOf(condition).every((each) => each === driver || isUsual(each))
  const isPlain = isDriven && !search && !linkedFrom && !only
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

/** Finds no more than was asked for: there is nothing to be weighed. */
function isOfIds({ column: { name }, operator }: Comparison): boolean {
  return ['document_id', 'copy_no'].includes(name) && ['eq', 'in'].includes(operator)
}

/** Then one index serves both. */
function isSorted({ name }: Column, { sort }: ResolvedPart): boolean {
  const first = sort.find((each) => each !== null)
  return name === (first?.column.name ?? 'id')
}

/**
 * 1 when the filter finds few. How many copies there are is not counted but read off their numbers, of
 * which some may be missing or belong to other types: that errs towards sorting, which is never slow.
 */
function fewOf(type: ContentType, counted: Sql): Sql {
  const table = sql.table(type.table)
  const all = sql`(select max(copy_no) from ${table}) - (select min(copy_no) from ${table})`
  return sql`select case when n <= ${sql.lit(FEW)} and n * ${sql.lit(SHARE)} <= ${all} then 1 else 0 end from ${counted}`
}

/** No further than needed. */
function countFew(
  to: Compiling,
  { part: { locales }, row, source: { from } }: Listed,
  type: ContentType,
  driver: Comparison,
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
