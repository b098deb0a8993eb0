import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Database, SqlDialect } from '#db'
import { conflict } from '#kernel'
import { foldedText, kindOf } from '../fields/index.ts'
import { columnOf, foldColumnOf } from '../fields/kind.ts'
import type { JsonValue } from '../json.ts'
import { isScalar, type ScalarAttribute } from '../model.ts'
import type { ContentTables } from '../tables.ts'
import { convertValue } from './convert.ts'
import type { Holder } from './count-store.ts'
import { addColumns, addMarker } from './ddl.ts'
import type { Design, DesignedType } from './design.ts'
import { type AttributeChange, differences } from './differences.ts'

type Db = Kysely<ContentTables>

const ROWS_PER_BATCH = 200

interface ValueRow {
  readonly key: number
  readonly entry: number
  readonly value: string | number
}

/** How many entries have a value, and how many have one that the other kind cannot hold. */
export async function countMisfits(
  db: Db,
  holder: Holder,
  from: ScalarAttribute,
  to: ScalarAttribute,
): Promise<{ readonly filled: number; readonly misfits: number }> {
  const filled = new Set<number>()
  const misfits = new Set<number>()
  for await (const { entry, value } of valuesOf(db, holder, from)) {
    filled.add(entry)
    if (convertStored(value, from, to) === null) misfits.add(entry)
  }
  return { filled: filled.size, misfits: misfits.size }
}

function convertStored(
  stored: string | number,
  from: ScalarAttribute,
  to: ScalarAttribute,
): JsonValue {
  return convertValue(kindOf(from).fromColumn(stored, from), from, to)
}

/** Every value, in short statements, so that nobody has to wait for all of them. */
async function* valuesOf(db: Db, { table }: Holder, from: ScalarAttribute) {
  const isPart = table.startsWith('content_c')
  const key = sql.ref(isPart ? 'part_no' : 'copy_no')
  const entry = sql.ref(isPart ? 'owner_copy' : 'entry_no')
  let last = 0
  for (;;) {
    const { rows } = await sql<ValueRow>`
      select ${key} as key, ${entry} as entry, ${storedValue(from)} as value
      from ${sql.table(table)}
      where ${key} > ${last} and ${sql.ref(columnOf(from))} is not null
      order by ${key} limit ${ROWS_PER_BATCH}`.execute(db)
    yield* rows
    const end = rows.at(-1)
    if (!end) return
    last = end.key
  }
}

/** 64-bit integers as text, since neither driver gives them as exact numbers. */
function storedValue(attribute: ScalarAttribute) {
  const column = sql.ref(columnOf(attribute))
  return attribute.type === 'biginteger' ? sql`cast(${column} as text)` : column
}

/** What the columns of the new attribute hold for a value of the old one. */
function columnsFor(value: JsonValue, to: ScalarAttribute): Record<string, unknown> {
  const kind = kindOf(to)
  const stored = value === null ? null : kind.toColumn(value, to)
  const own = { [columnOf(to)]: stored }
  if (!kind.column.folded) return own
  return { ...own, [foldColumnOf(to)]: value === null ? null : foldedText(to, value) }
}

/** Values that move into the columns of another attribute. */
export interface Conversion {
  readonly from: ScalarAttribute
  readonly to: ScalarAttribute
}

interface FillInput {
  readonly dialect: SqlDialect
  readonly table: `content_v${number}`
  readonly conversions: readonly Conversion[]
  /** Only these copies, seen or not: a value that has no versions changes within its revision. Otherwise all. */
  readonly only?: readonly number[]
}

interface CopyRow extends Readonly<Record<string, unknown>> {
  readonly copy_no: number
  readonly entry_no: number
  readonly revision_id: number
}

/** Remembers for which values of a copy its new columns were filled. */
export function markerOf([first]: readonly Conversion[]): string {
  return `r${first?.to.no ?? 0}`
}

/**
 * Fills the new columns of the next copies after `last` whose values were not seen yet, reading from
 * one handle and writing with one statement to the other. A copy that is saved meanwhile stays
 * unseen, so that whoever holds the table's lock afterwards finds it. Returns the last copy looked
 * at, or null at the end, and the entries whose value does not fit.
 */
export async function fillNext(
  { reader, writer }: { readonly reader: Db; readonly writer: Db },
  { dialect, table, conversions, only }: FillInput,
  last: number,
): Promise<{ readonly last: number | null; readonly misfits: readonly number[] }> {
  const marker = sql.ref(markerOf(conversions))
  const chosen = only
    ? sql`copy_no in (${sql.join(only)})`
    : sql`${marker} is distinct from revision_id`
  const touched = conversions.flatMap(({ from, to }) => [from, to].map(isFilled))
  const values = conversions.map(
    ({ from }) => sql`${storedValue(from)} as ${sql.id(columnOf(from))}`,
  )
  const { rows } = await sql<CopyRow>`
    select copy_no, entry_no, revision_id, ${sql.join(values)} from ${sql.table(table)}
    where copy_no > ${last} and ${chosen}
      and (${sql.join(touched, sql` or `)})
    order by copy_no limit ${ROWS_PER_BATCH}`.execute(reader)
  const end = rows.at(-1)
  if (!end) return { last: null, misfits: [] }
  const misfits = new Set<number>()
  const filled = rows.map((row) => {
    const columns = conversions.map((conversion) => {
      const { stored, fits } = convertRow(row, conversion)
      if (!fits) misfits.add(row.entry_no)
      return stored
    })
    return { row, columns: Object.assign({}, ...columns) }
  })
  await writeFilled(writer, dialect, table, marker, filled, conversions)
  return { last: end.copy_no, misfits: [...misfits] }
}

