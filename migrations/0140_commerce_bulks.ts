import { type Kysely, sql } from 'kysely'
import type { AnyTables, SqlDialect } from '#db'

type Db = Kysely<AnyTables>
type Types = SqlDialect['types']

/** Asynchronous changes of products and what came of each (commerce contract §5), and how far the broker was told. */
export async function up(db: Db, { types }: SqlDialect): Promise<void> {
  await createBulks(db, types)
  await createOperations(db, types)
  await db.schema
    .createTable('commerce_cursors')
    .addColumn('name', types.text, (column) => column.primaryKey())
    .addColumn('seq', types.bigint, (column) => column.notNull())
    .execute()
}

async function createBulks(db: Db, types: Types) {
  await db.schema
    .createTable('commerce_bulks')
    // The order of arrival.
    .addColumn('no', types.serial)
    .addColumn('uuid', types.text, (column) => column.notNull().unique())
    .addColumn('user_id', types.bigint, (column) => column.notNull())
    // The same user as events name one.
    .addColumn('consumer_id', types.text, (column) => column.notNull())
    // The level the request had; its operations are done with it.
    .addColumn('access', types.text, (column) => column.notNull())
    .addColumn('user_type', 'integer', (column) => column.notNull())
    .addColumn('store', types.text)
    .addColumn('method', types.text, (column) => column.notNull())
    .addColumn('operation_count', 'integer', (column) => column.notNull())
    .addColumn('started_at', types.bigint, (column) => column.notNull())
    // Null while operations arrive: nobody sees the bulk before.
    .addColumn('accepted_at', types.bigint)
    // When `bulk.completed` was told; null again when operations are retried.
    .addColumn('completed_at', types.bigint)
    .execute()
  await db.schema
    .createIndex('commerce_bulks_owned')
    .on('commerce_bulks')
    .columns(['user_id', 'no'])
    .execute()
  await db.schema
    .createIndex('commerce_bulks_age')
    .on('commerce_bulks')
    .column('started_at')
    .execute()
  await db.schema
    .createIndex('commerce_bulks_incomplete')
    .on('commerce_bulks')
    .column('no')
    .where(sql.ref('completed_at'), 'is', null)
    .execute()
}

async function createOperations(db: Db, types: Types) {
  await db.schema
    .createTable('commerce_operations')
    .addColumn('bulk_no', types.bigint, (column) => column.notNull())
    // The position in the request, from 0.
    .addColumn('id', 'integer', (column) => column.notNull())
    .addColumn('sku', types.text)
    .addColumn('data', types.text, (column) => column.notNull())
    .addColumn('data_hash', types.text)
    .addColumn('status', 'integer', (column) => column.notNull())
    // 1 while the worker has something to do with it: to carry it out, or to tell of its rejection.
    .addColumn('is_due', 'integer', (column) => column.notNull())
    .addColumn('action', types.text)
    .addColumn('message', types.text, (column) => column.notNull())
    .addColumn('error_code', 'integer')
    .addColumn('product_id', types.bigint)
    .addColumn('done_at', types.bigint)
    .addPrimaryKeyConstraint('commerce_operations_key', ['bulk_no', 'id'])
    .execute()
  // Counts of a bulk are taken from this index alone.
  await db.schema
    .createIndex('commerce_operations_counts')
    .on('commerce_operations')
    .columns(['bulk_no', 'status', 'done_at'])
    .execute()
  await db.schema
    .createIndex('commerce_operations_due')
    .on('commerce_operations')
    .columns(['bulk_no', 'id'])
    .where(sql.ref('is_due'), '=', sql.lit(1))
    .execute()
}
