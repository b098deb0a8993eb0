import { type Kysely, sql } from 'kysely'
import type { Clock, Database, Log } from '#kernel'
import { messageIdOf } from '../body.ts'
import { statusOf } from '../records.ts'
import type { SecretKeeper } from '../secrets.ts'
import type { DeliveryStatus, WebhooksTables } from '../tables.ts'
import type { DeliverySettings } from './types.ts'

interface Deps {
  readonly db: Database
  readonly clock: Clock
  readonly log: Log
  readonly secrets: SecretKeeper
  /** The master key was changed: what the previous one sealed is sealed anew. */
  readonly hasPreviousKey: boolean
  settings(): Pick<DeliverySettings, 'retentionDays'>
}

const DAY_MS = 86_400_000
const BATCH = 200
const PURGE_EVERY_MS = 600_000

/** What time does to webhooks: old secrets go, old deliveries go. */
export function createUpkeep({ db, clock, log, secrets, hasPreviousKey, settings }: Deps) {
  const reader: Kysely<WebhooksTables> = db.main.reader
  const writer: Kysely<WebhooksTables> = db.main.writer
  let purgedAtMs: number | undefined
  let isResealed = !hasPreviousKey
  return { turn }

  async function turn(signal: AbortSignal): Promise<void> {
    if (!isResealed) await resealAll(signal)
    await eraseOldSecrets()
    const nowMs = clock.now()
    if (purgedAtMs !== undefined && Math.abs(nowMs - purgedAtMs) < PURGE_EVERY_MS) return
    await purge(nowMs - settings().retentionDays * DAY_MS, signal)
    purgedAtMs = nowMs
  }

  async function eraseOldSecrets() {
    await writer
      .updateTable('webhooks_subscriptions')
      .set({ secret_old: null, secret_old_until: null })
      .where('secret_old_until', '<=', clock.now())
      .execute()
  }

  async function resealAll(signal: AbortSignal) {
    let after = ''
    let count = 0
    for (;;) {
      if (signal.aborted) return
      const rows = await reader
        .selectFrom('webhooks_subscriptions')
        .select(['id', 'secret', 'secret_old'])
        .where('id', '>', after)
        .orderBy('id')
        .limit(BATCH)
        .execute()
      for (const row of rows) count += (await resealOne(row)) ? 1 : 0
      after = rows.at(-1)?.id ?? after
      if (rows.length < BATCH) break
    }
    isResealed = true
    if (count > 0) log.info({ count }, 'webhook secrets are sealed with the current master key')
  }

  /** Unless it was rotated meanwhile. */
  async function resealOne(row: { id: string; secret: string; secret_old: string | null }) {
    const { id, secret, secret_old: old } = row
    const isOld = secrets.needsReseal(secret) || (old !== null && secrets.needsReseal(old))
    if (!isOld) return false
    await writer
      .updateTable('webhooks_subscriptions')
      .set({
        secret: secrets.reseal(id, secret),
        secret_old: old === null ? null : secrets.reseal(id, old),
      })
      .where('id', '=', id)
      .where('secret', '=', secret)
      .execute()
    return true
  }

  /** Open deliveries are never purged; those of a deleted subscription are not open. */
  async function purge(beforeMs: number, signal: AbortSignal) {
    let after = ''
    for (;;) {
      if (signal.aborted) return
      const rows = await findOld(after, beforeMs)
      await deleteDeliveries(rows.filter(isOver))
      after = rows.at(-1)?.id ?? after
      if (rows.length < BATCH) break
    }
    await deleteRest(beforeMs)
  }

  function findOld(after: string, beforeMs: number) {
    return (
      reader
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
        .limit(BATCH)
        .execute()
    )
  }

  async function deleteDeliveries(rows: readonly { id: string; message_id: string }[]) {
    if (rows.length === 0) return
    const ids = rows.map(({ id }) => id)
    const events = [...new Set(rows.map((row) => row.message_id))]
    const messages = [...events, ...events.map((id) => messageIdOf(id, true))]
    await db.main.transaction(undefined, async (tx) => {
      const trx = tx.as<WebhooksTables>()
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
    })
  }

  async function deleteRest(beforeMs: number) {
    await writer
      .deleteFrom('webhooks_lanes')
      .where('removed_at', '<', beforeMs)
      .where(
        sql<boolean>`not exists (select 1 from webhooks_deliveries d where d.subscription_id = webhooks_lanes.subscription_id)`,
      )
      .execute()
    await writer
      .deleteFrom('webhooks_replays')
      .where('created_at', '<', beforeMs)
      .where('status', '<>', 'running')
      .execute()
    await writer
      .deleteFrom('webhooks_notifications')
      .where('created_at', '<', beforeMs)
      .where('email_due_at', 'is', null)
      .execute()
  }
}

interface OldRow {
  readonly status: DeliveryStatus
  readonly is_test: number
  readonly epoch: number
  readonly lane_epoch: number | null
  readonly cancelled_epoch: number | null
  readonly removed_at: number | null
}

function isOver(row: OldRow): boolean {
  if (row.lane_epoch === null || row.removed_at !== null) return true
  const lane = { epoch: row.lane_epoch, cancelledEpoch: row.cancelled_epoch ?? 0 }
  const status = statusOf(row, lane)
  return status !== 'pending' && status !== 'held'
}

/** The lowest id of that millisecond. */
function uuidAt(ms: number): string {
  const hex = Math.max(0, Math.trunc(ms)).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}
