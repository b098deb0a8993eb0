import type { Kysely } from 'kysely'
import type { AnyTables, SqlDialect } from '#db'

/** What an installation on its way from one database to another is known by, on both of them. */
export async function up(db: Kysely<AnyTables>, { types }: SqlDialect): Promise<void> {
  await db.schema
    .createTable('kernel_moves')
    .addColumn('direction', types.text, (column) => column.primaryKey())
    .addColumn('id', types.text, (column) => column.notNull())
    .addColumn('state', types.text, (column) => column.notNull())
    .addColumn('peer', types.text, (column) => column.notNull())
    .addColumn('started_at', types.bigint, (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('kernel_move_tables')
    .addColumn('name', types.text, (column) => column.primaryKey())
    .addColumn('last_key', types.text)
    .addColumn('row_count', types.bigint, (column) => column.notNull())
    .addColumn('done', 'integer', (column) => column.notNull())
    .execute()
}
