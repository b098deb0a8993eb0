import type { Kysely } from 'kysely'
import type { AnyTables, SqlDialect } from '#db'

/** What a request has done, kept in the transaction of its effect until its answer is kept. */
export async function up(db: Kysely<AnyTables>, { types }: SqlDialect): Promise<void> {
  await db.schema.alterTable('kernel_idempotency').addColumn('receipt', types.text).execute()
}
