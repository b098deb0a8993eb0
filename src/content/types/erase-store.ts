import { type Kysely, sql } from 'kysely'
import type { ContentTables } from '../tables.ts'

type Db = Kysely<ContentTables>

/** What belongs to the copies in other tables. */
async function eraseOwned(
  db: Db,
  copies: readonly number[],
  components: readonly number[],
): Promise<void> {
  if (copies.length === 0) return
  await db.deleteFrom('content_links').where('owner_copy', 'in', copies).execute()
  await db.deleteFrom('content_tags').where('owner_copy', 'in', copies).execute()
  for (const no of components) {
    await db.deleteFrom(`content_c${no}`).where('owner_copy', 'in', copies).execute()
  }
}

async function eraseCopies(
  db: Db,
  table: `content_v${number}`,
  copies: readonly number[],
  components: readonly number[],
): Promise<void> {
  if (copies.length === 0) return
  await eraseOwned(db, copies, components)
  await db.deleteFrom(table).where('copy_no', 'in', copies).execute()
}

/** Removes entries with all their copies; nobody is told here. */
export async function eraseEntries(
  db: Db,
  table: `content_v${number}`,
  entries: readonly number[],
  components: readonly number[],
): Promise<void> {
  if (entries.length === 0) return
  const copies = await db
    .selectFrom(table)
    .select('copy_no')
    .where('entry_no', 'in', entries)
    .execute()
  await eraseCopies(
    db,
    table,
    copies.map(({ copy_no }) => copy_no),
    components,
  )
  await db.deleteFrom('content_former_paths').where('entry_no', 'in', entries).execute()
  await db.deleteFrom('content_revisions').where('entry_no', 'in', entries).execute()
  await db.deleteFrom('content_entries').where('no', 'in', entries).execute()
}

/** The next entries of a type, at most `limit`. */
export async function findEntries(db: Db, typeNo: number, limit: number) {
  return db
    .selectFrom('content_entries')
    .selectAll()
    .where('type_no', '=', typeNo)
    .orderBy('id')
    .limit(limit)
    .execute()
}

/**
 * Of several links or components of an attribute in one copy only the first stays; without `copies` in
 * all there are.
 */
export async function keepFirst(
  db: Db,
  rows: 'content_links' | `content_c${number}`,
  attributeNo: number,
  copies?: readonly number[],
): Promise<void> {
  const part = sql.ref(rows === 'content_links' ? 'owner_part' : 'parent_part')
  const all = sql.table(rows)
  const own = copies ? sql`owner_copy in (${sql.join(copies)}) and` : sql``
  await sql`delete from ${all} where ${own} attribute_no = ${attributeNo} and exists (
    select 1 from ${all} o where o.attribute_no = ${attributeNo}
      and o.owner_copy = ${all}.owner_copy and o.${part} = ${all}.${part}
      and o.position < ${all}.position)`.execute(db)
}

/** A document that several others link to, one of these copies among them, stays with the one that was there first. */
export async function keepFirstOwner(
  db: Db,
  table: `content_v${number}`,
  linkNo: number,
  copies: readonly number[],
): Promise<void> {
  const v = sql.table(table)
  const { rows } = await sql<{ target: string }>`select distinct target from content_links
    where owner_copy in (${sql.join(copies)}) and attribute_no = ${linkNo}`.execute(db)
  if (rows.length === 0) return
  const targets = sql.join(rows.map(({ target }) => target))
  await sql`delete from content_links where target in (${targets})
    and attribute_no = ${linkNo} and exists (
    select 1 from content_links o
      join ${v} mine on mine.copy_no = content_links.owner_copy
      join ${v} theirs on theirs.copy_no = o.owner_copy
    where o.attribute_no = ${linkNo} and o.target = content_links.target
      and theirs.document_id <> mine.document_id and theirs.id < mine.id)`.execute(db)
}

/** Everything that lies in components of one kind, also in those nested in them. */
export async function eraseParts(
  db: Db,
  no: number,
  others: readonly number[],
  within = sql`select part_id from ${sql.table(`content_c${no}`)}`,
  depth = 0,
): Promise<void> {
  for (const table of ['content_links', 'content_tags']) {
    await sql`delete from ${sql.table(table)} where owner_part in (${within})`.execute(db)
  }
  // Components nest three levels at most.
  if (depth > 2) return
  for (const other of others) {
    const table = sql.table(`content_c${other}`)
    const nested = sql`select part_id from ${table} where parent_part in (${within})`
    const { rows } = await sql`${nested} limit 1`.execute(db)
    if (rows.length === 0) continue
    await eraseParts(db, other, others, nested, depth + 1)
    await sql`delete from ${table} where parent_part in (${within})`.execute(db)
  }
}
