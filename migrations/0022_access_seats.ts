import type { Kysely } from 'kysely'
import type { AnyTables, SqlDialect } from '#db'

/** How many streams each node has open for a key; used where there are several nodes. */
export async function up(db: Kysely<AnyTables>, { types }: SqlDialect): Promise<void> {
  await db.schema
    .createTable('access_stream_seats')
    .addColumn('name', types.text, (column) => column.notNull())
    .addColumn('node', types.text, (column) => column.notNull())
    .addColumn('seats', types.bigint, (column) => column.notNull())
    .addColumn('expires_at', types.bigint, (column) => column.notNull())
    .addPrimaryKeyConstraint('access_stream_seats_key', ['name', 'node'])
    .execute()
}
