import type { Kysely } from 'kysely'
import type { AnyTables, SqlDialect } from '#db'

export async function up(db: Kysely<AnyTables>, { types }: SqlDialect): Promise<void> {
  await db.schema
    .createTable('gateway_objects')
    .addColumn('kind', types.text, (column) => column.notNull())
    .addColumn('id', types.text, (column) => column.notNull())
    // Encrypted as a whole when it holds a secret.
    .addColumn('value', types.text, (column) => column.notNull())
    .addColumn('sealed', types.bigint, (column) => column.notNull())
    .addColumn('created_index', types.bigint, (column) => column.notNull())
    .addColumn('modified_index', types.bigint, (column) => column.notNull())
    .addColumn('created_at', types.bigint, (column) => column.notNull())
    .addColumn('updated_at', types.bigint, (column) => column.notNull())
    .addPrimaryKeyConstraint('gateway_objects_key', ['kind', 'id'])
    .execute()
  await db.schema
    .createIndex('gateway_objects_modified_index')
    .on('gateway_objects')
    .column('modified_index')
    .execute()

  // So that other nodes learn of a removal; who was away for longer than they are kept reads all.
  await db.schema
    .createTable('gateway_removals')
    .addColumn('kind', types.text, (column) => column.notNull())
    .addColumn('id', types.text, (column) => column.notNull())
    .addColumn('removed_index', types.bigint, (column) => column.notNull())
    .addColumn('removed_at', types.bigint, (column) => column.notNull())
    .addPrimaryKeyConstraint('gateway_removals_key', ['kind', 'id'])
    .execute()
  await db.schema
    .createIndex('gateway_removals_removed_index')
    .on('gateway_removals')
    .column('removed_index')
    .execute()

  // Versions and digest of the configuration as a whole (contract §3.4).
  await db.schema
    .createTable('gateway_marks')
    .addColumn('name', types.text, (column) => column.primaryKey())
    .addColumn('value', types.text, (column) => column.notNull())
    .execute()
}
