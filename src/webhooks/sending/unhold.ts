import type { Kysely } from 'kysely'
import type { Bus } from '#bus'
import type { Database } from '#db'
import type { Clock } from '#kernel'
import { findHeld, unholdDelivery } from '../store/deliveries.ts'
import { findLanesDue, lockLanes, updateLane, wakeLanes } from '../store/lanes.ts'
import type { WebhooksTables } from '../tables.ts'
import { DUE_TOPIC } from '../topics.ts'

interface Deps {
  readonly db: Database
  readonly clock: Clock
  readonly bus: Pick<Bus, 'publish'>
}

const PER_SECOND = 10
const SECOND_MS = 1_000
const LANES_PER_TURN = 50

/** Lets held deliveries of reactivated subscriptions go, in their order (webhooks contract §9.3). */
export function createUnhold({ db, clock, bus }: Deps) {
  const reader: Kysely<WebhooksTables> = db.main.reader
  return { turn }

  /** True when more is due already. */
  async function turn(): Promise<boolean> {
    const asked = { nowMs: clock.now(), limit: LANES_PER_TURN }
    const ids = await findLanesDue(reader, 'release_at', asked)
    for (const id of ids) await unholdSome(id)
    if (ids.length > 0) void bus.publish(DUE_TOPIC, null)
    return ids.length === LANES_PER_TURN
  }

  /** The share of one second, spread over it. */
  async function unholdSome(id: string) {
    await db.main.transaction(undefined, async (tx) => {
      const trx = tx.as<WebhooksTables>()
      const [lane] = await lockLanes(tx, db.dialect, [id])
      const nowMs = clock.now()
      if (lane?.releaseAtMs == null || lane.releaseAtMs > nowMs) return
      const held = await findHeld(trx, lane, PER_SECOND)
      for (const [at, delivery] of held.entries()) {
        const dueMs = nowMs + (at * SECOND_MS) / PER_SECOND
        await unholdDelivery(trx, delivery, { epoch: lane.epoch, dueMs })
      }
      // Until all of them are out they go one by one, in order.
      const isOver = held.length === 0
      await updateLane(trx, id, { release_at: isOver ? null : nowMs + SECOND_MS })
      if (held.length > 0) await wakeLanes(trx, [id], nowMs)
    })
  }
}
