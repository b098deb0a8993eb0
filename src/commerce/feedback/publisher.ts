import type { Kysely } from 'kysely'
import type { Bus } from '#bus'
import type { Database } from '#db'
import { type Event, type EventReader, SEQUENCED_TOPIC } from '#events'
import { createLedLoop, type Leases, type Loop } from '#jobs'
import type { Log, Random } from '#kernel'
import { type BrokerMessage, createBroker } from './broker.ts'
import type { FeedbackTables } from './tables.ts'

interface Deps {
  readonly db: Database
  readonly bus: Bus
  readonly leases: Leases
  readonly log: Log
  readonly random: Random
  readonly events: Pick<EventReader, 'readEvents' | 'lastSeq'>
  readonly url: string
  /** The common body of events (webhooks contract §7). */
  renderEvent(event: Event): { readonly id: string; readonly body: string }
}

const NAME = 'amqp'
const LEAD_MS = 10_000
const LOOK_EVERY_MS = 1_000
const EVENTS_AT_ONCE = 200

/**
 * Hands events to a message broker in their one order, from one node of all. How far it came is stored after the broker
 * has confirmed, so that a crash repeats messages and never loses one; while the broker is away events wait where they
 * are.
 */
export async function startPublisher(deps: Deps): Promise<Loop> {
  const { db, bus, leases, log, random, events } = deps
  const reader: Kysely<FeedbackTables> = db.main.reader
  const writer: Kysely<FeedbackTables> = db.main.writer
  const broker = createBroker(deps)
  await beginNow()
  const loop = createLedLoop({
    ...{ name: 'commerce.amqp', everyMs: LOOK_EVERY_MS, ttlMs: LEAD_MS, leases, log, random },
    wake: (wake) => bus.subscribe(SEQUENCED_TOPIC, wake),
    run: turn,
  })
  return { stop }

  /** Whoever sets a broker for the first time is told of what happens from then on. */
  async function beginNow() {
    await writer
      .insertInto('commerce_cursors')
      .values({ name: NAME, seq: await events.lastSeq() })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute()
  }

  /** True when there may be more. */
  async function turn(signal: AbortSignal): Promise<boolean> {
    await broker.connect(signal)
    const from = await position()
    const page = await events.readEvents({ after: from, limit: EVENTS_AT_ONCE })
    if (page.through === from) return false
    const shown = page.events.filter(({ exclusive }) => !exclusive)
    if (shown.length > 0) await broker.send(shown.map(toMessage), signal)
    await writer
      .updateTable('commerce_cursors')
      .set({ seq: page.through })
      .where('name', '=', NAME)
      .where('seq', '<', page.through)
      .execute()
    return page.through < page.last
  }

  async function position(): Promise<number> {
    const { seq } = await reader
      .selectFrom('commerce_cursors')
      .select('seq')
      .where('name', '=', NAME)
      .executeTakeFirstOrThrow()
    return seq
  }

  function toMessage(event: Event): BrokerMessage {
    const { type, occurredAtMs } = event
    return { type, occurredAtMs, ...deps.renderEvent(event) }
  }

  async function stop() {
    await loop.stop()
    await broker.close()
  }
}
