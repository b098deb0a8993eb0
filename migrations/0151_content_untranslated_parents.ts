import { type Kysely, sql } from 'kysely'
import type { AnyTables } from '#db'

/** A translation is not shown below a document that lacks it, nor is what hangs below it. */
export async function up(db: Kysely<AnyTables>): Promise<void> {
  // Level by level: each round hides what hangs below what the last one hid.
  for (let hidden = 1n; hidden > 0n; ) {
    const { numAffectedRows = 0n } = await sql`
      update content_entries set ancestors_live = 0
      where ancestors_live = 1 and is_root = 0 and locale <> '' and parent is not null
        and exists (select 1 from content_entries as d where d.document_id = content_entries.parent)
        and not exists (
          select 1 from content_entries as p
          where p.document_id = content_entries.parent and p.ancestors_live = 1
            and p.has_live = 1 and p.locale in ('', content_entries.locale))`.execute(db)
    hidden = numAffectedRows
  }
}
