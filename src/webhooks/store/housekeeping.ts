import { type Kysely, sql } from 'kysely'
import { messageIdOf } from '../body.ts'
import { statusOf } from '../records.ts'
import type { DeliveryStatus, WebhooksTables } from '../tables.ts'

type Db = Kysely<WebhooksTables>

/** A delivery older than the retention, with what tells whether it is still open. */
interface OldDelivery {
  readonly id: string
  readonly message_id: string
  readonly status: DeliveryStatus
  readonly is_test: number
  readonly epoch: number
  readonly lane_epoch: number | null
  readonly cancelled_epoch: number | null
  readonly removed_at: number | null
}

interface Part {
  readonly after: string
  readonly limit: number
}

export async function findOldDeliveries(
  db: Db,
  beforeMs: number,
  { after, limit }: Part,
): Promise<OldDelivery[]> {
  return (
    db
      .selectFrom('webhooks_deliveries')
      .leftJoin(
        'webhooks_lanes',
        'webhooks_lanes.subscription_id',
        'webhooks_deliveries.subscription_id',
      )
      .select(['id', 'message_id', 'status', 'is_test', 'webhooks_deliveries.epoch'])
      .select(['webhooks_lanes.epoch as lane_epoch', 'cancelled_epoch', 'removed_at'])
      .where('id', '>', after)
      // Ids begin with the time of creation (RFC 9562), and deliveries are found by them.
      .where('id', '<', uuidAt(beforeMs))
      .orderBy('id')
      .limit(limit)
      .execute()
  )
}

/** Those of a deleted subscription are not open. */
export function isOver(row: OldDelivery): boolean {
  if (row.lane_epoch === null || row.removed_at !== null) return true
  const lane = { epoch: row.lane_epoch, cancelledEpoch: row.cancelled_epoch ?? 0 }
  const status = statusOf(row, lane)
  return status !== 'pending' && status !== 'held'
}

/** With their attempts, and the messages that no other delivery has. */
export async function deleteDeliveries(
  trx: Db,
  rows: readonly Pick<OldDelivery, 'id' | 'message_id'>[],
): Promise<void> {
  const ids = rows.map(({ id }) => id)
  const events = [...new Set(rows.map((row) => row.message_id))]
  const messages = [...events, ...events.map((id) => messageIdOf(id, true))]
  await trx.deleteFrom('webhooks_attempts').where('delivery_id', 'in', ids).execute()
  await trx.deleteFrom('webhooks_deliveries').where('id', 'in', ids).execute()
  await trx
    .deleteFrom('webhooks_messages')
    .where('id', 'in', messages)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('webhooks_deliveries')
            .select('webhooks_deliveries.id')
            .where(sql<boolean>`message_id = substr(webhooks_messages.id, 1, 36)`),
        ),
      ),
    )
    .execute()
}

/** Lanes of deleted subscriptions, replays and notifications. */
export async function deleteOldRest(db: Db, beforeMs: number): Promise<void> {
  await db
    .deleteFrom('webhooks_lanes')
    .where('removed_at', '<', beforeMs)
    .where(
      sql<boolean>`not exists (select 1 from webhooks_deliveries d where d.subscription_id = webhooks_lanes.subscription_id)`,
    )
    .execute()
  await db
    .deleteFrom('webhooks_replays')
    .where('created_at', '<', beforeMs)
    .where('status', '<>', 'running')
    .execute()
  await db
    .deleteFrom('webhooks_notifications')
    .where('created_at', '<', beforeMs)
    .where('email_due_at', 'is', null)
    .execute()
}

export async function eraseOldSecrets(db: Db, nowMs: number): Promise<void> {
  await db
    .updateTable('webhooks_subscriptions')
    .set({ secret_old: null, secret_old_until: null })
    .where('secret_old_until', '<=', nowMs)
    .execute()
}

/** A part of all secrets, as they are sealed. */
export async function findAllSealed(db: Db, { after, limit }: Part) {
  return db
    .selectFrom('webhooks_subscriptions')
    .select(['id', 'secret', 'secret_old'])
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** Unless the secret was rotated meanwhile. */
export async function replaceSealed(
  db: Db,
  { id, secret: before }: { readonly id: string; readonly secret: string },
  sealed: { readonly secret: string; readonly secret_old: string | null },
): Promise<void> {
  await db
    .updateTable('webhooks_subscriptions')
    .set(sealed)
    .where('id', '=', id)
    .where('secret', '=', before)
    .execute()
}

/** The lowest id of that millisecond. */
function uuidAt(ms: number): string {
  const hex = Math.max(0, Math.trunc(ms)).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}
