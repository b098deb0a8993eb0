import { createSecretBox, type Database, random } from '#kernel'

export const SEED_MASTER_KEY = 'b'.repeat(64)

interface Seed {
  readonly consumerId: string
  readonly endpointUrl: string
  readonly events: readonly string[]
  readonly count: number
}

const ROWS = 200

/** Many subscriptions at once, which over HTTP would take minutes. The server must not be running. */
export async function seedSubscriptions(
  db: Database,
  { consumerId, endpointUrl, events, count }: Seed,
): Promise<string[]> {
  const box = createSecretBox({ current: Buffer.from(SEED_MASTER_KEY, 'hex'), random })
  const nowMs = Date.now()
  const ids = Array.from({ length: count }, (_, n) => idOf(nowMs, n))
  for (let at = 0; at < count; at += ROWS) {
    const part = ids.slice(at, at + ROWS)
    await db.main.transaction(undefined, async (tx) => {
      const trx = tx.as<Record<string, Record<string, unknown>>>()
      await trx
        .insertInto('webhooks_subscriptions')
        .values(part.map((id) => ({ ...SUBSCRIPTION, ...own(id) })))
        .execute()
      const lane = { ...LANE, consumer_id: consumerId, active_since: nowMs }
      await trx
        .insertInto('webhooks_lanes')
        .values(part.map((id) => ({ ...lane, subscription_id: id })))
        .execute()
      const rows = part.flatMap((id) =>
        events.map((event) => ({
          event,
          subscription_id: id,
          consumer_id: consumerId,
          is_matched: 1,
        })),
      )
      await trx.insertInto('webhooks_subscription_events').values(rows).execute()
    })
  }
  return ids

  function own(id: string) {
    return {
      id,
      consumer_id: consumerId,
      endpoint_url: endpointUrl,
      events: JSON.stringify(events),
      secret: box.seal('q3ZtB0eWm7Kc2Yv9Rj5Ls8Xh1Nf4Pd6A', `webhooks ${id}`),
      created_at: nowMs,
      updated_at: nowMs,
    }
  }
}

/** Finished deliveries, as months of work leave them behind. */
export async function seedDeliveries(
  db: Database,
  { subscriptionId, count }: { readonly subscriptionId: string; readonly count: number },
): Promise<void> {
  const startMs = Date.now() - 86_400_000
  for (let at = 0; at < count; at += ROWS) {
    const rows = Array.from({ length: Math.min(ROWS, count - at) }, (_, n) => ({
      ...DELIVERY,
      id: idOf(startMs, at + n),
      message_id: idOf(startMs, at + n),
      subscription_id: subscriptionId,
      sequence: -1 - at - n,
      event_at: startMs,
      created_at: startMs,
      completed_at: startMs,
    }))
    await db.main.transaction(undefined, async (tx) => {
      const trx = tx.as<Record<string, Record<string, unknown>>>()
      await trx.insertInto('webhooks_deliveries').values(rows).execute()
    })
  }
}

function idOf(nowMs: number, n: number): string {
  const time = nowMs.toString(16).padStart(12, '0')
  const number = n.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${number}`
}

const SUBSCRIPTION = {
  description: null,
  headers: '{}',
  timeout_seconds: 10,
  secret_old: null,
  secret_old_until: null,
  secret_rotated_at: null,
  source: 'subscriptions',
  probe_wanted: 0,
  probe_at: null,
  probe_status: null,
  probe_error: null,
}

const LANE = {
  is_active: 1,
  disabled_at: null,
  disabled_reason: null,
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
}

const DELIVERY = {
  event_type: 'order.created',
  is_test: 0,
  status: 'succeeded',
  epoch: 0,
  next_trigger: 'scheduled',
  attempt_count: 1,
  tries: 1,
  due_at: null,
  next_attempt_at: null,
  last_status_code: 200,
  last_error: null,
}
