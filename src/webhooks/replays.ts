import { type Kysely, sql } from 'kysely'
import type { Bus } from '#bus'
import type { Alongside, Database } from '#db'
import type { EventReader } from '#events'
import { type Clock, conflict, type Ids, invalid, isUuid, notFound } from '#kernel'
import { audienceOf } from './audience.ts'
import { patternsFor } from './event-patterns.ts'
import type { EventTypes } from './event-types.ts'
import { createCheck, parseNames, parseObject, parseTimeField } from './input.ts'
import { ANY_EVENT, type Consumer, type Lane, type Replay, type Subscription } from './records.ts'
import { subscriptionInactive } from './refusals.ts'
import { hasStatus } from './store/deliveries.ts'
import { findReplay, insertReplay } from './store/replays.ts'
import type { Subscriptions } from './subscriptions.ts'
import type { ReplayScope, WebhooksTables } from './tables.ts'
import { HOUSEKEEPING_TOPIC } from './topics.ts'

interface Deps {
  readonly db: Database
  readonly clock: Clock
  readonly ids: Ids
  readonly bus: Pick<Bus, 'publish'>
  readonly events: EventReader
  readonly eventTypes: EventTypes
  readonly subscriptions: Pick<Subscriptions, 'get'>
  settings(): { readonly retentionDays: number }
}

export interface ReplayRequest {
  readonly sinceMs: number
  readonly untilMs: number | null
  readonly scope: ReplayScope
  readonly eventTypes: readonly string[] | null
}

export interface StartedReplay {
  readonly id: string
  readonly scope: ReplayScope
  readonly matched: number
  readonly status: 'running'
}

const DAY_MS = 86_400_000
const SCOPES: readonly ReplayScope[] = ['failed', 'missed', 'all']
const MAX_TYPES = 200

/** Webhooks contract §6: the deliveries themselves are queued in the background. */
export function createReplays(deps: Deps) {
  const { db, clock, ids, bus, events, eventTypes, subscriptions, settings } = deps
  const reader: Kysely<WebhooksTables> = db.main.reader
  return { start, get }

  async function start(
    consumer: Consumer,
    subscriptionId: string,
    request: ReplayRequest,
    alongside?: Alongside<StartedReplay>,
  ): Promise<StartedReplay> {
    const subscription = await subscriptions.get(consumer.id, subscriptionId)
    const nowMs = clock.now()
    requireWindow(request, nowMs)
    if (request.eventTypes) await eventTypes.requireNamed(request.eventTypes)
    if (!subscription.lane.isActive) throw subscriptionInactive()
    const window = { ...request, untilMs: Math.min(request.untilMs ?? nowMs, nowMs) }
    const id = ids.uuid()
    const matched = await count(consumer, subscription, window)
    const started = { id, scope: window.scope, matched, status: 'running' } as const
    try {
      await db.main.write(async (tx) => {
        await insertReplay(tx.as<WebhooksTables>(), {
          id,
          subscription_id: subscription.id,
          consumer_id: consumer.id,
          scope: window.scope,
          since: window.sinceMs,
          until: window.untilMs,
          event_types: window.eventTypes && JSON.stringify(window.eventTypes),
          status: 'running',
          matched,
          processed: 0,
          phase: window.scope === 'missed' ? 'events' : 'deliveries',
          after_id: null,
          created_at: nowMs,
          completed_at: null,
        })
        await alongside?.(tx, started)
        return () => {}
      })
    } catch (error) {
      if (!db.dialect.isUniqueViolation(error)) throw error
      throw conflict('replay_running', 'A replay of this subscription is still running')
    }
    void bus.publish(HOUSEKEEPING_TOPIC, null)
    return started
  }

  async function get(consumerId: string, subscriptionId: string, id: string): Promise<Replay> {
    const { id: own } = await subscriptions.get(consumerId, subscriptionId)
    const found = isUuid(id) ? await findReplay(reader, own, id.toLowerCase()) : undefined
    if (!found) throw notFound('replay')
    return found
  }

  function requireWindow({ sinceMs, untilMs }: ReplayRequest, nowMs: number) {
    const check = createCheck()
    const oldestMs = nowMs - settings().retentionDays * DAY_MS
    if (sinceMs > nowMs) check.refuse('since', 'range', 'must not be in the future')
    if (sinceMs < oldestMs) check.refuse('since', 'range', 'must not be older than the retention')
    if (untilMs !== null && untilMs < sinceMs)
      check.refuse('until', 'range', 'must not be before since')
    check.done()
  }

  async function count(
    consumer: Consumer,
    subscription: Subscription,
    window: ReplayRequest & { readonly untilMs: number },
  ): Promise<number> {
    const again = window.scope === 'missed' ? 0 : await countDeliveries(subscription.lane, window)
    const missed = window.scope === 'failed' ? 0 : await countMissed(consumer, subscription, window)
    return again + missed
  }

  async function countDeliveries(
    lane: Lane,
    { scope, sinceMs, untilMs, eventTypes: types }: ReplayRequest & { readonly untilMs: number },
  ): Promise<number> {
    const { count } = await reader
      .selectFrom('webhooks_deliveries')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('subscription_id', '=', lane.subscriptionId)
      .where('is_test', '=', 0)
      .where(isReplayed(scope, lane))
      .where('created_at', '>=', sinceMs)
      .where('created_at', '<=', untilMs)
      .$if(types !== null, (query) => query.where('event_type', 'in', types ?? []))
      .executeTakeFirstOrThrow()
    return count
  }

  /** Events of the window less those that have a delivery. */
  async function countMissed(
    consumer: Consumer,
    subscription: Subscription,
    { sinceMs, untilMs, eventTypes: types }: ReplayRequest & { readonly untilMs: number },
  ): Promise<number> {
    const known = await eventTypes.visibilities()
    const wanted = typesToReplay(
      subscription,
      types,
      known.map(({ name }) => name),
    )
    const all = await events.countEvents({
      audience: audienceOf(consumer, known),
      types: wanted,
      createdFromMs: sinceMs,
      createdBeforeMs: untilMs + 1,
    })
    const { count } = await reader
      .selectFrom('webhooks_deliveries')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('subscription_id', '=', subscription.id)
      .where('is_test', '=', 0)
      .where('event_at', '>=', sinceMs)
      .where('event_at', '<=', untilMs)
      .$if(wanted !== undefined, (query) =>
        query.where(sql<boolean>`event_type in (${sql.join(wanted ?? [])})`),
      )
      .executeTakeFirstOrThrow()
    return Math.max(0, all - count)
  }
}

