import { type Kysely, sql } from 'kysely'
import type { AnyTables } from '#db'

/** The few entries below one that is not published: every list of content delivery leaves them out. */
export async function up(db: Kysely<AnyTables>): Promise<void> {
  await db.schema
    .createIndex('content_entries_hidden')
    .on('content_entries')
    .columns(['type_no', 'no'])
    .where(sql.ref('ancestors_live'), '=', sql.lit(0))
    .execute()
}
