import type { Kysely } from 'kysely'
import type { AnyTables, SqlDialect } from '#db'

/**
 * What a usage stream replays. It lies beside the keys, so that a change of a key and its notice to
 * the streams are one transaction.
 */
export async function up(db: Kysely<AnyTables>, { types }: SqlDialect): Promise<void> {
  await db.schema
    .createTable('access_stream_events')
    .addColumn('id', types.bigint, (column) => column.primaryKey())
    .addColumn('api_key_id', types.bigint)
    .addColumn('user_id', types.bigint, (column) => column.notNull())
    .addColumn('event', types.text, (column) => column.notNull())
    .addColumn('data', types.text, (column) => column.notNull())
    .addColumn('once', types.text, (column) => column.unique())
    .addColumn('at', types.bigint, (column) => column.notNull())
    .execute()
  await db.schema
    .createIndex('access_stream_events_user')
    .on('access_stream_events')
    .columns(['user_id', 'id'])
    .execute()
  await db.schema
    .createIndex('access_stream_events_age')
    .on('access_stream_events')
    .column('at')
    .execute()
}
