import type { Kysely } from 'kysely'
import type { Bus } from '#bus'
import type { Alongside, Database, Tx } from '#db'
import { type Clock, type Ids, isUuid, notFound } from '#kernel'
import type { FoundPage, ListQuery } from '#paging'
import { deactivate, reactivate, resumption } from './activation.ts'
import type { Endpoints } from './endpoints.ts'
import type { EventTypes } from './event-types.ts'
import { createCheck } from './input.ts'
import { keepMasked } from './mask-headers.ts'
import { queueTest } from './queue-test.ts'
import type { Lane, Secrets, Subscription } from './records.ts'
import { tooManySubscriptions } from './refusals.ts'
import type { SecretKeeper } from './secrets.ts'
import { countActive, insertLane, lockLanes, updateLane, wakeLanes } from './store/lanes.ts'
import { cancelReplaysOf } from './store/replays.ts'
import {
  deleteSubscription,
  findSealedSecrets,
  findSubscription,
  findSubscriptions,
  insertSubscription,
  type SubscriptionFilter,
  saveEvents,
  updateSubscription,
} from './store/subscriptions.ts'
import {
  requireSome,
  type SubscriptionChange,
  type SubscriptionInput,
} from './subscription-input.ts'
import type { Source, WebhooksTables } from './tables.ts'
import { CHANGED_TOPIC, DUE_TOPIC, HOUSEKEEPING_TOPIC } from './topics.ts'

interface Deps {
  readonly db: Database
  readonly clock: Clock
  readonly ids: Ids
  readonly bus: Pick<Bus, 'publish'>
  readonly secrets: SecretKeeper
  readonly endpoints: Endpoints
  readonly eventTypes: EventTypes
  settings(): {
    readonly maxSubscriptionsPerConsumer: number
    readonly rotationWindowSeconds: number
  }
}

export interface Created {
  readonly id: string
  readonly endpointUrl: string
  readonly events: readonly string[]
  readonly eventPatterns: readonly string[]
  readonly secret: string
  readonly createdAtMs: number
}

export interface Rotation {
  readonly secret: string
  readonly validUntilMs: number
}

const DEFAULT_TIMEOUT_SECONDS = 10

