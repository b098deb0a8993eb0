import { type Kysely, sql } from 'kysely'
import type { AnyTables, SqlDialect } from '#db'

type Types = SqlDialect['types']

const SEQUENCES = ['content_attribute', 'content_copy', 'content_part']

/** The content store without the tables of its types, which are made when types are defined. */
export async function up(db: Kysely<AnyTables>, dialect: SqlDialect): Promise<void> {
  const { types, sequences } = dialect
  await createModel(db, types)
  await createEntries(db, types)
  await createLinks(db, types)
  await createFiles(db, types)
  // Names of columns, and of copies and their revisions over all types.
  for (const name of SEQUENCES) await sequences.create(db, name)
}

async function createModel(db: Kysely<AnyTables>, types: Types) {
  await db.schema
    .createTable('content_types')
    .addColumn('no', types.serial)
    .addColumn('uuid', types.text, (column) => column.notNull().unique())
    .addColumn('singular_name', types.text, (column) => column.notNull().unique())
    .addColumn('definition', types.text, (column) => column.notNull())
    .addColumn('shape', types.bigint, (column) => column.notNull())
    .addColumn('created_at', types.bigint, (column) => column.notNull())
    .addColumn('updated_at', types.bigint, (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('content_components')
    .addColumn('no', types.serial)
    .addColumn('uid', types.text, (column) => column.notNull().unique())
    .addColumn('definition', types.text, (column) => column.notNull())
    .addColumn('shape', types.bigint, (column) => column.notNull())
    .addColumn('created_at', types.bigint, (column) => column.notNull())
    .addColumn('updated_at', types.bigint, (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('content_locales')
    .addColumn('id', types.serial)
    .addColumn('code', types.text, (column) => column.notNull().unique())
    .addColumn('name', types.text, (column) => column.notNull())
    .addColumn('is_default', 'integer', (column) => column.notNull())
    .addColumn('fallback', types.text)
    .addColumn('created_at', types.bigint, (column) => column.notNull())
    .addColumn('updated_at', types.bigint, (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('content_indexes')
    .addColumn('name', types.text, (column) => column.primaryKey())
    .addColumn('table_name', types.text, (column) => column.notNull())
    .addColumn('definition', types.text, (column) => column.notNull())
    .addColumn('state', types.text, (column) => column.notNull())
    .execute()
}

async function createEntries(db: Kysely<AnyTables>, types: Types) {
  await db.schema
    .createTable('content_entries')
    .addColumn('no', types.serial)
    .addColumn('type_no', types.bigint, (column) => column.notNull())
    .addColumn('id', types.bigint, (column) => column.notNull())
    .addColumn('document_id', types.text, (column) => column.notNull())
    .addColumn('locale', types.text, (column) => column.notNull())
    .addColumn('created_at', types.bigint, (column) => column.notNull())
    .addColumn('updated_at', types.bigint, (column) => column.notNull())
    .addColumn('published_at', types.bigint)
    .addColumn('has_live', 'integer', (column) => column.notNull())
    .addColumn('changed', 'integer', (column) => column.notNull())
    .addColumn('parent', types.text)
    .addColumn('sort_order', types.bigint, (column) => column.notNull())
    .addColumn('is_root', 'integer', (column) => column.notNull())
    .addColumn('path', types.text)
    .addColumn('ancestors_live', 'integer', (column) => column.notNull())
    .addColumn('version', types.bigint, (column) => column.notNull())
    .addColumn('created_by', types.bigint)
    .addColumn('updated_by', types.bigint)
    .addColumn('external_id', types.text)
    .addColumn('source', types.text)
    .addUniqueConstraint('content_entries_id', ['type_no', 'id'])
    .addUniqueConstraint('content_entries_variant', ['document_id', 'locale'])
    .execute()
  await db.schema
    .createIndex('content_entries_external')
    .unique()
    .on('content_entries')
    .columns(['type_no', 'external_id', 'locale'])
    .where(sql.ref('external_id'), 'is not', null)
    .execute()
  await db.schema
    .createIndex('content_entries_path')
    .unique()
    .on('content_entries')
    .columns(['path', 'locale'])
    .where(sql.ref('path'), 'is not', null)
    .execute()
  await db.schema
    .createIndex('content_entries_children')
    .on('content_entries')
    .columns(['parent', 'type_no', 'sort_order'])
    .execute()
  await db.schema
    .createTable('content_former_paths')
    .addColumn('locale', types.text, (column) => column.notNull())
    .addColumn('path', types.text, (column) => column.notNull())
    .addColumn('entry_no', types.bigint, (column) => column.notNull())
    .addPrimaryKeyConstraint('content_former_paths_key', ['path', 'locale'])
    .execute()
  await db.schema
    .createIndex('content_former_paths_entry')
    .on('content_former_paths')
    .column('entry_no')
    .execute()
}

async function createLinks(db: Kysely<AnyTables>, types: Types) {
  await db.schema
    .createTable('content_links')
    .addColumn('attribute_no', types.bigint, (column) => column.notNull())
    .addColumn('owner_copy', types.bigint, (column) => column.notNull())
    .addColumn('owner_part', types.bigint, (column) => column.notNull())
    .addColumn('position', types.bigint, (column) => column.notNull())
    .addColumn('target', types.text, (column) => column.notNull())
    .addColumn('target_position', types.bigint, (column) => column.notNull())
    .addPrimaryKeyConstraint('content_links_key', [
      'owner_copy',
      'attribute_no',
      'owner_part',
      'target',
    ])
    .execute()
  await db.schema
    .createIndex('content_links_target')
    .on('content_links')
    .columns(['target', 'attribute_no', 'target_position', 'owner_copy'])
    .execute()
  await db.schema
    .createTable('content_tags')
    .addColumn('attribute_no', types.bigint, (column) => column.notNull())
    .addColumn('owner_copy', types.bigint, (column) => column.notNull())
    .addColumn('owner_part', types.bigint, (column) => column.notNull())
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('value', types.text, (column) => column.notNull())
    .addColumn('fold', types.text, (column) => column.notNull())
    .addPrimaryKeyConstraint('content_tags_key', [
      'owner_copy',
      'attribute_no',
      'owner_part',
      'position',
    ])
    .execute()
  await db.schema
    .createIndex('content_tags_fold')
    .on('content_tags')
    .columns(['attribute_no', 'fold', 'owner_copy'])
    .execute()
}

async function createFiles(db: Kysely<AnyTables>, types: Types) {
  await db.schema
    .createTable('content_files')
    .addColumn('id', types.serial)
    .addColumn('uuid', types.text, (column) => column.notNull().unique())
    .addColumn('folder', types.text, (column) => column.notNull())
    .addColumn('name', types.text, (column) => column.notNull())
    .addColumn('name_fold', types.text, (column) => column.notNull())
    .addColumn('hash', types.text, (column) => column.notNull().unique())
    .addColumn('ext', types.text, (column) => column.notNull())
    .addColumn('mime', types.text, (column) => column.notNull())
    .addColumn('alternative_text', types.text)
    .addColumn('alternative_text_fold', types.text)
    .addColumn('caption', types.text)
    .addColumn('caption_fold', types.text)
    .addColumn('width', 'integer')
    .addColumn('height', 'integer')
    .addColumn('formats', types.text)
    .addColumn('size_bytes', types.bigint, (column) => column.notNull())
    .addColumn('preview_url', types.text)
    .addColumn('provider', types.text, (column) => column.notNull())
    .addColumn('created_by', types.bigint)
    .addColumn('created_at', types.bigint, (column) => column.notNull())
    .addColumn('updated_at', types.bigint, (column) => column.notNull())
    .execute()
}
