import { type Kysely, type RawBuilder, sql } from 'kysely'
import { columnOf } from '../fields/kind.ts'
import {
  type Attribute,
  heldBy,
  holdsComponents,
  isPerLocale,
  isScalar,
  type ScalarAttribute,
} from '../model.ts'
import type { ContentTables } from '../tables.ts'

type Db = Kysely<ContentTables>

/** Where values of a type or of a component lie. */
export interface Holder {
  readonly table: `content_v${number}` | `content_c${number}`
  /** Of a component: the tables of the types whose entries it may lie in. */
  readonly within: readonly `content_v${number}`[]
  /** Of a type: a select of the copies that count; otherwise all do. */
  readonly only?: RawBuilder<unknown> | undefined
}

/** Number of the component an attribute holds. */
export type ComponentNo = (uid: string) => number | undefined

async function count(db: Db, statement: RawBuilder<{ found: number | string | null }>) {
  const { rows } = await statement.execute(db)
  return Number(rows[0]?.found ?? 0)
}

/** How many entries there are in a type. */
export function countEntries(db: Db, typeNo: number): Promise<number> {
  return count(db, sql`select count(*) as found from content_entries where type_no = ${typeNo}`)
}

/** How many entries have a value, a link or a component in the attribute, in any of their copies. */
export async function countWithValue(
  db: Db,
  holder: Holder,
  attribute: Attribute,
  componentNo: ComponentNo,
): Promise<number> {
  const condition = hasValue(holder, attribute, componentNo)
  return condition ? countWhere(db, holder, condition) : 0
}

/** How many entries have more than one link, file or component there. */
export async function countWithSeveral(
  db: Db,
  holder: Holder,
  attribute: Attribute,
  componentNo: ComponentNo,
): Promise<number> {
  const counts = rowsOf(holder, attribute, componentNo).map(
    (rows) => sql`(select count(*) from ${rows})`,
  )
  if (counts.length === 0) return 0
  return countWhere(db, holder, sql<boolean>`${sql.join(counts, sql` + `)} > 1`)
}

/** How many entries share a linked document with another document. */
export async function countSharing(
  db: Db,
  { table, only }: Holder,
  linkNo: number,
): Promise<number> {
  const v = sql.table(table)
  const own = only ? sql`l.owner_copy in (${only}) and` : sql``
  return count(
    db,
    sql`select count(distinct v.entry_no) as found from content_links l
      join ${v} v on v.copy_no = l.owner_copy
      where ${own} l.attribute_no = ${linkNo} and exists (
        select 1 from content_links o join ${v} w on w.copy_no = o.owner_copy
        where o.attribute_no = l.attribute_no and o.target = l.target
          and w.document_id <> v.document_id)`,
  )
}

/** How many documents have copies, or variants, that differ in the column. */
export function countDiffering(
  db: Db,
  { table, only }: Holder,
  attribute: Attribute,
): Promise<number> {
  const column = sql.ref(columnOf(attribute))
  const own = only ? sql`where ${ofDocuments(table, only)}` : sql``
  return count(
    db,
    sql`select count(*) as found from (
      select document_id from ${sql.table(table)} ${own} group by document_id
      having count(distinct ${column}) > 1
        or (count(${column}) > 0 and count(${column}) < count(*))) differing`,
  )
}

/** How many entries of a type were never published, and how many have a working copy newer than what is live. */
export async function countUnpublished(db: Db, typeNo: number) {
  const own = sql`select count(*) as found from content_entries where type_no = ${typeNo}`
  const draft = await count(db, sql`${own} and has_live = 0`)
  return { draft, changed: await count(db, sql`${own} and has_live = 1 and changed = 1`) }
}

/** How many variants there are beyond the first of each document. */
export function countFurtherVariants(
  db: Db,
  typeNo: number,
  { table, only }: Holder,
): Promise<number> {
  const own = only ? sql`and ${ofDocuments(table, only)}` : sql``
  return count(
    db,
    sql`select count(*) - count(distinct document_id) as found from content_entries
      where type_no = ${typeNo} ${own}`,
  )
}

function ofDocuments(table: string, copies: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`document_id in (
    select document_id from ${sql.table(table)} where copy_no in (${copies}))`
}

