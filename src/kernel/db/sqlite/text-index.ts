import { type Expression, type Kysely, sql } from 'kysely'
import type { AnyTables } from '../database.ts'
import {
  BETWEEN_TEXTS,
  type FollowedTable,
  factColumns,
  type IndexedTable,
  type IndexedText,
  isTakenIn,
  SHORTEST_PART,
  type TextIndex,
  waitingIn,
  waitingOf,
} from '../text-index.ts'
import { chooseTrigrams } from './choose-trigrams.ts'

type Db = Kysely<AnyTables>

const EVENTS = ['insert', 'texts', 'facts', 'delete'] as const

/** So many bytes of text are taken in within about 10 ms; other writers wait for them. */
const BYTES_AT_ONCE = 60_000
const ROWS_AT_ONCE = 100
/** Pages that are merged in about 10 ms; a step of new texts may add more. */
const MERGED_AT_ONCE = 50
/** Never reached as long as somebody merges; then a write merges them all, however long that takes. */
const MOST_SEGMENTS = 64

/**
 * FTS5 with trigrams, of which it knows only in which texts they are. Texts are made with functions that every connection of ours
 * has (`functions.ts`).
 */
export const ftsTextIndex: TextIndex = {
  async create(db, index) {
    await sql`create virtual table ${trigramsOf(index)} using fts5(text, content='',
      contentless_delete=1, detail=none, tokenize='trigram case_sensitive 1')`.execute(db)
    await sql`create virtual table ${termsOf(index)}
      using fts5vocab(${trigramsOf(index)}, 'row')`.execute(db)
  },

  async letWait(db, index) {
    await sql`create table ${waitingOf(index)} (no integer primary key)`.execute(db)
    // By itself FTS5 merges within any write, for as long as 60 ms.
    await set(index, 'automerge', 0).execute(db)
    await set(index, 'crisismerge', MOST_SEGMENTS).execute(db)
  },

  async letTextsWait(db, index, tableNo) {
    const waiting = waitingOf(index)
    await sql`alter table ${waiting} add column table_no integer not null default 0`.execute(db)
    await sql`update ${waiting} set table_no = s.${sql.id(tableNo)} from ${sql.table(index)} as s
      where s.no = ${waiting}.no`.execute(db)
  },

  // Without `or ignore`, for which a statement that says what happens on conflicts would put its own (`leavingRest`).
  async follow(db, index, followed) {
    const { table, key, tableNo, columns } = followed
    for (const event of EVENTS) {
      await sql`drop trigger if exists ${triggerOf(table, event)}`.execute(db)
    }
    const own = sql.ref(`new.${key}`)
    const note = sql`insert into ${waitingOf(index)} (no, table_no) values (${own}, ${sql.lit(tableNo)})
      on conflict do nothing;`
    const gone = sql.ref(`old.${key}`)
    const facts = columnsOf(followed).map(([name, value]) => sql`${sql.id(name)} = ${value('new')}`)
    const setFacts = sql`update ${sql.table(index)} set ${sql.join(facts)}
      where no = ${own};`
    await sql`create trigger ${triggerOf(table, 'insert')} after insert on ${sql.table(table)}
      begin ${note} end`.execute(db)
    await onChange(db, table, 'texts', columns, note)
    await onChange(db, table, 'facts', factColumns(followed), setFacts)
    await sql`create trigger ${triggerOf(table, 'delete')} after delete on ${sql.table(table)}
      begin delete from ${trigramsOf(index)} where rowid = ${gone};
      delete from ${waitingOf(index)} where no = ${gone};
      delete from ${sql.table(index)} where no = ${gone}; end`.execute(db)
  },

  // Triggers go with their table.
  async forget() {},

  async fill(trx, index, indexed, after, most) {
    const key = sql.ref(indexed.key)
    const table = sql.table(indexed.table)
    const next = sql`select ${key} as no from ${table} where ${key} > ${after} order by ${key} limit ${most}`
    const { rows } = await sql<{ last: number | null }>`
      select max(no) as last from (${next})`.execute(trx)
    const last = rows[0]?.last ?? null
    if (last === null) return null
    const from = sql`from ${table} as v where v.${key} > ${after} and v.${key} <= ${last}`
    await keptText(index, indexed, 'v', from).execute(trx)
    await trigramsOfTexts(
      index,
      sql`select ${key} from ${table} as v where v.${key} > ${after}
      and v.${key} <= ${last}`,
    ).execute(trx)
    return last
  },

  takeInWaiting(index, indexed, times) {
    const table = sql.table(indexed.table)
    const key = sql.ref(`v.${indexed.key}`)
    // Evaluated three times in one transaction: in between nobody else writes.
    const first = sql`select w.no, ${bytesOf(indexed, 'v')} as own
      from (${waitingIn(index, indexed.tableNo)} order by no limit ${sql.lit(ROWS_AT_ONCE * times)}) as w
      left join ${table} as v on ${key} = w.no`
    const sums = sql`select no, own, sum(own) over (order by no) as sofar from (${first})`
    const next = sql`select no from (${sums}) where sofar - own < ${sql.lit(BYTES_AT_ONCE * times)}`
    return [
      keptText(index, indexed, 'v', sql`from ${table} as v where ${key} in (${next})`),
      trigramsOfTexts(index, next),
      sql`delete from ${waitingOf(index)} where no in (${next})`,
    ]
  },

  tidy: (index) => [set(index, 'merge', MERGED_AT_ONCE)],

  waiting: waitingIn,

  isTakenIn,

  maybeHaving(index, parts) {
    const found = (match: readonly Expression<unknown>[]) =>
      sql`select rowid as no from ${trigramsOf(index)} where ${trigramsOf(index)} match
        (${sql.join(match, sql` || ' AND ' || `)}) and ${isTakenIn(index, sql`${trigramsOf(index)}.rowid`)}`
    const bound = parts.filter((part) => typeof part !== 'string')
    const texts = parts.filter((part) => typeof part === 'string')
    const long = texts.filter(isLong)
    const short = texts.filter((part) => !isLong(part))
    // Whoever asks decides by the texts, so what is long is enough.
    if (long.length > 0) return found([...bound, sql`${trigramsIn(long)}`])
    if (bound.length > 0) return found(bound)
    const isCommon = sql.join(
      short.map((part) => sql`(select count(*) from (${termsWith(index, part)})) > ${MOST_TERMS}`),
      sql` or `,
    )
    return sql`${found(short.map((part) => beginningWith(index, part)))}
      union all select no from ${sql.table(index)} where (${isCommon}) and ${isTakenIn(index, sql`${sql.table(index)}.no`)}`
  },

  textOf: joined,

  spaced: (text) => sql`spaced_words(${text})`,

  bindPart: (part) => trigramsIn([part]),
}

