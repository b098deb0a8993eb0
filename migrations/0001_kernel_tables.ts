import { type Kysely, sql } from 'kysely'
import type { AnyTables, SqlDialect } from '#db'

export async function up(db: Kysely<AnyTables>, { types }: SqlDialect): Promise<void> {
  await db.schema
    .createTable('kernel_revisions')
    .addColumn('topic', types.text, (column) => column.primaryKey())
    .addColumn('revision', types.bigint, (column) => column.notNull())
    .execute()

  await db.schema
    .createTable('kernel_settings')
    .addColumn('area', types.text, (column) => column.notNull())
    .addColumn('name', types.text, (column) => column.notNull())
    .addColumn('value', types.text, (column) => column.notNull())
    .addColumn('updated_at', types.bigint, (column) => column.notNull())
    .addPrimaryKeyConstraint('kernel_settings_key', ['area', 'name'])
    .execute()

  await db.schema
    .createTable('kernel_leases')
    .addColumn('name', types.text, (column) => column.primaryKey())
    .addColumn('lease_owner', types.text)
    .addColumn('lease_until', types.bigint)
    .execute()

  // `ord` is the order of writing. Ids of several nodes cannot give it: their clocks differ.
  await db.schema
    .createTable('kernel_events')
    .addColumn('ord', types.serial)
    .addColumn('id', types.text, (column) => column.notNull().unique())
    .addColumn('seq', types.bigint, (column) => column.unique())
    .addColumn('type', types.text, (column) => column.notNull())
    .addColumn('payload', types.text, (column) => column.notNull())
    .addColumn('owner', types.text)
    .addColumn('live', 'integer', (column) => column.notNull())
    .addColumn('occurred_at', types.bigint, (column) => column.notNull())
    .addColumn('created_at', types.bigint, (column) => column.notNull())
    .execute()
  await db.schema
    .createIndex('kernel_events_unsequenced')
    .on('kernel_events')
    .column('ord')
    .where(sql.ref('seq'), 'is', null)
    .execute()

  await db.schema
    .createTable('kernel_event_position')
    .addColumn('name', types.text, (column) => column.primaryKey())
    .addColumn('seq', types.bigint, (column) => column.notNull())
    .execute()
  await db.insertInto('kernel_event_position').values({ name: 'last', seq: 0 }).execute()

  await db.schema
    .createTable('kernel_idempotency')
    .addColumn('scope', types.text, (column) => column.notNull())
    .addColumn('key', types.text, (column) => column.notNull())
    .addColumn('request_hash', types.text, (column) => column.notNull())
    .addColumn('answer', types.text)
    .addColumn('lease_owner', types.text)
    .addColumn('lease_until', types.bigint)
    .addColumn('expires_at', types.bigint, (column) => column.notNull())
    .addPrimaryKeyConstraint('kernel_idempotency_key', ['scope', 'key'])
    .execute()
  await db.schema
    .createIndex('kernel_idempotency_expiry')
    .on('kernel_idempotency')
    .column('expires_at')
    .execute()
}
