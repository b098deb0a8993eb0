import type { Bus, Claim, Log } from '#kernel'
import { CHANGED_TOPIC, DONE_TOPIC, DUE_TOPIC } from '../work-topics.ts'
import type { Attempts } from './attempt.ts'
import { type DueReader, LANES_PER_READ } from './due.ts'
import type { Messages } from './messages.ts'
import type { Recorder } from './record.ts'
import type { Due, HeldLane, Outcome } from './types.ts'

interface ClaimedRow {
  readonly subscription_id: string
  readonly failure_count: number
}

interface Deps {
  claimLanes(limit: number): Promise<Claim<ClaimedRow, string>>
  readonly dueReader: DueReader
  readonly messages: Messages
  readonly attempts: Attempts
  readonly recorder: Recorder
  readonly bus: Pick<Bus, 'publish' | 'subscribe'>
  readonly log: Log
  /** Requests at once. */
  workers(): number
  /** Told of each attempt, for the metrics. */
  observe(outcome: Outcome): void
}

/** Attempts of one subscription at once; one that keeps failing gets a single one (contract §5). */
const PER_LANE = 8
const FAILING_FROM = 10
/** What waits longer for its receiver gives its place to others. */
const SLOW_MS = 500
/** So many times the number of workers may wait for slow receivers beside. */
const SLOW_FACTOR = 16

const LANES_PER_CLAIM = 256
const MAX_LANES = 1_024
const READ_PER_LANE = 32
/** What was read longer ago is read again before it is sent: it may have been changed. */
const FRESH_MS = 1_000
/** An idle lane is kept so long, because where there was an event there is often another. */
const LINGER_MS = 1_000
const OUTCOMES_PER_RECORD = 200

const LOOK_EVERY_MS = 500
const RENEW_EVERY_MS = 10_000
const AFTER_FAILURE_MS = 1_000
/** Stopping waits so long for what is under way. */
const STOP_MS = 3_000

/**
 * Sends what is due. It holds lanes, reads the head of each, sends and records. Each of the four
 * steps runs on its own, one at a time, over all lanes at once, so that none waits for another
 * and the database sees few and large statements.
 */
