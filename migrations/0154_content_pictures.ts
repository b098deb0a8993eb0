import { type Kysely, sql } from 'kysely'
import type { AnyTables, SqlDialect } from '#db'

/** Pictures whose smaller formats are still to be made, and what is said of the parts of a picture. */
export async function up(db: Kysely<AnyTables>, { types }: SqlDialect): Promise<void> {
  for (const column of ['focal_point', 'crops']) {
    await db.schema.alterTable('content_files').addColumn(column, types.text).execute()
  }
  await db.schema
    .createTable('content_pictures')
    .addColumn('file_id', types.bigint, (column) => column.primaryKey())
    // Of the bytes that were there when it was asked for: they may have been replaced since.
    .addColumn('hash', types.text, (column) => column.notNull())
    .addColumn('due_at', types.bigint, (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('lease_owner', types.text)
    .addColumn('lease_until', types.bigint)
    .execute()
  await db.schema
    .createIndex('content_pictures_due')
    .on('content_pictures')
    .columns(['due_at', 'file_id'])
    .execute()
  // Pictures of before get theirs, too.
  await sql`insert into content_pictures (file_id, hash, due_at, attempts)
    select id, hash, updated_at, 0 from content_files
    where mime in ('image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif', 'image/tiff')
    and (width is null or height is null or width > 245 or height > 156)`.execute(db)
}
