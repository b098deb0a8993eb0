import { createHash } from 'node:crypto'
import { inOrder, type Row, renderRow, type Snapshot, type TableInfo } from '#db-transfer'
import type { Files } from './files.ts'
import { isKept } from './left-out.ts'

export interface Header {
  readonly format: 2
  /** Of the program that made it. */
  readonly version: string
  readonly createdAt: string
  /** What the tables below are like, by the migrations they have had. */
  readonly migrations: readonly string[]
  /** In the order of their rows. */
  readonly tables: readonly TableInfo[]
  readonly sequences: Snapshot['sequences']
}

/** An installation as a stream, one part after the other; the same from a database and from a file. */
export type BackupRecord =
  | { readonly kind: 'header'; readonly header: Header }
  | { readonly kind: 'table'; readonly name: string }
  | { readonly kind: 'rows'; readonly rows: readonly Row[] }
  | { readonly kind: 'table end'; readonly rows: number; readonly sum: string }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'file end'; readonly bytes: number; readonly sum: string }

interface Source {
  readonly snapshot: Snapshot
  readonly files: Pick<Files, 'list'>
  readonly version: string
  readonly createdAt: string
}

export async function* recordsOf(source: Source): AsyncGenerator<BackupRecord> {
  const { snapshot, files, version, createdAt } = source
  const { migrations, sequences } = snapshot
  const tables = inOrder(snapshot.tables.filter(isKept))
  yield { kind: 'header', header: { format: 2, version, createdAt, migrations, tables, sequences } }
  for (const table of tables) {
    yield { kind: 'table', name: table.name }
    const sum = createRowSum()
    for await (const rows of snapshot.pages(table)) {
      sum.add(rows)
      yield { kind: 'rows', rows }
    }
    yield { kind: 'table end', ...sum.result() }
  }
  for await (const { path, read } of files.list()) {
    yield { kind: 'file', path }
    const sum = createByteSum()
    for await (const bytes of read()) {
      sum.add(bytes)
      yield { kind: 'bytes', bytes }
    }
    yield { kind: 'file end', ...sum.result() }
  }
}

/** Of rows in the order of their key: equal on two databases when all rows are. */
export function createRowSum() {
  const hash = createHash('sha256')
  let count = 0
  return { add, result: () => ({ rows: count, sum: hash.digest('hex') }) }

  function add(rows: readonly Row[]) {
    count += rows.length
    for (const row of rows) hash.update(`${renderRow(row)}\n`)
  }
}

export function createByteSum() {
  const hash = createHash('sha256')
  let count = 0
  return { add, result: () => ({ bytes: count, sum: hash.digest('hex') }) }

  function add(bytes: Uint8Array) {
    count += bytes.length
    hash.update(bytes)
  }
}
