import { type CompiledQuery, type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely'
import type { AnyTables } from './database.ts'
import { prepared } from './prepared.ts'

type Db = Kysely<AnyTables>
type Value = string | number | bigint | null
/** Rows of the same columns, flat, because of an import there are thousands a second. */
export interface NewRows {
  readonly names: readonly string[]
  /** What each row holds, in the order of the names. */
  readonly cells: readonly (readonly Value[])[]
}

/** Well below what either database takes. */
const MOST_VALUES = 15_000

/** Numbers of rows for which SQLite keeps a statement: one for every number would leave no room for others. */
const PIECES = [64, 16, 4, 1]

/** Objects with the same members in the same order. */
export function toNewRows<Row extends Readonly<Record<keyof Row, Value>>>(
  rows: readonly Row[],
): NewRows {
  const [first] = rows
  return { names: first ? Object.keys(first) : [], cells: rows.map((row) => Object.values(row)) }
}

/** Statements that insert rows: few, and always the same ones. */
export function insertsOf(db: Db, table: string, { names, cells }: NewRows): CompiledQuery[] {
  const most = Math.max(1, Math.floor(MOST_VALUES / Math.max(1, names.length)))
  const inserts: CompiledQuery[] = []
  for (let at = 0; at < cells.length; ) {
    const left = Math.min(most, cells.length - at)
    const size = isPostgres(db) ? left : (PIECES.find((piece) => piece <= left) ?? 1)
    inserts.push(insertOf(db, table, { names, cells: cells.slice(at, at + size) }))
    at += size
  }
  return inserts
}

interface Derived<Row> {
  readonly key: string
  /** What the text binds behind the rows. */
  readonly values: readonly unknown[]
  /** Makes what is inserted out of the rows, whose columns `bound` gives in their order. */
  toQuery(bound: RawBuilder<unknown>): RawBuilder<Row>
}

const AS_THEY_ARE: Derived<never> = { key: 'rows', values: [], toQuery: (bound) => sql`${bound}` }

export function insertOf<Row>(
  db: Db,
  table: string,
  rows: NewRows,
  derived: Derived<Row> = AS_THEY_ARE,
): CompiledQuery<Row> {
  const { names } = rows
  const needsTypes = derived !== AS_THEY_ARE
  const { key, values, bound } = bindRows(db, table, rows, needsTypes)
  const text = () => {
    const into = columnsOf(names)
    const query = sql<Row>`insert into ${sql.table(table)} (${into}) ${derived.toQuery(bound())}`
    return { compile: () => query.compile(db) }
  }
  values.push(...derived.values)
  const name = `insert ${key} ${derived.key} into ${table}: ${names.join()}`
  return prepared(db, name, values, text)
}

/**
 * Rows as parameters. PostgreSQL takes them as one value, so that one prepared statement serves any number of them;
 * in SQLite a parameter for each cell is quicker, and statements of other lengths are other statements.
 * Parameters of PostgreSQL that are not inserted as they are would all be texts.
 */
function bindRows(db: Db, table: string, { names, cells }: NewRows, needsTypes: boolean) {
  const isOneValue = isPostgres(db) && (needsTypes || cells.length > 1)
  if (isOneValue) {
    const text = renderRows(names, cells)
    const values: unknown[] = [text]
    const bound = () =>
      sql`select ${columnsOf(names)} from json_populate_recordset(null::${sql.table(table)}, ${text}::json)`
    return { key: 'many', values, bound }
  }
  const values: unknown[] = []
  for (const row of cells) for (const value of row) values.push(value)
  const bound = () => sql`values ${sql.join(cells.map((row) => sql`(${sql.join(row)})`))}`
  return { key: String(cells.length), values, bound }
}

function columnsOf(names: readonly string[]) {
  return sql.join(names.map((name) => sql.ref(name)))
}

function isPostgres(db: Db): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter
}

/** 64-bit integers as texts, which the database reads as its column does. */
function renderRows(names: readonly string[], cells: NewRows['cells']): string {
  const members = names.map((name) => `${JSON.stringify(name)}:`)
  const rows = cells.map((row) => {
    let text = ''
    for (const [at, value] of row.entries()) {
      const cell = typeof value === 'bigint' ? `"${value}"` : JSON.stringify(value)
      text += `${at === 0 ? '{' : ','}${members[at]}${cell}`
    }
    return `${text}}`
  })
  return `[${rows.join()}]`
}
