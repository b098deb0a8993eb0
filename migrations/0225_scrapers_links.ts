import type { Kysely } from 'kysely'
import type { AnyTables, SqlDialect } from '#db'

/**
 * All links of a page, for an incremental run that finds it unchanged. `parent_hash`, which is no longer written, knew of each
 * page only where it was found first.
 */
export async function up(db: Kysely<AnyTables>, { types }: SqlDialect): Promise<void> {
  await db.schema.alterTable('scrapers_pages').addColumn('links', types.text).execute()
}
