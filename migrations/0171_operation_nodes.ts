import type { Kysely } from 'kysely'
import type { AnyTables, SqlDialect } from '#db'

/** Processes of this installation, each of which says from time to time that it is there. */
export async function up(db: Kysely<AnyTables>, { types }: SqlDialect): Promise<void> {
  await db.schema
    .createTable('operation_nodes')
    .addColumn('id', types.text, (column) => column.primaryKey())
    .addColumn('host', types.text, (column) => column.notNull())
    .addColumn('pid', 'integer', (column) => column.notNull())
    .addColumn('version', types.text, (column) => column.notNull())
    .addColumn('roles', types.text, (column) => column.notNull())
    .addColumn('threads', 'integer', (column) => column.notNull())
    .addColumn('gateway_threads', 'integer', (column) => column.notNull())
    .addColumn('memory_bytes', types.bigint, (column) => column.notNull())
    .addColumn('started_at', types.bigint, (column) => column.notNull())
    .addColumn('seen_at', types.bigint, (column) => column.notNull())
    .execute()
}