export type Replays = ReturnType<typeof createReplays>

/** Which deliveries a scope repeats. */
export function isReplayed(scope: ReplayScope, lane: Pick<Lane, 'epoch' | 'cancelledEpoch'>) {
  const open = sql<boolean>`(${hasStatus('failed', lane)} or ${hasStatus('held', lane)})`
  return scope === 'all' ? sql<boolean>`(${open} or status = 'succeeded')` : open
}

/** Undefined: all types. Never empty; the empty name is nobody's. */
export function typesToReplay(
  { events, eventPatterns }: Pick<Subscription, 'events' | 'eventPatterns'>,
  asked: readonly string[] | null,
  known: readonly string[],
): readonly string[] | undefined {
  if ([...events, ...eventPatterns].includes(ANY_EVENT)) return asked ?? undefined
  const patterns = new Set(eventPatterns)
  const isSubscribed = (name: string) =>
    events.includes(name) || patternsFor(name).some((pattern) => patterns.has(pattern))
  const both = (asked ?? [...new Set([...events, ...known])]).filter(isSubscribed)
  return both.length > 0 ? both : ['']
}

export function parseReplay(given: unknown): ReplayRequest {
  const body = parseObject(given)
  const check = createCheck()
  const sinceMs = parseTimeField(check, body, 'since')
  if (body['since'] === undefined || body['since'] === null) {
    check.refuse('since', 'required', 'is required')
  }
  const untilMs = parseTimeField(check, body, 'until')
  const scope = SCOPES.find((name) => name === (body['scope'] ?? 'failed'))
  if (!scope) check.refuse('scope', 'enum', `must be one of ${SCOPES.join(', ')}`)
  const types = body['event_types']
  const eventTypes =
    types === undefined || types === null
      ? null
      : parseNames(check, 'event_types', types, MAX_TYPES)
  check.done()
  if (!scope || typeof sinceMs !== 'number') throw invalid([])
  return { sinceMs, untilMs: untilMs ?? null, scope, eventTypes: eventTypes ?? null }
}
