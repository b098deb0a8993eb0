import type { Random } from '#kernel'
import { ALWAYS, type Lane } from '../records.ts'
import type { Due } from '../store/due.ts'
import type { DisabledReason, WebhooksTables } from '../tables.ts'
import type { Attempted } from './attempt.ts'
import { nextAttemptAt, type RetrySettings } from './retry.ts'
import type { DeliverySettings } from './settings.ts'

type Change = Pick<
  WebhooksTables['webhooks_deliveries'],
  'status' | 'epoch' | 'tries' | 'due_at' | 'next_attempt_at' | 'completed_at'
>

const GONE = 410
/** Counts at which the owner is warned (webhooks contract §9.2). */
const WARN_AT: ReadonlySet<number> = new Set([50, 90])

interface Circumstances {
  readonly nowMs: number
  readonly random: Random
  readonly settings: RetrySettings
}

/** What becomes of a delivery whose attempt failed. */
export function afterFailure(
  due: Due,
  { response, notBeforeMs }: Attempted,
  lane: Pick<Lane, 'epoch' | 'isActive'>,
  { nowMs, random, settings }: Circumstances,
): Change {
  const ended = { due_at: null, next_attempt_at: null, completed_at: nowMs }
  if (due.trigger === 'test') return { status: 'failed', epoch: ALWAYS, tries: 1, ...ended }
  const epoch = lane.isActive ? lane.epoch : lane.epoch - 1
  if (due.trigger === 'manual') return afterManual(due, lane, epoch, nowMs)
  const tries = due.tries + 1
  const times = { nowMs, notBeforeMs, random }
  const nextMs = response?.status === GONE ? null : nextAttemptAt(tries, settings, times)
  if (nextMs === null) return { status: 'failed', epoch, tries, ...ended }
  return {
    status: 'pending',
    epoch,
    tries,
    due_at: nextMs,
    next_attempt_at: nextMs,
    completed_at: null,
  }
}

/** A manual attempt takes nothing away: what was planned before it still is. */
function afterManual(
  { status, tries, nextAttemptAtMs }: Due,
  { isActive }: Pick<Lane, 'isActive'>,
  epoch: number,
  nowMs: number,
): Change {
  const open = { status: 'pending', epoch, completed_at: null } as const
  // Held before: it waits for its subscription again, or goes out when that is active by now.
  if (status === 'held') {
    const dueMs = isActive ? nowMs : (nextAttemptAtMs ?? nowMs)
    return { ...open, tries: 0, due_at: dueMs, next_attempt_at: dueMs }
  }
  if (status === 'pending') {
    const dueMs = nextAttemptAtMs ?? nowMs
    return { ...open, tries, due_at: dueMs, next_attempt_at: dueMs }
  }
  return { status, epoch, tries, due_at: null, next_attempt_at: null, completed_at: nowMs }
}

/** What a run of attempts makes of a lane's count. */
export interface Tally {
  readonly failureCount: number
  readonly failingSinceMs: number | null
  readonly lastDeliveryAtMs: number | null
  readonly disabled: DisabledReason | null
  /** Disabled after failures, its endpoint answers again. */
  readonly isResumed: boolean
  /** The counts at which the owner is to be warned. */
  readonly warnings: readonly number[]
}

/** Counts attempts in the order in which they ended (Doc 1 §3). */
export function tally(
  lane: Lane,
  results: readonly { readonly due: Pick<Due, 'trigger'>; readonly attempted: Attempted }[],
  settings: Pick<DeliverySettings, 'disableAfter' | 'disableMinFailingSeconds'>,
  nowMs: number,
): Tally {
  let { failureCount, failingSinceMs, lastDeliveryAtMs } = lane
  let disabled: DisabledReason | null = null
  const isTried = lane.autoResume && lane.disabledReason === 'failures'
  let isResumed = false
  const warnings: number[] = []
  for (const { due, attempted } of results) {
    if (attempted.error === null) {
      failureCount = 0
      failingSinceMs = null
      lastDeliveryAtMs = nowMs
      isResumed = isTried
      continue
    }
    const isGone = attempted.response?.status === GONE
    // It asks to be left alone, which ends trying.
    if (!lane.isActive && isTried && isGone) disabled = 'gone'
    if (!lane.isActive || disabled) continue
    if (isGone) disabled = 'gone'
    if (due.trigger === 'manual') continue
    failureCount++
    failingSinceMs ??= attempted.startedAtMs
    if (WARN_AT.has(failureCount)) warnings.push(failureCount)
    const lastedMs = nowMs - failingSinceMs
    const isOver = failureCount >= settings.disableAfter
    if (isOver && lastedMs >= settings.disableMinFailingSeconds * 1000) disabled ??= 'failures'
  }
  return {
    failureCount,
    failingSinceMs,
    lastDeliveryAtMs,
    disabled,
    isResumed: isResumed && !disabled,
    warnings,
  }
}
