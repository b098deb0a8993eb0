import { type Kysely, sql } from 'kysely'
import type { Bus, Clock, Database } from '#kernel'
import { hasStatus } from '../store/deliveries.ts'
import { lockLanes, updateLane, wakeLanes } from '../store/lanes.ts'
import type { WebhooksTables } from '../tables.ts'
import { DUE_TOPIC } from '../work-topics.ts'

interface Deps {
  readonly db: Database
  readonly clock: Clock
  readonly bus: Pick<Bus, 'publish'>
}

const PER_SECOND = 10
const SECOND_MS = 1_000
const LANES_PER_TURN = 50

/** Lets held deliveries of reactivated subscriptions go, in their order (webhooks contract §9.3). */
export function createRelease({ db, clock, bus }: Deps) {
  const reader: Kysely<WebhooksTables> = db.main.reader
  return { turn }

  /** True when more is due already. */
  async function turn(): Promise<boolean> {
    const rows = await reader
      .selectFrom('webhooks_lanes')
      .select('subscription_id')
      .where('release_at', '<=', clock.now())
      .orderBy('release_at')
      .limit(LANES_PER_TURN)
      .execute()
    for (const { subscription_id: id } of rows) await releaseSome(id)
    if (rows.length > 0) void bus.publish(DUE_TOPIC, null)
    return rows.length === LANES_PER_TURN
  }

  /** The share of one second, spread over it. */
  async function releaseSome(id: string) {
    await db.main.transaction(undefined, async (tx) => {
      const trx = tx.as<WebhooksTables>()
      const [lane] = await lockLanes(trx, db.dialect, [id])
      const nowMs = clock.now()
      if (lane?.releaseAtMs == null || lane.releaseAtMs > nowMs) return
      const held = await trx
        .selectFrom('webhooks_deliveries')
        .select('id')
        .where('subscription_id', '=', id)
        .where('status', '=', 'pending')
        .where(hasStatus('held', lane))
        .orderBy('sequence')
        .limit(PER_SECOND)
        .execute()
      for (const [at, row] of held.entries()) {
        const dueMs = nowMs + (at * SECOND_MS) / PER_SECOND
        await trx
          .updateTable('webhooks_deliveries')
          .set({
            epoch: lane.epoch,
            tries: 0,
            due_at: dueMs,
            next_attempt_at: dueMs,
            next_trigger: sql`case when next_trigger = 'manual' then next_trigger else 'scheduled' end`,
          })
          .where('id', '=', row.id)
          .execute()
      }
      // Until all of them are out they go one by one, in order.
      const isOver = held.length === 0
      await updateLane(trx, id, { release_at: isOver ? null : nowMs + SECOND_MS })
      if (held.length > 0) await wakeLanes(trx, [id], nowMs)
    })
  }
}
