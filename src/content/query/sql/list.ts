import { type Piece, type Sql, sql } from '../fragment.ts'
import { ENTRY_COLUMNS, type EntryRow, entrySource } from '../load/entry-row.ts'
import type { ResolvedList } from '../resolve-list.ts'
import type { ResolvedQuery } from '../resolved.ts'
import { rootRow } from './base.ts'
import { branchesOf, type Source } from './branches.ts'
import type { Compiling, Row } from './context.ts'
import { firstRows } from './first-rows.ts'
import { listKeys } from './list-order.ts'
import { type OrderKey, orderBy } from './order.ts'
import { countOf, pageOf, sourceOf, union } from './page.ts'

/** The row of an entry with the place of its type among the queries, and its own in the page. */
export interface ListRow extends EntryRow {
  readonly t: number
  readonly n: number
  readonly total: number
}

export interface ListStatement {
  readonly rows: Piece<ListRow>
  /** For a page without rows to carry it. */
  readonly total: Piece<{ readonly total: number }>
  readonly mayScan: boolean
}

interface Listed {
  readonly query: ResolvedQuery
  readonly source: Source
  /** Its first rows in the order of the list. */
  readonly found: Sql
}

/**
 * A list over several types: the keys of each type's first rows are sorted together, and the rows of
 * the page are then read whole from their tables. All of it is one statement and so of one moment.
 */
export function compileList(
  to: Compiling,
  list: ResolvedList,
  page: { readonly start: number; readonly limit: number },
): ListStatement {
  const parts = list.queries.map((query) => ({ query, row: rootRow(to, query) }))
  const keys = listKeys(
    to,
    parts.map(({ row }) => row),
    list,
  )
  const most = page.start + page.limit
  const listed = parts.map(({ query, row }, at) => listedOf(to, query, row, keys[at] ?? [], most))
  const total = sql`select ${sumOf(listed.map(({ source }) => countOf(source)))} as total`
  const wholes = listed.map(({ query }, at) => wholeRows(query, at))
  return {
    rows: sql<ListRow>`with page as materialized (${pageKeys(listed, keys[0] ?? [], page)}), counted as materialized (${total}) ${sql.join(wholes, sql` union all `)} order by n`,
    total: sql<{ total: number }>`${total}`,
    mayScan: to.mayScan,
  }
}

function listedOf(
  to: Compiling,
  query: ResolvedQuery,
  row: Row,
  keys: readonly OrderKey[],
  most: number,
): Listed {
  const source = sourceOf(to, row, query)
  const walk = {
    after: null,
    until: null,
    backwards: false,
    start: 0,
    limit: most - 1,
    count: false,
  }
  const first = firstRows(to, query, keys, source, most)
  const found = branchesOf(to, row, query, keys, first).map((branch) => pageOf(branch, walk))
  return { query, source, found: union(found) }
}

function pageKeys(
  listed: readonly Listed[],
  keys: readonly OrderKey[],
  { start, limit }: { readonly start: number; readonly limit: number },
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
  const columns = sql.join([sql`p.t, p.n, c.total`, ...ENTRY_COLUMNS])
  return sql`select ${columns} from page as p cross join counted as c ${entrySource(type, sql.ref('p.copy_no'))} where p.t = ${sql.lit(at)}`
}

function sumOf(counts: readonly Sql[]): Sql {
  return sql.join(
    counts.map((count) => sql`(${count})`),
    sql` + `,
  )
}
