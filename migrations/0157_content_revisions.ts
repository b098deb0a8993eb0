import { type Kysely, sql } from 'kysely'
import type { AnyTables, SqlDialect } from '#db'

/** What entries said before they were changed. */
export async function up(db: Kysely<AnyTables>, { types }: SqlDialect): Promise<void> {
  await db.schema
    .createTable('content_revisions')
    .addColumn('revision_id', types.bigint, (column) => column.primaryKey())
    .addColumn('entry_no', types.bigint, (column) => column.notNull())
    .addColumn('saved_at', types.bigint, (column) => column.notNull())
    .addColumn('saved_by', types.bigint)
    .addColumn('body', types.text, (column) => column.notNull())
    .addColumn('fresh', 'integer', (column) => column.notNull())
    .execute()
  await db.schema
    .createIndex('content_revisions_entry')
    .on('content_revisions')
    .columns(['entry_no', 'revision_id'])
    .execute()
  await db.schema
    .createIndex('content_revisions_fresh')
    .on('content_revisions')
    .column('entry_no')
    .where(sql.ref('fresh'), '=', sql.lit(1))
    .execute()
  for (const name of ['revised_at', 'revised_by']) {
    await db.schema.alterTable('content_entries').addColumn(name, types.bigint).execute()
  }
  await db.schema
    .alterTable('content_entries')
    .addColumn('scraped', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
}