function isFilled(attribute: ScalarAttribute) {
  return sql<boolean>`${sql.ref(columnOf(attribute))} is not null`
}

function convertRow(row: CopyRow, { from, to }: Conversion) {
  const stored = row[columnOf(from)]
  if (typeof stored !== 'string' && typeof stored !== 'number') {
    return { stored: columnsFor(null, to), fits: true }
  }
  const value = convertStored(stored, from, to)
  return { stored: columnsFor(value, to), fits: value !== null }
}

async function writeFilled(
  writer: Db,
  dialect: SqlDialect,
  table: string,
  marker: RawBuilder<unknown>,
  filled: readonly { row: CopyRow; columns: Record<string, unknown> }[],
  conversions: readonly Conversion[],
) {
  const types = new Map(conversions.flatMap(({ to }) => columnTypes(to, dialect)))
  const names = [...types.keys()]
  const bigint = dialect.types.bigint
  const rows = filled.map(({ row, columns }) => {
    const cells = names.map((name) => sql`cast(${columns[name] ?? null} as ${types.get(name)})`)
    const keys = [row.copy_no, row.revision_id].map((key) => sql`cast(${key} as ${bigint})`)
    return sql`(${sql.join([...keys, ...cells])})`
  })
  const sets = names.map((name, index) => sql`${sql.id(name)} = d.${sql.id(`column${index + 3}`)}`)
  await sql`update ${sql.table(table)} set ${sql.join(sets)}, ${marker} = d.column2
    from (values ${sql.join(rows)}) as d
    where ${sql.table(table)}.copy_no = d.column1
      and ${sql.table(table)}.revision_id = d.column2`.execute(writer)
}

function columnTypes(to: ScalarAttribute, { types }: SqlDialect) {
  const { kind, folded } = kindOf(to).column
  const byKind = { text: sql`text`, integer: types.bigint, double: types.double }
  const own = [columnOf(to), byKind[kind]] as const
  return folded ? [own, [foldColumnOf(to), byKind.text] as const] : [own]
}

/** The same for components, whose rows are few and are converted at once. */
export async function fillParts(
  db: Db,
  table: `content_c${number}`,
  conversion: Conversion,
): Promise<void> {
  const { from, to } = conversion
  for await (const { key, value } of valuesOf(db, { table, within: [] }, from)) {
    const columns = columnsFor(convertStored(value, from, to), to)
    const sets = Object.entries(columns).map(([name, stored]) => sql`${sql.id(name)} = ${stored}`)
    await sql`update ${sql.table(table)} set ${sql.join(sets)} where part_no = ${key}`.execute(db)
  }
}

/**
 * Converts values into their new columns before the change itself, in steps that hold up nobody.
 * Returns the numbers of the attributes whose columns are there.
 */
export async function prepareConversions(
  db: Database,
  design: Design,
  force: boolean,
): Promise<Set<number>> {
  const prepared = new Set<number>()
  for (const type of design.types) {
    const conversions = type.before ? conversionsOf(differences(type)) : []
    if (conversions.length === 0) continue
    await prepareType(db, type, conversions, force)
    for (const { to } of conversions) prepared.add(to.no)
  }
  return prepared
}

async function prepareType(
  { main, dialect }: Database,
  { before }: DesignedType,
  conversions: readonly Conversion[],
  force: boolean,
) {
  const table = `content_v${before?.no ?? 0}` as const
  await main.transaction(undefined, async (tx) => {
    const trx = tx.as<ContentTables>()
    const added = conversions.map(({ to }) => to)
    await addColumns(trx, dialect, table, added)
    await addMarker(trx, dialect, table, markerOf(conversions))
  })
  await fillAll({ main, dialect }, table, conversions, force)
}

/** Once more, for what was saved since the columns were filled. */
export async function fillConversions(
  db: Pick<Database, 'main' | 'dialect'>,
  type: DesignedType,
  force: boolean,
): Promise<void> {
  const conversions = conversionsOf(differences(type))
  if (type.before && conversions.length > 0) {
    await fillAll(db, `content_v${type.before.no}`, conversions, force)
  }
}

async function fillAll(
  { main, dialect }: Pick<Database, 'main' | 'dialect'>,
  table: `content_v${number}`,
  conversions: readonly Conversion[],
  force: boolean,
) {
  const reader: Kysely<ContentTables> = main.reader
  const writer: Kysely<ContentTables> = main.writer
  let last: number | null = 0
  while (last !== null) {
    const filled = await fillNext({ reader, writer }, { dialect, table, conversions }, last)
    if (filled.misfits.length > 0 && !force) throw misfitting(conversions)
    last = filled.last
  }
}

/** Values that came after the change was looked at. */
export function misfitting(conversions: readonly Conversion[]) {
  const names = conversions.map(({ to }) => to.name).join(', ')
  return conflict('would_lose_data', `Values of ${names} were saved meanwhile that do not fit`)
}

/** Attributes whose values move into other columns. */
export function conversionsOf(changes: readonly AttributeChange[]): Conversion[] {
  return changes.flatMap((change) => {
    if (change.action !== 'change' || change.before.no === change.after.no) return []
    const { before: from, after: to } = change
    return isScalar(from) && isScalar(to) ? [{ from, to }] : []
  })
}
