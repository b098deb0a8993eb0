import { type Piece, type Sql, sql } from '../fragment.ts'
import { entryColumns, entrySource } from '../load/entry-row.ts'
import type { ResolvedList, ResolvedQuery } from '../resolved.ts'
import { rootRow } from './base.ts'
import { branchesOf } from './branches.ts'
import type { Compiling, Row } from './context.ts'
import { firstRows } from './first-rows.ts'
import { countListed } from './list-count.ts'
import { listKeys } from './list-order.ts'
import { type OrderKey, orderBy } from './order.ts'
import { pageOf, sourceOf, union } from './page.ts'
import { walkedParts } from './walked.ts'

export interface ListStatement {
  /** The columns of the entry, then those of `LISTED`. */
  readonly rows: Piece
  /** For a page without rows to carry it. */
  readonly total: Piece
  readonly mayScan: boolean
}

const WIDTH = entryColumns(false).length

/** Places in a row: that of its type among the queries, its own in the list, and the total. */
export const LISTED = {
  type: WIDTH,
  n: WIDTH + 1,
  total: WIDTH + 2,
} as const

interface Listed {
  readonly query: ResolvedQuery
  readonly count: Sql
  /** Tables that `found` refers to. */
  readonly before: readonly Sql[]
  /** Its first rows in the order of the list. */
  readonly found: Sql
}

/**
 * A list over several types: the keys of each type's first rows are sorted together, and the rows of
 * the page are then read whole from their tables. All of it is one statement and so of one moment.
 */
export function compileList(to: Compiling, list: ResolvedList): ListStatement {
  const parts = list.queries.map((query) => ({ query, row: rootRow(to, query) }))
  const keys = listKeys(
    to,
    parts.map(({ row }) => row),
    list,
  )
  const listed = parts.map(({ query, row }, at) => listedOf(to, query, row, keys[at] ?? []))
  const total = sql`select ${sumOf(listed.map(({ count }) => count))} as total`
  const tables = sql.join([
    ...listed.flatMap(({ before }) => before),
    sql`page as materialized (${pageKeys(listed, keys[0] ?? [], list)})`,
    sql`counted as materialized (${total})`,
  ])
  const wholes = listed.map(({ query }, at) => wholeRows(query, at))
  return {
    rows: sql`with ${tables} ${sql.join(wholes, sql` union all `)} order by n`,
    total,
    mayScan: to.mayScan,
  }
}

function listedOf(
  to: Compiling,
  query: ResolvedQuery,
  row: Row,
  keys: readonly OrderKey[],
): Listed {
  const source = sourceOf(to, row, query)
  const count = countListed(to, row, query, source)
  const first = firstRows(to, query, keys, source)
  const { before, of } = branchesOf(to, row, query, keys, first)
  const parts = of.flatMap(walkedParts)
  return { query, count, before, found: union(parts.map((part) => pageOf(part, query.walk))) }
}

function pageKeys(
  listed: readonly Listed[],
  keys: readonly OrderKey[],
  { start, limit }: Pick<ResolvedList, 'start' | 'limit'>,
): Sql {
  const order = orderBy(
    keys.map((key) => ({ ...key, nullable: true })),
    keys.map((_, at) => sql.ref(`s${at}`)),
  )
  const all = listed.map(
    ({ found }, at) => sql`select ${sql.lit(at)} as t, k.* from (${found}) as k`,
  )
  return sql`select u.t, u.copy_no, row_number() over (order by ${order}) as n from (${sql.join(all, sql` union all `)}) as u order by n limit ${limit} offset ${start}`
}

function wholeRows({ type }: ResolvedQuery, at: number): Sql {
  const columns = sql.join([...entryColumns(false), sql`p.t, p.n, c.total`])
  return sql`select ${columns} from page as p cross join counted as c ${entrySource(type, sql.ref('p.copy_no'), false)} where p.t = ${sql.lit(at)}`
}

function sumOf(counts: readonly Sql[]): Sql {
  return sql.join(
    counts.map((count) => sql`(${count})`),
    sql` + `,
  )
}
