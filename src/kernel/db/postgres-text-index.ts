import { type Expression, type Kysely, sql } from 'kysely'
import type { AnyTables } from './database.ts'
import {
  BETWEEN_TEXTS,
  factColumns,
  type IndexedTable,
  type IndexedText,
  type TextIndex,
  watchedColumns,
} from './text-index.ts'
import { GAP_PATTERN } from './words.ts'

type Db = Kysely<AnyTables>

/**
 * A table of texts with an index of trigrams. Without the extension pg_trgm there is no index: the same is
 * found by reading all texts.
 */
export const trigramTextIndex: TextIndex = {
  async create(db, index) {
    await sql`create table ${sql.table(index)} (no bigint primary key,
      title text collate "C" not null, text text collate "C" not null)`.execute(db)
    const schema = await trigramSchema(db)
    if (schema === undefined) return
    const operators = sql`${sql.id(schema)}.gin_trgm_ops`
    await sql`create index ${sql.id(`${index}_trigrams`)} on ${sql.table(index)}
      using gin (title ${operators}, text ${operators})`.execute(db)
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
          delete from ${rowsOf(index)} where no = old.${sql.id(key)};
          return null;
        end if;
        if ${isNewOr(watchedColumns(indexed))} then
          ${intoIndex(index, sql`values (new.${sql.id(key)}, ${sql.join(textsOf(indexed, 'new'))})`)};
        end if;
        if ${isNewOr(factColumns(indexed))} then
          ${intoRows(index, indexed, sql`values (new.${sql.id(key)}, ${sql.join(factsOf(indexed, 'new'))})`)};
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
    const { table, key } = indexed
    const own = sql.ref(`v.${key}`)
    // Locked, so that what a writer changes meanwhile is not overwritten by what it was.
    const { rows } = await sql<{ no: number }>`select ${own} as no from ${sql.table(table)} as v
      where ${own} > ${after} order by ${own} limit ${most} for share`.execute(trx)
    const last = rows.at(-1)?.no
    if (last === undefined) return null
    const from = sql`from ${sql.table(table)} as v where ${own} = any(${rows.map(({ no }) => no)}::bigint[])`
    const texts = sql`select ${own}, ${sql.join(textsOf(indexed, 'v'))} ${from}`
    await intoIndex(index, texts).execute(trx)
    const facts = sql`select ${own}, ${sql.join(factsOf(indexed, 'v'))} ${from}`
    await intoRows(index, indexed, facts).execute(trx)
    return last
  },

  having: (index, where, parts) =>
    sql`select no from ${sql.table(index)} where ${sql.join(
      parts.map((part) => {
        const pattern = typeof part === 'string' ? `%${part}%` : part
        return sql`${sql.ref(where)} like ${pattern}`
      }),
      sql` and `,
    )}`,

  // The text has no character that is special in a pattern: all of them stand between words.
  bindPart: (part) => `%${part}%`,
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

function isNewOr(columns: readonly string[]) {
  if (columns.length === 0) return sql`tg_op = 'INSERT'`
  const of = (row: string) => sql.join(columns.map((name) => sql.ref(`${row}.${name}`)))
  return sql`tg_op = 'INSERT' or row(${of('old')}) is distinct from row(${of('new')})`
}

function intoIndex(index: string, values: Expression<unknown>) {
  return sql`insert into ${sql.table(index)} (no, title, text) ${values}
    on conflict (no) do update set title = excluded.title, text = excluded.text`
}

function intoRows(index: string, { facts }: IndexedTable, values: Expression<unknown>) {
  const names = Object.keys(facts).map((name) => sql.id(name))
  const sets = names.map((name) => sql`${name} = excluded.${name}`)
  return sql`insert into ${rowsOf(index)} (no, ${sql.join(names)}) ${values}
    on conflict (no) do update set ${sql.join(sets)}`
}

function rowsOf(index: string) {
  return sql.table(`${index}_rows`)
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
