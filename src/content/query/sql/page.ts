import { DomainError } from '#kernel'
import { type Piece, type Sql, sql } from '../fragment.ts'
import { entryColumns, entrySource } from '../load/entry-row.ts'
import type { Position, ResolvedQuery, Walk } from '../resolved.ts'
import { baseConditions, ROOT, rootRow } from './base.ts'
import { type Branch, branchesOf, countOf, type Source } from './branches.ts'
import { ALWAYS, allOf, anyOf, type Compiling, column, type Row } from './context.ts'
import { keyValues, type OrderKey, orderBy, orderKeys, reversed } from './order.ts'
import { segmentsAfter, segmentsFrom } from './segments.ts'

export interface PageStatement {
  /**
   * At most one row more than the page holds, in the order of the walk: the columns of the entry, then,
   * unless it is brief, the values it is sorted by, one for each key, then what `aside` counts.
   */
  readonly rows: Piece
  /** The total when it is counted, then 1 or 0 for whether a position has left entries behind. */
  readonly aside: Piece
  readonly keys: readonly OrderKey[]
  readonly mayScan: boolean
}

/**
 * A page is found by its keys alone, and only its few rows are then read whole: deep offsets and
 * sorts carry no documents along.
 */
export function compilePage(to: Compiling, query: ResolvedQuery): PageStatement {
  const { walk } = query
  const row = rootRow(to, query)
  const listKeys = orderKeys(to, row, query.sort, query.nulls)
  const keys = walk.backwards ? listKeys.map(reversed) : listKeys
  const list = sourceOf(to, row, query)
  const branches = branchesOf(to, row, query, keys, list)
  const found = branches.of.map((branch) => pageOf(branch, walk))
  const count = sql`(${countOf(list)})`
  const behind = walk.after ? [sql`${isBehind(list, keys, walk.after)} as behind`] : []
  const counted = (total: Sql) => [...(walk.count ? [sql`${total} as total`] : []), ...behind]
  const names = keys.map((_, at) => sql.ref(`p.s${at}`))
  const sortValues = query.brief
    ? []
    : keys.map((key, at) =>
        key.big ? sql`cast(${names[at]} as text) as ${sql.ref(`s${at}`)}` : sql`${names[at]}`,
      )
  const copyNo = sql.ref('p.copy_no')
  const own = entryColumns(query.brief)
  const source = entrySource(query.type, copyNo, query.brief)
  return {
    rows: sql`${withTables(branches.before)}select ${sql.join([...own, ...sortValues, ...counted(branches.total ?? count)])} from (${union(found)}) as p ${source} order by ${orderBy(keys, names)}`,
    aside: sql`select ${sql.join(counted(count))}`,
    keys: listKeys,
    mayScan: to.mayScan,
  }
}

function withTables(tables: readonly Sql[]): Sql {
  return tables.length === 0 ? sql`` : sql`with ${sql.join(tables)} `
}

/** The rows of a list of one type; what was noted of its keys before counts for its deadline. */
export function sourceOf(to: Compiling, row: Row, query: ResolvedQuery): Source {
  const conditions = baseConditions(to, row, query)
  const within = to.mayScan ? [to.dialect.withinDeadline(`${ROOT}.copy_no`)] : []
  return {
    from: sql`${sql.table(query.type.table)} as ${sql.ref(ROOT)}`,
    where: allOf([...within, ...conditions]),
  }
}

/** Each with an order and a limit of its own. */
export function union(selects: readonly Sql[]): Sql {
  const [only] = selects
  if (selects.length === 1 && only) return only
  const parts = selects.map((select, at) => sql`select * from (${select}) as ${sql.ref(`b${at}`)}`)
  return sql.join(parts, sql` union all `)
}

export function pageOf({ from, where, keys, limit }: Branch, walk: Walk): Sql {
  const bounds = walk.until
    ? [anyOf(segmentsAfter(keys.map(reversed), valuesOf(keys, walk.until)))]
    : []
  const ranges = walk.after ? segmentsAfter(keys, valuesOf(keys, walk.after)) : [ALWAYS]
  const separate = keys.every((key) => key.plain) ? ranges : [anyOf(ranges)]
  const size = limit(walk.limit.map((value) => Number(value) + 1))
  // By the names of the columns, so that a value from a subquery is worked out once.
  const names = keys.map((_, at) => sql.ref(`s${at}`))
  const found = separate.map(
    (range) =>
      sql`select ${keyColumns(keys)} from ${from} where ${allOf([where, ...bounds, range])} order by ${orderBy(keys, names)} limit ${size}`,
  )
  const [only] = found
  if (found.length === 1 && only) return walk.start ? sql`${only} offset ${walk.start}` : only
  return sql`select * from (${union(found)}) as u order by ${orderBy(keys, names)} limit ${size}`
}

function keyColumns(keys: readonly OrderKey[]): Sql {
  return sql.join([
    column(ROOT, 'copy_no'),
    ...keys.map((key, at) => sql`${key.value} as ${sql.ref(`s${at}`)}`),
  ])
}

/** Whether the walk has left entries behind: the one at the position, or any before it. */
function isBehind({ from, where }: Source, keys: readonly OrderKey[], after: Position): Sql {
  const values = valuesOf(keys, after)
  const ranges = segmentsFrom(keys.map(reversed), values)
  const separate = keys.every((key) => key.plain) ? ranges : [anyOf(ranges)]
  const found = separate.map(
    (range) => sql`exists (select 1 from ${from} where ${where} and ${range})`,
  )
  return sql`case when ${anyOf(found)} then 1 else 0 end`
}

function valuesOf(keys: readonly OrderKey[], position: Position): Position {
  return keyValues(keys, position, () => {
    throw new DomainError('invalid', 'invalid_cursor', 'The cursor is not valid here')
  })
}
