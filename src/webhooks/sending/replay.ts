import type { Kysely } from 'kysely'
import type { Bus } from '#bus'
import type { Database, Tx } from '#db'
import type { Event, EventReader } from '#events'
import type { Clock, Ids } from '#kernel'
import { audienceOf } from '../audience.ts'
import type { EntryTexts } from '../entry-texts.ts'
import type { Consumer, Lane, Replay } from '../records.ts'
import { isReplayed, typesToReplay } from '../replays.ts'
import { findVisibilities } from '../store/event-types.ts'
import { lockLanes, wakeLanes } from '../store/lanes.ts'
import { isWanted } from '../store/matching.ts'
import { findRunningReplays, updateRunning } from '../store/replays.ts'
import { findSubscription } from '../store/subscriptions.ts'
import type { WebhooksTables } from '../tables.ts'
import { DUE_TOPIC } from '../topics.ts'
import { createDeliveryMaker, isTooEarly } from './create-deliveries.ts'
import { isAbout, readPosition } from './dispatch.ts'

interface Deps {
  readonly db: Database
  readonly clock: Clock
  readonly ids: Ids
  readonly bus: Pick<Bus, 'publish'>
  readonly events: Pick<EventReader, 'listEvents'>
  readonly entryTexts: EntryTexts
  findConsumer(id: string): Promise<Consumer | undefined>
}

interface Found {
  readonly page: readonly Event[]
  readonly wanted: readonly Event[]
  /** The data with the entry, by event, for a subscription that gets it. */
  readonly texts: ReadonlyMap<string, string>
}

type Db = Kysely<WebhooksTables>

const REPLAYS_PER_TURN = 20
const ROWS_PER_STEP = 200

