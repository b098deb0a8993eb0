import type { Kysely } from 'kysely'
import type { AnyTables, SqlDialect } from '#db'

/**
 * Trigrams are made after the commit of a write. Types of older stores go on making them within it until the worker
 * follows them anew.
 */
export async function up(db: Kysely<AnyTables>, { textIndex }: SqlDialect): Promise<void> {
  await textIndex.letWait(db, 'content_search')
  await db.schema
    .alterTable('content_search_types')
    .addColumn('lets_wait', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
}
