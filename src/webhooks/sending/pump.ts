import type { Bus, BusMessage, Log } from '#kernel'
import { CHANGED_TOPIC, DONE_TOPIC, DUE_TOPIC } from '../work-topics.ts'
import type { Attempts } from './attempt.ts'
import { type ClaimingDeps, createClaiming } from './claiming.ts'
import type { DueReader } from './due.ts'
import { dropQueue } from './held-lane.ts'
import { createIntake } from './intake.ts'
import type { Messages } from './messages.ts'
import type { Recorder } from './record.ts'
import { createRecording } from './recording.ts'
import { createSender } from './sender.ts'
import type { Lanes, NewDue, Outcome } from './types.ts'

interface Deps extends ClaimingDeps {
  readonly dueReader: DueReader
  readonly messages: Messages
  readonly attempts: Attempts
  readonly recorder: Recorder
  readonly bus: Pick<Bus, 'publish' | 'subscribe'>
  readonly log: Log
  /** Told of each attempt, for the metrics. */
  observe(outcome: Outcome): void
  /** Ends all requests that are under way. */
  giveUp(): Promise<void>
}

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
  const { bus, log } = deps
  const lanes: Lanes = new Map()
  let stopping = false
  let isScheduled = false
  const claiming = createClaiming(deps, lanes)
  const intake = createIntake(deps, lanes)
  const recording = createRecording(
    {
      recorder: deps.recorder,
      isCrowded: claiming.isCrowded,
      isStopping: () => stopping,
      onRecorded,
      schedule,
    },
    lanes,
  )
  const sender = createSender(
    { ...deps, onOutcome: recording.add, onFree: schedule, report },
    lanes,
  )
  const claim = single(claiming.claim)
  const read = single(intake.read)
  const record = single(recording.record)
  const ends = [
    bus.subscribe(DUE_TOPIC, wake),
    bus.subscribe(CHANGED_TOPIC, (id) => forget(String(id))),
    every(LOOK_EVERY_MS, () => wake(null)),
    every(RENEW_EVERY_MS, () => void claiming.renew().catch(report)),
  ]
  schedule()
  return { offer, stop }

  /** The message names the lanes on which there is more; null when it may be any. */
  function wake(message: BusMessage) {
    claiming.look()
    intake.look(Array.isArray(message) ? message.map(String) : undefined)
    schedule()
  }

  function forget(id: string) {
    intake.forget(id)
    schedule()
  }

  /** See `intake`. */
  function offer(made: readonly NewDue[]): ReadonlySet<string> {
    schedule()
    return intake.offer(made)
  }

  function schedule() {
    if (isScheduled) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      if (stopping) return
      sender.sendAll()
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

  function onRecorded(outcome: Outcome) {
    deps.observe(outcome)
    const { id, trigger } = outcome.due
    if (trigger === 'test' || trigger === 'manual') void bus.publish(DONE_TOPIC, id)
  }

  /** What is under way may end, what does not is given up; all lanes are given back. */
  async function stop() {
    stopping = true
    for (const end of ends) end()
    const endMs = performance.now() + STOP_MS
    while (sender.underWay() > 0 && performance.now() < endMs) await pause(10)
    await deps.giveUp()
    while (sender.underWay() > 0) await pause(1)
    for (const lane of lanes.values()) {
      dropQueue(lane)
      lane.isEmpty = true
    }
    while (recording.unrecorded() > 0 || lanes.size > 0) {
      const before = recording.unrecorded() + lanes.size
      await record()
      if (recording.unrecorded() + lanes.size === before) await pause(10)
      if (performance.now() > endMs + STOP_MS) return
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

function every(ms: number, work: () => void): () => void {
  const timer = setInterval(work, ms)
  return () => clearInterval(timer)
}
