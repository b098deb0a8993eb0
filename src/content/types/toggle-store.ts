import { type Kysely, sql } from 'kysely'
import type { Registered } from '../entries/store/registry.ts'
import { kindOf } from '../fields/index.ts'
import { columnOf, foldColumnOf } from '../fields/kind.ts'
import type { ScalarAttribute } from '../model.ts'
import type { ContentTables } from '../tables.ts'
import { eraseCopies, eraseEntries } from './erase-store.ts'

type Db = Kysely<ContentTables>

export interface Toggled {
  readonly no: number
  readonly defaultLocale: string
  /** Numbers of all components there are. */
  readonly components: readonly number[]
}

const ROWS_PER_STEP = 500
const DEEPEST_TREE = 100

/** Entries without a locale become those of the default one. */
export async function startLocalizing(db: Db, { no, defaultLocale }: Toggled): Promise<void> {
  await moveLocale(db, no, defaultLocale)
}

/**
 * Of each document one variant stays, that of the default locale or else the oldest, and has no
 * locale any more. `leave` is told which of the others go, before they do.
 */
export async function stopLocalizing(
  db: Db,
  toggled: Toggled,
  leave: (entries: readonly Registered[]) => Promise<void>,
): Promise<void> {
  const { no, defaultLocale, components } = toggled
  const rank = (name: string) =>
    sql`(case when ${sql.ref(`${name}.locale`)} = ${defaultLocale} then 0 else 1 end)`
  const { rows } = await sql<Registered>`
    select e.* from content_entries e where e.type_no = ${no} and exists (
      select 1 from content_entries k
      where k.document_id = e.document_id and k.no <> e.no
        and (${rank('k')} < ${rank('e')} or (${rank('k')} = ${rank('e')} and k.id < e.id)))
    order by e.id`.execute(db)
  for (let at = 0; at < rows.length; at += ROWS_PER_STEP) {
    const surplus = rows.slice(at, at + ROWS_PER_STEP)
    await leave(surplus)
    const numbers = surplus.map((row) => row.no)
    await eraseEntries(db, `content_v${no}`, numbers, components)
  }
  await moveLocale(db, no, '')
}

async function moveLocale(db: Db, no: number, locale: string) {
  const mine = sql`select no from content_entries where type_no = ${no}`
  await sql`update content_entries set locale = ${locale} where type_no = ${no}`.execute(db)
  await sql`update ${sql.table(`content_v${no}`)} set locale = ${locale}`.execute(db)
  // A former path that another entry has in the new locale leads there.
  await sql`delete from content_former_paths where entry_no in (${mine}) and exists (
    select 1 from content_former_paths o where o.path = content_former_paths.path
      and o.locale = ${locale})`.execute(db)
  await sql`update content_former_paths set locale = ${locale}
    where entry_no in (${mine})`.execute(db)
}

/** What was always live counts as published when it was last saved. */
export async function startPublishing(db: Db, { no }: Toggled): Promise<void> {
  for (const table of ['content_entries', `content_v${no}`]) {
    const own = table === 'content_entries' ? sql`type_no = ${no}` : sql`1 = 1`
    await sql`update ${sql.table(table)} set published_at = updated_at where ${own}`.execute(db)
  }
}

/** The newest values become the only ones, and are live; of which entries that is news is returned. */
export async function stopPublishing(db: Db, { no, components }: Toggled): Promise<Appearing> {
  const news = await findNews(db, no)
  const table = `content_v${no}` as const
  const outdated = await db.selectFrom(table).select('copy_no').where('work', '=', 0).execute()
  const copies = outdated.map(({ copy_no }) => copy_no)
  for (let at = 0; at < copies.length; at += ROWS_PER_STEP) {
    await eraseCopies(db, table, copies.slice(at, at + ROWS_PER_STEP), components)
  }
  await db.updateTable(table).set({ live: 1, published_at: null }).execute()
  await db
    .updateTable('content_entries')
    .set({ has_live: 1, changed: 0, published_at: null })
    .where('type_no', '=', no)
    .execute()
  await showDescendants(db)
  return news
}

/** Entries as they are afterwards. */
export interface Appearing {
  readonly published: readonly Registered[]
  readonly updated: readonly Registered[]
}

async function findNews(db: Db, no: number): Promise<Appearing> {
  const rows = await db
    .selectFrom('content_entries')
    .selectAll()
    .where('type_no', '=', no)
    .where((entry) => entry.or([entry('has_live', '=', 0), entry('changed', '=', 1)]))
    .orderBy('id')
    .execute()
  const after = (row: Registered) => ({ ...row, has_live: 1, changed: 0, published_at: null })
  return {
    published: rows.filter((row) => row.has_live === 0).map(after),
    updated: rows.filter((row) => row.has_live === 1).map(after),
  }
}

/** Entries whose ancestors are all live now. */
async function showDescendants(db: Db) {
  for (let depth = 0; depth < DEEPEST_TREE; depth++) {
    const { numAffectedRows } = await sql`
      update content_entries set ancestors_live = 1
      where ancestors_live = 0 and parent is not null and exists (
        select 1 from content_entries p where p.document_id = content_entries.parent
          and p.locale in (content_entries.locale, '')
          and p.has_live = 1 and p.ancestors_live = 1)`.execute(db)
    if (!numAffectedRows) return
  }
}

/** Where copies or variants of a document differ, the working copy of the default locale wins. */
export async function shareValues(
  db: Db,
  { no, defaultLocale }: Toggled,
  attribute: ScalarAttribute,
): Promise<void> {
  const table = sql.table(`content_v${no}`)
  const names = kindOf(attribute).column.folded
    ? [columnOf(attribute), foldColumnOf(attribute)]
    : [columnOf(attribute)]
  const sets = names.map((name) => {
    const winner = sql`select ${sql.ref(`w.${name}`)} from ${table} w
      where w.document_id = ${table}.document_id
      order by w.work desc, case when w.locale in (${defaultLocale}, '') then 0 else 1 end, w.id
      limit 1`
    return sql`${sql.id(name)} = (${winner})`
  })
  const column = sql.ref(columnOf(attribute))
  await sql`update ${table} set ${sql.join(sets)} where document_id in (
    select document_id from ${table} group by document_id
    having count(distinct ${column}) > 1
      or (count(${column}) > 0 and count(${column}) < count(*)))`.execute(db)
}
