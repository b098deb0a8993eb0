import type { Kysely } from 'kysely'
import type { AnyTables, SqlDialect } from '#db'

/** What happened to the values of an entry. Where nothing is noted, the save alone is known, and told by its columns. */
export async function up(db: Kysely<AnyTables>, { types }: SqlDialect): Promise<void> {
  for (const table of ['content_entries', 'content_revisions']) {
    await db.schema.alterTable(table).addColumn('events', types.text).execute()
  }
}
