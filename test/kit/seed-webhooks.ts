import type { Database } from '#db'

export const SEED_MASTER_KEY = 'b'.repeat(64)

type Row = Readonly<Record<string, unknown>>

const ROWS = 200

/**
 * Copies of a subscription that was made over HTTP, which for many of them would take minutes. They
 * have secrets of their own. The server must not be running, and its master key must be the one above.
 */
export async function seedSubscriptions(
  db: Database,
  { like, count }: { readonly like: string; readonly count: number },
): Promise<string[]> {
  // Hardly a test file needs it, and it takes half a second to load.
  const { createSecretBox } = await import('#secrets')
  const { random } = await import('#kernel')
  const box = createSecretBox({ current: Buffer.from(SEED_MASTER_KEY, 'hex'), random })
  const ids = Array.from({ length: count }, (_, n) => idOf(Date.now(), n))
  const subscription = await model('webhooks_subscriptions', 'id')
  const lane = await model('webhooks_lanes', 'subscription_id')
  const event = await model('webhooks_subscription_events', 'subscription_id')
  for (let at = 0; at < count; at += ROWS) {
    const part = ids.slice(at, at + ROWS)
    await insert(db, {
      webhooks_subscriptions: part.map((id) => ({ ...subscription, id, secret: sealed(id) })),
      webhooks_lanes: part.map((id) => ({ ...lane, ...FREE, subscription_id: id })),
      webhooks_subscription_events: part.map((id) => ({ ...event, subscription_id: id })),
    })
  }
  return ids

  async function model(table: string, key: string): Promise<Row> {
    return db.main.reader
      .selectFrom(table)
      .selectAll()
      .where(key, '=', like)
      .executeTakeFirstOrThrow()
  }

  function sealed(id: string): string {
    return box.seal('q3ZtB0eWm7Kc2Yv9Rj5Ls8Xh1Nf4Pd6A', `webhooks ${id}`)
  }
}

async function insert(db: Database, rows: Record<string, readonly Row[]>): Promise<void> {
  await db.main.transaction(undefined, async (tx) => {
    const trx = tx.as<Record<string, Row>>()
    for (const [table, values] of Object.entries(rows)) {
      await trx.insertInto(table).values(values).execute()
    }
  })
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
    await insert(db, { webhooks_deliveries: rows })
  }
}

function idOf(nowMs: number, n: number): string {
  const time = nowMs.toString(16).padStart(12, '0')
  const number = n.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${number}`
}

/** Nobody works on it, and nothing waits. */
const FREE = { lease_owner: null, lease_until: null, due_at: null, last_delivery_at: null }

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
