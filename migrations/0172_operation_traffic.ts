import type { Kysely } from 'kysely'
import type { AnyTables, SqlDialect } from '#db'

/** Beside usage: sums of all requests, also those without a key. */
export const store = 'aux'

export async function up(db: Kysely<AnyTables>, { types }: SqlDialect): Promise<void> {
  await db.schema
    .createTable('operation_traffic')
    .addColumn('at', types.bigint, (column) => column.notNull())
    .addColumn('part', types.text, (column) => column.notNull())
    .addColumn('requests', types.bigint, (column) => column.notNull())
    .addColumn('errors', types.bigint, (column) => column.notNull())
    .addPrimaryKeyConstraint('operation_traffic_key', ['at', 'part'])
    .execute()
}
