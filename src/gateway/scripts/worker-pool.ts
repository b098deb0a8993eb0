import { type Log, unavailable } from '#kernel'
import { createFairQueue } from '#queues'
import { ScriptFailure, type ScriptSource } from './engine.ts'
import type { ScriptCall } from './turns.ts'
import { openScriptWorker, type ScriptWorker } from './worker.ts'

interface Waiting {
  readonly call: ScriptCall
  timer: NodeJS.Timeout | undefined
  isRefused: boolean
  resolve(text: string): void
  reject(error: unknown): void
}

interface Deps {
  readonly log: Log
  readonly openWorker?: typeof openScriptWorker
}

/** A worker and what it does now; null: nothing, or it is not ready yet. */
interface Slot {
  readonly worker: ScriptWorker
  isReady: boolean
  current: Waiting | null
}

/** More waiting calls than these are refused: they would be answered when nobody waits any more. */
const MAX_WAITING = 256
const MAX_WAIT_MS = 10_000
/** One for scripts that run into their limits, and one that they leave to the others. */
const MAX_WORKERS = 2
/** The worker ends a script itself; this is for a worker that does not. */
const GRACE_MS = 16_000
/**
 * How long a worker may take to begin: without one all calls wait. Long, since on a machine with much else
 * to do one that is ended too early would never begin.
 */
const START_WITHIN_MS = 60_000

/**
 * Scripts that take long, in workers that can be ended. Routes take turns, however much each asks. A
 * script that was ended at its limit before runs when no other waits, and never in both workers: so
 * nobody waits for more than one script that does not end.
 */
export function createWorkerPool({ log, openWorker = openScriptWorker }: Deps) {
  const numbers = new WeakMap<ScriptCall['script'], number>()
  const ordinary = createFairQueue<Waiting>()
  const endless = createFairQueue<Waiting>()
  const slots = new Set<Slot>()
  let scripts = 0
  return { run, start: warmUp, close }

  /** So that the first call need not wait for the worker. */
  function warmUp(): void {
    if (slots.size === 0) start()
  }

  function run(call: ScriptCall): Promise<string> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = { call, timer: undefined, isRefused: false, resolve, reject }
      if (isFull() && !makeRoom(call.scope)) return refuse(waiting)
      waiting.timer = setTimeout(() => refuse(waiting), MAX_WAIT_MS)
      queueOf(call).push(call.scope, waiting)
      next()
    })
  }

  function queueOf({ script }: ScriptCall) {
    return script.isEndless ? endless : ordinary
  }

  function isFull(): boolean {
    if (ordinary.size() + endless.size() < MAX_WAITING) return false
    // Those whom nobody waits for any more take no places from others.
    for (const queue of [ordinary, endless]) queue.take(isDead).forEach(release)
    return ordinary.size() + endless.size() >= MAX_WAITING
  }

  function isDead({ isRefused, call }: Waiting): boolean {
    return isRefused || call.isGone()
  }

  function release({ timer, resolve }: Waiting): void {
    clearTimeout(timer)
    resolve('')
  }

  /** Whoever has most waiting gives way to whoever has less; false: that is the caller itself. */
  function makeRoom(scope: string): boolean {
    for (const queue of [endless, ordinary]) {
      const greediest = queue.longest()
      if (greediest === undefined || greediest === scope) continue
      if (queue.lengthOf(greediest) <= ordinary.lengthOf(scope) + endless.lengthOf(scope)) continue
      const dropped = queue.dropLast(greediest)
      if (dropped) refuse(dropped)
      return true
    }
    return false
  }

  function refuse(waiting: Waiting): void {
    clearTimeout(waiting.timer)
    waiting.isRefused = true
    waiting.reject(unavailable('scripts_busy', 'too many scripts are waiting'))
  }

  function numberOf(script: ScriptCall['script']): number {
    const known = numbers.get(script) ?? ++scripts
    numbers.set(script, known)
    return known
  }

  function next(): void {
    for (;;) {
      const isWanted = ordinary.size() > 0 || (endless.size() > 0 && !isEndlessRunning())
      if (!isWanted) return
      const free = [...slots].find(({ isReady, current }) => isReady && current === null)
      if (!free) {
        const isComing = [...slots].some(({ isReady }) => !isReady)
        if (slots.size < MAX_WORKERS && !isComing) start()
        return
      }
      const waiting = ordinary.shift() ?? endless.shift()
      if (waiting) begin(free, waiting)
    }
  }

  function isEndlessRunning(): boolean {
    return [...slots].some(({ current }) => current?.call.script.isEndless)
  }

  function begin(slot: Slot, waiting: Waiting): void {
    const { call } = waiting
    // One that has waited too long, or whose client has left, stays in its queue until its turn.
    if (isDead(waiting)) return void release(waiting)
    clearTimeout(waiting.timer)
    slot.current = waiting
    waiting.timer = setTimeout(() => overdue(slot), call.limitMs + GRACE_MS)
    const source: ScriptSource = call.script.source
    const { scope, limitMs } = call
    slot.worker.run({ script: numberOf(call.script), source, scope, limitMs })
  }

  function start(): void {
    const late = setTimeout(() => overdue(slot), START_WITHIN_MS)
    late.unref()
    const worker = openWorker({
      log,
      ready() {
        clearTimeout(late)
        slot.isReady = true
        next()
      },
      answer: (operation, a, b) => slot.current?.call.host(operation, a, b),
      done: (text) =>
        settle(slot, ({ call, resolve }) => {
          call.script.isEndless = false
          resolve(text)
        }),
      failed: (failure) =>
        settle(slot, ({ call, reject }) => {
          call.script.isEndless = failure.code === 'script_timeout'
          reject(failure)
        }),
      ended() {
        clearTimeout(late)
        ended(slot, new ScriptFailure('script_error', 'the worker has ended'))
      },
    })
    const slot: Slot = { worker, isReady: false, current: null }
    slots.add(slot)
  }

  function settle(slot: Slot, finish: (waiting: Waiting) => void): void {
    const waiting = slot.current
    slot.current = null
    clearTimeout(waiting?.timer)
    if (waiting) finish(waiting)
    next()
  }

  function overdue(slot: Slot): void {
    ended(slot, new ScriptFailure('script_timeout', 'took too long'))
    void slot.worker.end()
  }

  /** What was under way has failed; what waits goes to the next worker. */
  function ended(slot: Slot, failure: ScriptFailure): void {
    if (!slots.delete(slot)) return
    // One that cannot even begin would be started again and again.
    if (!slot.isReady && slots.size === 0) refuseAll()
    settle(slot, ({ call, reject }) => {
      call.script.isEndless = true
      reject(failure)
    })
  }

  function refuseAll(): void {
    for (const { timer, reject } of [...ordinary.drain(), ...endless.drain()]) {
      clearTimeout(timer)
      reject(unavailable('scripts_unavailable', 'scripts cannot run now'))
    }
  }

  async function close(): Promise<void> {
    const old = [...slots]
    slots.clear()
    await Promise.all(old.map(({ worker }) => worker.end()))
  }
}
