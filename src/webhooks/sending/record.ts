import { type Insertable, type Kysely, sql } from 'kysely'
import type { Clock, Database, Ids, Log, NewEvent, Random, Tx } from '#kernel'
import { deactivate } from '../activation.ts'
import { maskHeaders } from '../mask-headers.ts'
import { ALWAYS, type Lane } from '../records.ts'
import { lockLanes, updateLane } from '../store/lanes.ts'
import { insertNotification } from '../store/notifications.ts'
import { createRepeatedInsert } from '../store/repeated-insert.ts'
import type { WebhooksTables } from '../tables.ts'
import { afterFailure, type Tally, tally } from './judgement.ts'
import { ownerNotice, ownerWarning } from './owner-notices.ts'
import type { DeliverySettings, Outcome } from './types.ts'

interface Deps {
  readonly db: Database
  readonly clock: Clock
  readonly ids: Ids
  readonly random: Random
  readonly log: Log
  /** The name of this process. */
  readonly owner: string
  settings(): DeliverySettings
  appendEvents(tx: Tx, events: readonly NewEvent[]): Promise<unknown>
}

type Db = Kysely<WebhooksTables>
type AttemptRow = Insertable<WebhooksTables['webhooks_attempts']>

export interface Recorded {
  /** The failures in a row of each lane that is still ours. */
  readonly failureCounts: ReadonlyMap<string, number>
}

/** A lane to be given back: nothing of it is under way. */
export interface Released {
  readonly id: string
  readonly claim: { readonly holder: string }
}

/**
 * Writes down what attempts came to: attempt, delivery and counters in one transaction (webhooks
 * contract §5.1). What belongs to a lane that meanwhile became another node's is left out; that node
 * repeats it.
 */
export function createRecorder(deps: Deps) {
  const { db, clock, random, log, owner, settings } = deps
  const insertAttempts = createRepeatedInsert(attemptsInsert)
  return { record }

  async function record(
    outcomes: readonly Outcome[],
    released: readonly Released[],
  ): Promise<Recorded> {
    const ids = new Set([...outcomes.map(({ lane }) => lane.id), ...released.map(({ id }) => id)])
    return db.main.transaction(undefined, async (tx) => {
      const trx = tx.as<WebhooksTables>()
      const locked = await lockLanes(trx, db.dialect, [...ids])
      // A lane that this process claimed anew meanwhile is still ours.
      const lanes = locked.filter(({ leaseOwner }) => leaseOwner?.startsWith(`${owner}/`))
      const own = new Map(lanes.map((lane) => [lane.subscriptionId, lane]))
      const kept = outcomes.filter(({ lane }) => own.has(lane.id))
      if (kept.length < outcomes.length) {
        log.warn({ lost: outcomes.length - kept.length }, 'attempts belong to another node now')
      }
      const nowMs = clock.now()
      await insertAttempts(trx, kept.map(toRow))
      await saveSuccesses(trx, kept, nowMs)
      await saveFailures(trx, kept, own, nowMs)
      const failureCounts = await saveCounts(tx, kept, lanes, nowMs)
      await giveBack(
        trx,
        released.flatMap(({ id, claim }) => (own.get(id)?.leaseOwner === claim.holder ? [id] : [])),
      )
      return { failureCounts }
    })
  }

  /** The usual case: all that differs is the status code, so few statements do for many rows. */
  async function saveSuccesses(trx: Db, kept: readonly Outcome[], nowMs: number) {
    const delivered = kept.filter(({ attempted }) => attempted.error === null)
    const groups = Map.groupBy(delivered, ({ due, attempted }) =>
      [attempted.response?.status, due.trigger === 'manual'].join(),
    )
    for (const group of groups.values()) {
      const [first] = group
      if (!first) continue
      await trx
        .updateTable('webhooks_deliveries')
        .set((e) => ({
          status: 'succeeded',
          due_at: first.due.trigger === 'manual' ? null : unlessResent('null'),
          next_trigger: first.due.trigger === 'manual' ? 'scheduled' : e.ref('next_trigger'),
          next_attempt_at: null,
          completed_at: nowMs,
          attempt_count: e('attempt_count', '+', 1),
          tries: e('tries', '+', 1),
          last_status_code: first.attempted.response?.status ?? null,
          last_error: null,
        }))
        .where(
          'id',
          'in',
          group.map(({ due }) => due.id),
        )
        .execute()
    }
  }

  async function saveFailures(
    trx: Db,
    kept: readonly Outcome[],
    lanes: ReadonlyMap<string, Lane>,
    nowMs: number,
  ) {
    for (const { lane, due, attempted } of kept) {
      const state = lanes.get(lane.id)
      if (attempted.error === null || !state) continue
      const circumstances = { nowMs, random, settings: settings() }
      const change = afterFailure(due, attempted, state, circumstances)
      const isManual = due.trigger === 'manual'
      await trx
        .updateTable('webhooks_deliveries')
        .set((e) => ({
          ...change,
          due_at: isManual ? change.due_at : unlessResent(change.due_at),
          epoch: isManual ? change.epoch : epochUnlessResent(change.epoch),
          next_trigger: isManual ? 'scheduled' : e.ref('next_trigger'),
          attempt_count: e('attempt_count', '+', 1),
          last_status_code: attempted.response?.status ?? null,
          last_error: JSON.stringify(attempted.error),
        }))
        .where('id', '=', due.id)
        .execute()
    }
  }

  async function saveCounts(
    tx: Tx,
    kept: readonly Outcome[],
    lanes: readonly Lane[],
    nowMs: number,
  ): Promise<Map<string, number>> {
    const trx = tx.as<WebhooksTables>()
    const byLane = Map.groupBy(kept, ({ lane }) => lane.id)
    const healthy: string[] = []
    const counts = new Map<string, number>()
    for (const lane of lanes) {
      const results = byLane.get(lane.subscriptionId) ?? []
      const counted = tally(lane, results, settings(), nowMs)
      counts.set(lane.subscriptionId, counted.failureCount)
      if (results.length === 0) continue
      if (counted.failureCount === 0 && lane.failureCount === 0) healthy.push(lane.subscriptionId)
      else await saveCount(trx, lane, counted)
      if (counted.disabled || counted.warnings.length > 0) {
        await tellOwner(tx, lane, counted, results, nowMs)
      }
    }
    if (healthy.length > 0) {
      await trx
        .updateTable('webhooks_lanes')
        .set({ last_delivery_at: nowMs })
        .where('subscription_id', 'in', healthy)
        .execute()
    }
    return counts
  }

  async function tellOwner(
    tx: Tx,
    lane: Lane,
    counted: Tally,
    results: readonly Outcome[],
    nowMs: number,
  ) {
    const trx = tx.as<WebhooksTables>()
    const last = results.findLast(({ attempted }) => attempted.error !== null)
    const error = last?.attempted.error ?? null
    const url = last?.attempted.url ?? ''
    const about = { lane, url, error, nowMs }
    const warnings = counted.warnings.map((count) => ownerWarning(about, count))
    if (!counted.disabled) {
      await deps.appendEvents(tx, warnings)
      return
    }
    await deactivate(trx, lane, { reason: counted.disabled, nowMs })
    const hasMail = settings().smtpUrl !== undefined
    const { notification, event } = ownerNotice(about, counted, { id: deps.ids.uuid(), hasMail })
    await insertNotification(trx, notification)
    await deps.appendEvents(tx, [...warnings, event])
    log.info(
      { subscription: lane.subscriptionId, consumer: lane.consumerId, reason: counted.disabled },
      'a webhook subscription was disabled',
    )
  }
}

