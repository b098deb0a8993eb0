import { setTimeout as delay } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Bus } from '#bus'
import type { Alongside, Database } from '#db'
import { type Clock, type Ids, isUuid, notFound } from '#kernel'
import type { FoundPage, ListQuery } from '#paging'
import { type Message, messageIdOf } from './body.ts'
import type { EventTypes } from './event-types.ts'
import { queueTest } from './queue-test.ts'
import { ALWAYS, type Attempt, type Delivery, statusOf, TEST_EVENT } from './records.ts'
import {
  type DeliveryFilter,
  findAttempts,
  findDeliveries,
  findDeliveriesOf,
  findDelivery,
  findMessages,
  toDelivery,
  updateDelivery,
} from './store/deliveries.ts'
import { guardLanes, lockLanes, wakeLanes } from './store/lanes.ts'
import type { Subscriptions } from './subscriptions.ts'
import type { WebhooksTables } from './tables.ts'
import { DONE_TOPIC, DUE_TOPIC } from './topics.ts'

interface Deps {
  readonly db: Database
  readonly clock: Clock
  readonly ids: Ids
  readonly bus: Pick<Bus, 'publish' | 'subscribe'>
  readonly subscriptions: Pick<Subscriptions, 'get'>
  readonly eventTypes: EventTypes
}

/** A delivery with what is shown of it. */
export interface ShownDelivery {
  readonly delivery: Delivery
  readonly message: Message | undefined
  readonly attempts: readonly Attempt[]
}

export interface QueuedTest {
  readonly deliveryId: string
  readonly eventType: string
}

export interface Stats {
  readonly pending: number
  readonly succeeded: number
  readonly failed: number
  readonly held: number
  readonly p50Ms: number | null
  readonly p95Ms: number | null
  readonly oldestPendingAtMs: number | null
}

/** When the notice of an outcome is lost, it is looked up after this time. */
const LOOK_AGAIN_MS = 250
const DAY_MS = 86_400_000
/** So many of the latest attempts are enough for a percentile. */
const MEASURED_ATTEMPTS = 10_000

