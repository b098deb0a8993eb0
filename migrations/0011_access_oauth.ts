import type { Kysely } from 'kysely'
import type { AnyTables, SqlDialect } from '#db'

/** OAuth 2.0 clients and their access tokens (access contract §5). */
export async function up(db: Kysely<AnyTables>, { types }: SqlDialect): Promise<void> {
  await db.schema
    .createTable('access_oauth_clients')
    .addColumn('id', types.serial)
    .addColumn('client_id', types.text, (column) => column.notNull().unique())
    .addColumn('secret_hash', types.text, (column) => column.notNull())
    .addColumn('user_id', types.bigint, (column) => column.notNull().references('access_users.id'))
    .addColumn('api_key_id', types.bigint, (column) =>
      column.notNull().unique().references('access_keys.id'),
    )
    .addColumn('name', types.text, (column) => column.notNull())
    .addColumn('scopes', types.text, (column) => column.notNull())
    .addColumn('disabled', 'integer', (column) => column.notNull())
    // Tokens of an earlier generation are dead: all of a client end with one write.
    .addColumn('generation', types.bigint, (column) => column.notNull())
    .addColumn('secret_rotated_at', types.bigint)
    .addColumn('created_at', types.bigint, (column) => column.notNull())
    .addColumn('updated_at', types.bigint, (column) => column.notNull())
    .execute()
  await db.schema
    .createIndex('access_oauth_clients_user_id')
    .on('access_oauth_clients')
    .column('user_id')
    .execute()

  // The client is named by its random id, which is never given twice, and without a constraint:
  // tokens of a deleted client are dead and go when they expire, not in one long write.
  await db.schema
    .createTable('access_oauth_tokens')
    .addColumn('token_hash', types.text, (column) => column.primaryKey())
    .addColumn('client_id', types.text, (column) => column.notNull())
    .addColumn('generation', types.bigint, (column) => column.notNull())
    .addColumn('scopes', types.text, (column) => column.notNull())
    .addColumn('created_at', types.bigint, (column) => column.notNull())
    .addColumn('expires_at', types.bigint, (column) => column.notNull())
    .execute()
  await db.schema
    .createIndex('access_oauth_tokens_expires_at')
    .on('access_oauth_tokens')
    .column('expires_at')
    .execute()
}
