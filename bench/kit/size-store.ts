import { sql } from 'kysely'
import type { ContentType } from '#content-model'
import type { DatabaseSettings } from '#db'
import type { BenchContext } from './bench.ts'
import { type BenchContent, openContent } from './content.ts'

const CHUNK = 10_000
/** The first type has half of all entries, the others share the rest. */
export const LARGE = 'article'
export const SMALL = 'note'

/** Fills a store as a server leaves it: all indexes, all triggers. */
export async function fillStore(
  context: BenchContext,
  dataDir: string,
  { types, entries }: { readonly types: number; readonly entries: number },
): Promise<void> {
  const settings: DatabaseSettings = {
    ...{ url: undefined, dataDir, readers: 2, readTimeoutMs: 30_000, scanTimeoutMs: 60_000 },
  }
  const store = await openContent(context.root, settings)
  const names = [LARGE, SMALL, ...Array.from({ length: types - 2 }, (_, n) => `other${n}`)]
  for (let at = 0; at < names.length; at += 5) {
    await store.defineTypes(names.slice(at, at + 5).map(definition))
  }
  const startedMs = performance.now()
  await insert(store, LARGE, Math.floor(entries / 2))
  const others = names.slice(2)
  for (const name of others) await insert(store, name, Math.floor(entries / 2 / others.length))
  const seconds = Math.round((performance.now() - startedMs) / 1_000)
  context.say(`${entries} entries in ${types} types: ${seconds} s`)
  await store.stop()
}

function definition(singularName: string): object {
  return {
    ...{ singularName, pluralName: `${singularName}s`, draftAndPublish: true },
    attributes: {
      title: { type: 'string' },
      body: { type: 'text' },
      rank: { type: 'integer' },
    },
  }
}

const WORDS = ['harbour', 'crane', 'lantern', 'granite', 'meadow', 'orchard', 'tunnel']
const word = (number: string) =>
  `case ${number} % 7 ${WORDS.map((each, at) => `when ${at} then '${each}'`).join(' ')} end`
/** Every entry has a number of its own in its title, the words of its text return. */
const SHUFFLED = '((i * 7919) % 1000003)'
const TITLE = `'title ' || ${SHUFFLED} || ' of a ' || ${word('i')}`
const BODY = `'the ' || ${word('i / 7')} || ' beside the ' || ${word('i / 49')} || ' and number ' || (i * 31 % 5003) || ' of many words that are read'`

async function insert({ database, content }: BenchContent, name: string, rows: number) {
  const type = content.model().findType(name)
  if (!type) throw new Error(`no type ${name}`)
  for (let from = 1; from <= rows; from += CHUNK) {
    await insertChunk(database.main.writer, type, from, Math.min(from + CHUNK - 1, rows))
  }
  const { writer } = database.main
  await sql`update kernel_sequences set value = ${rows} where name = ${`content_v${type.no}_id`}`.execute(
    writer,
  )
  await sql`update kernel_sequences set value = ${COPIES * (type.no + 1)} where name = 'content_copy' and value < ${COPIES * (type.no + 1)}`.execute(
    writer,
  )
}

/** Numbers of copies are unique over all types. */
const COPIES = 10_000_000

async function insertChunk(
  db: BenchContent['database']['main']['writer'],
  type: ContentType,
  from: number,
  to: number,
) {
  const no = sql.lit(type.no)
  const numbers = sql`with recursive n(i) as (select ${sql.lit(from)} union all select i + 1 from n where i < ${sql.lit(to)})`
  const document = sql`printf('00000000-0000-7000-8000-%04x%08x', ${no}, i)`
  await sql`insert into content_entries (type_no, id, document_id, locale, created_at, updated_at, published_at, has_live, changed, sort_order, is_root, ancestors_live, version) ${numbers} select ${no}, i, ${document}, '', i * 1000, i * 1000, i * 1000, 1, 0, i, 0, 1, 1 from n`.execute(
    db,
  )
  const value = (name: string) => type.attribute.get(name)?.no ?? 0
  const [title, body, rank] = ['title', 'body', 'rank'].map((name) => sql.raw(String(value(name))))
  const doc = sql.raw(
    `'{"title":"' || ${TITLE} || '","body":"' || ${BODY} || '","rank":' || i || '}'`,
  )
  const entry = sql`(select no from content_entries where type_no = ${no} and id = i)`
  await sql`insert into ${sql.table(type.table)} (copy_no, entry_no, id, document_id, locale, live, work, revision_id, shape, created_at, updated_at, published_at, doc, hidden, a${title}, f${title}, a${body}, f${body}, a${rank}) ${numbers} select ${sql.lit(COPIES * type.no)} + i, ${entry}, i, ${document}, '', 1, 1, i, ${sql.lit(type.shape)}, i * 1000, i * 1000, i * 1000, ${doc}, '{"formats":{}}', ${sql.raw(TITLE)}, ${sql.raw(TITLE)}, ${sql.raw(BODY)}, ${sql.raw(BODY)}, i from n`.execute(
    db,
  )
}
