import { type Kysely, sql } from 'kysely'
import type { Database, SqlDialect } from '#db'
import { readValues, renderDocument, selectValues } from '../document.ts'
import type { Component, ContentModel, FieldSet } from '../model.ts'
import type { ContentTables } from '../tables.ts'
import type { StoredType } from './definition.ts'
import { moveLocale } from './rewrite-store.ts'
import { holdDefinition } from './store.ts'

type Db = Kysely<ContentTables>

/**
 * What is left to do in a values or parts table after a change of its type: bring documents to the
 * present shape and erase what belonged to removed attributes. Kept beside the wishes for indexes,
 * so that a process that dies leaves it to the next.
 */
export interface Leftover {
  readonly table: `content_v${number}` | `content_c${number}`
  /** Columns whose values are erased. */
  readonly columns: readonly string[]
  /** Attributes whose links, tags and components are erased. */
  readonly attributeNos: readonly number[]
  /** Its entries have no language any more, whatever they are stored with. */
  readonly relocate?: boolean
  /** The type as it was, which is gone: its entries and tables follow. */
  readonly drop?: StoredType
  /** The component is gone, and nothing is left in its table but what the table itself is. */
  readonly emptied?: true
  /** Until then somebody may be making it, or still asking for it, and it is left alone. */
  readonly notBeforeMs?: number
}

/** No request is answered after so long, whatever it asked: then nobody reads what was removed. */
export const LONGEST_REQUEST_MS = 120_000

/** As it was called when the first of them were stored. */
const TIDY = 'tidy'

export function leftoverName(table: string): string {
  return `${table}_${TIDY}`
}

/** Adds to what is noted for the table already. */
export async function noteLeftover(db: Db, leftover: Leftover): Promise<void> {
  const name = leftoverName(leftover.table)
  const noted = await findLeftover(db, leftover.table)
  const whole: Leftover = {
    ...leftover,
    columns: [...new Set([...(noted?.columns ?? []), ...leftover.columns])],
    attributeNos: [...new Set([...(noted?.attributeNos ?? []), ...leftover.attributeNos])],
    relocate: leftover.relocate || noted?.relocate === true,
  }
  const row = {
    definition: render(whole),
    state: 'wanted',
  }
  await db
    .insertInto('content_indexes')
    .values({ name, table_name: leftover.table, ...row })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(row))
    .execute()
}

export async function findLeftover(
  db: Db,
  table: string,
  { lock = false } = {},
): Promise<Leftover | undefined> {
  const row = await db
    .selectFrom('content_indexes')
    .select('definition')
    .where('name', '=', leftoverName(table))
    .$if(lock, (query) => query.forUpdate())
    .executeTakeFirst()
  return row && parseLeftover(row.definition)
}

/** Nothing is left to do; false when more was noted since `leftover` was read. */
export async function forgetLeftover(db: Db, leftover: Leftover): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('content_indexes')
    .where('name', '=', leftoverName(leftover.table))
    .where('definition', '=', render(leftover))
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Members in one order, because the text is compared. */
function render({ table, columns, attributeNos, relocate, drop, ...rest }: Leftover): string {
  const moved = relocate ? { relocate } : {}
  const tidy = { table, columns, attributeNos, ...moved, ...(drop ? { drop } : {}), ...rest }
  return JSON.stringify({ tidy })
}

/** Undefined when the row wishes for an index. */
export function parseLeftover(definition: string): Leftover | undefined {
  const parsed: { tidy?: Leftover } = JSON.parse(definition)
  return parsed.tidy
}

const TEXT = sql.raw('text')

const ROWS_PER_STEP = 100

interface Step {
  readonly dialect: SqlDialect
  readonly main: Database['main']
  readonly reader: Db
  readonly writer: Db
  readonly model: ContentModel
  readonly set: FieldSet
}

interface TidiedRow extends Readonly<Record<string, unknown>> {
  readonly key: number
  readonly owner: number
  readonly revision: number
  readonly shape: number
}

/** Tidies the next rows after `last`; returns the last one looked at, or null at the end. */
export async function clearNext(
  step: Step,
  leftover: Leftover,
  last: number,
): Promise<number | null> {
  const { reader, set } = step
  const isPart = set.table.startsWith('content_c')
  const key = sql.ref(isPart ? 'part_no' : 'copy_no')
  const { rows } = await sql<TidiedRow>`
    select ${key} as key, ${sql.ref(isPart ? 'owner_copy' : 'copy_no')} as owner,
      ${sql.ref(isPart ? 'part_no' : 'revision_id')} as revision, shape
      ${comma(selectValues(set, set.table))}
    from ${sql.table(set.table)} where ${key} > ${last}
    order by ${key} limit ${ROWS_PER_STEP}`.execute(reader)
  const end = rows.at(-1)
  if (!end) return null
  await refresh(step, leftover, rows)
  await eraseFrom(step, leftover, [...new Set(rows.map(({ owner }) => owner))])
  if (leftover.relocate) {
    await unlocalize(
      step,
      rows.map(({ key: copy }) => copy),
    )
  }
  return end.key
}

