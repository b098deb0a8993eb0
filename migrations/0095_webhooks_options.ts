import { type Kysely, sql } from 'kysely'
import type { AnyTables, SqlDialect } from '#db'

/**
 * What subscriptions may ask for beside names: patterns, conditions, the entry; schemas of event
 * types; deliveries that are found by their consumer (webhooks contract, changes after 0.1).
 */
export async function up(db: Kysely<AnyTables>, { types }: SqlDialect): Promise<void> {
  await db.schema.alterTable('webhooks_event_types').addColumn('schema', types.text).execute()

  const subscriptions = db.schema.alterTable('webhooks_subscriptions')
  await subscriptions
    .addColumn('event_patterns', types.text, (column) => column.notNull().defaultTo('[]'))
    .execute()
  await subscriptions.addColumn('filter', types.text).execute()
  await subscriptions
    .addColumn('include_entry', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
  // 1: the subscription has to be looked at before an event of this name is handed to it.
  await db.schema
    .alterTable('webhooks_subscription_events')
    .addColumn('has_options', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()

  const deliveries = db.schema.alterTable('webhooks_deliveries')
  await deliveries.addColumn('consumer_id', types.text).execute()
  await deliveries
    .addColumn('with_entry', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
  await sql`update webhooks_deliveries set consumer_id = (
    select consumer_id from webhooks_lanes
    where webhooks_lanes.subscription_id = webhooks_deliveries.subscription_id
  )`.execute(db)
  await db.schema
    .createIndex('webhooks_deliveries_consumer')
    .on('webhooks_deliveries')
    .columns(['consumer_id', 'id'])
    .execute()
}
