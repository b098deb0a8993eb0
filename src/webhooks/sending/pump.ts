import type { Bus, BusMessage } from '#bus'
import type { Claim } from '#jobs'
import type { Log } from '#kernel'
import { type Due, type DueReader, LANES_PER_READ } from '../store/due.ts'
import { CHANGED_TOPIC, DONE_TOPIC, DUE_TOPIC } from '../topics.ts'
import type { Attempts } from './attempt.ts'
import type { NewDue } from './create-deliveries.ts'
import { type ClaimedLane, createLane, type HeldLane } from './lane.ts'
import type { Messages } from './messages.ts'
import type { Outcome, Recorder } from './record.ts'
import { createSlots } from './slots.ts'

/** Which lanes to claim. */
interface Wanted {
  readonly isQuick: boolean
  /** Consumers that have enough under way. */
  readonly except: readonly string[]
  readonly limit: number
}

interface Deps {
  readonly dueReader: DueReader
  readonly messages: Messages
  readonly attempts: Attempts
  readonly recorder: Recorder
  readonly bus: Pick<Bus, 'publish' | 'subscribe'>
  readonly log: Log
  claimLanes(wanted: Wanted): Promise<Claim<ClaimedLane, string>>
  /** Requests under way at once. */
  workers(): number
  /** Told of each attempt, for the metrics. */
  observe(outcome: Outcome): void
  /** Looks for lanes that can be claimed; `isDue` may have others reasons to look. */
  watch(isDue: (areFound: boolean) => boolean): (wake: () => void) => () => void
  /** Ends all requests that are under way. */
  giveUp(): Promise<void>
}

/** A request that waits longer for its answer makes its lane a slow one. */
const SLOW_MS = 500
const LANES_PER_CLAIM = 256
/** While one is sent from, the next one is being read. */
const LANES_PER_SLOT = 2
/** Idle lanes above this number are given back at once. */
const MAX_LANES = 4_096
const READ_PER_LANE = 32
const OUTCOMES_PER_RECORD = 400
/** A failure is written by itself: many that end together must not keep other writers waiting. */
const FAILURE_COST = 8
/** So many are recorded at once; fewer wait a moment for others to share their transaction. */
const MANY = 256
const MOMENT_MS = 20
/**
 * So many are sent before answers are read: a connection that is free again takes the next request,
 * where a burst would open one for each.
 */
const SENT_PER_TURN = 16
const RENEW_EVERY_MS = 10_000
const AFTER_FAILURE_MS = 1_000
/** Stopping waits so long for what is under way. */
const STOP_MS = 3_000

/**
 * Sends what is due. It claims lanes, loads the head of each, sends and records. Each of the four
 * steps runs on its own, one at a time, over all lanes at once, so that none waits for another and
 * the database sees few and large statements.
 *
 * What cannot be sent now takes no room: lanes are claimed for the slots that are free, whatever
 * else is held (decision 0061).
 */
