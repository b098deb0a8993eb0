import type { Kysely } from 'kysely'
import type { AnyTables, SqlDialect } from '#db'

/** What became of single items of a request with an `Idempotency-Key`, until the request has an answer. */
export async function up(db: Kysely<AnyTables>, { types }: SqlDialect): Promise<void> {
  await db.schema
    .createTable('kernel_idempotency_items')
    .addColumn('scope', types.text, (column) => column.notNull())
    .addColumn('key', types.text, (column) => column.notNull())
    .addColumn('number', 'integer', (column) => column.notNull())
    .addColumn('outcome', types.text, (column) => column.notNull())
    .addColumn('expires_at', types.bigint, (column) => column.notNull())
    .addPrimaryKeyConstraint('kernel_idempotency_items_key', ['scope', 'key', 'number'])
    .execute()
  await db.schema
    .createIndex('kernel_idempotency_items_expiry')
    .on('kernel_idempotency_items')
    .column('expires_at')
    .execute()
}
