import { type Kysely, sql } from 'kysely'
import type { AnyTables, SqlDialect } from '#db'

/** When entries are published and unpublished by themselves. */
export async function up(db: Kysely<AnyTables>, { types }: SqlDialect): Promise<void> {
  for (const name of ['publish_at', 'unpublish_at']) {
    await db.schema.alterTable('content_entries').addColumn(name, types.bigint).execute()
    await db.schema
      .createIndex(`content_entries_${name}`)
      .on('content_entries')
      .column(name)
      .where(sql.ref(name), 'is not', null)
      .execute()
  }
  await db.schema.alterTable('content_entries').addColumn('schedule_fault', types.text).execute()
}
