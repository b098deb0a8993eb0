import { type Expression, type Kysely, sql } from 'kysely'
import type { AnyTables } from './database.ts'
import {
  BETWEEN_TEXTS,
  factColumns,
  type IndexedTable,
  type IndexedText,
  type TextIndex,
  textColumns,
} from './text-index.ts'
import { GAP_PATTERN } from './words.ts'

type Db = Kysely<AnyTables>

/** Of what waits for its trigrams, in one statement. */
const BYTES_AT_ONCE = 30_000
const ROWS_AT_ONCE = 100

/**
 * The texts with an index of trigrams, which leaves out those that wait. Without the extension pg_trgm there is none: the same is found by
 * reading all texts.
 */
export const trigramTextIndex: TextIndex = {
  async create(db, index) {
    await createTrigrams(db, index, sql``)
  },

  async letWait(db, index) {
    await sql`alter table ${sql.table(index)} add column indexed smallint not null default 1`.execute(
      db,
    )
    await sql`drop index if exists ${sql.id(`${index}_trigrams`)}`.execute(db)
    await createTrigrams(db, index, sql` where indexed = 1`)
    await sql`create index ${sql.id(`${index}_waiting`)} on ${sql.table(index)} (no)
      where indexed = 0`.execute(db)
  },

  /** At the commit, when lists that lie in another table are written too. */
  async follow(db, index, indexed) {
    const { table, key } = indexed
    const name = sql.id(`${table}_index`)
    await sql`drop trigger if exists ${name} on ${sql.table(table)}`.execute(db)
    await sql`create or replace function ${name}() returns trigger language plpgsql as $body$
      begin
        if tg_op = 'DELETE' then
          delete from ${sql.table(index)} where no = old.${sql.id(key)};
        elsif tg_op = 'INSERT' or ${isChanged(textColumns(indexed))} then
          ${takeIn(index, indexed, 'new', sql``, 0)};
        elsif ${isChanged(factColumns(indexed))} then
          update ${sql.table(index)} set ${sql.join(setFacts(indexed))} where no = new.${sql.id(key)};
        end if;
        return null;
      end $body$`.execute(db)
    await sql`create constraint trigger ${name} after insert or update or delete on ${sql.table(table)}
      deferrable initially deferred for each row execute function ${name}()`.execute(db)
  },

  settle: sql`set constraints all immediate`,

  async forget(db, table) {
    await sql`drop function if exists ${sql.id(`${table}_index`)}()`.execute(db)
  },

  async fill(trx, index, indexed, after, most) {
    const own = sql.ref(`v.${indexed.key}`)
    const table = sql.table(indexed.table)
    // Locked, so that what a writer changes meanwhile is not overwritten by what it was.
    const { rows } = await sql<{ no: number }>`select ${own} as no from ${table} as v
      where ${own} > ${after} order by ${own} limit ${most} for share`.execute(trx)
    const last = rows.at(-1)?.no
    if (last === undefined) return null
    const nos = rows.map(({ no }) => no)
    const from = sql`from ${table} as v where ${own} = any(${nos}::bigint[])`
    await takeIn(index, indexed, 'v', from, 1).execute(trx)
    return last
  },

  takeInWaiting(index, times) {
    // How many bytes a text has is known without reading it.
    const first = sql`select no, octet_length(text) as own, sum(octet_length(text)) over (order by no) as sofar
      from (select no, text from ${sql.table(index)} where indexed = 0 order by no
        limit ${sql.lit(ROWS_AT_ONCE * times)} for update skip locked) as locked`
    return [
      sql`update ${sql.table(index)} as t set indexed = 1 from (${first}) as n
        where t.no = n.no and n.sofar - n.own < ${sql.lit(BYTES_AT_ONCE * times)}`,
    ]
  },

  // Autovacuum does it.
  tidy: () => [],

  waiting: (index) => sql`select no from ${sql.table(index)} where indexed = 0`,

  maybeHaving: (index, parts) =>
    sql`select no from ${sql.table(index)} where indexed = 1 and ${sql.join(
      parts.map((part) => sql`text like ${typeof part === 'string' ? patternOf(part) : part}`),
      sql` and `,
    )}`,

  spaced: spacedWords,

  bindPart: patternOf,
}