/** Webhooks contract §2. Every call names its consumer: nobody reaches another one's. */
export function createSubscriptions(deps: Deps) {
  const { db, clock, ids, bus, secrets, endpoints, eventTypes, settings } = deps
  const reader: Kysely<WebhooksTables> = db.main.reader
  return { create, get, list, update, remove, rotateSecret, openSecrets, endConsumer }

  /** The secret, the row and the test delivery exist together or not at all. */
  async function create(
    consumerId: string,
    input: SubscriptionInput,
    {
      source = 'subscriptions',
      alongside,
    }: {
      readonly source?: Source
      readonly alongside?: Alongside<Created> | undefined
    } = {},
  ): Promise<Created> {
    await eventTypes.requireActive(input.events)
    endpoints.requireAllowed(input.endpointUrl)
    const { endpointUrl, events, eventPatterns = [], filter = null, includeEntry = false } = input
    const secret = input.secret ?? secrets.create()
    return db.main.transaction(undefined, async (tx) => {
      const trx = tx.as<WebhooksTables>()
      const nowMs = clock.now()
      const isActive = input.isActive ?? true
      if (isActive) await requireRoom(trx, consumerId)
      const id = ids.uuid()
      await insertSubscription(trx, {
        id,
        consumer_id: consumerId,
        endpoint_url: endpointUrl,
        description: input.description ?? null,
        events: JSON.stringify(events),
        event_patterns: JSON.stringify(eventPatterns),
        filter: filter && JSON.stringify(filter),
        include_entry: includeEntry ? 1 : 0,
        headers: JSON.stringify(input.headers ?? {}),
        timeout_seconds: input.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS,
        secret: secrets.seal(id, secret),
        secret_old: null,
        secret_old_until: null,
        secret_rotated_at: null,
        source,
        created_at: nowMs,
        updated_at: nowMs,
        probe_wanted: 1,
        probe_at: null,
        probe_status: null,
        probe_error: null,
      })
      await insertLane(trx, { ...input, id, consumerId, isActive, nowMs })
      await saveEvents(trx, { id, consumerId, events, eventPatterns, filter, includeEntry })
      await queueTest(trx, { ids, nowMs }, { subscriptionId: id, consumerId })
      const created = { id, endpointUrl, events, eventPatterns, secret, createdAtMs: nowMs }
      await alongside?.(tx, created)
      tx.afterCommit(() => tell(id, DUE_TOPIC, HOUSEKEEPING_TOPIC))
      return created
    })
  }

  async function get(consumerId: string, id: string): Promise<Subscription> {
    const found = isUuid(id)
      ? await findSubscription(reader, consumerId, id.toLowerCase())
      : undefined
    return found ?? unknownSubscription()
  }

  function list(
    consumerId: string,
    filter: SubscriptionFilter,
    query: ListQuery<string, string>,
  ): Promise<FoundPage<Subscription>> {
    return findSubscriptions(reader, consumerId, filter, query)
  }

  async function update(
    consumerId: string,
    id: string,
    change: SubscriptionChange,
  ): Promise<Subscription> {
    await get(consumerId, id)
    if (change.events) await eventTypes.requireActive(change.events)
    if (change.endpointUrl !== undefined) endpoints.requireAllowed(change.endpointUrl)
    return changeOne(consumerId, id, async (trx, subscription, nowMs) => {
      const columns = toColumns(change, subscription)
      if (Object.keys(columns).length > 0 || concernsLane(change)) {
        await updateSubscription(trx, subscription.id, { ...columns, updated_at: nowMs })
      }
      const changed = await findSubscription(trx, consumerId, subscription.id)
      if (!changed) return unknownSubscription()
      requireEntry(changed)
      if (isDispatchedAnew(change)) await saveEvents(trx, changed)
      await changeLane(trx, subscription.lane, change, nowMs)
      await switchActivity(trx, subscription.lane, change, nowMs)
      return (await findSubscription(trx, consumerId, subscription.id)) ?? unknownSubscription()
    })
  }

  /** A lane in order may have been waiting for a delivery that the others need not wait for. */
  async function changeLane(
    trx: Kysely<WebhooksTables>,
    lane: Lane,
    { isOrdered, maxPerSecond, autoResume }: SubscriptionChange,
    nowMs: number,
  ) {
    const columns = {
      ...(isOrdered === undefined ? {} : { is_ordered: isOrdered ? 1 : 0 }),
      ...(maxPerSecond === undefined ? {} : { max_per_second: maxPerSecond, next_send_at: null }),
      ...(autoResume === undefined || autoResume === lane.autoResume
        ? {}
        : {
            auto_resume: autoResume ? 1 : 0,
            ...resumption(autoResume, lane.disabledReason, nowMs),
          }),
    }
    if (Object.keys(columns).length === 0) return
    await updateLane(trx, lane.subscriptionId, columns)
    if (isOrdered !== undefined) await wakeLanes(trx, [lane.subscriptionId], nowMs)
  }

  async function switchActivity(
    trx: Kysely<WebhooksTables>,
    lane: Lane,
    { isActive, heldDeliveries }: SubscriptionChange,
    nowMs: number,
  ) {
    if (isActive === undefined || isActive === lane.isActive) return
    if (!isActive) return deactivate(trx, lane, { reason: 'manual', nowMs })
    await requireRoom(trx, lane.consumerId)
    await reactivate(trx, lane, { discard: heldDeliveries === 'discard', nowMs })
  }

  /** The lane stays until its deliveries are purged: events still count them. */
  async function remove(consumerId: string, id: string): Promise<void> {
    await changeOne(consumerId, id, async (trx, { id: own, lane }, nowMs) => {
      await deleteSubscription(trx, own)
      await cancelReplaysOf(trx, own, nowMs)
      await updateLane(trx, own, endedLane(lane, nowMs))
    })
  }

  /** The previous secret stays valid for a while, so receivers can switch without losing one. */
  async function rotateSecret(
    consumerId: string,
    id: string,
    alongside?: Alongside<Rotation>,
  ): Promise<Rotation> {
    const secret = secrets.create()
    return changeOne(consumerId, id, async (trx, subscription, nowMs, tx) => {
      const before = await findSealedSecrets(trx, subscription.id)
      const validUntilMs = nowMs + settings().rotationWindowSeconds * 1000
      await updateSubscription(trx, subscription.id, {
        secret: secrets.seal(subscription.id, secret),
        secret_old: before?.secret ?? null,
        secret_old_until: validUntilMs,
        secret_rotated_at: nowMs,
        updated_at: nowMs,
      })
      await alongside?.(tx, { secret, validUntilMs })
      return { secret, validUntilMs }
    })
  }

  async function openSecrets(consumerId: string, id: string): Promise<Secrets> {
    const { id: own } = await get(consumerId, id)
    const sealed = await findSealedSecrets(reader, own)
    return sealed ? secrets.open(sealed, clock.now()) : unknownSubscription()
  }

  /** A deleted user receives nothing more (access contract §6). */
  async function endConsumer(tx: Tx, consumerId: string): Promise<void> {
    const trx = tx.as<WebhooksTables>()
    await trx
      .updateTable('webhooks_lanes')
      .set(({ eb }) => ({
        is_active: 0,
        disabled_at: clock.now(),
        disabled_reason: 'manual',
        epoch: eb('epoch', '+', 1),
        release_at: null,
        resume_at: null,
      }))
      .where('consumer_id', '=', consumerId)
      .where('is_active', '=', 1)
      .execute()
  }

  /** Locked, so that what a delivery counts meanwhile is not overwritten. */
  async function changeOne<T>(
    consumerId: string,
    id: string,
    work: (trx: Kysely<WebhooksTables>, own: Subscription, nowMs: number, tx: Tx) => Promise<T>,
  ): Promise<T> {
    if (!isUuid(id)) unknownSubscription()
    return db.main.transaction(undefined, async (tx) => {
      const trx = tx.as<WebhooksTables>()
      await lockLanes(tx, db.dialect, [id.toLowerCase()])
      const own = await findSubscription(trx, consumerId, id.toLowerCase())
      if (!own) unknownSubscription()
      tx.afterCommit(() => tell(own.id, DUE_TOPIC, HOUSEKEEPING_TOPIC))
      return work(trx, own, clock.now(), tx)
    })
  }

  /** One at a time for each consumer: two that count beside each other would both find room. */
  async function requireRoom(trx: Kysely<WebhooksTables>, consumerId: string) {
    const limit = settings().maxSubscriptionsPerConsumer
    await db.dialect.lockName(`webhooks ${consumerId}`).execute(trx)
    if ((await countActive(trx, consumerId)) >= limit) throw tooManySubscriptions(limit)
  }

  function tell(id: string, ...topics: readonly string[]) {
    void bus.publish(CHANGED_TOPIC, id)
    for (const topic of topics) void bus.publish(topic, null)
  }
}

