import type { Insertable, Kysely, Selectable, Updateable } from 'kysely'
import type { Replay } from '../records.ts'
import type { WebhooksTables } from '../tables.ts'

type Db = Kysely<WebhooksTables>
type Row = Selectable<WebhooksTables['webhooks_replays']>

export async function insertReplay(
  db: Db,
  row: Insertable<WebhooksTables['webhooks_replays']>,
): Promise<void> {
  await db.insertInto('webhooks_replays').values(row).execute()
}

export async function findReplay(
  db: Db,
  subscriptionId: string,
  id: string,
): Promise<Replay | undefined> {
  const row = await db
    .selectFrom('webhooks_replays')
    .selectAll()
    .where('id', '=', id)
    .where('subscription_id', '=', subscriptionId)
    .executeTakeFirst()
  return row && toReplay(row)
}

export async function findRunningReplays(db: Db, limit: number): Promise<Replay[]> {
  const rows = await db
    .selectFrom('webhooks_replays')
    .selectAll()
    .where('status', '=', 'running')
    .orderBy('subscription_id')
    .limit(limit)
    .execute()
  return rows.map(toReplay)
}

/** Nothing happens to one that ended meanwhile. */
export async function updateRunning(
  db: Db,
  id: string,
  change: Updateable<WebhooksTables['webhooks_replays']>,
): Promise<void> {
  await db
    .updateTable('webhooks_replays')
    .set(change)
    .where('id', '=', id)
    .where('status', '=', 'running')
    .execute()
}

export async function cancelReplaysOf(
  db: Db,
  subscriptionId: string,
  nowMs: number,
): Promise<void> {
  await db
    .updateTable('webhooks_replays')
    .set({ status: 'cancelled', completed_at: nowMs })
    .where('subscription_id', '=', subscriptionId)
    .where('status', '=', 'running')
    .execute()
}

function toReplay(row: Row): Replay {
  return {
    id: row.id,
    subscriptionId: row.subscription_id,
    consumerId: row.consumer_id,
    scope: row.scope,
    sinceMs: row.since,
    untilMs: row.until,
    eventTypes: row.event_types === null ? null : JSON.parse(row.event_types),
    status: row.status,
    matched: row.matched,
    processed: row.processed,
    phase: row.phase,
    afterId: row.after_id,
    createdAtMs: row.created_at,
    completedAtMs: row.completed_at,
  }
}
