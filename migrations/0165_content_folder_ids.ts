import type { Kysely } from 'kysely'
import type { AnyTables, SqlDialect } from '#db'

/** A folder that is moved keeps its id, and what comes to its former path gets another one. */
export async function up(db: Kysely<AnyTables>, { types }: SqlDialect): Promise<void> {
  await db.schema.alterTable('content_folders').addColumn('id', types.text).execute()
  await db.schema
    .createTable('content_left_folders')
    .addColumn('path', types.text, (column) => column.primaryKey())
    .addColumn('times', 'integer', (column) => column.notNull())
    .execute()
}
