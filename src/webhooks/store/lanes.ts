import { type Kysely, type Selectable, sql, type Updateable } from 'kysely'
import type { SqlDialect } from '#kernel'
import type { Lane } from '../records.ts'
import type { WebhooksTables } from '../tables.ts'

type Db = Kysely<WebhooksTables>

/** `consumer_id` is also one of the subscription. */
export const LANE_COLUMNS = [
  'webhooks_lanes.subscription_id',
  'webhooks_lanes.consumer_id',
  'webhooks_lanes.is_active',
  'webhooks_lanes.active_since',
  'webhooks_lanes.disabled_at',
  'webhooks_lanes.disabled_reason',
  'webhooks_lanes.failure_count',
  'webhooks_lanes.failing_since',
  'webhooks_lanes.last_delivery_at',
  'webhooks_lanes.last_sequence',
  'webhooks_lanes.epoch',
  'webhooks_lanes.cancelled_epoch',
  'webhooks_lanes.release_at',
] as const

export type LaneRow = Pick<
  Selectable<WebhooksTables['webhooks_lanes']>,
  | 'subscription_id'
  | 'consumer_id'
  | 'is_active'
  | 'active_since'
  | 'disabled_at'
  | 'disabled_reason'
  | 'failure_count'
  | 'failing_since'
  | 'last_delivery_at'
  | 'last_sequence'
  | 'epoch'
  | 'cancelled_epoch'
  | 'release_at'
>

export async function insertLane(
  db: Db,
  {
    id,
    consumerId,
    isActive,
    nowMs,
  }: {
    readonly id: string
    readonly consumerId: string
    readonly isActive: boolean
    readonly nowMs: number
  },
): Promise<void> {
  await db
    .insertInto('webhooks_lanes')
    .values({
      subscription_id: id,
      consumer_id: consumerId,
      is_active: isActive ? 1 : 0,
      active_since: nowMs,
      disabled_at: isActive ? null : nowMs,
      disabled_reason: isActive ? null : 'manual',
      failure_count: 0,
      failing_since: null,
      last_delivery_at: null,
      last_sequence: 0,
      epoch: 0,
      cancelled_epoch: 0,
      release_at: null,
      due_at: null,
      lease_owner: null,
      lease_until: null,
      removed_at: null,
    })
    .execute()
}

/**
 * Locks the lanes, in the order of their ids so that two transactions cannot wait for each other.
 * What is written to their deliveries afterwards is seen by whoever locks them next.
 */
export async function lockLanes(
  db: Db,
  dialect: SqlDialect,
  ids: readonly string[],
): Promise<(Lane & { readonly leaseOwner: string | null })[]> {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('webhooks_lanes')
    .select(LANE_COLUMNS)
    .select('lease_owner')
    .where('subscription_id', 'in', ids)
    .where('removed_at', 'is', null)
    .orderBy('subscription_id')
    .$if(dialect.rowLocks, (query) => query.forUpdate())
    .execute()
  return rows.map((row) => ({ ...toLane(row), leaseOwner: row.lease_owner }))
}

export async function findLaneRows(db: Db, ids: readonly string[]): Promise<Map<string, LaneRow>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('webhooks_lanes')
    .select(LANE_COLUMNS)
    .where('subscription_id', 'in', ids)
    .execute()
  return new Map(rows.map((row) => [row.subscription_id, row]))
}

export async function updateLane(
  db: Db,
  id: string,
  change: Updateable<WebhooksTables['webhooks_lanes']>,
): Promise<void> {
  await db.updateTable('webhooks_lanes').set(change).where('subscription_id', '=', id).execute()
}

/** Something of these lanes is to be sent from then on. */
export async function wakeLanes(db: Db, ids: readonly string[], atMs: number): Promise<void> {
  if (ids.length === 0) return
  await db
    .updateTable('webhooks_lanes')
    .set({ due_at: earlier(atMs) })
    .where('subscription_id', 'in', ids)
    .execute()
}

export function earlier(atMs: number) {
  return sql<number>`case when due_at is null or due_at > ${atMs} then ${atMs} else due_at end`
}

export async function countActive(db: Db, consumerId: string): Promise<number> {
  const { count } = await db
    .selectFrom('webhooks_lanes')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('consumer_id', '=', consumerId)
    .where('is_active', '=', 1)
    .executeTakeFirstOrThrow()
  return count
}

export function toLane(row: LaneRow): Lane {
  return {
    subscriptionId: row.subscription_id,
    consumerId: row.consumer_id,
    isActive: row.is_active === 1,
    activeSinceMs: row.active_since,
    disabledAtMs: row.disabled_at,
    disabledReason: row.disabled_reason,
    failureCount: row.failure_count,
    failingSinceMs: row.failing_since,
    lastDeliveryAtMs: row.last_delivery_at,
    lastSequence: row.last_sequence,
    epoch: row.epoch,
    cancelledEpoch: row.cancelled_epoch,
    releaseAtMs: row.release_at,
  }
}