/** Values, at most `limit`, that several entries are live with or saved with. */
export async function findClashes(
  db: Db,
  table: `content_v${number}`,
  attribute: ScalarAttribute,
  limit: number,
): Promise<unknown[]> {
  const column = sql.ref(columnOf(attribute))
  const each = isPerLocale(attribute) ? sql`locale, ${column}` : column
  const doubled = (of: 'live' | 'work') => sql`
    select ${column} as value from ${sql.table(table)}
    where ${sql.ref(of)} = 1 and ${column} is not null
    group by ${each} having count(distinct document_id) > 1`
  const { rows } = await sql<{ value: unknown }>`
    select value from (${doubled('live')} union ${doubled('work')}) clashes
    order by value limit ${limit}`.execute(db)
  return rows.map(({ value }) => value)
}

/** `holder` is called `h`; entries are counted once whatever their copies. */
async function countWhere(db: Db, { table, within, only }: Holder, condition: RawBuilder<boolean>) {
  if (table.startsWith('content_v')) {
    const own = only ? sql`h.copy_no in (${only}) and` : sql``
    return count(
      db,
      sql`select count(distinct h.entry_no) as found from ${sql.table(table)} h
        where ${own} ${condition}`,
    )
  }
  let total = 0
  for (const values of within) {
    total += await count(
      db,
      sql`select count(distinct v.entry_no) as found from ${sql.table(table)} h
        join ${sql.table(values)} v on v.copy_no = h.owner_copy where ${condition}`,
    )
  }
  return total
}

function hasValue(
  holder: Holder,
  attribute: Attribute,
  componentNo: ComponentNo,
): RawBuilder<boolean> | undefined {
  if (isScalar(attribute)) return sql<boolean>`${sql.ref(`h.${columnOf(attribute)}`)} is not null`
  const each = rowsOf(holder, attribute, componentNo).map(
    (rows) => sql`exists (select 1 from ${rows})`,
  )
  return each.length === 0 ? undefined : sql<boolean>`(${sql.join(each, sql` or `)})`
}

/** What lies in other tables, of zones in several; the inverse side of a relation has no rows of its own. */
function rowsOf(
  { table }: Holder,
  attribute: Attribute,
  componentNo: ComponentNo,
): readonly RawBuilder<unknown>[] {
  const isPart = table.startsWith('content_c')
  const copy = sql.ref(isPart ? 'h.owner_copy' : 'h.copy_no')
  const part = isPart ? sql.ref('h.part_id') : sql.lit(0)
  if (holdsComponents(attribute)) {
    const nos = heldBy(attribute).flatMap((uid) => componentNo(uid) ?? [])
    return nos.map(
      (no) => sql`${sql.table(`content_c${no}`)} p where p.owner_copy = ${copy}
        and p.attribute_no = ${attribute.no} and p.parent_part = ${part}`,
    )
  }
  if (attribute.type === 'relation' && attribute.side === 'inverse') return []
  return [
    sql`content_links l where l.owner_copy = ${copy}
      and l.attribute_no = ${attribute.no} and l.owner_part = ${part}`,
  ]
}

/** The entries that stay when a type is no longer localised: of each document the default locale's, else the oldest. */
function staying(typeNo: number, defaultLocale: string): RawBuilder<unknown> {
  const rank = (name: string) =>
    sql`(case when ${sql.ref(`${name}.locale`)} = ${defaultLocale} then 0 else 1 end)`
  return sql`e.type_no = ${typeNo} and not exists (
    select 1 from content_entries k where k.document_id = e.document_id and k.no <> e.no
      and (${rank('k')} < ${rank('e')} or (${rank('k')} = ${rank('e')} and k.id < e.id)))`
}

/** Values, at most `limit`, that several of the entries that stay are live with or saved with. */
export async function findMergedClashes(
  db: Db,
  typeNo: number,
  attribute: Attribute,
  defaultLocale: string,
  limit: number,
): Promise<unknown[]> {
  const column = sql.ref(`v.${columnOf(attribute)}`)
  const doubled = (of: 'live' | 'work') => sql`
    select ${column} as value from ${sql.table(`content_v${typeNo}`)} v
    join content_entries e on e.no = v.entry_no
    where ${sql.ref(`v.${of}`)} = 1 and ${column} is not null and ${staying(typeNo, defaultLocale)}
    group by ${column} having count(distinct v.entry_no) > 1`
  const { rows } = await sql<{ value: unknown }>`
    select value from (${doubled('live')} union ${doubled('work')}) clashes
    order by value limit ${limit}`.execute(db)
  return rows.map(({ value }) => value)
}

/** The same of paths. */
export async function findMergedPaths(
  db: Db,
  typeNo: number,
  defaultLocale: string,
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ path: string }>`
    select e.path from content_entries e
    where e.path is not null and ${staying(typeNo, defaultLocale)}
    group by e.path having count(*) > 1 order by e.path limit ${limit}`.execute(db)
  return rows.map(({ path }) => path)
}
