import { type Expression, type Kysely, sql } from 'kysely'
import type { AnyTables } from './database.ts'
import {
  BETWEEN_TEXTS,
  type FollowedTable,
  factColumns,
  type IndexedTable,
  type IndexedText,
  isTakenIn,
  type TextIndex,
  waitingIn,
  waitingOf,
} from './text-index.ts'
import { GAP_PATTERN } from './words.ts'

type Db = Kysely<AnyTables>

/** Of what waits, in one transaction. */
const BYTES_AT_ONCE = 30_000
const ROWS_AT_ONCE = 100

const EVENTS = ['insert', 'update', 'delete'] as const

/**
 * The texts with an index of trigrams. Without the extension pg_trgm there is none: the same is found by
 * reading all texts.
 *
 * Whoever takes rows in and whoever writes them meet at the row of `<index>_waiting`, which both lock before they touch the index: so
 * neither overwrites the other with what a row was before, and neither waits for the other twice.
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

  /** The flag stays, always 1 of what is taken in, because the index of trigrams is bound to it; another would be built for minutes. */
  async letTextsWait(db, index, tableNo) {
    const waiting = waitingOf(index)
    await sql`drop index if exists ${waiting}`.execute(db)
    await sql`create table ${waiting} (no bigint primary key, table_no bigint not null,
      taken smallint not null default 0)`.execute(db)
    await sql`create index ${sql.id(`${index}_taken`)} on ${waiting} (no) where taken = 1`.execute(
      db,
    )
    await sql`insert into ${waiting} (no, table_no)
      select no, ${sql.id(tableNo)} from ${sql.table(index)} where indexed = 0`.execute(db)
  },

  async follow(db, index, followed) {
    const { table, key, tableNo, columns } = followed
    const name = functionOf(table)
    const facts = factColumns(followed)
    for (const trigger of [name, ...EVENTS.map((event) => triggerOf(table, event))]) {
      await sql`drop trigger if exists ${trigger} on ${sql.table(table)}`.execute(db)
    }
    const note = (
      from: Expression<unknown>,
    ) => sql`insert into ${waitingOf(index)} as w (no, table_no)
      ${from} on conflict (no) do update set taken = 0`
    const tableIs = sql.lit(tableNo)
    const own = sql.ref(`new.${key}`)
    const gone = sql.ref(`old.${key}`)
    await sql`create or replace function ${name}() returns trigger language plpgsql as $body$
      begin
        if tg_op = 'INSERT' then
          ${note(sql`select ${sql.ref(key)}, ${tableIs} from inserted`)};
        elsif tg_op = 'DELETE' then
          delete from ${waitingOf(index)} where no = ${gone};
          delete from ${sql.table(index)} where no = ${gone};
        elsif ${isChanged(columns)} then
          ${note(sql`values (${own}, ${tableIs})`)};
        else
          perform 1 from ${waitingOf(index)} where no = ${own} for update;
          update ${sql.table(index)} set ${sql.join(setFacts(followed))} where no = ${own};
        end if;
        return null;
      end $body$`.execute(db)
    const on = {
      insert: sql`referencing new table as inserted for each statement`,
      update: sql`for each row when (${isChanged([...columns, ...facts])})`,
      delete: sql`for each row`,
    }
    for (const event of EVENTS) {
      await sql`create trigger ${triggerOf(table, event)} after ${sql.raw(event)} on ${sql.table(table)}
        ${on[event]} execute function ${name}()`.execute(db)
    }
  },

  async forget(db, table) {
    await sql`drop function if exists ${functionOf(table)}()`.execute(db)
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
    await takeIn(index, indexed, 'v', from).execute(trx)
    return last
  },

  // Rows are locked before they are read: a statement would not see what was committed while it waited for a lock.
  takeInWaiting(index, indexed, times) {
    const own = sql.ref(`v.${indexed.key}`)
    const table = sql.table(indexed.table)
    const waiting = waitingOf(index)
    const first = sql`${waitingIn(index, indexed.tableNo)} order by no
      limit ${sql.lit(ROWS_AT_ONCE * times)} for update skip locked`
    const sizes = sql`select f.no, ${bytesOf(indexed, 'v')} as own
      from (${first}) as f left join ${table} as v on ${own} = f.no`
    const sums = sql`select no, own, sum(own) over (order by no) as sofar from (${sizes}) as s`
    const taken = sql`select no from ${waiting} where taken = 1`
    return [
      sql`update ${waiting} as w set taken = 1 from (${sums}) as n
        where w.no = n.no and n.sofar - n.own < ${sql.lit(BYTES_AT_ONCE * times)}`,
      takeIn(index, indexed, 'v', sql`from ${table} as v where ${own} in (${taken})`),
      sql`delete from ${waiting} where taken = 1`,
    ]
  },

  // Autovacuum does it.
  tidy: () => [],

  waiting: waitingIn,

  isTakenIn,

  maybeHaving: (index, parts) =>
    sql`select no from ${sql.table(index)} where indexed = 1 and ${sql.join(
      parts.map((part) => sql`text like ${typeof part === 'string' ? patternOf(part) : part}`),
      sql` and `,
    )} and ${isTakenIn(index, sql`${sql.table(index)}.no`)}`,

  textOf: joined,

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
function takeIn(index: string, indexed: IndexedTable, alias: string, from: Expression<unknown>) {
  const names = [...Object.keys(indexed.facts), 'title', 'text', 'indexed'].map((name) =>
    sql.id(name),
  )
  const texts = [indexed.title, indexed.text].map((each) => joined(each, alias))
  const values = [...factsOf(indexed, alias), ...texts, sql.lit(1)]
  const sets = names.map((name) => sql`${name} = excluded.${name}`)
  return sql`insert into ${sql.table(index)} (no, ${sql.join(names)})
    select ${sql.ref(`${alias}.${indexed.key}`)}, ${sql.join(values)} ${from}
    on conflict (no) do update set ${sql.join(sets)}`
}

function setFacts(indexed: FollowedTable) {
  const values = factsOf(indexed, 'new')
  return Object.keys(indexed.facts).map((name, at) => sql`${sql.id(name)} = ${values[at]}`)
}

function factsOf({ facts }: FollowedTable, alias: string) {
  return Object.values(facts).map((fact) =>
    'column' in fact ? sql.ref(`${alias}.${fact.column}`) : sql.lit(fact.is),
  )
}

/** Known without reading the texts. */
function bytesOf({ columns }: FollowedTable, alias: string): Expression<unknown> {
  const each = columns.map(
    (name) => sql`coalesce(octet_length(cast(${sql.ref(`${alias}.${name}`)} as text)), 0)`,
  )
  return sql.join(each, sql` + `)
}

function joined(texts: readonly IndexedText[], alias: string): Expression<unknown> {
  if (texts.length === 0) return sql`''`
  const each = texts.map((text) => spaced(text, alias))
  return sql.join(each, sql` || ${sql.lit(BETWEEN_TEXTS)} || `)
}

function functionOf(table: string) {
  return sql.id(`${table}_index`)
}

function triggerOf(table: string, event: string) {
  return sql.id(`${table}_index_${event}`)
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
