import type { Kysely } from 'kysely'
import type { Bus } from '#bus'
import type { Database } from '#db'
import { backoffMs } from '#jobs'
import type { Clock, Ids, Random } from '#kernel'
import { RESUME_PAUSES } from '../activation.ts'
import { queueTest } from '../queue-test.ts'
import { findLanesDue, lockLanes, updateLane } from '../store/lanes.ts'
import type { WebhooksTables } from '../tables.ts'
import { DUE_TOPIC } from '../topics.ts'

interface Deps {
  readonly db: Database
  readonly clock: Clock
  readonly ids: Ids
  readonly random: Random
  readonly bus: Pick<Bus, 'publish'>
}

const LANES_PER_TURN = 50

/**
 * Tries endpoints that were disabled after failures and are to go on by themselves. It sends the
 * test event, because only a signed request tells whether the receiver works; a success reactivates
 * the subscription where it is recorded.
 */
export function createResume({ db, clock, ids, random, bus }: Deps) {
  const reader: Kysely<WebhooksTables> = db.main.reader
  return { turn }

  /** True when more is due already. */
  async function turn(): Promise<boolean> {
    const asked = { nowMs: clock.now(), limit: LANES_PER_TURN }
    const due = await findLanesDue(reader, 'resume_at', asked)
    for (const id of due) await tryOne(id)
    if (due.length > 0) void bus.publish(DUE_TOPIC, due)
    return due.length === LANES_PER_TURN
  }

  async function tryOne(id: string) {
    await db.main.transaction(undefined, async (tx) => {
      const trx = tx.as<WebhooksTables>()
      const [lane] = await lockLanes(tx, db.dialect, [id])
      const nowMs = clock.now()
      if (!lane || lane.isActive || !lane.autoResume) {
        await updateLane(trx, id, { resume_at: null })
        return
      }
      const tries = lane.resumeTries + 1
      await queueTest(trx, { ids, nowMs }, { subscriptionId: id, consumerId: lane.consumerId })
      await updateLane(trx, id, {
        resume_tries: tries,
        resume_at: nowMs + backoffMs(tries + 1, RESUME_PAUSES, random),
      })
    })
  }
}
