import type { Kysely } from 'kysely'
import type { AnyTables, SqlDialect } from '#db'

/** Types that are gone: the feed of changes still tells how their entries went. */
export async function up(db: Kysely<AnyTables>, { types }: SqlDialect): Promise<void> {
  await db.schema
    .createTable('content_former_types')
    .addColumn('singular_name', types.text, (column) => column.primaryKey())
    .addColumn('removed_at', types.bigint, (column) => column.notNull())
    .execute()
}
