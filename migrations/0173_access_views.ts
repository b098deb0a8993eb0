import type { Kysely } from 'kysely'
import type { AnyTables, SqlDialect } from '#db'

/** Lists as somebody wants to see them again; without an owner once that user is deleted. */
export async function up(db: Kysely<AnyTables>, { types }: SqlDialect): Promise<void> {
  await db.schema
    .createTable('access_views')
    .addColumn('id', types.serial)
    .addColumn('user_id', types.bigint)
    .addColumn('area', types.text, (column) => column.notNull())
    .addColumn('name', types.text, (column) => column.notNull())
    .addColumn('query', types.text, (column) => column.notNull())
    .addColumn('is_shared', 'integer', (column) => column.notNull())
    .addColumn('created_at', types.bigint, (column) => column.notNull())
    .addColumn('updated_at', types.bigint, (column) => column.notNull())
    .execute()
  await db.schema
    .createIndex('access_views_owner')
    .on('access_views')
    .columns(['user_id', 'area'])
    .execute()
  await db.schema
    .createIndex('access_views_shared')
    .on('access_views')
    .columns(['is_shared', 'area'])
    .execute()
}