/**
 * Readers of a type that is not localised look at no locale, so one entry after the other may lose its
 * own; unless the type is localised again. One that would clash with another keeps it.
 */
async function unlocalize(step: Step, copies: readonly number[]) {
  const { dialect, main, set, model } = step
  const type = model.types.find(({ table }) => table === set.table)
  if (!type || type.localized) return
  // What is left to do stays noted, and is tried again when that is done.
  if (type.changing) throw new Error('the type is being changed')
  try {
    await main.transaction(undefined, async (tx) => {
      const trx = tx.as<ContentTables>()
      const held = await holdDefinition(trx, dialect, type.no)
      if (held?.updatedAtMs !== type.updatedAtMs) throw new Error('the type was changed meanwhile')
      await moveLocale(trx, type.table, copies, '')
    })
  } catch (error) {
    if (!dialect.isUniqueViolation(error)) throw error
    if (copies.length === 1) return
    for (const copy of copies) await unlocalize(step, [copy])
  }
}

function comma(selected: readonly ReturnType<typeof selectValues>[number][]) {
  return selected.length > 0 ? sql`, ${sql.join(selected)}` : sql``
}

/** Documents that were saved meanwhile are left alone: they are of the present shape. */
async function refresh(
  { dialect, writer, set }: Step,
  { columns }: Leftover,
  rows: readonly TidiedRow[],
) {
  const old = columns.length > 0 ? rows : rows.filter(({ shape }) => shape < set.shape)
  if (old.length === 0) return
  const isPart = set.table.startsWith('content_c')
  const table = sql.table(set.table)
  const { bigint } = dialect.types
  const values = old.map((row) => {
    const keys = [row.key, row.revision].map((each) => sql`cast(${each} as ${bigint})`)
    const doc = renderDocument(set, readValues(set, row))
    return sql`(${sql.join([...keys, sql`cast(${doc} as ${TEXT})`])})`
  })
  const erased = columns.map((column) => sql`, ${sql.id(column)} = null`)
  await sql`update ${table} set doc = d.column3, shape = ${sql.lit(set.shape)}
    ${erased.length > 0 ? sql.join(erased, sql``) : sql``}
    from (values ${sql.join(values)}) d
    where ${table}.${sql.id(isPart ? 'part_no' : 'copy_no')} = d.column1
      and ${table}.${sql.id(isPart ? 'part_no' : 'revision_id')} = d.column2
      and ${table}.shape <= ${sql.lit(set.shape)}`.execute(writer)
}

/** Links, tags and components of attributes that are gone. */
async function eraseFrom(
  { writer, model }: Step,
  { attributeNos }: Leftover,
  copies: readonly number[],
) {
  if (attributeNos.length === 0 || copies.length === 0) return
  for (const table of ['content_links', 'content_tags'] as const) {
    await writer
      .deleteFrom(table)
      .where('owner_copy', 'in', copies)
      .where('attribute_no', 'in', attributeNos)
      .execute()
  }
  for (const component of model.components) {
    await erasePartsOf(writer, model, component, copies, (rows) =>
      rows.where('attribute_no', 'in', attributeNos),
    )
  }
}

type PartRows = ReturnType<typeof partRows>

function partRows(db: Db, { no }: Component, copies: readonly number[]) {
  return db.selectFrom(`content_c${no}`).select('part_id').where('owner_copy', 'in', copies)
}

/** Components of copies with what lies in them, innermost first. */
export async function erasePartsOf(
  db: Db,
  model: ContentModel,
  component: Component,
  copies: readonly number[],
  chosen: (rows: PartRows) => PartRows,
): Promise<void> {
  const found = await chosen(partRows(db, component, copies)).execute()
  const ids = [...new Set(found.map(({ part_id }) => part_id))]
  if (ids.length === 0) return
  for (const inner of component.attributes) {
    const nested = inner.type === 'component' ? model.findComponent(inner.component) : undefined
    if (!nested) continue
    await erasePartsOf(db, model, nested, copies, (rows) => rows.where('parent_part', 'in', ids))
  }
  for (const table of ['content_links', 'content_tags'] as const) {
    await db
      .deleteFrom(table)
      .where('owner_copy', 'in', copies)
      .where('owner_part', 'in', ids)
      .execute()
  }
  await db
    .deleteFrom(`content_c${component.no}`)
    .where('owner_copy', 'in', copies)
    .where('part_id', 'in', ids)
    .execute()
}
