import { type DueReader, LANES_PER_READ } from './due.ts'
import { dropQueue, enqueue, forget, isStale, takesNew, wantsMore } from './held-lane.ts'
import type { Messages } from './messages.ts'
import type { HeldLane, Lanes, NewDue } from './types.ts'

interface Deps {
  readonly dueReader: DueReader
  readonly messages: Messages
}

const READ_PER_LANE = 32

/** Brings what is to be sent to the lanes that are held. */
export function createIntake({ dueReader, messages }: Deps, lanes: Lanes) {
  return { read, offer, look, forget: (id: string) => withLane(id, forget) }

  /** There may be more on these lanes, or on all. */
  function look(ids: Iterable<string> = lanes.keys()) {
    for (const id of ids) {
      withLane(id, (lane) => {
        lane.isEmpty = false
      })
    }
  }

  function withLane(id: string, work: (lane: HeldLane) => void) {
    const lane = lanes.get(id)
    if (lane) work(lane)
  }

  /**
   * Takes deliveries that were committed just now, without reading them back; returns the lanes of
   * those it did not take. They stay in the database, where whoever holds their lane finds them.
   */
  function offer(made: readonly NewDue[]): Set<string> {
    const nowMs = performance.now()
    const refused = new Set<string>()
    for (const { subscriptionId, due, message } of made) {
      const lane = lanes.get(subscriptionId)
      if (!lane || !takesNew(lane, nowMs)) {
        refused.add(subscriptionId)
        continue
      }
      messages.keep(message)
      enqueue(lane, [due])
      lane.workedAtMs = nowMs
    }
    return refused
  }

  /** True when something was read. */
  async function read(): Promise<boolean> {
    const nowMs = performance.now()
    const hungry: HeldLane[] = []
    const stale: HeldLane[] = []
    for (const lane of lanes.values()) {
      const isHungry = wantsMore(lane)
      if (isHungry) hungry.push(lane)
      if ((isHungry || lane.queue.length > 0) && isStale(lane, nowMs)) stale.push(lane)
      if (Math.max(hungry.length, stale.length) === LANES_PER_READ) break
    }
    if (hungry.length + stale.length === 0) return false
    for (const lane of hungry) lane.isReading = true
    try {
      await Promise.all([readTargets(stale), readDue(hungry)])
      for (const lane of [...stale, ...hungry]) settle(lane)
    } finally {
      for (const lane of hungry) endReading(lane)
    }
    return true
  }

  async function readTargets(stale: readonly HeldLane[]) {
    const askedAtMs = performance.now()
    const before = stale.map(({ forgotten }) => forgotten)
    const targets = await dueReader.findTargets(stale.map(({ id }) => id))
    for (const [at, lane] of stale.entries()) {
      // Changed while it was being read.
      if (lane.forgotten !== before[at]) continue
      lane.target = targets.get(lane.id) ?? null
      lane.targetAtMs = askedAtMs
    }
  }

  async function readDue(hungry: readonly HeldLane[]) {
    if (hungry.length === 0) return
    const known = Math.max(...hungry.map((lane) => lane.known.size))
    const perLane = READ_PER_LANE + roundUp(known)
    const found = await dueReader.findDue(
      hungry.map(({ id }) => id),
      perLane,
    )
    await messages.load([...found.values()].flat().map(({ messageId }) => messageId))
    const nowMs = performance.now()
    for (const lane of hungry) {
      const due = found.get(lane.id) ?? []
      lane.readAtMs = nowMs
      if (due.length > 0) lane.workedAtMs = nowMs
      // What is queued after this read is found when the lane is given back, or by its notice.
      lane.isEmpty = due.length < perLane
      enqueue(lane, due)
    }
  }
}

/** Nothing is sent for a subscription that was deleted. */
function settle(lane: HeldLane) {
  if (lane.target) return
  dropQueue(lane)
  lane.isEmpty = true
}

function endReading(lane: HeldLane) {
  lane.isReading = false
  for (const id of lane.recorded) lane.known.delete(id)
  lane.recorded.clear()
}

/** Few different numbers, because each makes another statement. */
function roundUp(count: number): number {
  return Math.ceil(count / 32) * 32
}
