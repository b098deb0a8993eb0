import { type Kysely, sql } from 'kysely'
import type { AnyTables, SqlDialect } from '#db'

/** What is under way with a type, and an index of the entries that a type without drafts cannot have. */
export async function up(db: Kysely<AnyTables>, { types }: SqlDialect): Promise<void> {
  await db.schema.alterTable('content_types').addColumn('changing', types.text).execute()
  await sql`create index content_entries_unpublished on content_entries (type_no, id)
    where has_live = 0 or changed = 1`.execute(db)
}
