import { type Kysely, sql } from 'kysely'
import { kindOf } from '../fields/index.ts'
import { columnOf, foldColumnOf } from '../fields/kind.ts'
import type { ScalarAttribute } from '../model.ts'
import type { ContentTables } from '../tables.ts'

type Db = Kysely<ContentTables>
type Values = `content_v${number}`

/** The entries of these copies get another language; '' means none. */
export async function moveLocale(
  db: Db,
  table: Values,
  copies: readonly number[],
  locale: string,
): Promise<void> {
  const entries = await entriesOf(db, table, copies)
  if (entries.length === 0) return
  const values = db.updateTable(table).set({ locale }).where('entry_no', 'in', entries)
  await values.where('locale', '<>', locale).execute()
  const registered = db.updateTable('content_entries').set({ locale }).where('no', 'in', entries)
  await registered.where('locale', '<>', locale).execute()
  // A former path that another entry has in the new locale leads there.
  await sql`delete from content_former_paths where entry_no in (${sql.join(entries)})
    and locale <> ${locale} and exists (
      select 1 from content_former_paths o where o.path = content_former_paths.path
        and o.locale = ${locale})`.execute(db)
  const former = db.updateTable('content_former_paths').set({ locale })
  await former.where('entry_no', 'in', entries).where('locale', '<>', locale).execute()
}

async function entriesOf(db: Db, table: Values, copies: readonly number[]): Promise<number[]> {
  const rows = await db
    .selectFrom(table)
    .select('entry_no')
    .distinct()
    .where('copy_no', 'in', copies)
    .execute()
  return rows.map(({ entry_no }) => entry_no)
}

/** What was always live counts as published when it was last saved. */
export async function publishAsSaved(
  db: Db,
  table: Values,
  copies: readonly number[],
): Promise<void> {
  const entries = await entriesOf(db, table, copies)
  if (entries.length === 0) return
  await sql`update ${sql.table(table)} set published_at = updated_at
    where copy_no in (${sql.join(copies)})
      and published_at is distinct from updated_at`.execute(db)
  await sql`update content_entries set published_at = updated_at
    where no in (${sql.join(entries)})
      and published_at is distinct from updated_at`.execute(db)
}

interface Sharing {
  readonly copy_no: number
  readonly document_id: string
  readonly value: string | null
}

/**
 * Where copies or variants of a document differ, the working copy of the default locale wins. Texts
 * of copies that lose are no longer what their values say, so they count as older than any shape.
 */
export async function shareValues(
  db: Db,
  table: Values,
  copies: readonly number[],
  { attribute, defaultLocale }: { attribute: ScalarAttribute; defaultLocale: string },
): Promise<void> {
  const documents = db.selectFrom(table).select('document_id').where('copy_no', 'in', copies)
  const { rows } = await sql<Sharing>`
    select copy_no, document_id, cast(${sql.ref(columnOf(attribute))} as text) as value
    from ${sql.table(table)} where document_id in (${documents})
    order by document_id, work desc,
      case when locale in (${defaultLocale}, '') then 0 else 1 end, id`.execute(db)
  for (const [winner, ...others] of Map.groupBy(rows, (row) => row.document_id).values()) {
    const losers = others.filter(({ value }) => value !== winner?.value)
    if (winner && losers.length > 0) {
      await takeOver(
        db,
        { table, attribute, from: winner.copy_no },
        losers.map(({ copy_no }) => copy_no),
      )
    }
  }
}

interface TakeOver {
  readonly table: Values
  readonly attribute: ScalarAttribute
  readonly from: number
}

/**
 * Tags first: what the search index makes of a row it reads from there. A copy that is gone by now has
 * nothing to take; who removed it has changed the others, too, and they are found again.
 */
async function takeOver(db: Db, taking: TakeOver, copies: readonly number[]) {
  const { table, attribute, from } = taking
  if (attribute.type === 'tags') await takeTags(db, taking, copies)
  const names = kindOf(attribute).column.folded
    ? [columnOf(attribute), foldColumnOf(attribute)]
    : [columnOf(attribute)]
  const values = sql.table(table)
  const sets = names.map(
    (name) =>
      sql`${sql.id(name)} = (select ${sql.ref(`w.${name}`)} from ${values} w where w.copy_no = ${from})`,
  )
  await sql`update ${values} set shape = 0, ${sql.join(sets)}
    where copy_no in (${sql.join(copies)}) and ${isThere(table, from)}`.execute(db)
}

function isThere(table: Values, copyNo: number) {
  return sql<boolean>`exists (select 1 from ${sql.table(table)} t where t.copy_no = ${copyNo})`
}

async function takeTags(db: Db, { table, attribute, from }: TakeOver, copies: readonly number[]) {
  const attributeNo = attribute.no
  await db
    .deleteFrom('content_tags')
    .where('owner_copy', 'in', copies)
    .where('attribute_no', '=', attributeNo)
    .where('owner_part', '=', 0)
    .where(isThere(table, from))
    .execute()
  for (const copy of copies) {
    await sql`insert into content_tags
        (attribute_no, owner_copy, owner_part, position, value, fold)
      select attribute_no, ${sql.lit(copy)}, owner_part, position, value, fold from content_tags
      where owner_copy = ${from} and attribute_no = ${attributeNo} and owner_part = 0`.execute(db)
  }
}
