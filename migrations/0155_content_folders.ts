import type { Kysely } from 'kysely'
import type { AnyTables, SqlDialect } from '#db'

/** Folders that were made by name; others exist by the files in them. */
export async function up(db: Kysely<AnyTables>, { types }: SqlDialect): Promise<void> {
  await db.schema
    .createTable('content_folders')
    .addColumn('path', types.text, (column) => column.primaryKey())
    .addColumn('created_at', types.bigint, (column) => column.notNull())
    .addColumn('updated_at', types.bigint, (column) => column.notNull())
    .execute()
}