export type Subscriptions = ReturnType<typeof createSubscriptions>

/** What its rows for dispatch are made of. */
function isDispatchedAnew({ events, eventPatterns, filter, includeEntry }: SubscriptionChange) {
  return [events, eventPatterns, filter, includeEntry].some((member) => member !== undefined)
}

function requireEntry({ events, eventPatterns }: Subscription): void {
  const check = createCheck()
  if (events.length + eventPatterns.length === 0) requireSome(check)
  check.done()
}

function toColumns(change: SubscriptionChange, stored: Pick<Subscription, 'headers'>) {
  const { endpointUrl, events, eventPatterns, filter, includeEntry } = change
  const { description, timeoutSeconds } = change
  const check = createCheck()
  const headers = change.headers && keepMasked(check, change.headers, stored.headers)
  check.done()
  return {
    ...(eventPatterns === undefined ? {} : { event_patterns: JSON.stringify(eventPatterns) }),
    ...(filter === undefined ? {} : { filter: filter && JSON.stringify(filter) }),
    ...(includeEntry === undefined ? {} : { include_entry: includeEntry ? 1 : 0 }),
    ...(endpointUrl === undefined ? {} : { endpoint_url: endpointUrl, probe_wanted: 1 }),
    ...(events === undefined ? {} : { events: JSON.stringify(events) }),
    ...(description === undefined ? {} : { description }),
    ...(headers === undefined ? {} : { headers: JSON.stringify(headers) }),
    ...(timeoutSeconds === undefined ? {} : { timeout_seconds: timeoutSeconds }),
  }
}

function concernsLane({ isActive, isOrdered, maxPerSecond, autoResume }: SubscriptionChange) {
  return [isActive, isOrdered, maxPerSecond, autoResume].some((value) => value !== undefined)
}

/** What still waited is cancelled, by one changed number as for deactivation. */
function endedLane({ epoch }: Lane, nowMs: number) {
  return {
    is_active: 0,
    epoch: epoch + 1,
    cancelled_epoch: epoch + 1,
    release_at: null,
    resume_at: null,
    due_at: null,
    removed_at: nowMs,
  }
}

function unknownSubscription(): never {
  throw notFound('subscription')
}