/** The text has no character that is special in a pattern: all of them stand between words. */
function patternOf(part: string): string {
  return `%${part}%`
}

async function createTrigrams(db: Db, index: string, where: Expression<unknown>) {
  const schema = await trigramSchema(db)
  if (schema === undefined) return
  await sql`create index ${sql.id(`${index}_trigrams`)} on ${sql.table(index)}
    using gin (text ${sql.id(schema)}.gin_trgm_ops)${where}`.execute(db)
}

/** Where the extension is, made if that is allowed. Not in the schema of this database, which may be dropped alone. */
async function trigramSchema(db: Db): Promise<string | undefined> {
  const found = await findExtension(db)
  if (found !== undefined) return found
  await sql`select pg_advisory_xact_lock(hashtextextended('entrepot pg_trgm', 0))`.execute(db)
  await sql`savepoint trigrams`.execute(db)
  try {
    await sql`create extension if not exists pg_trgm with schema public`.execute(db)
    await sql`release savepoint trigrams`.execute(db)
  } catch {
    await sql`rollback to savepoint trigrams`.execute(db)
  }
  return findExtension(db)
}

async function findExtension(db: Db): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`select n.nspname as name from pg_extension e
    join pg_namespace n on n.oid = e.extnamespace where e.extname = 'pg_trgm'`.execute(db)
  return rows[0]?.name
}

function isChanged(columns: readonly string[]) {
  const of = (row: string) => sql.join(columns.map((name) => sql.ref(`${row}.${name}`)))
  return sql`row(${of('old')}) is distinct from row(${of('new')})`
}

/** The row, in place of what was there of it. */
function takeIn(
  index: string,
  indexed: IndexedTable,
  alias: string,
  from: Expression<unknown>,
  isIndexed: 0 | 1,
) {
  const names = [...Object.keys(indexed.facts), 'title', 'text', 'indexed'].map((name) =>
    sql.id(name),
  )
  const values = [...factsOf(indexed, alias), ...textsOf(indexed, alias), sql.lit(isIndexed)]
  const sets = names.map((name) => sql`${name} = excluded.${name}`)
  return sql`insert into ${sql.table(index)} (no, ${sql.join(names)})
    select ${sql.ref(`${alias}.${indexed.key}`)}, ${sql.join(values)} ${from}
    on conflict (no) do update set ${sql.join(sets)}`
}

function setFacts(indexed: IndexedTable) {
  const values = factsOf(indexed, 'new')
  return Object.keys(indexed.facts).map((name, at) => sql`${sql.id(name)} = ${values[at]}`)
}

function factsOf({ facts }: IndexedTable, alias: string) {
  return Object.values(facts).map((fact) =>
    'column' in fact ? sql.ref(`${alias}.${fact.column}`) : sql.lit(fact.is),
  )
}

function textsOf({ title, text }: IndexedTable, alias: string) {
  return [title, text].map((texts) =>
    texts.length === 0
      ? sql`''`
      : sql.join(
          texts.map((each) => spaced(each, alias)),
          sql` || ${sql.lit(BETWEEN_TEXTS)} || `,
        ),
  )
}

function spaced(text: IndexedText, alias: string): Expression<unknown> {
  switch (text.kind) {
    case 'folded':
      return spacedWords(sql.ref(`${alias}.${text.column}`))
    case 'shown':
      return spacedWords(text.sql(alias))
    case 'list': {
      const each = spacedWords(sql`l.folded`)
      return sql`coalesce((select string_agg(${each}, ${sql.lit(BETWEEN_TEXTS)}) from (${text.folded(alias)}) as l(folded)), '')`
    }
  }
}

/** As `spacedWords` of the program. */
function spacedWords(text: Expression<unknown>) {
  return sql`coalesce(regexp_replace(' ' || ${text} || ' ', ${sql.lit(GAP_PATTERN)}, ' ', 'g'), '')`
}
