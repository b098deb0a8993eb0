import type { Kysely } from 'kysely'
import type { AnyTables, SqlDialect } from '#db'

/** Tokens of administrators, failed sign-ins, integrations and the nonces they have used (commerce contract §3). */
export async function up(db: Kysely<AnyTables>, { types }: SqlDialect): Promise<void> {
  await db.schema
    .createTable('commerce_tokens')
    .addColumn('token_hash', types.text, (column) => column.primaryKey())
    .addColumn('user_id', types.bigint, (column) => column.notNull())
    .addColumn('password_mark', types.text, (column) => column.notNull())
    .addColumn('expires_at', types.bigint, (column) => column.notNull())
    .execute()
  // Of names and of addresses; names are hashed, because people mistake the fields of a form.
  await db.schema
    .createTable('commerce_failures')
    .addColumn('name', types.text, (column) => column.primaryKey())
    .addColumn('count', 'integer', (column) => column.notNull())
    .addColumn('first_at', types.bigint, (column) => column.notNull())
    .addColumn('last_at', types.bigint, (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('commerce_integrations')
    .addColumn('id', types.serial)
    .addColumn('name', types.text, (column) => column.notNull())
    .addColumn('user_id', types.bigint, (column) => column.notNull())
    .addColumn('api_key_id', types.bigint, (column) => column.notNull())
    .addColumn('access', types.text, (column) => column.notNull())
    .addColumn('consumer_key', types.text, (column) => column.notNull().unique())
    .addColumn('consumer_secret', types.text, (column) => column.notNull())
    .addColumn('token_hash', types.text, (column) => column.notNull())
    .addColumn('token_secret', types.text, (column) => column.notNull())
    .addColumn('revoked_at', types.bigint)
    .addColumn('created_at', types.bigint, (column) => column.notNull())
    .execute()
  // One text names consumer, token, time and nonce: it is unique for as long as the time is accepted.
  await db.schema
    .createTable('commerce_nonces')
    .addColumn('used', types.text, (column) => column.primaryKey())
    .addColumn('expires_at', types.bigint, (column) => column.notNull())
    .execute()
  for (const [table, column] of [
    ['commerce_tokens', 'expires_at'],
    ['commerce_failures', 'last_at'],
    ['commerce_nonces', 'expires_at'],
  ] as const) {
    await db.schema.createIndex(`${table}_${column}`).on(table).column(column).execute()
  }
}
