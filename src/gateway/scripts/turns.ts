import { createFairQueue } from '#queues'
import { type HostCall, TurnOver } from './engine.ts'
import type { createSandboxes, Script } from './sandboxes.ts'

/** One call of a script for one request. */
export interface ScriptCall {
  readonly script: Script
  /** The route it runs for. */
  readonly scope: string
  readonly host: HostCall
  readonly limitMs: number
  /** It begins anew elsewhere: what it has told the host so far is taken back. */
  restart(): void
  /** Nobody wants the outcome any more. */
  isGone(): boolean
}

/** Keeps account of the time of the processor that scripts take from a gateway thread. */
export type NoteTime = (of: 'call' | 'turn', ms: number) => void

interface Deps {
  readonly sandboxes: Pick<ReturnType<typeof createSandboxes>, 'run'>
  runInWorker(call: ScriptCall): Promise<string>
  now(): number
  /** Milliseconds that the processor has spent on this thread. */
  usedMs(): number
  readonly noteTime: NoteTime
  /** Calls back when the thread has looked after everybody else. */
  soon(work: () => void): void
}

/**
 * How long one call may stop the thread, by the clock, and after how long no further call begins before
 * everybody else has had their turn: a turn takes 25 ms at most. A request passes through a thread in three
 * pieces (its head, the connection to its node, the answer); each waits for the rest of one turn and for
 * another. That makes 150 ms: the usual limit of a script and the 100 ms of contract §8.
 */
const CALL_MS = 15
const TURN_MS = 10
/** A call that took longer is likely to do so again. */
const IN_WORKER_MS = 5_000

/**
 * Where and when the calls of one gateway thread run. Most take a fraction of a millisecond and run
 * where they are. One that does not end soon is broken off and begins anew in a worker: a call changes
 * nothing but its outcome, so that this is seen by nobody. Calls that together take the thread for too long
 * wait until others had their turn.
 */
export function createTurns({ sandboxes, runInWorker, now, usedMs, noteTime, soon }: Deps) {
  const waiting = createFairQueue<() => void>()
  let spentMs = 0
  let turnUsedMs = 0
  let isTurnEnding = false
  return { run }

  /** The outcome as text, at once where it can be; throws or rejects with `ScriptFailure`. */
  function run(call: ScriptCall): string | Promise<string> {
    if (now() < call.script.inWorkerUntilMs) return runInWorker(call)
    return spentMs >= TURN_MS || waiting.size() > 0 ? runLater(call) : runHere(call)
  }

  function runLater(call: ScriptCall): Promise<string> {
    return new Promise((resolve, reject) => {
      waiting.push(call.scope, () => {
        if (call.isGone()) return resolve('')
        try {
          resolve(now() < call.script.inWorkerUntilMs ? runInWorker(call) : runHere(call))
        } catch (error) {
          reject(error)
        }
      })
      endTurn()
    })
  }

  function runHere(call: ScriptCall): string | Promise<string> {
    const { script, scope, host, limitMs } = call
    const startedAt = now()
    const usedBefore = usedMs()
    try {
      return sandboxes.run(script, scope, host, { limitMs, turnMs: CALL_MS })
    } catch (error) {
      if (!(error instanceof TurnOver)) throw error
      script.inWorkerUntilMs = now() + IN_WORKER_MS
      call.restart()
      return runInWorker(call)
    } finally {
      spentMs += now() - startedAt
      account(usedMs() - usedBefore)
      endTurn()
    }
  }

  function account(ms: number): void {
    noteTime('call', ms)
    turnUsedMs += ms
  }

  function endTurn(): void {
    if (isTurnEnding) return
    isTurnEnding = true
    soon(beginTurn)
  }

  function beginTurn(): void {
    isTurnEnding = false
    if (spentMs > 0) noteTime('turn', turnUsedMs)
    spentMs = 0
    turnUsedMs = 0
    while (spentMs < TURN_MS) {
      const next = waiting.shift()
      if (!next) return
      next()
    }
    if (waiting.size() > 0) endTurn()
  }
}
