import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { type Cell, type Column, type Row, type TableInfo, toCell } from './cells.ts'
import { createPages, pageText, quoted, type Snapshot } from './snapshot.ts'

export interface SqliteFiles {
  readonly main: string
  readonly aux: string
}

const TYPES: Readonly<Record<string, Column['type']>> = {
  INTEGER: 'integer',
  TEXT: 'text',
  REAL: 'double',
  BLOB: 'bytes',
}

/**
 * Connections of its own, each in a read transaction: writers go on beside it. Each file is of one moment, the
 * second of a few microseconds later.
 */
export function openSqlite(files: SqliteFiles): Snapshot {
  const open = [files.main, files.aux].map((file) => {
    const db = new DatabaseSync(file, { readOnly: true, timeout: 5_000 })
    // The first read is what fixes the moment.
    db.exec('begin; select count(*) from sqlite_master')
    return db
  })
  const homes = new Map<string, DatabaseSync>()
  const statements = new Map<string, StatementSync>()
  const tables = open.flatMap((db) => tablesIn(db))
  for (const db of open) for (const { name } of tablesIn(db)) homes.set(name, db)
  const migrations = open.flatMap((db) =>
    db
      .prepare('select name from kernel_migrations')
      .all()
      .map(({ name }) => String(name)),
  )
  return {
    migrations,
    tables: tables.filter(({ name }) => name !== 'kernel_migrations'),
    sequences: sequencesIn(open[0]),
    pages: createPages(async (table, after, most) => {
      const values = [...(after ?? []), most]
      return rowsOf(statementOf(table, after === null).all(...bindable(values)))
    }),
    async close() {
      for (const db of open) db.close()
    },
  }

  function statementOf(table: TableInfo, isFirst: boolean): StatementSync {
    const text = pageText(table, isFirst, () => '?')
    const known = statements.get(text)
    if (known) return known
    const statement = homes.get(table.name)?.prepare(text)
    if (!statement) throw new Error(`there is no table ${table.name}`)
    statement.setReturnArrays(true)
    statement.setReadBigInts(true)
    statements.set(text, statement)
    return statement
  }
}

function tablesIn(db: DatabaseSync): TableInfo[] {
  const rows = db
    .prepare(`select name, sql from sqlite_master where type = 'table' and name not like 'sqlite_%'
      and sql not like 'create virtual%' order by name`)
    .all()
  return rows.flatMap(({ name, sql }) => toTable(db, String(name), String(sql)) ?? [])
}

/** Undefined for tables within a text index, whose columns have no types. */
function toTable(db: DatabaseSync, name: string, sql: string): TableInfo | undefined {
  const rows = db.prepare(`pragma table_info(${quoted(name)})`).all()
  const columns = rows.map((row): Column | undefined => {
    const type = TYPES[String(row['type'])]
    return type && { name: String(row['name']), type, notNull: Number(row['notnull']) === 1 }
  })
  if (!columns.every((column) => column !== undefined)) return undefined
  const ofKey = rows.filter(({ pk }) => Number(pk) > 0)
  ofKey.sort((a, b) => Number(a['pk']) - Number(b['pk']))
  const key = ofKey.map((row) => String(row['name']))
  const [column = ''] = key
  const generated = /\bautoincrement\b/i.test(sql) ? { column, last: lastGiven(db, name) } : null
  const named = db.prepare(`pragma foreign_key_list(${quoted(name)})`).all()
  const references = [...new Set(named.map((row) => String(row['table'])))]
  return { name, columns, key, generated, references }
}

function lastGiven(db: DatabaseSync, table: string): number {
  const row = db.prepare('select seq from sqlite_sequence where name = ?').get(table)
  return Number(row?.['seq'] ?? 0)
}

function sequencesIn(db: DatabaseSync | undefined) {
  const rows = db?.prepare('select name, value from kernel_sequences order by name').all() ?? []
  return rows.map(({ name, value }) => ({ name: String(name), last: Number(value) }))
}

/** `setReturnArrays` changes what `all` returns; its type does not know it. */
function rowsOf(rows: unknown): Row[] {
  return (rows as (Cell | bigint)[][]).map((row) =>
    row.map((cell) => (typeof cell === 'bigint' ? toCell(cell) : cell)),
  )
}

function bindable(values: Row): SQLInputValue[] {
  return [...values]
}
