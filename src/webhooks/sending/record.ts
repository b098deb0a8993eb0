import type { Insertable, Kysely } from 'kysely'
import type { Bus } from '#bus'
import { type Database, NeedsTransaction, type Tx } from '#db'
import type { NewEvent } from '#events'
import type { Clock, Ids, Log, Random } from '#kernel'
import { deactivate, reactivate } from '../activation.ts'
import { maskHeaders } from '../mask-headers.ts'
import type { Lane } from '../records.ts'
import type { Due } from '../store/due.ts'
import { countActive, guardLanes, lockLanes, updateLane, updateLanes } from '../store/lanes.ts'
import { insertNotification } from '../store/notifications.ts'
import {
  createAttemptsInsert,
  giveBack,
  saveFailure,
  savePace,
  saveSuccesses,
} from '../store/outcomes.ts'
import type { WebhooksTables } from '../tables.ts'
import { CHANGED_TOPIC } from '../topics.ts'
import type { Attempted } from './attempt.ts'
import { afterFailure, type Tally, tally } from './failure-policy.ts'
import type { HeldLane } from './lane.ts'
import { ownerNotice, ownerWarning, resumedNotice } from './owner-notices.ts'
import type { DeliverySettings } from './settings.ts'

interface Deps {
  readonly db: Database
  readonly clock: Clock
  readonly ids: Ids
  readonly random: Random
  readonly log: Log
  readonly bus: Pick<Bus, 'publish'>
  /** The name of this process. */
  readonly owner: string
  settings(): DeliverySettings
  appendEvents(tx: Tx, events: readonly NewEvent[]): Promise<unknown>
}

/** What an attempt came to. */
export interface Outcome {
  readonly lane: HeldLane
  readonly due: Due
  readonly attempted: Attempted
}

type Db = Kysely<WebhooksTables>

export interface Recorded {
  /** The failures in a row of each lane that is still ours. */
  readonly failureCounts: ReadonlyMap<string, number>
}

/**
 * Writes down what attempts came to: attempt, delivery and counters in one write (webhooks
 * contract §5.1). What belongs to a lane that meanwhile became another node's is left out; that node
 * repeats it.
 */
