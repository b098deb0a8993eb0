import type { Kysely } from 'kysely'
import type { AnyTables, SqlDialect } from '#db'

/** What modules of the operator say of entries, to filter and sort by (content delivery §9). */
export async function up(db: Kysely<AnyTables>, { types }: SqlDialect): Promise<void> {
  await db.schema
    .createTable('content_index_copies')
    .addColumn('registration', types.text, (column) => column.notNull())
    .addColumn('copy_no', types.bigint, (column) => column.notNull())
    .addColumn('type_no', types.bigint, (column) => column.notNull())
    .addColumn('shape', types.bigint, (column) => column.notNull())
    .addColumn('revision_id', types.bigint, (column) => column.notNull())
    .addColumn('updated_at', types.bigint, (column) => column.notNull())
    .addPrimaryKeyConstraint('content_index_copies_key', ['registration', 'copy_no'])
    .execute()
  await db.schema
    .createTable('content_index_values')
    .addColumn('field', types.text, (column) => column.notNull())
    .addColumn('copy_no', types.bigint, (column) => column.notNull())
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('text', types.text)
    .addColumn('fold', types.text)
    .addColumn('number', types.double)
    .addColumn('words', types.text)
    .addPrimaryKeyConstraint('content_index_values_key', ['field', 'copy_no', 'position'])
    .execute()
  for (const column of ['fold', 'number']) {
    await db.schema
      .createIndex(`content_index_values_${column}`)
      .on('content_index_values')
      .columns(['field', column, 'copy_no'])
      .execute()
  }
  await db.schema
    .createIndex('content_index_values_copy')
    .on('content_index_values')
    .column('copy_no')
    .execute()
}
