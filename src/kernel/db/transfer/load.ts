import { CompiledQuery, type CreateTableBuilder, type Kysely, PostgresAdapter, sql } from 'kysely'
import type { AnyTables, Database, Store } from '../database.ts'
import type { SqlDialect } from '../dialect.ts'
import type { Cell, Row, TableInfo } from './cells.ts'
import { quoted } from './snapshot.ts'

type Db = Kysely<AnyTables>

/** SQLite takes no more parameters in a statement. */
const MOST_VALUES = 15_000
const MOST_ROWS = 64

/** Fills a database whose schema was made by migrations with the rows of another one, of either kind. */
export function createLoader({ main, aux, dialect }: Database) {
  const homes = new Map<string, Store>()
  return { prepare, homeOf, empty, emptyBehind, insert, keepNumbers }

  /** Finds where tables are; those that no migration makes are made as `table` describes them. */
  async function prepare(tables: readonly TableInfo[]): Promise<void> {
    for (const store of main === aux ? [main] : [main, aux]) {
      for (const name of await tableNames(store.writer)) homes.set(name, store)
    }
    for (const table of tables) {
      if (homes.has(table.name)) continue
      await createTable(main.writer, dialect, table)
      homes.set(table.name, main)
    }
  }

  function homeOf({ name }: Pick<TableInfo, 'name'>): Store {
    const home = homes.get(name)
    if (!home) throw new Error(`there is no table ${name}`)
    return home
  }

  /** What migrations have put there goes: the rows that come have it too. Of tables in their order. */
  async function empty(tables: readonly TableInfo[]): Promise<void> {
    for (const { name } of tables.toReversed()) {
      await homeOf({ name }).writer.deleteFrom(name).execute()
    }
  }

  /** Rows with a higher key than this: what was broken off may have left some. */
  async function emptyBehind(table: TableInfo, key: Row | null): Promise<void> {
    const db = homeOf(table).writer
    const listed = sql.join(table.key.map((name) => sql.ref(name)))
    const behind = key === null ? sql`` : sql` where (${listed}) > (${sql.join(key)})`
    await sql`delete from ${sql.table(table.name)}${behind}`.execute(db)
  }

  /** All rows of a page, or none. */
  async function insert(db: Db, table: TableInfo, rows: readonly Row[]): Promise<void> {
    for (const query of insertsOf(db, table, rows)) await db.executeQuery(query)
  }

  /** No number that was ever given there is given here again. */
  async function keepNumbers(
    tables: readonly TableInfo[],
    sequences: readonly { readonly name: string; readonly last: number }[],
  ): Promise<void> {
    for (const table of tables) {
      if (table.generated) await keepGenerated(homeOf(table).writer, table.name, table.generated)
    }
    const known = new Set(await sequenceNames(main.writer))
    for (const { name, last } of sequences) {
      if (!known.has(name)) await dialect.sequences.create(main.writer, name)
      if (last > 0) await dialect.sequences.skipTo(main.writer, name, last)
    }
  }
}

export type Loader = ReturnType<typeof createLoader>

/** Referenced tables first. */
export function inOrder(tables: readonly TableInfo[]): TableInfo[] {
  const byName = new Map(tables.map((table) => [table.name, table]))
  const ordered = new Set<TableInfo>()
  for (const table of tables) add(table)
  return [...ordered]

  function add(table: TableInfo) {
    if (ordered.has(table)) return
    for (const name of table.references) {
      const other = byName.get(name)
      if (other && other !== table) add(other)
    }
    ordered.add(table)
  }
}

function isPostgres(db: Db): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter
}

async function tableNames(db: Db): Promise<string[]> {
  const { rows } = await (isPostgres(db)
    ? sql<{ name: string }>`select tablename as name from pg_tables
        where schemaname = current_schema()`
    : sql<{ name: string }>`select name from sqlite_master where type = 'table'`
  ).execute(db)
  return rows.map(({ name }) => name)
}

async function sequenceNames(db: Db): Promise<string[]> {
  const { rows } = await (isPostgres(db)
    ? sql<{ name: string }>`select sequencename as name from pg_sequences
        where schemaname = current_schema()`
    : sql<{ name: string }>`select name from kernel_sequences`
  ).execute(db)
  return rows.map(({ name }) => name)
}

async function createTable(db: Db, { types }: SqlDialect, table: TableInfo): Promise<void> {
  const { name, columns, key, generated } = table
  const byType = {
    integer: types.bigint,
    double: types.double,
    text: types.text,
    bytes: types.bytes,
  }
  let made: CreateTableBuilder<string, string> = db.schema.createTable(name)
  for (const column of columns) {
    if (column.name === generated?.column) {
      made = made.addColumn(column.name, types.serial)
      continue
    }
    const isKey = key.length === 1 && key[0] === column.name
    made = made.addColumn(column.name, byType[column.type], (built) => {
      const given = column.notNull ? built.notNull() : built
      return isKey ? given.primaryKey() : given
    })
  }
  if (key.length > 1) made = made.addPrimaryKeyConstraint(`${name}_key`, [...key])
  await made.execute()
}

function insertsOf(db: Db, table: TableInfo, rows: readonly Row[]): CompiledQuery[] {
  const { name, columns } = table
  const into = `insert into ${quoted(name)} (${columns.map((column) => quoted(column.name)).join(', ')})`
  if (isPostgres(db)) {
    const from = `${into} overriding system value select ${columns.map((column) => quoted(column.name)).join(', ')}
      from json_populate_recordset(null::${quoted(name)}, $1::json)`
    return [CompiledQuery.raw(from, [renderObjects(table, rows)])]
  }
  const size = Math.max(1, Math.min(MOST_ROWS, Math.floor(MOST_VALUES / columns.length)))
  const marks = `(${columns.map(() => '?').join(', ')})`
  const queries: CompiledQuery[] = []
  for (let at = 0; at < rows.length; at += size) {
    const some = rows.slice(at, at + size)
    queries.push(
      CompiledQuery.raw(`${into} values ${some.map(() => marks).join(', ')}`, some.flat()),
    )
  }
  return queries
}

/** Whole numbers beyond those of JSON, and bytes, as texts that the database reads as its columns do. */
function renderObjects({ columns }: TableInfo, rows: readonly Row[]): string {
  const objects = rows.map((row) =>
    Object.fromEntries(columns.map(({ name }, at) => [name, renderValue(row[at] ?? null)])),
  )
  return JSON.stringify(objects)
}

function renderValue(cell: Cell): string | number | null {
  if (typeof cell === 'bigint') return String(cell)
  if (cell instanceof Uint8Array) return `\\x${Buffer.from(cell).toString('hex')}`
  return cell
}

async function keepGenerated(
  db: Db,
  table: string,
  { column, last }: NonNullable<TableInfo['generated']>,
): Promise<void> {
  if (last === 0) return
  if (isPostgres(db)) {
    // Null where keys are given from a sequence of another name, which is kept by that.
    await sql`select setval(s::regclass, ${last}::bigint) from pg_get_serial_sequence(quote_ident(${table}), ${column}) s
      where s is not null`.execute(db)
    return
  }
  await sql`delete from sqlite_sequence where name = ${table}`.execute(db)
  await sql`insert into sqlite_sequence (name, seq) values (${table}, ${last})`.execute(db)
}
