import { type Kysely, sql } from 'kysely'
import type { WebhooksTables } from '../tables.ts'

type Db = Kysely<WebhooksTables>

/** Those that fail longest first. */
export async function findFailing(db: Db, limit: number) {
  const rows = await failing(db)
    .innerJoin(
      'webhooks_subscriptions',
      'webhooks_subscriptions.id',
      'webhooks_lanes.subscription_id',
    )
    .select([
      'webhooks_subscriptions.id',
      'webhooks_subscriptions.consumer_id',
      'endpoint_url',
      'webhooks_lanes.is_active',
      'failure_count',
      'disabled_reason',
    ])
    .orderBy(sql`coalesce(failing_since, disabled_at)`)
    .orderBy('webhooks_subscriptions.id')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    id: row.id,
    consumerId: row.consumer_id,
    endpointUrl: row.endpoint_url,
    isActive: row.is_active === 1,
    failureCount: row.failure_count,
    disabledReason: row.disabled_reason,
  }))
}

export async function countFailing(db: Db): Promise<number> {
  const { found } = await failing(db)
    .select((row) => row.fn.countAll<number | string>().as('found'))
    .executeTakeFirstOrThrow()
  return Number(found)
}

function failing(db: Db) {
  return db
    .selectFrom('webhooks_lanes')
    .where('removed_at', 'is', null)
    .where((row) =>
      row.or([
        row.and([row('webhooks_lanes.is_active', '=', 1), row('failure_count', '>', 0)]),
        row.and([
          row('webhooks_lanes.is_active', '=', 0),
          row('disabled_reason', 'is not', null),
          row('disabled_reason', '!=', 'manual'),
        ]),
      ]),
    )
}
