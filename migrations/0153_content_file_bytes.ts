import type { Kysely } from 'kysely'
import type { AnyTables, SqlDialect } from '#db'

/** The bytes of files, where the database belongs to several processes; elsewhere both tables stay empty. */
export async function up(db: Kysely<AnyTables>, { types }: SqlDialect): Promise<void> {
  await db.schema
    .createTable('content_file_bytes')
    // As in the URL: `<hash>.png`, `thumbnail_<hash>.webp`.
    .addColumn('name', types.text, (column) => column.primaryKey())
    // Of the file they belong to.
    .addColumn('hash', types.text, (column) => column.notNull())
    .addColumn('size_bytes', types.bigint, (column) => column.notNull())
    // 0 while chunks arrive.
    .addColumn('whole', 'integer', (column) => column.notNull())
    .addColumn('created_at', types.bigint, (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('content_file_chunks')
    .addColumn('name', types.text, (column) => column.notNull())
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('bytes', types.bytes, (column) => column.notNull())
    .addPrimaryKeyConstraint('content_file_chunks_key', ['name', 'position'])
    .execute()
}