/** Carries replays out, in steps whose progress is stored with what they did. */
export function createReplayWork(deps: Deps) {
  const { db, clock, ids, bus, events, entryTexts, findConsumer } = deps
  const reader: Db = db.main.reader
  const createDeliveries = createDeliveryMaker({ dialect: db.dialect, ids })
  return { turn }

  /** True when there is more to do. */
  async function turn(): Promise<boolean> {
    const running = await findRunningReplays(reader, REPLAYS_PER_TURN)
    for (const replay of running) {
      if (replay.phase === 'deliveries') await repeatDeliveries(replay)
      else await fetchMissed(replay)
    }
    if (running.length > 0) void bus.publish(DUE_TOPIC, null)
    return running.length > 0
  }

  async function repeatDeliveries(replay: Replay) {
    await onLane(replay, async (trx, lane, nowMs) => {
      const rows = await findRows(trx, replay, lane)
      if (rows.length > 0) {
        await trx
          .updateTable('webhooks_deliveries')
          .set({
            status: 'pending',
            epoch: lane.epoch,
            next_trigger: 'replay',
            tries: 0,
            due_at: nowMs,
            next_attempt_at: nowMs,
            completed_at: null,
          })
          .where('id', 'in', rows)
          .execute()
        await wakeLanes(trx, [lane.subscriptionId], nowMs)
      }
      await advance(trx, replay, rows.length, rows.at(-1) ?? null, nowMs)
    })
  }

  function findRows(trx: Db, replay: Replay, lane: Lane): Promise<string[]> {
    const { scope, sinceMs, untilMs, eventTypes: types, afterId } = replay
    return trx
      .selectFrom('webhooks_deliveries')
      .select('id')
      .where('subscription_id', '=', lane.subscriptionId)
      .where('is_test', '=', 0)
      .where(isReplayed(scope, lane))
      .where('created_at', '>=', sinceMs)
      .where('created_at', '<=', untilMs)
      .$if(types !== null, (query) => query.where('event_type', 'in', types ?? []))
      .$if(afterId !== null, (query) => query.where('id', '>', afterId ?? ''))
      .orderBy('id')
      .limit(ROWS_PER_STEP)
      .execute()
      .then((rows) => rows.map(({ id }) => id))
  }

  async function fetchMissed(replay: Replay) {
    const { page, wanted, texts } = await findEvents(replay)
    await onLane(replay, async (trx, lane, nowMs, tx) => {
      const missed = await withoutDelivery(trx, lane, wanted)
      const { subscriptionId } = lane
      const recipients = missed.map((event) => ({
        event,
        subscriptionId,
        withEntry: texts.get(event.id) ?? null,
      }))
      await createDeliveries(tx, recipients, { nowMs, trigger: 'replay' })
      const isLast = page.length < ROWS_PER_STEP
      await advance(trx, replay, missed.length, isLast ? null : (page.at(-1)?.id ?? null), nowMs)
    })
  }

  /** What is still to be dispatched to it is left to that. */
  async function findEvents(replay: Replay): Promise<Found> {
    const { consumerId, subscriptionId, sinceMs, untilMs, afterId } = replay
    const consumer = await findConsumer(consumerId)
    const subscription = await findSubscription(reader, consumerId, subscriptionId)
    if (!consumer || !subscription) return { page: [], wanted: [], texts: new Map() }
    const { seq: dispatched } = await readPosition(reader)
    const types = await findVisibilities(reader)
    const page = await events.listEvents({
      audience: audienceOf(
        consumer,
        types.filter(({ isActive }) => isActive),
      ),
      types: typesToReplay(
        subscription,
        replay.eventTypes,
        types.map(({ name }) => name),
      ),
      createdFromMs: sinceMs,
      createdBeforeMs: untilMs + 1,
      beyondId: afterId,
      order: 'asc',
      limit: ROWS_PER_STEP,
    })
    const wanted = page.filter((event) => {
      const isDispatched = event.seq > 0 && event.seq <= dispatched
      if (!isDispatched && !isTooEarly(event, subscription.lane)) return false
      return !isAbout(event, subscriptionId) && isWanted(subscription, event.payload)
    })
    const texts = new Map<string, string>()
    for (const event of subscription.includeEntry ? wanted : []) {
      const text = (await entryTexts.of(event, [consumerId])).get(consumerId)
      if (text !== undefined) texts.set(event.id, text)
    }
    return { page, wanted, texts }
  }

  async function withoutDelivery(trx: Db, lane: Lane, page: readonly Event[]): Promise<Event[]> {
    if (page.length === 0) return []
    const rows = await trx
      .selectFrom('webhooks_deliveries')
      .select('message_id')
      .where('subscription_id', '=', lane.subscriptionId)
      .where(
        'message_id',
        'in',
        page.map(({ id }) => id),
      )
      .execute()
    const present = new Set(rows.map((row) => row.message_id))
    return page.filter(({ id }) => !present.has(id))
  }

  /** A subscription that was deleted or deactivated meanwhile ends its replay. */
  async function onLane(
    replay: Replay,
    work: (trx: Db, lane: Lane, nowMs: number, tx: Tx) => Promise<void>,
  ) {
    await db.main.transaction(undefined, async (tx) => {
      const trx = tx.as<WebhooksTables>()
      const [lane] = await lockLanes(tx, db.dialect, [replay.subscriptionId])
      const nowMs = clock.now()
      if (lane?.isActive) return work(trx, lane, nowMs, tx)
      await updateRunning(trx, replay.id, { status: 'cancelled', completed_at: nowMs })
    })
  }

  /** `afterId` null ends the phase. */
  async function advance(
    trx: Db,
    { id, scope, phase, processed }: Replay,
    count: number,
    afterId: string | null,
    nowMs: number,
  ) {
    const done = processed + count
    if (afterId !== null) return updateRunning(trx, id, { processed: done, after_id: afterId })
    if (phase === 'deliveries' && scope === 'all') {
      return updateRunning(trx, id, { processed: done, phase: 'events', after_id: null })
    }
    // What a filter let through is known only now.
    await updateRunning(trx, id, {
      processed: done,
      ...(scope === 'failed' ? {} : { matched: done }),
      status: 'completed',
      completed_at: nowMs,
    })
  }
}
