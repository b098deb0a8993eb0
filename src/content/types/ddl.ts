import type { CreateTableBuilder, Kysely } from 'kysely'
import type { SqlDialect } from '#db'
import { kindOf } from '../fields/index.ts'
import { columnOf, foldColumnOf } from '../fields/kind.ts'
import { type Attribute, isScalar } from '../model.ts'
import type { ContentTables } from '../tables.ts'

type Db = Kysely<ContentTables>
type ColumnType = SqlDialect['types']['text']

interface Column {
  readonly name: string
  readonly type: ColumnType
}

interface Made {
  readonly no: number
  readonly attributes: readonly Attribute[]
}

/** The sequence of a type's ids: content model §2, never reused. */
function idSequenceOf(typeNo: number): string {
  return `content_v${typeNo}_id`
}

/** The table of a type's copies with a column for every scalar, and the sequence of its ids. */
export async function createValuesTable(db: Db, dialect: SqlDialect, { no, attributes }: Made) {
  const { types, sequences } = dialect
  const table = db.schema
    .createTable(`content_v${no}`)
    .addColumn('copy_no', types.bigint, (column) => column.primaryKey())
    .addColumn('entry_no', types.bigint, (column) => column.notNull())
    .addColumn('id', types.bigint, (column) => column.notNull())
    .addColumn('document_id', types.text, (column) => column.notNull())
    .addColumn('locale', types.text, (column) => column.notNull())
    .addColumn('live', 'integer', (column) => column.notNull())
    .addColumn('work', 'integer', (column) => column.notNull())
    .addColumn('revision_id', types.bigint, (column) => column.notNull())
    .addColumn('shape', types.bigint, (column) => column.notNull())
    .addColumn('created_at', types.bigint, (column) => column.notNull())
    .addColumn('updated_at', types.bigint, (column) => column.notNull())
    .addColumn('published_at', types.bigint)
    .addColumn('doc', types.text, (column) => column.notNull())
    .addColumn('hidden', types.text, (column) => column.notNull())
  await withColumns(table, columnsOf(attributes, dialect)).execute()
  await sequences.create(db, idSequenceOf(no))
}

/** The table of what filters compare inside a component. */
export async function createPartsTable(db: Db, dialect: SqlDialect, { no, attributes }: Made) {
  const { types } = dialect
  const table = db.schema
    .createTable(`content_c${no}`)
    .addColumn('part_no', types.serial)
    .addColumn('owner_copy', types.bigint, (column) => column.notNull())
    .addColumn('attribute_no', types.bigint, (column) => column.notNull())
    .addColumn('parent_part', types.bigint, (column) => column.notNull())
    .addColumn('position', types.bigint, (column) => column.notNull())
    .addColumn('part_id', types.bigint, (column) => column.notNull())
    .addColumn('shape', types.bigint, (column) => column.notNull())
    .addColumn('doc', types.text, (column) => column.notNull())
    .addColumn('hidden', types.text, (column) => column.notNull())
  await withColumns(table, columnsOf(attributes, dialect)).execute()
}

/** Columns of attributes that came later; existing rows have no value in them. */
export async function addColumns(
  db: Db,
  dialect: SqlDialect,
  table: string,
  attributes: readonly Attribute[],
) {
  for (const { name, type } of columnsOf(attributes, dialect)) {
    await db.schema.alterTable(table).addColumn(name, type).execute()
  }
}

/** A column that remembers how far values were converted. */
export async function addMarker(db: Db, { types }: SqlDialect, table: string, name: string) {
  await db.schema.alterTable(table).addColumn(name, types.bigint).execute()
}

export async function dropValuesTable(db: Db, dialect: SqlDialect, no: number) {
  const { sequences, textIndex } = dialect
  await db.schema.dropTable(`content_v${no}`).execute()
  await textIndex.forget(db, `content_v${no}`)
  await sequences.drop(db, idSequenceOf(no))
}

export async function dropPartsTable(db: Db, no: number) {
  await db.schema.dropTable(`content_c${no}`).execute()
}

function withColumns(
  table: CreateTableBuilder<string, string>,
  columns: readonly Column[],
): CreateTableBuilder<string, string> {
  return columns.reduce((made, { name, type }) => made.addColumn(name, type), table)
}

function columnsOf(attributes: readonly Attribute[], { types }: SqlDialect): Column[] {
  const byKind = { text: types.text, integer: types.bigint, double: types.double }
  return attributes.filter(isScalar).flatMap((attribute) => {
    const { kind, folded } = kindOf(attribute).column
    const own = { name: columnOf(attribute), type: byKind[kind] }
    return folded ? [own, { name: foldColumnOf(attribute), type: types.text }] : [own]
  })
}
