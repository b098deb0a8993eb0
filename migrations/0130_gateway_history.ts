import type { Kysely } from 'kysely'
import type { AnyTables, SqlDialect } from '#db'

/** What was changed by whom, when an object ends by itself, and parts of it that were taken out of use. */
export async function up(db: Kysely<AnyTables>, { types }: SqlDialect): Promise<void> {
  const objects = db.schema.alterTable('gateway_objects')
  await objects.addColumn('expires_at', types.bigint).execute()
  // Entries of traffic-split whose guard has tripped, as a JSON list; cleared by the next edit.
  await objects.addColumn('aborts', types.text).execute()

  await db.schema
    .createTable('gateway_history')
    .addColumn('revision', types.bigint, (column) => column.notNull())
    .addColumn('position', types.bigint, (column) => column.notNull())
    .addColumn('written_at', types.bigint, (column) => column.notNull())
    .addColumn('written_by', types.text, (column) => column.notNull())
    .addColumn('kind', types.text, (column) => column.notNull())
    .addColumn('id', types.text, (column) => column.notNull())
    // Both encrypted when one of them holds a secret.
    .addColumn('before', types.text)
    .addColumn('after', types.text)
    .addColumn('sealed', types.bigint, (column) => column.notNull())
    .addPrimaryKeyConstraint('gateway_history_key', ['revision', 'position'])
    .execute()
}
