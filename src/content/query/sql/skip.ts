import { type Sql, sql } from '../fragment.ts'
import { isCommon, type Walk } from '../resolved.ts'
import { ROOT } from './base.ts'
import { isHeld, type Listed } from './branches.ts'
import { allOf, type Compiling, column } from './context.ts'
import { countWithout, regardless } from './count.ts'
import { type OrderKey, orderBy } from './order.ts'

/** Where a page begins that lies deep in its list. */
export interface Skip {
  /** What the other members refer to: tables that the statement begins with. */
  readonly tables: readonly Sql[]
  /** The values of the first sort key at the place where the page begins, one for each of its keys. */
  readonly edge: readonly Sql[]
  /** How many rows with these values come before the page; null when the list ends before it. */
  readonly left: Sql
}

/**
 * Indexes hold the first sort key and the id of each entry, but not what else entries of lists are
 * sorted by: to skip rows in the whole order, each of them would be read and sorted. Rows with the same
 * first key are neighbours whatever follows, so the page is looked up in the order that indexes hold,
 * and only rows from that value on are then put in the whole order. Null where no index serves this, and
 * where the index holds the whole order.
 */
export function skipOf(to: Compiling, lists: readonly Listed[], walk: Walk): Skip | null {
  const { start, backwards } = walk
  const [first] = lists
  if (!start || backwards || !first || to.dialect.indexes.weighedByLimit) return null
  if (lists.length === 1 && isHeld(first.keys)) return null
  if (!lists.every(isServed)) return null
  const names = leading(first.keys).map((_, at) => sql.ref(`k${at}`))
  const { order } = first.keys[0] ?? { order: 'asc' }
  const direction = order === 'desc' ? sql`desc` : sql`asc`
  // Numbers of copies are unique over all types, and stand in every index behind its columns.
  const along = sql`${orderBy(leading(first.keys), names)}, id ${direction}, copy_no ${direction}`
  const left = lists.map((list) => leftOf(list, order === 'desc' ? sql`>` : sql`<`))
  const walked = (from: readonly Walked[], limit: Sql) =>
    sql`select * from (${sql.join(from.map(edgeRows), sql` union all `)} order by ${along} limit ${limit} offset ${start}) as walked`
  const lacking = lists.flatMap((list) => countWithout(to, list) ?? [])
  const plain = lists.map((list) => ({ ...list, source: regardless(to, list) }))
  const edge =
    lacking.length === 0
      ? [sql`edge as materialized (${walked(lists, sql`1`)})`]
      : [
          // Mostly no entry lacks a usual flag: then none is asked for it, and the index alone is walked.
          sql`whole(n) as materialized (select ${sql.join(lacking, sql` + `)} = 0)`,
          sql`edge as materialized (${walked(plain, WHOLE)} union all ${walked(lists, PARTLY)})`,
        ]
  return {
    tables: [
      ...edge,
      sql`skipped(n) as materialized (select ${sql.join(left, sql` + `)} from edge as e)`,
    ],
    edge: names.map((name) => sql`(select ${name} from edge)`),
    left: sql`(select n from skipped)`,
  }
}

/** How far a walk goes: a limit of 0 ends a select before its first row. */
const WHOLE = sql`(select case when n then 1 else 0 end from whole)`
const PARTLY = sql`(select case when n then 0 else 1 end from whole)`

type Walked = Pick<Listed, 'keys' | 'source'>

function edgeRows({ keys, source: { from, where } }: Walked): Sql {
  const values = leading(keys).map(({ value }, n) => sql`${value} as ${sql.ref(`k${n}`)}`)
  return sql`select ${sql.join(values)}, ${column(ROOT, 'id')}, ${column(ROOT, 'copy_no')} from ${from} where ${where}`
}

/** `before` compares what comes earlier along the index with what comes later. */
function leftOf({ keys, source: { from, where } }: Listed, before: Sql): Sql {
  const isEqual = leading(keys).map(
    ({ value }, at) => sql`${value} is not distinct from e.${sql.ref(`k${at}`)}`,
  )
  const own = sql`(${column(ROOT, 'id')}, ${column(ROOT, 'copy_no')})`
  const isBefore = sql`${own} ${before} (e.id, e.copy_no)`
  return sql`(select count(*) from ${from} where ${allOf([where, ...isEqual, isBefore])})`
}

function isServed({ part, keys }: Listed): boolean {
  return isCommon(part) && leading(keys).every(({ plain, indexed }) => plain && indexed)
}

/** Those of the first sort key. */
export function leading(keys: readonly OrderKey[]): readonly OrderKey[] {
  return keys.filter(({ part }) => part === keys[0]?.part)
}
