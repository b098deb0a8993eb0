import { type Kysely, sql } from 'kysely'
import type { AnyTables, SqlDialect } from '#db'

/** The index that texts of all types are found by; the worker takes in what exists already. */
export async function up(db: Kysely<AnyTables>, dialect: SqlDialect): Promise<void> {
  const { types, textIndex } = dialect
  await db.schema
    .createTable('content_search')
    .addColumn('no', types.bigint, (column) => column.primaryKey())
    .addColumn('type_no', types.bigint, (column) => column.notNull())
    .addColumn('id', types.bigint, (column) => column.notNull())
    .addColumn('live', 'integer', (column) => column.notNull())
    .addColumn('work', 'integer', (column) => column.notNull())
    .addColumn('locale', types.text, (column) => column.notNull())
    .addColumn('title', types.text, (column) => column.notNull())
    .addColumn('text', types.text, (column) => column.notNull())
    .execute()
  await textIndex.create(db, 'content_search')
  await db.schema
    .createTable('content_search_types')
    .addColumn('type_no', types.bigint, (column) => column.primaryKey())
    .addColumn('source', types.text, (column) => column.notNull())
    .addColumn('indexed_to', types.bigint, (column) => column.notNull())
    .addColumn('ready', 'integer', (column) => column.notNull())
    .execute()
  await sql`insert into content_search_types (type_no, source, indexed_to, ready)
    select no, '', 0, 0 from content_types`.execute(db)
}