/** The row with its texts, in place of what was there of it. */
function keptText(index: string, indexed: IndexedTable, alias: string, from: Expression<unknown>) {
  const no = sql.ref(`${alias}.${indexed.key}`)
  const columns = [...columnsOf(indexed), ...textsOf(indexed)]
  const names = sql.join(columns.map(([name]) => sql.id(name)))
  const values = sql.join(columns.map(([, value]) => value(alias)))
  return sql`insert or replace into ${sql.table(index)} (no, ${names}) select ${no}, ${values} ${from}`
}

/** Known without reading the texts. */
function bytesOf({ columns }: FollowedTable, alias: string): Expression<unknown> {
  const each = columns.map((name) => sql`coalesce(octet_length(${sql.ref(`${alias}.${name}`)}), 0)`)
  return sql.join(each, sql` + `)
}

/** The trigrams of the rows that `nos` selects. */
function trigramsOfTexts(index: string, nos: Expression<unknown>) {
  return sql`insert or replace into ${trigramsOf(index)} (rowid, text)
    select no, text || ${sql.lit(BETWEEN_TEXTS)} from ${sql.table(index)} where no in (${nos})`
}

async function onChange(
  db: Db,
  table: string,
  event: (typeof EVENTS)[number],
  columns: readonly string[],
  work: Expression<unknown>,
) {
  const changed = columns.map(
    (name) => sql`${sql.ref(`old.${name}`)} is not ${sql.ref(`new.${name}`)}`,
  )
  await sql`create trigger ${triggerOf(table, event)}
    after update of ${sql.join(columns.map((name) => sql.id(name)))} on ${sql.table(table)}
    when ${sql.join(changed, sql` or `)} begin ${work} end`.execute(db)
}

