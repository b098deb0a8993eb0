import type { Claim } from '#jobs'
import { ALWAYS } from '../records.ts'
import type { Due, Target } from '../store/due.ts'

/** What is stored of a lane when it is claimed. */
export interface ClaimedLane {
  readonly subscription_id: string
  readonly consumer_id: string
  readonly failure_count: number
  readonly probation: number
  readonly is_ordered: number
}

type Holding = Pick<Claim<unknown, string>, 'holder' | 'renew'>

/** Attempts of one subscription at once; one that keeps failing gets a single one (contract §5). */
const PER_LANE = 8
const FAILING_FROM = 10
/** A lane with fewer deliveries at hand is read again. */
const FEW = PER_LANE / 2
/** More than this wait in the database, not in memory: less where answers take long. */
const MAX_QUEUE = 256
const MAX_SLOW_QUEUE = 32
/** What was read of a subscription longer ago is read again before it is sent to. */
const FRESH_MS = 1_000
/** An idle lane is kept so long, because where there was an event there is often another. */
const LINGER_MS = 1_000
/** Quick answers in a row that an endpoint owes before it counts as quick: a new and a slow one. */
const UNHEARD = 1
const AFTER_SLOW = 8

/** A subscription whose deliveries this node sends until it gives the lane back. */
export function createLane(row: ClaimedLane, claimed: Holding) {
  const { subscription_id: id, consumer_id: consumerId } = row
  let claim = claimed
  let target: Target | null = null
  let isOrdered = row.is_ordered === 1
  let failureCount = row.failure_count
  let probation = row.probation
  let queue: Due[] = []
  /** Deliveries queued, under way or not yet recorded: a read may find them again. */
  const known = new Set<string>()
  /** Recorded while a read was under way, which may still find them. */
  const recordedMeanwhile = new Set<string>()
  let inFlight = 0
  let unrecorded = 0
  let isReading = false
  /** There may be more than the read that is under way finds. */
  let isLooked = false
  /** The last read found all that was due. */
  let isExhausted = false
  /** In order, and what becomes of the delivery in front is not recorded yet. */
  let isBlocked = false
  /** Counts how often what is being read became old. */
  let changes = 0
  let targetAtMs = Number.NEGATIVE_INFINITY
  let readAtMs = Number.NEGATIVE_INFINITY
  let nextSendAtMs = Number.NEGATIVE_INFINITY
  let isPaused = false
  let workedAtMs = performance.now()
  return {
    id,
    consumerId,
    get claim() {
      return claim
    },
    get target() {
      return target
    },
    get isOrdered() {
      return isOrdered
    },
    get isQuick() {
      return probation === 0
    },
    get probation() {
      return probation
    },
    get unrecorded() {
      return unrecorded
    },
    get changes() {
      return changes
    },
    /** Of the deliveries a read may find again. */
    get knownCount() {
      return known.size
    },
    /** When the endpoint may be sent to again, by `performance.now()`. */
    get nextSendAtMs() {
      return nextSendAtMs
    },
    hold,
    canSend,
    wantsMore,
    isDrained,
    /** Claimed just now: nothing is known of what waits on it. */
    isUnread: () => target === null && !isExhausted,
    isStale: (nowMs: number) => nowMs - targetAtMs > FRESH_MS / 2,
    isFresh: (nowMs: number) => target !== null && nowMs - targetAtMs <= FRESH_MS,
    lingers: (nowMs: number) => target !== null && nowMs - workedAtMs < LINGER_MS,
    takesNew,
    look,
    forget,
    empty,
    aim,
    beginReading,
    endReading,
    enqueue,
    pause,
    resume,
    next,
    begin,
    slowDown,
    end,
    drop,
    recorded,
  }

  /** The lease ran out unnoticed and nobody else came: what is under way goes on. */
  function hold(again: Holding) {
    claim = again
  }

  function hasRoom(): boolean {
    const isSingle =
      isOrdered || failureCount >= FAILING_FROM || probation === UNHEARD || target?.isUnholding
    return !isBlocked && inFlight < (isSingle ? 1 : PER_LANE)
  }

  function canSend(): boolean {
    return queue.length > 0 && !isPaused && hasRoom()
  }

  function wantsMore(): boolean {
    return !isExhausted && !isReading && queue.length <= FEW && hasRoom()
  }

  /** Nothing is at hand or under way, and the last read found nothing. */
  function isDrained(): boolean {
    return isExhausted && queue.length === 0 && inFlight === 0 && !isReading
  }

  /**
   * Whether a delivery that was made just now may come without being read. What waits in the
   * database must get its turn too, and what has an order keeps it.
   */
  function takesNew(nowMs: number): boolean {
    if (!target || isOrdered || target.isUnholding) return false
    if (queue.length >= (probation === 0 ? MAX_QUEUE : MAX_SLOW_QUEUE)) return false
    return isExhausted || nowMs - readAtMs < FRESH_MS
  }

  /** There may be more in the database. */
  function look() {
    isExhausted = false
    isLooked = isReading
  }

  /** The subscription was changed. */
  function forget() {
    dropQueue()
    targetAtMs = Number.NEGATIVE_INFINITY
    changes++
  }

  /** Nothing more is sent from here. */
  function empty() {
    dropQueue()
    isExhausted = true
  }

  function dropQueue() {
    for (const due of queue) known.delete(due.id)
    queue = []
    isExhausted = false
  }

  /** Null: the subscription was deleted, and nothing is sent for it. */
  function aim(found: Target | null, atMs: number) {
    // Another holder may have sent a moment ago.
    if (!target && found) nextSendAtMs = atMs + found.sendsInMs
    target = found
    targetAtMs = atMs
    if (found) isOrdered = found.isOrdered
    else empty()
  }

  function beginReading() {
    isReading = true
    isLooked = false
  }

  function endReading() {
    isReading = false
    for (const one of recordedMeanwhile) known.delete(one)
    recordedMeanwhile.clear()
  }

  /** What a read found; `isAll` when there is no more. */
  function enqueue(found: readonly Due[], isAll?: boolean) {
    const nowMs = performance.now()
    if (found.length > 0) workedAtMs = nowMs
    if (isAll !== undefined) {
      readAtMs = nowMs
      isExhausted = isAll && !isLooked
    }
    for (const due of found) {
      if (known.has(due.id)) continue
      known.add(due.id)
      queue.push(due)
    }
  }

  /** Until `nextSendAtMs`. */
  function pause() {
    isPaused = true
  }

  function resume() {
    isPaused = false
  }

  /** The next one to send, which is then under way. */
  function next(): Due | undefined {
    for (let due = queue.shift(); due && target; due = queue.shift()) {
      if (due.epoch === ALWAYS || due.epoch === target.epoch) return due
      // Held or given up meanwhile, or the subscription was activated anew: the next read tells.
      known.delete(due.id)
      isExhausted = false
      if (due.epoch > target.epoch) targetAtMs = Number.NEGATIVE_INFINITY
    }
    return undefined
  }

  function begin(nowMs: number) {
    inFlight++
    nextSendAtMs = nowMs + (target?.spacingMs ?? 0)
  }

  function slowDown() {
    probation = AFTER_SLOW
  }

  /** An attempt is over and waits to be recorded. */
  function end({ trigger }: Due, { isSlow, isFailure }: { isSlow: boolean; isFailure: boolean }) {
    inFlight--
    unrecorded++
    if (isSlow) slowDown()
    else probation = Math.max(0, probation - 1)
    if (!isOrdered || !isFailure || trigger === 'test' || trigger === 'manual') return
    dropQueue()
    isBlocked = true
    // A read under way may still find those behind it.
    changes++
  }

  /** Nothing can be said of an attempt: a later read finds its delivery again. */
  function drop(due: Due) {
    inFlight--
    known.delete(due.id)
    isExhausted = false
  }

  function recorded(due: Due, failures: number | undefined) {
    unrecorded--
    failureCount = failures ?? failureCount
    if (isReading) recordedMeanwhile.add(due.id)
    else known.delete(due.id)
    if (isBlocked && unrecorded === 0) isBlocked = false
  }
}

export type HeldLane = ReturnType<typeof createLane>
