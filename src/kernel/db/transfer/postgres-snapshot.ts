import { type Column, type Row, type TableInfo, toCell } from './cells.ts'
import { createPages, pageText, type Snapshot } from './snapshot.ts'

const INT8 = 20
const TYPES: Readonly<Record<string, Column['type']>> = {
  int2: 'integer',
  int4: 'integer',
  int8: 'integer',
  float8: 'double',
  text: 'text',
  bytea: 'bytes',
}

/** One connection in a transaction that sees one moment. */
export async function openPostgres(url: string): Promise<Snapshot> {
  const { default: pg } = await import('pg')
  const client = new pg.Client({
    connectionString: url,
    application_name: 'entrepot snapshot',
    keepAlive: true,
    types: { getTypeParser },
  })
  client.on('error', () => {})
  await client.connect()
  try {
    // As long as it takes; between two pages, too, when whoever takes them is slow.
    await client.query('set statement_timeout = 0; set idle_in_transaction_session_timeout = 0')
    await client.query('begin isolation level repeatable read read only')
    return {
      migrations: (await ask('select name from kernel_migrations')).map(([name]) => String(name)),
      tables: await readTables(),
      sequences: await readSequences(),
      pages: createPages((table, after, most) =>
        ask(
          pageText(table, after === null, (at) => `$${at}`),
          [...(after ?? []), most],
        ),
      ),
      close: () => client.end(),
    }
  } catch (error) {
    await client.end()
    throw error
  }

  async function ask(text: string, values: Row = []): Promise<Row[]> {
    const { rows } = await client.query({ text, values: [...values], rowMode: 'array' })
    return rows
  }

  function getTypeParser(type: number, format?: 'text' | 'binary') {
    if (type === INT8) return (value: string) => toCell(BigInt(value))
    return pg.types.getTypeParser(type, format)
  }

  async function readTables(): Promise<TableInfo[]> {
    const columns = await ask(COLUMNS)
    const byTable = Map.groupBy(columns, ([table]) => String(table))
    const keys = Map.groupBy(await ask(KEYS), ([table]) => String(table))
    const references = Map.groupBy(await ask(REFERENCES), ([table]) => String(table))
    const tables: TableInfo[] = []
    for (const [name, rows] of byTable) {
      if (name === 'kernel_migrations') continue
      const generated = rows.find(([, , , , isGenerated]) => isGenerated === 1)?.[1]
      tables.push({
        name,
        columns: rows.map(toColumn),
        key: (keys.get(name) ?? []).map(([, column]) => String(column)),
        generated:
          generated === undefined
            ? null
            : { column: String(generated), last: await lastGiven(name, String(generated)) },
        references: (references.get(name) ?? []).map(([, named]) => String(named)),
      })
    }
    return tables
  }

  async function lastGiven(table: string, column: string): Promise<number> {
    const [found] = await ask('select pg_get_serial_sequence(quote_ident($1), $2)', [table, column])
    return lastOf(String(found?.[0]))
  }

  async function lastOf(sequence: string): Promise<number> {
    const [row] = await ask(
      `select case when is_called then last_value else 0 end from ${sequence}`,
    )
    return Number(row?.[0] ?? 0)
  }

  async function readSequences() {
    const names = (await ask(SEQUENCES)).map(([name]) => String(name))
    const found: { name: string; last: number }[] = []
    for (const name of names) found.push({ name, last: await lastOf(`"${name}"`) })
    return found
  }
}

function toColumn([table, name, type, notNull]: Row): Column {
  const known = TYPES[String(type)]
  if (!known) throw new Error(`${table}.${name} is of the type ${type}, which no backup knows`)
  return { name: String(name), type: known, notNull: notNull === 1 }
}

const COLUMNS = `select c.relname, a.attname, t.typname, a.attnotnull::int,
    (a.attidentity <> '')::int
  from pg_class c join pg_attribute a on a.attrelid = c.oid join pg_type t on t.oid = a.atttypid
  where c.relnamespace = to_regnamespace(quote_ident(current_schema())) and c.relkind = 'r'
    and a.attnum > 0 and not a.attisdropped
  order by c.relname collate "C", a.attnum`

const KEYS = `select c.relname, a.attname
  from pg_index i join pg_class c on c.oid = i.indrelid
    cross join unnest(i.indkey) with ordinality as k(no, at)
    join pg_attribute a on a.attrelid = c.oid and a.attnum = k.no
  where c.relnamespace = to_regnamespace(quote_ident(current_schema())) and i.indisprimary
  order by c.relname, k.at`

const REFERENCES = `select distinct c.relname, f.relname
  from pg_constraint r join pg_class c on c.oid = r.conrelid join pg_class f on f.oid = r.confrelid
  where c.relnamespace = to_regnamespace(quote_ident(current_schema())) and r.contype = 'f'`

/** Those of columns with generated keys belong to their tables. */
const SEQUENCES = `select s.relname from pg_class s
  where s.relnamespace = to_regnamespace(quote_ident(current_schema())) and s.relkind = 'S'
    and not exists (select 1 from pg_depend d where d.objid = s.oid and d.deptype in ('a', 'i')
      and d.classid = 'pg_class'::regclass)
  order by s.relname collate "C"`