export function createRecorder(deps: Deps) {
  const { db, clock, ids, random, log, bus, owner, settings } = deps
  const insertAttempts = createAttemptsInsert()
  return { record }

  /** Nothing of a released lane is under way: it is given back. */
  async function record(
    outcomes: readonly Outcome[],
    released: readonly HeldLane[],
  ): Promise<Recorded> {
    const concerned = new Set([...outcomes.map(({ lane }) => lane.id), ...released.map(idOf)])
    return db.main.write(async (tx) => {
      const trx = tx.as<WebhooksTables>()
      const locked = await lockLanes(tx, db.dialect, [...concerned])
      // A lane that this process claimed anew meanwhile is still ours.
      const lanes = locked.filter(({ leaseOwner }) => leaseOwner?.startsWith(`${owner}/`))
      const own = new Map(lanes.map((lane) => [lane.subscriptionId, lane]))
      guardLanes(tx, db.dialect, lanes, { owner })
      const kept = outcomes.filter(({ lane }) => own.has(lane.id))
      const lost = outcomes.length - kept.length
      if (lost > 0) {
        tx.afterCommit(() => log.warn({ lost }, 'attempts belong to another node now'))
      }
      const nowMs = clock.now()
      await insertAttempts(trx, kept.map(toRow))
      await recordSuccesses(trx, kept, nowMs)
      await recordFailures(trx, kept, own, nowMs)
      const failureCounts = await saveCounts(tx, kept, lanes, nowMs)
      const ours = released.filter(({ id, claim }) => own.get(id)?.leaseOwner === claim.holder)
      await savePaces(trx, ours, nowMs)
      await giveBack(trx, ours.map(heldOf))
      return () => ({ failureCounts })
    })
  }

  /** The usual case: all that differs is the status code, so few statements do for many rows. */
  async function recordSuccesses(trx: Db, kept: readonly Outcome[], nowMs: number) {
    const delivered = kept.filter(({ attempted }) => attempted.error === null)
    const groups = Map.groupBy(delivered, ({ due, attempted }) =>
      [attempted.response?.status, due.trigger === 'manual'].join(),
    )
    for (const group of groups.values()) {
      const isManual = group[0]?.due.trigger === 'manual'
      const statusCode = group[0]?.attempted.response?.status ?? null
      await saveSuccesses(
        trx,
        group.map(({ due }) => due.id),
        { isManual, statusCode, nowMs },
      )
    }
  }

  async function recordFailures(
    trx: Db,
    kept: readonly Outcome[],
    lanes: ReadonlyMap<string, Lane>,
    nowMs: number,
  ) {
    for (const { lane, due, attempted } of kept) {
      const state = lanes.get(lane.id)
      if (attempted.error === null || !state) continue
      const circumstances = { nowMs, random, settings: settings() }
      await saveFailure(trx, due.id, {
        isManual: due.trigger === 'manual',
        change: {
          ...afterFailure(due, attempted, state, circumstances),
          last_status_code: attempted.response?.status ?? null,
          last_error: JSON.stringify(attempted.error),
        },
      })
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
    const healthy: HeldLane[] = []
    const counts = new Map<string, number>()
    for (const lane of lanes) {
      const results = byLane.get(lane.subscriptionId) ?? []
      const counted = tally(lane, results, settings(), nowMs)
      counts.set(lane.subscriptionId, counted.failureCount)
      const held = results[0]?.lane
      if (!held) continue
      if (counted.failureCount === 0 && lane.failureCount === 0) healthy.push(held)
      else await saveCount(trx, held, counted)
      if (counted.disabled || counted.warnings.length > 0) {
        await tellOwner(tx, lane, counted, results, nowMs)
      }
      if (counted.isResumed) await resume(tx, lane, nowMs)
    }
    for (const [probation, group] of Map.groupBy(healthy, (held) => held.probation)) {
      await updateLanes(trx, group.map(idOf), { last_delivery_at: nowMs, probation })
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
    // It was disabled before, and its owner knows.
    if (!lane.isActive) return
    const hasMail = settings().smtpUrl !== undefined
    const { notification, event } = ownerNotice(about, counted, { id: ids.uuid(), hasMail })
    await insertNotification(trx, notification)
    await deps.appendEvents(tx, [...warnings, event])
    const { subscriptionId: subscription, consumerId: consumer } = lane
    const reason = counted.disabled
    tx.afterCommit(() =>
      log.info({ subscription, consumer, reason }, 'a webhook subscription was disabled'),
    )
  }

  /** Unless its owner has as many active ones as are allowed, which nobody may change meanwhile. */
  async function resume(tx: Tx, lane: Lane, nowMs: number) {
    if (tx.isPlan) throw new NeedsTransaction()
    const { subscriptionId, consumerId } = lane
    const trx = tx.as<WebhooksTables>()
    await db.dialect.lockName(`webhooks ${consumerId}`).execute(trx)
    const active = await countActive(trx, consumerId)
    if (active >= settings().maxSubscriptionsPerConsumer) return
    await reactivate(trx, lane, { discard: false, nowMs })
    await insertNotification(trx, resumedNotice(lane, { id: ids.uuid(), nowMs }))
    // Whoever holds the lane learns that what was held goes out one by one.
    tx.afterCommit(async () => {
      log.info(
        { subscription: subscriptionId, consumer: consumerId },
        'a webhook subscription was resumed',
      )
      await bus.publish(CHANGED_TOPIC, subscriptionId)
    })
  }

  /** The next holder of a lane keeps the time between two requests too. */
  async function savePaces(trx: Db, released: readonly HeldLane[], nowMs: number) {
    for (const lane of released) {
      const waitMs = lane.nextSendAtMs - performance.now()
      if (waitMs > 0) await savePace(trx, heldOf(lane), Math.ceil(nowMs + waitMs))
    }
  }
}

export type Recorder = ReturnType<typeof createRecorder>

function idOf({ id }: { readonly id: string }): string {
  return id
}

function heldOf({ id, claim }: HeldLane) {
  return { id, holder: claim.holder }
}

function toRow({ due, attempted }: Outcome): Insertable<WebhooksTables['webhooks_attempts']> {
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

async function saveCount(trx: Db, { id, probation }: HeldLane, counted: Tally) {
  await updateLane(trx, id, {
    failure_count: counted.failureCount,
    failing_since: counted.failingSinceMs,
    last_delivery_at: counted.lastDeliveryAtMs,
    probation,
  })
}
