import { type Row, sizeOf, type TableInfo } from './cells.ts'
import type { SqliteFiles } from './sqlite-snapshot.ts'

/** A database as it was at one moment, whatever is written meanwhile. */
export interface Snapshot {
  /** Names of the migrations it has had. */
  readonly migrations: readonly string[]
  readonly tables: readonly TableInfo[]
  /** Numbers that were given by name (`dialect.sequences`), with the last one of each. */
  readonly sequences: readonly { readonly name: string; readonly last: number }[]
  /** Its rows along the primary key, from behind `after` on. */
  pages(table: TableInfo, after?: Row | null): AsyncIterable<readonly Row[]>
  close(): Promise<void>
}

/** The next rows behind a key. */
export type ReadPage = (table: TableInfo, after: Row | null, most: number) => Promise<Row[]>

const FIRST_PAGE = 100
const LARGEST_PAGE = 2_000
/** Twice as much is held at a time: the page that was read, and what is made of it. */
const PAGE_BYTES = 1024 * 1024

export async function openSnapshot(
  source: { readonly url: string } | { readonly files: SqliteFiles },
): Promise<Snapshot> {
  if ('url' in source) return (await import('./postgres-snapshot.ts')).openPostgres(source.url)
  return (await import('./sqlite-snapshot.ts')).openSqlite(source.files)
}

/** Pages of as many rows as fit: rows of a few bytes and of a few megabytes go the same way. */
export function createPages(read: ReadPage): Snapshot['pages'] {
  return async function* pages(table, after = null) {
    let size = FIRST_PAGE
    for (let last = after; ; ) {
      const rows = await read(table, last, size)
      if (rows.length > 0) yield rows
      if (rows.length < size) return
      last = keyOf(table, rows.at(-1) ?? [])
      const bytes = rows.reduce((sum, row) => sum + sizeOf(row), 0)
      const fitting = Math.floor((size * PAGE_BYTES) / Math.max(bytes, 1))
      size = Math.max(1, Math.min(LARGEST_PAGE, size * 2, fitting))
    }
  }
}

/** What `pages` goes on behind. */
export function keyOf({ columns, key }: TableInfo, row: Row): Row {
  return key.map((name) => row[columns.findIndex((column) => column.name === name)] ?? null)
}

/** The text that reads a page; `bind` makes the parameter of that number. */
export function pageText(
  { name, columns, key }: TableInfo,
  isFirst: boolean,
  bind: (at: number) => string,
): string {
  const listed = key.map(quoted).join(', ')
  const behind = key.map((_, at) => bind(at + 1)).join(', ')
  const where = isFirst ? '' : ` where (${listed}) > (${behind})`
  const most = bind(isFirst ? 1 : key.length + 1)
  const all = columns.map((column) => quoted(column.name)).join(', ')
  return `select ${all} from ${quoted(name)}${where} order by ${listed} limit ${most}`
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