export function startPump(deps: Deps) {
  const { dueReader, messages, attempts, recorder, bus, log } = deps
  const lanes = new Map<string, HeldLane>()
  const quick = createClass(true)
  const slow = createClass(false)
  const classes = [quick, slow]
  /** Lanes to be read, and those whose subscription is to be read again. */
  const hungry = new Set<HeldLane>()
  const stale = new Set<HeldLane>()
  const drained = new Set<HeldLane>()
  const slots = createSlots(deps.workers)
  let outcomes: Outcome[] = []
  let recordedAtMs = Number.NEGATIVE_INFINITY
  let stopping = false
  const schedule = createSchedule(turn)
  const recordLater = createTimer(MOMENT_MS, schedule)
  const claimLater = createTimer(MOMENT_MS, schedule)
  const claim = single(claimDue)
  const load = single(loadDue)
  const record = single(recordOutcomes)
  const ends = [
    bus.subscribe(DUE_TOPIC, wake),
    bus.subscribe(CHANGED_TOPIC, (id) => change([String(id)], (lane) => lane.forget())),
    deps.watch((isDue) => isDue || lanes.size > 0)(() => wake(null)),
    every(RENEW_EVERY_MS, () => void renew().catch(report)),
  ]
  schedule()
  return { offer, stop }

  function turn() {
    if (stopping) return
    sendAll()
    void record()
    void load()
    void claim()
  }

  /** The message names the lanes on which there is more; null when it may be any. */
  function wake(message: BusMessage) {
    const ids = Array.isArray(message) ? message.map(String) : undefined
    const mayBeDue = !ids || ids.some((id) => !lanes.has(id))
    for (const own of classes) own.mayBeDue ||= mayBeDue
    change(ids ?? lanes.keys(), (lane) => lane.look())
  }

  function change(ids: Iterable<string>, work: (lane: HeldLane) => void) {
    for (const id of ids) {
      const lane = lanes.get(id)
      if (!lane) continue
      work(lane)
      sort(lane)
    }
    schedule()
  }

  /** After every change of a lane: which of the steps are to look at it. */
  function sort(lane: HeldLane) {
    const isHeld = lanes.get(lane.id) === lane
    const canSend = isHeld && lane.canSend()
    for (const { ready, isQuick } of classes) {
      keepIn(ready, lane, canSend && lane.isQuick === isQuick)
    }
    keepIn(hungry, lane, isHeld && lane.wantsMore())
    keepIn(drained, lane, isHeld && lane.isDrained())
    if (!isHeld) stale.delete(lane)
  }

  /**
   * Takes deliveries that were committed just now, without reading them back; returns the lanes of
   * those it did not take. They stay in the database, where whoever holds their lane finds them.
   */
  function offer(made: readonly NewDue[]): ReadonlySet<string> {
    const nowMs = performance.now()
    const refused = new Set<string>()
    for (const { subscriptionId, due, message } of made) {
      const lane = lanes.get(subscriptionId)
      if (!lane?.takesNew(nowMs)) {
        refused.add(subscriptionId)
        continue
      }
      messages.keep(message)
      lane.enqueue([due])
      sort(lane)
    }
    schedule()
    return refused
  }

  function sendAll() {
    const nowMs = performance.now()
    for (const { ready } of classes) sendFrom(ready, nowMs)
  }

  /** One of each lane in turn: a lane that has more comes again behind the others. */
  function sendFrom(set: Set<HeldLane>, nowMs: number) {
    let left = SENT_PER_TURN
    for (const lane of set) {
      if (slots.room(lane.isQuick) <= 0) return
      if (left === 0) return schedule()
      if (!slots.isFree(lane)) continue
      if (lane.isStale(nowMs)) stale.add(lane)
      if (!lane.isFresh(nowMs)) continue
      set.delete(lane)
      const waitMs = lane.nextSendAtMs - nowMs
      const due = waitMs > 0 ? pauseFor(lane, waitMs) : lane.next()
      if (due) {
        void send(lane, due, nowMs)
        left--
      }
      sort(lane)
    }
  }

  function pauseFor(lane: HeldLane, ms: number): undefined {
    lane.pause()
    setTimeout(change, Math.ceil(ms), [lane.id], (own: HeldLane) => own.resume())
  }

  async function send(lane: HeldLane, due: Due, nowMs: number) {
    const free = slots.take(lane)
    lane.begin(nowMs)
    let isSlow = false
    let isOver = false
    const timer = setTimeout(setImmediate, SLOW_MS, () => {
      // An answer that was there already waited for this thread, not for the endpoint.
      if (isOver) return
      isSlow = true
      lane.slowDown()
      sort(lane)
      schedule()
    })
    try {
      const attempted = await attempt(lane, due)
      if (attempted) {
        lane.end(due, { isSlow, isFailure: attempted.error !== null })
        outcomes.push({ lane, due, attempted })
      } else lane.drop(due)
    } catch (error) {
      // The database did not answer: the delivery is still there.
      report(error)
      lane.drop(due)
    } finally {
      isOver = true
      clearTimeout(timer)
      free()
      for (const own of classes) own.mayBeDue ||= own.passedOver.has(lane.consumerId)
      sort(lane)
      schedule()
    }
  }

  async function attempt({ target }: HeldLane, due: Due) {
    if (!messages.get(due.messageId)) await messages.load([due.messageId])
    return target ? attempts.send(target, due, messages.get(due.messageId)) : undefined
  }

  /** True when something was read. */
  async function loadDue(): Promise<boolean> {
    const reading = take(hungry)
    const aiming = [...new Set([...reading.filter(needsTarget), ...take(stale)])]
    if (reading.length + aiming.length === 0) return false
    for (const lane of reading) lane.beginReading()
    try {
      const before = reading.map(({ changes, isOrdered }) => ({ changes, isOrdered }))
      const [found] = await Promise.all([findDue(reading), readTargets(aiming)])
      for (const [at, lane] of reading.entries()) {
        const { due = [], isAll = true } = found.get(lane.id) ?? {}
        const isOld =
          lane.changes !== before[at]?.changes || lane.isOrdered !== before[at]?.isOrdered
        if (isOld) lane.look()
        else if (lane.target) lane.enqueue(due, isAll)
      }
    } finally {
      for (const lane of reading) lane.endReading()
      for (const lane of [...reading, ...aiming]) sort(lane)
    }
    return true
  }

  function needsTarget(lane: HeldLane): boolean {
    return lane.isStale(performance.now())
  }

  async function readTargets(aiming: readonly HeldLane[]) {
    const askedAtMs = performance.now()
    const before = aiming.map(({ changes }) => changes)
    const targets = await dueReader.findTargets(aiming.map(({ id }) => id))
    for (const [at, lane] of aiming.entries()) {
      if (lane.changes === before[at]) lane.aim(targets.get(lane.id) ?? null, askedAtMs)
    }
  }

  async function findDue(reading: readonly HeldLane[]) {
    if (reading.length === 0) return new Map()
    const known = Math.max(...reading.map((lane) => lane.knownCount))
    const found = await dueReader.findDue(reading, READ_PER_LANE + roundUp(known))
    await messages.load([...found.values()].flatMap(({ due }) => due.map((one) => one.messageId)))
    return found
  }

  /** True when another turn is worth it. */
  async function claimDue(): Promise<boolean> {
    const isQuickFound = await claimSome(quick)
    return (await claimSome(slow)) || isQuickFound
  }

  /** No more than can be sent soon: other nodes may be free for the rest. */
  async function claimSome(own: LaneClass): Promise<boolean> {
    const { isQuick } = own
    if (!own.mayBeDue) return false
    const free = slots.room(isQuick) * LANES_PER_SLOT - countReady(own)
    const limit = Math.min(LANES_PER_CLAIM, free, MAX_LANES - lanes.size)
    if (limit <= 0) return false
    // Slots that become free in the same moment share a claim.
    if (performance.now() - own.claimedAtMs < MOMENT_MS) {
      claimLater.start()
      return false
    }
    const except = slots.full(isQuick)
    own.mayBeDue = false
    own.passedOver = new Set(except)
    const claimed = await deps.claimLanes({ isQuick, except, limit })
    own.claimedAtMs = performance.now()
    for (const row of claimed.rows) {
      const held = lanes.get(row.subscription_id)
      if (held) held.hold(claimed)
      const lane = held ?? createLane(row, claimed)
      lanes.set(lane.id, lane)
      sort(lane)
    }
    own.mayBeDue ||= claimed.rows.length === limit
    return claimed.rows.length > 0
  }

  /** Lanes that will use a slot of the class as soon as they can. */
  function countReady({ ready, isQuick }: LaneClass): number {
    let count = 0
    for (const lane of ready) if (slots.isFree(lane)) count++
    for (const lane of lanes.values()) if (lane.isQuick === isQuick && lane.isUnread()) count++
    return count
  }

  /** A lane that is no longer ours is another node's: what is under way may be sent twice. */
  async function renew() {
    for (const [held, own] of Map.groupBy(lanes.values(), ({ claim }) => claim)) {
      const kept = new Set(await held.renew(own.map(({ id }) => id)))
      for (const lane of own) if (!kept.has(lane.id)) letGo(lane)
    }
  }

  function letGo(lane: HeldLane) {
    if (lanes.get(lane.id) === lane) lanes.delete(lane.id)
    sort(lane)
  }

  /** True when something was written. */
  async function recordOutcomes(): Promise<boolean> {
    if (mustWait()) return false
    const batch = firstOf(outcomes, OUTCOMES_PER_RECORD)
    const released = findReleased(batch)
    if (batch.length === 0 && released.length === 0) return false
    // Claimed again by us while this is under way it is another holding.
    for (const lane of released) letGo(lane)
    const { failureCounts } = await recorder.record(batch, released).catch((error) => {
      for (const lane of released) {
        if (!lanes.has(lane.id)) lanes.set(lane.id, lane)
        sort(lane)
      }
      throw error
    })
    recordedAtMs = performance.now()
    outcomes = outcomes.slice(batch.length)
    for (const outcome of batch) finish(outcome, failureCounts)
    return true
  }

  /** Each transaction is synced to the disk, so a few attempts after another one wait for more. */
  function mustWait(): boolean {
    if (stopping || outcomes.length >= MANY) return false
    if (performance.now() - recordedAtMs >= MOMENT_MS) return false
    recordLater.start()
    return true
  }

  /** Lanes with nothing to send for a while, or of a subscription that was deleted. */
  function findReleased(batch: readonly Outcome[]): HeldLane[] {
    const counts = new Map<HeldLane, number>()
    for (const { lane } of batch) counts.set(lane, (counts.get(lane) ?? 0) + 1)
    const nowMs = performance.now()
    const isUnwanted = stopping || lanes.size >= MAX_LANES
    return [...drained].filter(
      (lane) => (isUnwanted || !lane.lingers(nowMs)) && lane.unrecorded === (counts.get(lane) ?? 0),
    )
  }

  function finish(outcome: Outcome, failureCounts: ReadonlyMap<string, number>) {
    const { lane, due } = outcome
    lane.recorded(due, failureCounts.get(lane.id))
    sort(lane)
    deps.observe(outcome)
    const isAwaited = due.trigger === 'test' || due.trigger === 'manual'
    if (isAwaited) void bus.publish(DONE_TOPIC, due.id)
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
        await pause(AFTER_FAILURE_MS)
        schedule()
      } finally {
        isRunning = false
      }
    }
  }

  function report(error: unknown) {
    if (!stopping) log.error({ err: error }, 'delivering webhooks failed')
  }

  /** What is under way may end, what does not is given up; all lanes are given back. */
  async function stop() {
    stopping = true
    for (const end of ends) end()
    const endMs = performance.now() + STOP_MS
    while (slots.underWay() > 0 && performance.now() < endMs) await pause(10)
    await deps.giveUp()
    while (slots.underWay() > 0) await pause(1)
    change(lanes.keys(), (lane) => lane.empty())
    while (outcomes.length > 0 || lanes.size > 0) {
      const before = outcomes.length + lanes.size
      await record()
      if (outcomes.length + lanes.size === before) await pause(10)
      if (performance.now() > endMs + STOP_MS) return
    }
  }
}

