import type { Kysely } from 'kysely'
import type { AnyTables, SqlDialect } from '#db'

/** Links that let somebody set a new password once; only the hash of what they hold is kept. */
export async function up(db: Kysely<AnyTables>, { types }: SqlDialect): Promise<void> {
  await db.schema
    .createTable('access_password_resets')
    .addColumn('token_hash', types.text, (column) => column.primaryKey())
    .addColumn('user_id', types.bigint, (column) => column.notNull())
    .addColumn('expires_at', types.bigint, (column) => column.notNull())
    .execute()
  for (const column of ['user_id', 'expires_at']) {
    await db.schema
      .createIndex(`access_password_resets_${column}`)
      .on('access_password_resets')
      .column(column)
      .execute()
  }
}
