import type { Log } from '../log.ts'
import type { Random } from '../random.ts'
import { backoffMs } from './backoff.ts'

export interface LoopDeps {
  readonly name: string
  /** The longest pause between two turns; a notice that was lost costs no more than this. */
  readonly everyMs: number
  /** Where work is announced or looked for otherwise, the pauses double up to this while nothing wakes the loop. */
  readonly idleMs?: number
  /**
   * The shortest time between the beginnings of two turns, unless the first one left something to do. What
   * is announced again and again is then done in larger steps.
   */
  readonly restMs?: number
  /** Subscribes to what announces work; returns the function that ends it. */
  wake?(wake: () => void): () => void
  /** One turn. `true` means there is more to do: the next turn follows without a pause. */
  run(signal: AbortSignal): Promise<unknown>
  readonly log: Log
  readonly random: Random
}

export interface Loop {
  /** Asks the running turn to end early through its signal, and waits for it. */
  stop(): Promise<void>
}

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 30_000

/**
 * Background work: one turn at once, then one whenever it is woken and at the latest every
 * `everyMs`, or `idleMs` where that is given. Turns never overlap; being woken during a turn means another one after it. A failed
 * turn is logged and repeated with growing pauses, which no notice shortens.
 */
export function createLoop(deps: LoopDeps): Loop {
  const { name, everyMs, idleMs = everyMs, restMs = 0, wake, run, log, random } = deps
  const stopping = new AbortController()
  let woken = false
  let endPause: (() => void) | undefined
  const unsubscribe = wake?.(() => {
    woken = true
    endPause?.()
  })
  const ended = go()
  return { stop }

  async function stop() {
    unsubscribe?.()
    stopping.abort()
    endPause?.()
    await ended
  }

  async function go() {
    let failures = 0
    let pauseMs = everyMs
    while (!stopping.signal.aborted) {
      woken = false
      const startedMs = performance.now()
      try {
        const more = await run(stopping.signal)
        failures = 0
        if (more === true) woken = true
        else await pause(startedMs + restMs - performance.now())
      } catch (error) {
        if (stopping.signal.aborted) return
        failures++
        const againMs = backoffMs(failures, PAUSES, random)
        log.error({ err: error, loop: name, failures, pauseMs: againMs }, 'background work failed')
        await pause(againMs)
        continue
      }
      await pause(woken ? 0 : pauseMs, { wakeable: true })
      pauseMs = woken ? everyMs : Math.min(idleMs, pauseMs * 2)
    }
  }

  function pause(ms: number, { wakeable = false } = {}): Promise<void> {
    return new Promise((resolve) => {
      if (stopping.signal.aborted || ms < 0) return resolve()
      const done = () => {
        clearTimeout(timer)
        endPause = undefined
        resolve()
      }
      const timer = setTimeout(done, ms)
      endPause = () => {
        if (wakeable || stopping.signal.aborted) done()
      }
    })
  }
}

type Wake = NonNullable<LoopDeps['wake']>

/** For a loop that several things wake. */
export function byAny(...wakes: readonly Wake[]): Wake {
  return (wake) => {
    const ends = wakes.map((each) => each(wake))
    return () => {
      for (const end of ends) end()
    }
  }
}

const PAUSES = { firstMs: FIRST_PAUSE_MS, maxMs: LONGEST_PAUSE_MS }