export function startPump(deps: Deps) {
  const { dueReader, messages, attempts, recorder, bus, log } = deps
  const lanes = new Map<string, HeldLane>()
  const given = new AbortController()
  let outcomes: Outcome[] = []
  let total = 0
  let slow = 0
  let mayBeDue = true
  /** More lanes were due than could be taken. */
  let isCrowded = false
  let stopping = false
  let isScheduled = false
  const claim = single(claimMore)
  const read = single(readMore)
  const record = single(recordAll)
  const ends = [
    bus.subscribe(DUE_TOPIC, wake),
    bus.subscribe(CHANGED_TOPIC, (id) => forget(String(id))),
    every(LOOK_EVERY_MS, wake),
    every(RENEW_EVERY_MS, () => void renew().catch(report)),
  ]
  schedule()
  return { stop }

  function wake() {
    mayBeDue = true
    for (const lane of lanes.values()) lane.isEmpty = false
    schedule()
  }

  /** What was read of the subscription is old. */
  function forget(id: string) {
    const lane = lanes.get(id)
    if (lane) {
      dropQueue(lane)
      lane.targetAtMs = Number.NEGATIVE_INFINITY
    }
    schedule()
  }

  function schedule() {
    if (isScheduled) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      sendAll()
      void record()
      void read()
      void claim()
    })
  }

  /** Runs the step once at a time; after a failure only when some time has passed. */
  function single(step: () => Promise<boolean>): () => Promise<void> {
    let isRunning = false
    return async () => {
      if (isRunning) return
      isRunning = true
      try {
        if (await step()) schedule()
      } catch (error) {
        report(error)
        await new Promise((resolve) => setTimeout(resolve, AFTER_FAILURE_MS))
        schedule()
      } finally {
        isRunning = false
      }
    }
  }

  function report(error: unknown) {
    if (!stopping) log.error({ err: error }, 'delivering webhooks failed')
  }

  function freeSlots(): number {
    const workers = deps.workers()
    return Math.min(workers - (total - slow), workers * SLOW_FACTOR - total)
  }

  async function claimMore(): Promise<boolean> {
    // No more than can be worked on soon: other nodes may be free for the rest.
    const wanted = deps.workers() * 2 - waiting()
    const room = Math.min(LANES_PER_CLAIM, MAX_LANES - lanes.size, wanted)
    if (stopping || !mayBeDue || room <= 0) return false
    mayBeDue = false
    const claimed = await deps.claimLanes(room)
    for (const { subscription_id: id, failure_count } of claimed.rows) {
      const held = lanes.get(id)
      // Its lease ran out unnoticed and nobody else came: what is under way goes on.
      if (held) held.claim = claimed
      else lanes.set(id, newLane(id, failure_count, claimed))
    }
    isCrowded = claimed.rows.length === room
    if (isCrowded) mayBeDue = true
    return claimed.rows.length > 0 || mayBeDue
  }

  /** Deliveries that are read and not yet sent, and lanes that are not read yet. */
  function waiting(): number {
    let count = 0
    for (const lane of lanes.values()) count += lane.queue.length + (lane.target ? 0 : 1)
    return count
  }

  async function readMore(): Promise<boolean> {
    if (stopping) return false
    const wanted = [...lanes.values()].filter(wantsMore).slice(0, LANES_PER_READ)
    if (wanted.length === 0) return false
    for (const lane of wanted) lane.isReading = true
    try {
      await readLanes(wanted)
    } finally {
      for (const lane of wanted) {
        lane.isReading = false
        for (const id of lane.recorded) lane.known.delete(id)
        lane.recorded.clear()
      }
    }
    return true
  }

  function wantsMore(lane: HeldLane): boolean {
    return !lane.isEmpty && lane.queue.length <= PER_LANE / 2 && lane.inFlight < capOf(lane)
  }

  async function readLanes(wanted: readonly HeldLane[]) {
    const ids = wanted.map(({ id }) => id)
    const perLane = READ_PER_LANE + Math.max(...wanted.map(({ known }) => roundUp(known.size)))
    const stale = wanted.filter((lane) => performance.now() - lane.targetAtMs > FRESH_MS)
    const [targets, found] = await Promise.all([
      dueReader.findTargets(stale.map(({ id }) => id)),
      dueReader.findDue(ids, perLane),
    ])
    for (const lane of stale) {
      lane.target = targets.get(lane.id) ?? null
      lane.targetAtMs = performance.now()
    }
    await messages.load([...found.values()].flat().map(({ messageId }) => messageId))
    for (const lane of wanted) {
      const due = found.get(lane.id) ?? []
      lane.readAtMs = performance.now()
      if (due.length > 0) lane.workedAtMs = lane.readAtMs
      // What is queued after this read is found when the lane is given back, or by its notice.
      lane.isEmpty = due.length < perLane || !lane.target
      if (lane.target) enqueue(lane, due)
    }
  }

  function enqueue(lane: HeldLane, found: readonly Due[]) {
    for (const due of found) {
      if (lane.known.has(due.id)) continue
      lane.known.add(due.id)
      lane.queue.push(due)
    }
  }

  /** One of each lane in turn, so that none keeps the others waiting. */
  function sendAll() {
    if (stopping) return
    let free = freeSlots()
    let sent = true
    while (free > 0 && sent) {
      sent = false
      for (const lane of lanes.values()) {
        if (free <= 0) break
        const due = takeNext(lane)
        if (!due) continue
        sent = true
        free--
        void send(lane, due)
      }
    }
    // Those behind come first the next time.
    if (free <= 0) rotate()
  }

  function rotate() {
    const [first] = lanes
    if (!first) return
    lanes.delete(first[0])
    lanes.set(...first)
  }

  function takeNext(lane: HeldLane): Due | undefined {
    if (lane.queue.length === 0 || lane.inFlight >= capOf(lane)) return undefined
    if (performance.now() - lane.readAtMs <= FRESH_MS) return lane.queue.shift()
    dropQueue(lane)
    schedule()
    return undefined
  }

  function dropQueue(lane: HeldLane) {
    for (const due of lane.queue.splice(0)) lane.known.delete(due.id)
    lane.isEmpty = false
  }

  async function send(lane: HeldLane, due: Due) {
    lane.inFlight++
    total++
    let isSlow = false
    const timer = setTimeout(() => {
      isSlow = true
      slow++
      schedule()
    }, SLOW_MS)
    try {
      const attempted = await attempt(lane, due)
      if (!attempted) lane.known.delete(due.id)
      else {
        lane.unrecorded++
        outcomes.push({ lane, due, attempted })
      }
    } catch (error) {
      // Our own fault (no file descriptor left, a secret that cannot be opened): not counted.
      report(error)
      setTimeout(() => lane.known.delete(due.id), AFTER_FAILURE_MS)
    } finally {
      clearTimeout(timer)
      if (isSlow) slow--
      total--
      lane.inFlight--
      schedule()
    }
  }

  async function attempt(lane: HeldLane, due: Due) {
    const { target } = lane
    if (!messages.get(due.messageId)) await messages.load([due.messageId])
    const message = messages.get(due.messageId)
    if (!target || !message) throw new Error(`delivery ${due.id} has no message or target`)
    return attempts.send(target, due, message, given.signal)
  }

  async function recordAll(): Promise<boolean> {
    const batch = outcomes.slice(0, OUTCOMES_PER_RECORD)
    const counts = new Map<HeldLane, number>()
    for (const { lane } of batch) counts.set(lane, (counts.get(lane) ?? 0) + 1)
    const released = [...lanes.values()].filter(
      (lane) => isIdle(lane) && lane.unrecorded === (counts.get(lane) ?? 0),
    )
    if (batch.length === 0 && released.length === 0) return false
    // Claimed again by us while this is under way it is another holding.
    for (const lane of released) lanes.delete(lane.id)
    const { failureCounts } = await recorder.record(batch, released).catch((error) => {
      for (const lane of released) if (!lanes.has(lane.id)) lanes.set(lane.id, lane)
      throw error
    })
    outcomes = outcomes.slice(batch.length)
    for (const outcome of batch) finish(outcome, failureCounts)
    return true
  }

  /** A lane with nothing to send for a while, or of a subscription that was deleted. */
  function isIdle(lane: HeldLane): boolean {
    if (!lane.isEmpty || lane.queue.length > 0 || lane.inFlight > 0 || lane.isReading) return false
    const lingers = performance.now() - lane.workedAtMs < LINGER_MS
    return !lingers || isCrowded || stopping || !lane.target
  }

  function finish(outcome: Outcome, failureCounts: ReadonlyMap<string, number>) {
    const { lane, due } = outcome
    lane.unrecorded--
    lane.failureCount = failureCounts.get(lane.id) ?? lane.failureCount
    if (lane.isReading) lane.recorded.add(due.id)
    else lane.known.delete(due.id)
    deps.observe(outcome)
    if (due.trigger === 'test' || due.trigger === 'manual') void bus.publish(DONE_TOPIC, due.id)
  }

  /** A lane that is no longer ours is another node's: what is under way may be sent twice. */
  async function renew() {
    const claims = Map.groupBy(lanes.values(), (lane) => lane.claim)
    for (const [held, own] of claims) {
      const kept = new Set(await held.renew(own.map(({ id }) => id)))
      for (const lane of own) {
        if (!kept.has(lane.id) && lanes.get(lane.id) === lane) lanes.delete(lane.id)
      }
    }
  }

  /** What is under way may end, what does not is given up; all lanes are given back. */
  async function stop() {
    stopping = true
    for (const end of ends) end()
    const endMs = performance.now() + STOP_MS
    while (total > 0 && performance.now() < endMs) {
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    given.abort()
    while (total > 0) await new Promise((resolve) => setImmediate(resolve))
    for (const lane of lanes.values()) {
      dropQueue(lane)
      lane.isEmpty = true
    }
    while (outcomes.length > 0 || lanes.size > 0) {
      const [left, held] = [outcomes.length, lanes.size]
      await record()
      if (outcomes.length === left && lanes.size === held)
        await new Promise((r) => setTimeout(r, 10))
      if (performance.now() > endMs + STOP_MS) return
    }
  }
}

function newLane(id: string, failureCount: number, claim: HeldLane['claim']): HeldLane {
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
    readAtMs: 0,
    workedAtMs: performance.now(),
    isReading: false,
    isEmpty: false,
  }
}

function capOf({ failureCount, target }: HeldLane): number {
  return failureCount >= FAILING_FROM || target?.isReleasing ? 1 : PER_LANE
}

/** Few different numbers, because each makes another statement. */
function roundUp(count: number): number {
  return Math.ceil(count / 32) * 32
}

function every(ms: number, work: () => void): () => void {
  const timer = setInterval(work, ms)
  return () => clearInterval(timer)
}
