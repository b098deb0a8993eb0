import { type Kysely, sql } from 'kysely'
import type { AnyTables } from '#db'
import type { TestContent } from './content.ts'

const CHUNK = 10_000

/**
 * Live entries of a type whose values are the numbers of the entries (`rank`) and a text of them
 * (`title`), put into the tables as a server leaves them.
 */
export async function seedEntries(content: TestContent, name: string, count: number) {
  const { db, typeOf } = content
  const { no, table, shape, attribute } = typeOf(name)
  const [title, rank] = ['title', 'rank'].map((own) => attribute.get(own)?.no ?? 0)
  const writer: Kysely<AnyTables> = db.main.writer
  const base = await firstFree(writer)
  for (let from = 1; from <= count; from += CHUNK) {
    const to = Math.min(from + CHUNK - 1, count)
    const numbers = sql`with recursive n(i) as (select ${sql.lit(from)} union all select i + 1 from n where i < ${sql.lit(to)})`
    const document = sql`'00000000-0000-7000-80${sql.raw(String(no).padStart(2, '0'))}-' || cast(100000000000 + i as text)`
    const first = sql.lit(base)
    const text = sql`'title ' || cast(i as text)`
    await sql`insert into content_entries (no, type_no, id, document_id, locale, created_at, updated_at, published_at, has_live, changed, sort_order, is_root, ancestors_live, version)
      ${numbers} select ${first} + i, ${sql.lit(no)}, i, ${document}, '', 1000 + i, 1000 + i, 1000 + i, 1, 0, i, 0, 1, 1 from n`.execute(
      writer,
    )
    await sql`insert into ${sql.table(table)} (copy_no, entry_no, id, document_id, locale, live, work, revision_id, shape, created_at, updated_at, published_at, doc, hidden, ${sql.raw(`a${title}, f${title}, a${rank}`)})
      ${numbers} select ${first} + i, ${first} + i, i, ${document}, '', 1, 1, ${first} + i, ${sql.lit(shape)}, 1000 + i, 1000 + i, 1000 + i, '{"title":"' || ${text} || '","rank":' || cast(i as text) || '}', '{"formats":{}}', ${text}, ${text}, i from n`.execute(
      writer,
    )
  }
  const { sequences } = db.dialect
  for (const sequence of ['content_entry', 'content_copy']) {
    await sequences.skipTo(writer, sequence, base + count)
  }
  await sequences.skipTo(writer, `content_v${no}_id`, count)
}

async function firstFree(db: Kysely<AnyTables>): Promise<number> {
  const { rows } = await sql<{ last: number | null }>`
    select max(no) as last from content_entries`.execute(db)
  return Number(rows[0]?.last ?? 0) + 1_000_000
}
