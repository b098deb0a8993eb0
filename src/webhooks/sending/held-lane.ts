import { ALWAYS } from '../records.ts'
import type { Due, HeldLane } from './types.ts'

/** Attempts of one subscription at once; one that keeps failing gets a single one (contract §5). */
const PER_LANE = 8
const FAILING_FROM = 10
/** A lane with fewer deliveries at hand is read again. */
const FEW = PER_LANE / 2
/** More than this wait in the database, not in memory. */
const MAX_QUEUE = 256
/** What was read of a subscription longer ago is read again before it is sent to. */
const FRESH_MS = 1_000
/** An idle lane is kept so long, because where there was an event there is often another. */
const LINGER_MS = 1_000

export function newLane(id: string, failureCount: number, claim: HeldLane['claim']): HeldLane {
  return {
    id,
    claim,
    target: null,
    failureCount,
    queue: [],
    known: new Set(),
    recorded: new Set(),
    inFlight: 0,
    unrecorded: 0,
    targetAtMs: Number.NEGATIVE_INFINITY,
    readAtMs: Number.NEGATIVE_INFINITY,
    workedAtMs: performance.now(),
    forgotten: 0,
    isReading: false,
    isEmpty: false,
  }
}

function hasRoom({ failureCount, target, inFlight }: HeldLane): boolean {
  return inFlight < (failureCount >= FAILING_FROM || target?.isReleasing ? 1 : PER_LANE)
}

export function wantsMore(lane: HeldLane): boolean {
  return !lane.isEmpty && lane.queue.length <= FEW && hasRoom(lane)
}

/** Before it is too old, so that nothing has to wait for it. */
export function isStale({ targetAtMs }: HeldLane, nowMs: number): boolean {
  return nowMs - targetAtMs > FRESH_MS / 2
}

export function forget(lane: HeldLane): void {
  dropQueue(lane)
  lane.targetAtMs = Number.NEGATIVE_INFINITY
  lane.forgotten++
}

/** Nothing is at hand or under way, and the last read found nothing. */
export function isDrained({ isEmpty, queue, inFlight, isReading }: HeldLane): boolean {
  return isEmpty && queue.length === 0 && inFlight === 0 && !isReading
}

/** There was something to send a moment ago. */
export function lingers({ workedAtMs, target }: HeldLane): boolean {
  return target !== null && performance.now() - workedAtMs < LINGER_MS
}

/** A read may find again what is at hand, under way or not yet recorded. */
export function enqueue(lane: HeldLane, found: Iterable<Due>): void {
  for (const due of found) {
    if (lane.known.has(due.id)) continue
    lane.known.add(due.id)
    lane.queue.push(due)
  }
}

/**
 * Whether a delivery that was made just now may come without being read. What waits in the database
 * must get its turn too, and what is being released keeps its order.
 */
export function takesNew(lane: HeldLane, nowMs: number): boolean {
  if (!lane.target || lane.target.isReleasing || lane.queue.length >= MAX_QUEUE) return false
  return lane.isEmpty || nowMs - lane.readAtMs < FRESH_MS
}

export function dropQueue(lane: HeldLane): void {
  for (const due of lane.queue.splice(0)) lane.known.delete(due.id)
  lane.isEmpty = false
}

/** The next one to send, if the lane may have one more and what is known of it is fresh. */
export function takeNext(lane: HeldLane, nowMs: number): Due | undefined {
  const { target, queue, known } = lane
  if (queue.length === 0 || !target || !hasRoom(lane) || nowMs - lane.targetAtMs > FRESH_MS) {
    return undefined
  }
  for (let due = queue.shift(); due; due = queue.shift()) {
    if (due.epoch === ALWAYS || due.epoch === target.epoch) return due
    // Held or given up meanwhile, or the subscription was activated anew: the next read tells.
    known.delete(due.id)
    lane.isEmpty = false
    if (due.epoch > target.epoch) lane.targetAtMs = Number.NEGATIVE_INFINITY
  }
  return undefined
}