/** Lanes of endpoints that answer quickly, or of the others. */
function createClass(isQuick: boolean) {
  return {
    isQuick,
    /** Those with a delivery to send, as far as they themselves are concerned. */
    ready: new Set<HeldLane>(),
    /** There may be lanes to claim. */
    mayBeDue: true,
    /** Consumers whose lanes the last claim left out, because they had enough under way. */
    passedOver: new Set<string>(),
    claimedAtMs: Number.NEGATIVE_INFINITY,
  }
}

type LaneClass = ReturnType<typeof createClass>

function keepIn<Item>(set: Set<Item>, item: Item, isIn: boolean) {
  if (isIn) set.add(item)
  else set.delete(item)
}

/** As many as may be written in one transaction. */
function firstOf(outcomes: readonly Outcome[], most: number): Outcome[] {
  let cost = 0
  const tooMuch = outcomes.findIndex(({ attempted }) => {
    cost += attempted.error === null ? 1 : FAILURE_COST
    return cost > most
  })
  return outcomes.slice(0, tooMuch < 0 ? outcomes.length : tooMuch)
}

/** The first ones of the set, as many as are read together. */
function take(set: Set<HeldLane>): HeldLane[] {
  const taken = [...set.values().take(LANES_PER_READ)]
  for (const lane of taken) set.delete(lane)
  return taken
}

/** Few different numbers, because each makes another statement. */
function roundUp(count: number): number {
  return Math.ceil(count / 32) * 32
}

/** However often it is asked for, the work is done once, when all that is at hand has happened. */
function createSchedule(work: () => void): () => void {
  let isScheduled = false
  return () => {
    if (isScheduled) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      work()
    })
  }
}

function createTimer(ms: number, work: () => void) {
  let isWaiting = false
  return { start }

  function start() {
    if (isWaiting) return
    isWaiting = true
    setTimeout(() => {
      isWaiting = false
      work()
    }, ms)
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

function every(ms: number, work: () => void): () => void {
  const timer = setInterval(work, ms)
  return () => clearInterval(timer)
}
