import { type Kysely, sql } from 'kysely'
import type { AnyTables, SqlDialect } from '#db'

type Db = Kysely<AnyTables>
type Types = SqlDialect['types']

/** Event types, subscriptions, deliveries and their attempts (webhooks contract §2 to §9). */
export async function up(db: Db, { types }: SqlDialect): Promise<void> {
  await createEventTypes(db, types)
  await createSubscriptions(db, types)
  await createLanes(db, types)
  await createMessages(db, types)
  await createDeliveries(db, types)
  await createNotifications(db, types)
  await createReplays(db, types)
}

async function createEventTypes(db: Db, types: Types) {
  await db.schema
    .createTable('webhooks_event_types')
    .addColumn('name', types.text, (column) => column.primaryKey())
    .addColumn('description', types.text)
    .addColumn('example_payload', types.text)
    .addColumn('is_active', 'integer', (column) => column.notNull())
    .addColumn('visibility', types.text, (column) => column.notNull())
    .addColumn('built_in', 'integer', (column) => column.notNull())
    // A part of the product emits it at present; its content type may have been deleted.
    .addColumn('is_known', 'integer', (column) => column.notNull())
    // An operator changed it: what the product says of it no longer replaces that.
    .addColumn('is_changed', 'integer', (column) => column.notNull())
    .addColumn('created_at', types.bigint, (column) => column.notNull())
    .addColumn('updated_at', types.bigint, (column) => column.notNull())
    .execute()
}

