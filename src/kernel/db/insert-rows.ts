import { type CompiledQuery, type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely'
import type { AnyTables } from './database.ts'
import { prepared } from './prepared.ts'

type Db = Kysely<AnyTables>
type Value = string | number | bigint | null
/** Names of columns with what they are to hold. */
export type NewRow = ReadonlyMap<string, Value>

/** Well below what either database takes. */
const MOST_VALUES = 15_000

/** Numbers of rows for which SQLite keeps a statement: one for every number would leave no room for others. */
const PIECES = [64, 16, 4, 1]

/** Statements that insert rows which all have the same columns: few, and always the same ones. */
export function insertsOf(db: Db, table: string, rows: readonly NewRow[]): CompiledQuery[] {
  const [first] = rows
  if (!first) return []
  const most = Math.max(1, Math.floor(MOST_VALUES / first.size))
  const inserts: CompiledQuery[] = []
  for (let at = 0; at < rows.length; ) {
    const left = Math.min(most, rows.length - at)
    const size = isPostgres(db) ? left : (PIECES.find((piece) => piece <= left) ?? 1)
    inserts.push(insertOf(db, table, rows.slice(at, at + size)))
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
  rows: readonly NewRow[],
  derived: Derived<Row> = AS_THEY_ARE,
): CompiledQuery<Row> {
  const names = [...(rows[0]?.keys() ?? [])]
  const needsTypes = derived !== AS_THEY_ARE
  const { key, values, bound } = bindRows(db, table, names, rows, needsTypes)
  const text = () => {
    const into = columnsOf(names)
    const query = sql<Row>`insert into ${sql.table(table)} (${into}) ${derived.toQuery(bound())}`
    return { compile: () => query.compile(db) }
  }
  const name = `insert ${key} ${derived.key} into ${table}: ${names.join()}`
  return prepared(db, name, [...values, ...derived.values], text)
}

/**
 * Rows as parameters. PostgreSQL takes them as one value, so that one prepared statement serves any number of them;
 * in SQLite a parameter for each cell is quicker, and statements of other lengths are other statements.
 * Parameters of PostgreSQL that are not inserted as they are would all be texts.
 */
function bindRows(
  db: Db,
  table: string,
  names: readonly string[],
  rows: readonly NewRow[],
  needsTypes: boolean,
) {
  const isOneValue = isPostgres(db) && (needsTypes || rows.length > 1)
  if (isOneValue) {
    const text = renderRows(rows)
    const bound = () =>
      sql`select ${columnsOf(names)} from json_populate_recordset(null::${sql.table(table)}, ${text}::json)`
    return { key: 'many', values: [text], bound }
  }
  const values: Value[] = []
  for (const row of rows) values.push(...row.values())
  const bound = () =>
    sql`values ${sql.join(rows.map((row) => sql`(${sql.join([...row.values()])})`))}`
  return { key: String(rows.length), values, bound }
}

function columnsOf(names: readonly string[]) {
  return sql.join(names.map((name) => sql.ref(name)))
}

function isPostgres(db: Db): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter
}

/** 64-bit integers as texts, which the database reads as its column does. */
function renderRows(rows: readonly NewRow[]): string {
  return JSON.stringify(
    rows.map((row) => {
      const cells: Record<string, Exclude<Value, bigint>> = {}
      for (const [name, value] of row) cells[name] = typeof value === 'bigint' ? `${value}` : value
      return cells
    }),
  )
}
