import type { Kysely } from 'kysely'
import type { AnyTables, SqlDialect } from '#db'

/** Files that scrapers have taken over, by the URL they came from (scrapers contract §6, `output.media`). */
export async function up(db: Kysely<AnyTables>, { types }: SqlDialect): Promise<void> {
  await db.schema
    .createTable('scrapers_files')
    .addColumn('scraper_id', types.bigint, (column) => column.notNull())
    .addColumn('url_hash', types.text, (column) => column.notNull())
    // The media file; it may have been deleted since.
    .addColumn('file_id', types.bigint, (column) => column.notNull())
    .addColumn('etag', types.text)
    .addColumn('last_modified', types.text)
    // Of the bytes: servers without validators send the same ones again.
    .addColumn('digest', types.text, (column) => column.notNull())
    .addPrimaryKeyConstraint('scrapers_files_key', ['scraper_id', 'url_hash'])
    .execute()
}
