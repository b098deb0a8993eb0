import type { Kysely } from 'kysely'
import type { AnyTables, SqlDialect } from '#db'

/** With the sums, whose rows they belong to. */
export const store = 'aux'

/** Which seed of its month counter a key has come to; 0 before the first one. */
export async function up(db: Kysely<AnyTables>, { types }: SqlDialect): Promise<void> {
  await db.schema
    .alterTable('access_usage_sums')
    .addColumn('epoch', types.bigint, (column) => column.notNull().defaultTo(0))
    .execute()
}
