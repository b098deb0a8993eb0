import type { Kysely } from 'kysely'
import type { AnyTables } from '#db'

/** An event that somebody published for themselves is nobody else's (webhooks contract §4). */
export async function up(db: Kysely<AnyTables>): Promise<void> {
  await db.schema
    .alterTable('kernel_events')
    .addColumn('exclusive', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
}
