import type { Attempts } from './attempt.ts'
import { takeNext } from './held-lane.ts'
import type { Messages } from './messages.ts'
import type { Due, HeldLane, Lanes, Outcome } from './types.ts'

interface Deps {
  readonly messages: Messages
  readonly attempts: Attempts
  /** Requests at once. */
  workers(): number
  /** An attempt ended. */
  onOutcome(outcome: Outcome): void
  /** A place became free. */
  onFree(): void
  report(error: unknown): void
}

/** What waits longer for its receiver gives its place to others. */
const SLOW_MS = 500
/** So many times the number of workers may wait for slow receivers beside. */
const SLOW_FACTOR = 16
/** After a fault of our own a delivery is left alone so long. */
const AFTER_FAILURE_MS = 1_000

/** Makes the attempts: as many at once as there are workers, fairly over the lanes. */
export function createSender(deps: Deps, lanes: Lanes) {
  const { messages, attempts, workers, onOutcome, onFree, report } = deps
  let total = 0
  let slow = 0
  return { sendAll, underWay: () => total }

  /** One of each lane in turn, so that none keeps the others waiting. */
  function sendAll() {
    const nowMs = performance.now()
    let free = Math.min(workers() - (total - slow), workers() * SLOW_FACTOR - total)
    let sent = true
    while (free > 0 && sent) {
      sent = false
      for (const lane of lanes.values()) {
        if (free <= 0) break
        const due = takeNext(lane, nowMs)
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

  async function send(lane: HeldLane, due: Due) {
    lane.inFlight++
    total++
    let isSlow = false
    const timer = setTimeout(() => {
      isSlow = true
      slow++
      onFree()
    }, SLOW_MS)
    try {
      const attempted = await attempt(lane, due)
      if (attempted) onOutcome({ lane, due, attempted })
      else lane.known.delete(due.id)
    } catch (error) {
      // Our own fault (no file descriptor left, a secret that cannot be opened): not counted.
      report(error)
      setTimeout(() => lane.known.delete(due.id), AFTER_FAILURE_MS)
    } finally {
      clearTimeout(timer)
      if (isSlow) slow--
      total--
      lane.inFlight--
      onFree()
    }
  }

  async function attempt(lane: HeldLane, due: Due) {
    const { target } = lane
    if (!messages.get(due.messageId)) await messages.load([due.messageId])
    const message = messages.get(due.messageId)
    if (!target || !message) throw new Error(`delivery ${due.id} has no message or target`)
    return attempts.send(target, due, message)
  }
}