/** What its owner sets. What deliveries change is in the lane, so that neither waits for the other. */
async function createSubscriptions(db: Db, types: Types) {
  await db.schema
    .createTable('webhooks_subscriptions')
    .addColumn('id', types.text, (column) => column.primaryKey())
    .addColumn('consumer_id', types.text, (column) => column.notNull())
    .addColumn('endpoint_url', types.text, (column) => column.notNull())
    .addColumn('description', types.text)
    .addColumn('events', types.text, (column) => column.notNull())
    .addColumn('headers', types.text, (column) => column.notNull())
    .addColumn('timeout_seconds', 'integer', (column) => column.notNull())
    .addColumn('secret', types.text, (column) => column.notNull())
    .addColumn('secret_old', types.text)
    .addColumn('secret_old_until', types.bigint)
    .addColumn('secret_rotated_at', types.bigint)
    .addColumn('source', types.text, (column) => column.notNull())
    .addColumn('created_at', types.bigint, (column) => column.notNull())
    .addColumn('updated_at', types.bigint, (column) => column.notNull())
    .addColumn('probe_wanted', 'integer', (column) => column.notNull())
    .addColumn('probe_at', types.bigint)
    .addColumn('probe_status', 'integer')
    .addColumn('probe_error', types.text)
    .execute()
  await index(db, 'webhooks_subscriptions', 'created', ['consumer_id', 'created_at', 'id'])
  await index(db, 'webhooks_subscriptions', 'owned', ['consumer_id', 'id'])
  await db.schema
    .createIndex('webhooks_subscriptions_probe')
    .on('webhooks_subscriptions')
    .column('id')
    .where(sql.ref('probe_wanted'), '=', sql.lit(1))
    .execute()
  await present(db, 'webhooks_subscriptions', 'secret_old_until')

  await db.schema
    .createTable('webhooks_subscription_events')
    .addColumn('event', types.text, (column) => column.notNull())
    .addColumn('subscription_id', types.text, (column) => column.notNull())
    .addColumn('consumer_id', types.text, (column) => column.notNull())
    // 0 for a name beside `*`, which already matches it.
    .addColumn('is_matched', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('webhooks_subscription_events_key', ['event', 'subscription_id'])
    .execute()
  await index(db, 'webhooks_subscription_events', 'consumer', [
    'event',
    'consumer_id',
    'subscription_id',
  ])
  await index(db, 'webhooks_subscription_events', 'subscription', ['subscription_id'])

  await db.schema
    .createTable('webhooks_registrations')
    .addColumn('id', types.serial)
    .addColumn('subscription_id', types.text, (column) => column.notNull().unique())
    .addColumn('consumer_id', types.text, (column) => column.notNull())
    .execute()
  await index(db, 'webhooks_registrations', 'consumer', ['consumer_id', 'id'])
}

async function createLanes(db: Db, types: Types) {
  await db.schema
    .createTable('webhooks_lanes')
    .addColumn('subscription_id', types.text, (column) => column.primaryKey())
    .addColumn('consumer_id', types.text, (column) => column.notNull())
    .addColumn('is_active', 'integer', (column) => column.notNull())
    // Events from before are not dispatched to it.
    .addColumn('active_since', types.bigint, (column) => column.notNull())
    .addColumn('disabled_at', types.bigint)
    .addColumn('disabled_reason', types.text)
    .addColumn('failure_count', types.bigint, (column) => column.notNull())
    .addColumn('failing_since', types.bigint)
    .addColumn('last_delivery_at', types.bigint)
    .addColumn('last_sequence', types.bigint, (column) => column.notNull())
    .addColumn('epoch', types.bigint, (column) => column.notNull())
    .addColumn('cancelled_epoch', types.bigint, (column) => column.notNull())
    .addColumn('release_at', types.bigint)
    .addColumn('due_at', types.bigint)
    .addColumn('lease_owner', types.text)
    .addColumn('lease_until', types.bigint)
    .addColumn('removed_at', types.bigint)
    .execute()
  await present(db, 'webhooks_lanes', 'due_at')
  await present(db, 'webhooks_lanes', 'release_at')
  await present(db, 'webhooks_lanes', 'removed_at')
  await index(db, 'webhooks_lanes', 'active', ['consumer_id', 'is_active'])
}

/** What is sent, once for all its deliveries; kept as long as one of them is. */
async function createMessages(db: Db, types: Types) {
  await db.schema
    .createTable('webhooks_messages')
    .addColumn('id', types.text, (column) => column.primaryKey())
    .addColumn('type', types.text, (column) => column.notNull())
    .addColumn('data', types.text, (column) => column.notNull())
    .addColumn('occurred_at', types.bigint, (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('webhooks_cursor')
    .addColumn('name', types.text, (column) => column.primaryKey())
    .addColumn('seq', types.bigint, (column) => column.notNull())
    // The last subscription that the event after `seq` was handed to.
    .addColumn('after_id', types.text)
    .execute()
  await db
    .insertInto('webhooks_cursor')
    .values({ name: 'dispatch', seq: 0, after_id: null })
    .execute()
}

async function createDeliveries(db: Db, types: Types) {
  await db.schema
    .createTable('webhooks_deliveries')
    .addColumn('id', types.text, (column) => column.primaryKey())
    .addColumn('subscription_id', types.text, (column) => column.notNull())
    .addColumn('message_id', types.text, (column) => column.notNull())
    .addColumn('event_type', types.text, (column) => column.notNull())
    .addColumn('event_at', types.bigint, (column) => column.notNull())
    .addColumn('sequence', types.bigint)
    .addColumn('is_test', 'integer', (column) => column.notNull())
    .addColumn('status', types.text, (column) => column.notNull())
    .addColumn('epoch', types.bigint, (column) => column.notNull())
    .addColumn('next_trigger', types.text, (column) => column.notNull())
    .addColumn('attempt_count', 'integer', (column) => column.notNull())
    .addColumn('tries', 'integer', (column) => column.notNull())
    .addColumn('due_at', types.bigint)
    .addColumn('next_attempt_at', types.bigint)
    .addColumn('created_at', types.bigint, (column) => column.notNull())
    .addColumn('completed_at', types.bigint)
    .addColumn('last_status_code', 'integer')
    .addColumn('last_error', types.text)
    .execute()
  await db.schema
    .createIndex('webhooks_deliveries_once')
    .on('webhooks_deliveries')
    .columns(['message_id', 'subscription_id'])
    .unique()
    .execute()
  await index(db, 'webhooks_deliveries', 'listed', ['subscription_id', 'id'])
  // Only what waits is in these two, so a million finished deliveries do not slow the next one.
  await db.schema
    .createIndex('webhooks_deliveries_due')
    .on('webhooks_deliveries')
    .columns(['subscription_id', 'epoch', 'due_at'])
    .where(sql.ref('due_at'), 'is not', null)
    .execute()
  await db.schema
    .createIndex('webhooks_deliveries_open')
    .on('webhooks_deliveries')
    .columns(['subscription_id', 'sequence'])
    .where(sql.ref('status'), '=', sql.lit('pending'))
    .execute()

  await db.schema
    .createTable('webhooks_attempts')
    .addColumn('delivery_id', types.text, (column) => column.notNull())
    .addColumn('number', 'integer', (column) => column.notNull())
    .addColumn('trigger_name', types.text, (column) => column.notNull())
    .addColumn('started_at', types.bigint, (column) => column.notNull())
    .addColumn('duration_ms', 'integer', (column) => column.notNull())
    .addColumn('url', types.text, (column) => column.notNull())
    .addColumn('request_headers', types.text, (column) => column.notNull())
    .addColumn('response_status', 'integer')
    .addColumn('response_headers', types.text)
    .addColumn('response_body', types.text)
    .addColumn('response_truncated', 'integer', (column) => column.notNull())
    .addColumn('error_code', types.text)
    .addColumn('error_message', types.text)
    .addPrimaryKeyConstraint('webhooks_attempts_key', ['delivery_id', 'number'])
    .execute()
}

async function createNotifications(db: Db, types: Types) {
  await db.schema
    .createTable('webhooks_notifications')
    .addColumn('id', types.text, (column) => column.primaryKey())
    .addColumn('consumer_id', types.text, (column) => column.notNull())
    .addColumn('type', types.text, (column) => column.notNull())
    .addColumn('subscription_id', types.text, (column) => column.notNull())
    .addColumn('message', types.text, (column) => column.notNull())
    .addColumn('created_at', types.bigint, (column) => column.notNull())
    .addColumn('read_at', types.bigint)
    .addColumn('email_status', types.text, (column) => column.notNull())
    .addColumn('email_due_at', types.bigint)
    .addColumn('email_tries', 'integer', (column) => column.notNull())
    .execute()
  await index(db, 'webhooks_notifications', 'owned', ['consumer_id', 'id'])
  await present(db, 'webhooks_notifications', 'email_due_at')
}

async function createReplays(db: Db, types: Types) {
  await db.schema
    .createTable('webhooks_replays')
    .addColumn('id', types.text, (column) => column.primaryKey())
    .addColumn('subscription_id', types.text, (column) => column.notNull())
    .addColumn('consumer_id', types.text, (column) => column.notNull())
    .addColumn('scope', types.text, (column) => column.notNull())
    .addColumn('since', types.bigint, (column) => column.notNull())
    .addColumn('until', types.bigint, (column) => column.notNull())
    .addColumn('event_types', types.text)
    .addColumn('status', types.text, (column) => column.notNull())
    .addColumn('matched', types.bigint, (column) => column.notNull())
    .addColumn('processed', types.bigint, (column) => column.notNull())
    // What is being walked, and how far: `deliveries`, then `events`.
    .addColumn('phase', types.text, (column) => column.notNull())
    .addColumn('after_id', types.text)
    .addColumn('created_at', types.bigint, (column) => column.notNull())
    .addColumn('completed_at', types.bigint)
    .execute()
  await index(db, 'webhooks_replays', 'subscription', ['subscription_id', 'id'])
  await db.schema
    .createIndex('webhooks_replays_running')
    .on('webhooks_replays')
    .column('subscription_id')
    .unique()
    .where(sql.ref('status'), '=', sql.lit('running'))
    .execute()
}

async function index(db: Db, table: string, name: string, columns: string[]) {
  await db.schema.createIndex(`${table}_${name}`).on(table).columns(columns).execute()
}

/** Over the rows that have a value in the column. */
async function present(db: Db, table: string, column: string) {
  await db.schema
    .createIndex(`${table}_${column}`)
    .on(table)
    .column(column)
    .where(sql.ref(column), 'is not', null)
    .execute()
}