type Column = readonly [name: string, value: (alias: string) => Expression<unknown>]

function columnsOf({ facts }: FollowedTable): readonly Column[] {
  return Object.entries(facts).map(([name, fact]) => [
    name,
    (alias) => ('column' in fact ? sql.ref(`${alias}.${fact.column}`) : sql.lit(fact.is)),
  ])
}

function textsOf({ title, text }: IndexedTable): readonly Column[] {
  return [
    ['title', (alias) => joined(title, alias)],
    ['text', (alias) => joined(text, alias)],
  ]
}

/** Texts beside each other are made by one call, of so many values at most. */
const MOST_ARGUMENTS = 100

function joined(texts: readonly IndexedText[], alias: string): Expression<unknown> {
  const calls: Expression<unknown>[] = []
  let plain: Expression<unknown>[] = []
  for (const text of texts) {
    const own = sql.ref(`${alias}.${text.column}`)
    if (text.kind === 'list' || plain.length === MOST_ARGUMENTS) endCall()
    if (text.kind === 'list') calls.push(spacedList(own))
    else plain.push(text.kind === 'folded' ? own : text.sql(alias))
  }
  endCall()
  return calls.length === 0 ? sql`''` : sql.join(calls, sql` || ${sql.lit(BETWEEN_TEXTS)} || `)

  function endCall() {
    if (plain.length > 0) calls.push(sql`spaced_texts(${sql.join(plain)})`)
    plain = []
  }
}

function spacedList(own: Expression<unknown>): Expression<unknown> {
  return sql`coalesce((select group_concat(spaced_words(folded(value)), ${sql.lit(BETWEEN_TEXTS)}) from json_each(${own})), '')`
}

function triggerOf(table: string, event: string) {
  return sql.id(`${table}_index_${event}`)
}

/** A command of FTS5. */
function set(index: string, what: string, value: number) {
  const table = trigramsOf(index)
  return sql`insert into ${table} (${table}, rank) values (${sql.lit(what)}, ${sql.lit(value)})`
}

function trigramsOf(index: string) {
  return sql.id(`${index}_trigrams`)
}

function termsOf(index: string) {
  return sql.id(`${index}_terms`)
}

/** What stands between words cannot be in it, and so no quotation mark. */
function quoted(part: string): string {
  return `"${part}"`
}

function trigramsIn(parts: readonly string[]): string {
  return chooseTrigrams(parts).map(quoted).join(' AND ')
}

/** No row has it: between two texts there is nothing, or what has spaces at both ends. */
const NOWHERE = quoted(`${BETWEEN_TEXTS}x${BETWEEN_TEXTS}`)
const LAST = '\u{10ffff}'.repeat(SHORTEST_PART)

/** What begins more trigrams is in so many texts that reading them all is quicker than asking for each. */
const MOST_TERMS = 200

function isLong(part: string): boolean {
  return Array.from(part).length >= SHORTEST_PART
}

/**
 * A part that is shorter than a trigram is the beginning of some: behind every character of an indexed text two
 * others follow, the last ones a space and what stands between texts.
 */
function termsWith(index: string, part: string): Expression<unknown> {
  return sql`select term from ${termsOf(index)} where term >= ${part} and term <= ${part} || ${LAST}
    limit ${MOST_TERMS + 1}`
}

function beginningWith(index: string, part: string): Expression<unknown> {
  const all = sql`'(' || group_concat('"' || term || '"', ' OR ') || ')'`
  return sql`coalesce((select case when count(*) <= ${MOST_TERMS} then ${all} end from (${termsWith(index, part)})), ${NOWHERE})`
}