export type Recorder = ReturnType<typeof createRecorder>

/** Somebody asked for a manual attempt while this one was under way: that is still to be made. */
function unlessResent(dueMs: number | null | 'null') {
  const value = dueMs === 'null' ? null : dueMs
  return sql<
    number | null
  >`case when next_trigger = 'manual' then due_at else cast(${value} as bigint) end`
}

function epochUnlessResent(epoch: number) {
  return sql<number>`case when next_trigger = 'manual' then cast(${ALWAYS} as bigint) else cast(${epoch} as bigint) end`
}

function attemptsInsert(trx: Db, rows: readonly AttemptRow[]) {
  return (
    trx
      .insertInto('webhooks_attempts')
      .values(rows)
      // A commit whose answer got lost is repeated.
      .onConflict((conflict) => conflict.columns(['delivery_id', 'number']).doNothing())
  )
}

function toRow({ due, attempted }: Outcome): AttemptRow {
  const { response, error } = attempted
  return {
    delivery_id: due.id,
    number: due.attemptCount + 1,
    trigger_name: due.trigger,
    started_at: attempted.startedAtMs,
    duration_ms: attempted.durationMs,
    url: attempted.url,
    request_headers: JSON.stringify(maskHeaders(attempted.requestHeaders)),
    response_status: response?.status ?? null,
    response_headers: response && JSON.stringify(response.headers),
    response_body: response?.body ?? null,
    response_truncated: response?.truncated ? 1 : 0,
    error_code: error?.code ?? null,
    error_message: error?.message ?? null,
  }
}

async function saveCount(trx: Db, lane: Lane, counted: Tally) {
  await updateLane(trx, lane.subscriptionId, {
    failure_count: counted.failureCount,
    failing_since: counted.failingSinceMs,
    last_delivery_at: counted.lastDeliveryAtMs,
  })
}

/**
 * The next due time is read under the lock of the lane: what was queued before it is seen, what is
 * queued after it sets the time itself.
 */
async function giveBack(trx: Db, ids: readonly string[]) {
  if (ids.length === 0) return
  const none = Number.MAX_SAFE_INTEGER
  const first = (epoch: typeof EPOCH_OF_LANE | number) => sql<number>`(
    select d.due_at from webhooks_deliveries d
    where d.subscription_id = webhooks_lanes.subscription_id and d.due_at is not null
      and d.epoch = ${epoch}
    order by d.due_at limit 1)`
  const scheduled = first(EPOCH_OF_LANE)
  const always = first(ALWAYS)
  await trx
    .updateTable('webhooks_lanes')
    .set({
      lease_owner: null,
      lease_until: null,
      due_at: sql<
        number | null
      >`case when coalesce(${scheduled}, ${none}) <= coalesce(${always}, ${none})
        then ${scheduled} else ${always} end`,
    })
    .where('subscription_id', 'in', ids)
    .execute()
}

const EPOCH_OF_LANE = sql.ref<number>('webhooks_lanes.epoch')
