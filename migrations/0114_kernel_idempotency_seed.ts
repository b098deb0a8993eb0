import type { Kysely } from 'kysely'
import type { AnyTables, SqlDialect } from '#db'

/** What every try of a request makes its ids from, so that nothing is made twice. */
export async function up(db: Kysely<AnyTables>, { types }: SqlDialect): Promise<void> {
  await db.schema.alterTable('kernel_idempotency').addColumn('seed', types.text).execute()
}