/** Webhooks contract §2.7 and §6. */
export function createDeliveries({ db, clock, ids, bus, subscriptions, eventTypes }: Deps) {
  const reader: Kysely<WebhooksTables> = db.main.reader
  return { list, listOf, get, withDetails, resend, test, waitFor, stats }

  async function list(
    consumerId: string,
    subscriptionId: string,
    filter: DeliveryFilter,
    query: ListQuery<string, string>,
  ): Promise<FoundPage<Delivery>> {
    const { lane } = await subscriptions.get(consumerId, subscriptionId)
    return findDeliveries(reader, lane, filter, query)
  }

  /** Over all subscriptions of a consumer; null: of everybody. */
  function listOf(
    consumerId: string | null,
    filter: DeliveryFilter,
    query: ListQuery<string, string>,
  ): Promise<FoundPage<Delivery>> {
    return findDeliveriesOf(reader, consumerId, filter, query)
  }

  async function get(consumerId: string, subscriptionId: string, id: string) {
    const { lane } = await subscriptions.get(consumerId, subscriptionId)
    const row = isUuid(id)
      ? await findDelivery(reader, lane.subscriptionId, id.toLowerCase())
      : undefined
    if (!row) throw notFound('delivery')
    const [shown] = await withDetails([toDelivery(row, lane)])
    if (!shown) throw notFound('delivery')
    return shown
  }

  /** One attempt now, whatever became of the delivery or its subscription; it is not counted. */
  async function resend(
    consumerId: string,
    subscriptionId: string,
    id: string,
    alongside?: Alongside<void>,
  ): Promise<void> {
    const { delivery } = await get(consumerId, subscriptionId, id)
    await db.main.transaction(undefined, async (tx) => {
      const trx = tx.as<WebhooksTables>()
      const [lane] = await lockLanes(tx, db.dialect, [delivery.subscriptionId])
      const row = await findDelivery(trx, delivery.subscriptionId, delivery.id)
      if (!lane || !row) throw notFound('delivery')
      const nowMs = clock.now()
      await updateDelivery(trx, row.id, {
        // Stored from now on, since the epoch no longer tells.
        status: statusOf(row, lane),
        epoch: ALWAYS,
        next_trigger: row.is_test === 1 ? 'test' : 'manual',
        due_at: nowMs,
      })
      await wakeLanes(trx, [lane.subscriptionId], nowMs)
      await alongside?.(tx)
      tx.afterCommit(() => bus.publish(DUE_TOPIC, null))
    })
  }

  async function test(
    consumerId: string,
    subscriptionId: string,
    eventType: string | undefined,
    alongside?: Alongside<QueuedTest>,
  ): Promise<QueuedTest> {
    const { id, consumerId: owner } = await subscriptions.get(consumerId, subscriptionId)
    if (eventType !== undefined) await eventTypes.requireNamed([eventType])
    const example = eventType === undefined ? undefined : await exampleOf(eventType)
    const type = eventType ?? TEST_EVENT
    return db.main.write(async (tx) => {
      const trx = tx.as<WebhooksTables>()
      const [lane] = await lockLanes(tx, db.dialect, [id])
      if (!lane) throw notFound('subscription')
      guardLanes(tx, db.dialect, [lane], {})
      tx.afterCommit(() => bus.publish(DUE_TOPIC, null))
      const nowMs = clock.now()
      const test = { subscriptionId: id, consumerId: owner, type, data: example }
      const queued = { deliveryId: await queueTest(trx, { ids, nowMs }, test), eventType: type }
      await alongside?.(tx, queued)
      return () => queued
    })
  }

  async function exampleOf(name: string): Promise<unknown> {
    const { examplePayload } = await eventTypes.get(name)
    return examplePayload ?? {}
  }

  /** Resolves when the delivery was attempted, or when the time is over. */
  async function waitFor(subscriptionId: string, id: string, withinMs: number): Promise<void> {
    const done = new AbortController()
    const unsubscribe = bus.subscribe(DONE_TOPIC, (told) => {
      if (told === id) done.abort()
    })
    const endMs = performance.now() + withinMs
    try {
      while (!done.signal.aborted && performance.now() < endMs) {
        const row = await findDelivery(reader, subscriptionId, id)
        if (!row || row.attempt_count > 0) return
        await delay(LOOK_AGAIN_MS, undefined, { signal: done.signal }).catch(() => {})
      }
    } finally {
      unsubscribe()
    }
  }

  /** The last 24 hours, and all that still waits. */
  async function stats(consumerId: string, subscriptionId: string): Promise<Stats> {
    const { lane } = await subscriptions.get(consumerId, subscriptionId)
    const own = reader
      .selectFrom('webhooks_deliveries')
      .where('subscription_id', '=', lane.subscriptionId)
    const sinceMs = clock.now() - DAY_MS
    const counts = await own
      .select(['status', 'epoch', 'is_test'])
      .select(({ fn }) => [fn.countAll<number>().as('count'), fn.min('created_at').as('oldest_at')])
      .where((e) => e.or([e('status', '=', 'pending'), e('completed_at', '>=', sinceMs)]))
      .groupBy(['status', 'epoch', 'is_test'])
      .execute()
    const total = (status: string) =>
      counts.reduce((sum, row) => (statusOf(row, lane) === status ? sum + row.count : sum), 0)
    const waiting = counts.filter((row) => statusOf(row, lane) === 'pending')
    const durations = await findDurations(lane.subscriptionId, sinceMs)
    return {
      pending: total('pending'),
      succeeded: total('succeeded'),
      failed: total('failed'),
      held: total('held'),
      p50Ms: percentile(durations, 0.5),
      p95Ms: percentile(durations, 0.95),
      oldestPendingAtMs: waiting.length > 0 ? Math.min(...waiting.map((r) => r.oldest_at)) : null,
    }
  }

  async function findDurations(subscriptionId: string, sinceMs: number): Promise<number[]> {
    const rows = await reader
      .selectFrom('webhooks_deliveries')
      .innerJoin('webhooks_attempts', 'webhooks_attempts.delivery_id', 'webhooks_deliveries.id')
      .select('duration_ms')
      .where('subscription_id', '=', subscriptionId)
      .where('started_at', '>=', sinceMs)
      .orderBy('webhooks_deliveries.id', 'desc')
      .limit(MEASURED_ATTEMPTS)
      .execute()
    return rows.map((row) => row.duration_ms).sort((a, b) => a - b)
  }

  async function withDetails(deliveries: readonly Delivery[]): Promise<ShownDelivery[]> {
    const [messages, attempts] = await Promise.all([
      findMessages(reader, [...new Set(deliveries.map(textOf))]),
      findAttempts(
        reader,
        deliveries.map(({ id }) => id),
      ),
    ])
    return deliveries.map((delivery) => ({
      delivery,
      message: messages.get(textOf(delivery)),
      attempts: attempts.get(delivery.id) ?? [],
    }))
  }
}

export type Deliveries = ReturnType<typeof createDeliveries>

function textOf({ messageId, withEntry }: Delivery): string {
  return messageIdOf(messageId, withEntry)
}

function percentile(sorted: readonly number[], part: number): number | null {
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? null
}
