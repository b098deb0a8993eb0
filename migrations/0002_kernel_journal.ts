import type { Kysely } from 'kysely'
import type { AnyTables, SqlDialect } from '#db'

/** How far each journal segment is drained, kept beside what it was drained into. */
export const store = 'aux'

export async function up(db: Kysely<AnyTables>, { types }: SqlDialect): Promise<void> {
  await db.schema
    .createTable('kernel_journal_positions')
    .addColumn('segment', types.text, (column) => column.primaryKey())
    .addColumn('position', types.bigint, (column) => column.notNull())
    .addColumn('updated_at', types.bigint, (column) => column.notNull())
    .execute()
}
