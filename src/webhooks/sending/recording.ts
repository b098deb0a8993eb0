import { isDrained, lingers } from './held-lane.ts'
import type { Recorder } from './record.ts'
import type { HeldLane, Lanes, Outcome } from './types.ts'

interface Deps {
  readonly recorder: Recorder
  /** Other lanes wait to be taken. */
  isCrowded(): boolean
  isStopping(): boolean
  /** Told of each attempt once it is recorded. */
  onRecorded(outcome: Outcome): void
  /** Asks for another turn. */
  schedule(): void
}

const OUTCOMES_PER_RECORD = 400
/** So many are recorded at once; fewer wait a moment for others to share their transaction. */
const MANY = 256
const MOMENT_MS = 20

/** Collects what attempts came to, has it written down, and gives back the lanes that are done. */
export function createRecording(deps: Deps, lanes: Lanes) {
  const { recorder, isCrowded, isStopping, onRecorded, schedule } = deps
  let outcomes: Outcome[] = []
  let lastAtMs = Number.NEGATIVE_INFINITY
  let isWaiting = false
  return { add, record, unrecorded: () => outcomes.length }

  function add(outcome: Outcome) {
    outcome.lane.unrecorded++
    outcomes.push(outcome)
  }

  /** True when something was written. */
  async function record(): Promise<boolean> {
    if (mustWait()) return false
    const batch = outcomes.slice(0, OUTCOMES_PER_RECORD)
    const released = findReleased(batch)
    if (batch.length === 0 && released.length === 0) return false
    // Claimed again by us while this is under way it is another holding.
    for (const lane of released) lanes.delete(lane.id)
    const { failureCounts } = await recorder.record(batch, released).catch((error) => {
      for (const lane of released) if (!lanes.has(lane.id)) lanes.set(lane.id, lane)
      throw error
    })
    lastAtMs = performance.now()
    outcomes = outcomes.slice(batch.length)
    for (const outcome of batch) finish(outcome, failureCounts)
    return true
  }

  /** Each transaction is synced to the disk, so a few attempts after another one wait for more. */
  function mustWait(): boolean {
    if (isStopping() || outcomes.length >= MANY) return false
    if (performance.now() - lastAtMs >= MOMENT_MS) return false
    if (!isWaiting) setTimeout(goOn, MOMENT_MS)
    isWaiting = true
    return true
  }

  function goOn() {
    isWaiting = false
    schedule()
  }

  /** Lanes with nothing to send for a while, or of a subscription that was deleted. */
  function findReleased(batch: readonly Outcome[]): HeldLane[] {
    const counts = new Map<HeldLane, number>()
    for (const { lane } of batch) counts.set(lane, (counts.get(lane) ?? 0) + 1)
    const isUnwanted = isCrowded() || isStopping()
    return [...lanes.values()].filter(
      (lane) =>
        isDrained(lane) &&
        (isUnwanted || !lingers(lane)) &&
        lane.unrecorded === (counts.get(lane) ?? 0),
    )
  }

  function finish(outcome: Outcome, failureCounts: ReadonlyMap<string, number>) {
    const { lane, due } = outcome
    lane.unrecorded--
    lane.failureCount = failureCounts.get(lane.id) ?? lane.failureCount
    if (lane.isReading) lane.recorded.add(due.id)
    else lane.known.delete(due.id)
    onRecorded(outcome)
  }
}
