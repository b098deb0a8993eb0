import { type Expression, type Kysely, sql } from 'kysely'
import type { AnyTables } from '../database.ts'
import {
  BETWEEN_TEXTS,
  factColumns,
  type IndexedTable,
  type IndexedText,
  SHORTEST_PART,
  type TextIndex,
  watchedColumns,
} from '../text-index.ts'

type Db = Kysely<AnyTables>

const EVENTS = ['insert', 'texts', 'facts', 'delete'] as const

/**
 * FTS5 with trigrams, without the texts themselves. Triggers fill it, with the functions that every connection
 * of ours has (`connection.ts`): another program can read the file, but not write to these tables.
 */
export const ftsTextIndex: TextIndex = {
  async create(db, index) {
    await sql`create virtual table ${sql.id(index)} using fts5(title, text, content='',
      contentless_delete=1, tokenize='trigram case_sensitive 1')`.execute(db)
    await sql`create virtual table ${termsOf(index)} using fts5vocab(${sql.lit(index)}, 'row')`.execute(
      db,
    )
  },

  async follow(db, index, indexed) {
    const { table, key } = indexed
    for (const event of EVENTS) await dropTrigger(db, table, event)
    const row = sql.ref(`new.${key}`)
    const gone = sql.ref(`old.${key}`)
    const intoIndex = sql`insert or replace into ${sql.id(index)} (rowid, title, text)
      values (${row}, ${sql.join(textsOf(indexed, 'new'))})`
    const intoRows = sql`insert or replace into ${rowsOf(index)} (no, ${factNames(indexed)})
      values (${row}, ${sql.join(factsOf(indexed, 'new'))})`
    await sql`create trigger ${triggerOf(table, 'insert')} after insert on ${sql.table(table)}
      begin ${intoIndex}; ${intoRows}; end`.execute(db)
    await onChange(db, table, 'texts', watchedColumns(indexed), intoIndex)
    await onChange(db, table, 'facts', factColumns(indexed), intoRows)
    await sql`create trigger ${triggerOf(table, 'delete')} after delete on ${sql.table(table)}
      begin delete from ${sql.id(index)} where rowid = ${gone};
      delete from ${rowsOf(index)} where no = ${gone}; end`.execute(db)
  },

  settle: sql`select 1`,

  // Triggers go with their table.
  async forget() {},

  async fill(trx, index, indexed, after, most) {
    const { table, key } = indexed
    const next = sql`select ${sql.ref(key)} as no from ${sql.table(table)}
      where ${sql.ref(key)} > ${after} order by ${sql.ref(key)} limit ${most}`
    const { rows } = await sql<{
      last: number | null
    }>`select max(no) as last from (${next})`.execute(trx)
    const last = rows[0]?.last ?? null
    if (last === null) return null
    const from = sql`from ${sql.table(table)} as v where v.${sql.id(key)} > ${after} and v.${sql.id(key)} <= ${last}`
    await sql`insert or replace into ${sql.id(index)} (rowid, title, text)
      select v.${sql.id(key)}, ${sql.join(textsOf(indexed, 'v'))} ${from}`.execute(trx)
    await sql`insert or replace into ${rowsOf(index)} (no, ${factNames(indexed)})
      select v.${sql.id(key)}, ${sql.join(factsOf(indexed, 'v'))} ${from}`.execute(trx)
    return last
  },

  having: (index, where, parts) =>
    sql`select rowid as no from ${sql.id(index)} where ${sql.id(index)} match
      (${sql.lit(`${where} : (`)} || ${sql.join(
        parts.map((part) => (typeof part === 'string' ? partOf(index, part) : part)),
        sql` || ' AND ' || `,
      )} || ')')`,

  bindPart: quoted,
}

/** What stands between words cannot be in it, and so no quotation mark. */
function quoted(part: string): string {
  return `"${part}"`
}

/** No text has it. */
const NOWHERE = quoted(BETWEEN_TEXTS.repeat(SHORTEST_PART))

/**
 * A part that is shorter than a trigram is the beginning of some: behind every character of a text
 * another follows, the last one a space.
 */
function partOf(index: string, part: string): Expression<unknown> {
  if (Array.from(part).length >= SHORTEST_PART) return sql`${quoted(part)}`
  const isWith = sql`term >= ${part} and substr(term, 1, length(${part})) = ${part} and term <= ${part} || ${LAST}`
  return sql`coalesce((select '(' || group_concat('"' || term || '"', ' OR ') || ')' from ${termsOf(index)} where ${isWith}), ${NOWHERE})`
}

const LAST = '\u{10ffff}'.repeat(SHORTEST_PART)

function termsOf(index: string) {
  return sql.table(`${index}_terms`)
}

function onChange(
  db: Db,
  table: string,
  event: (typeof EVENTS)[number],
  columns: readonly string[],
  work: Expression<unknown>,
) {
  if (columns.length === 0) return
  const changed = columns.map(
    (name) => sql`${sql.ref(`old.${name}`)} is not ${sql.ref(`new.${name}`)}`,
  )
  return sql`create trigger ${triggerOf(table, event)} after update of ${sql.join(columns.map((name) => sql.id(name)))}
    on ${sql.table(table)} when ${sql.join(changed, sql` or `)} begin ${work}; end`.execute(db)
}

function dropTrigger(db: Db, table: string, event: string) {
  return sql`drop trigger if exists ${triggerOf(table, event)}`.execute(db)
}

function triggerOf(table: string, event: string) {
  return sql.id(`${table}_index_${event}`)
}

function rowsOf(index: string) {
  return sql.table(`${index}_rows`)
}

function factNames({ facts }: IndexedTable) {
  return sql.join(Object.keys(facts).map((name) => sql.id(name)))
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
  const own = sql.ref(`${alias}.${text.column}`)
  switch (text.kind) {
    case 'folded':
      return sql`spaced_words(${own})`
    case 'shown':
      return sql`spaced_words(${text.sql(alias)})`
    case 'list':
      return sql`coalesce((select group_concat(spaced_words(folded(value)), ${sql.lit(BETWEEN_TEXTS)}) from json_each(${own})), '')`
  }
}
