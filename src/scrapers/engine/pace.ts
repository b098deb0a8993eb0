interface Deps {
  /** Requests a second. */
  readonly rate: number
  /** Before this moment of `now` no request begins. */
  readonly notBeforeMs: number
  /** Rising milliseconds. */
  now(): number
}

interface Waiter {
  start(): void
  readonly signal: AbortSignal
}

/** From this rate on starts are grouped in ticks (scrapers contract §4). */
const GROUPED_RATE = 100
const TICK_MS = 10
/** A group may fall to both sides of a second; this keeps the sum below the rate. */
const GROUPED_SHARE = 0.99

/**
 * The moments at which requests of a run may begin: evenly spaced, never saved up, given in the
 * order in which they were asked for.
 */
export function createPace({ rate, notBeforeMs, now }: Deps) {
  const waiting: Waiter[] = []
  let intervalMs = 0
  let graceMs = 0
  let nextMs = notBeforeMs
  let timer: NodeJS.Timeout | undefined
  setRate(rate)
  return { take, setRate }

  /** Also for those who wait already. */
  function setRate(perSecond: number) {
    const isGrouped = perSecond > GROUPED_RATE
    const before = intervalMs
    intervalMs = 1_000 / (isGrouped ? perSecond * GROUPED_SHARE : perSecond)
    graceMs = isGrouped ? TICK_MS : 0
    if (before > 0) nextMs += intervalMs - before
    schedule()
  }

  /** Resolves when a request may begin; rejects when the signal ends the wait. */
  function take(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason)
      const onAbort = () => {
        const at = waiting.indexOf(waiter)
        if (at >= 0) waiting.splice(at, 1)
        reject(signal.reason)
      }
      const waiter: Waiter = {
        signal,
        start() {
          signal.removeEventListener('abort', onAbort)
          resolve()
        },
      }
      signal.addEventListener('abort', onAbort, { once: true })
      waiting.push(waiter)
      schedule()
    })
  }

  function schedule() {
    clearTimeout(timer)
    if (waiting.length === 0) return
    const waitMs = nextMs - now()
    if (waitMs <= 0) return begin()
    timer = setTimeout(begin, Math.max(waitMs, graceMs))
  }

  function begin() {
    const nowMs = now()
    while (waiting.length > 0 && nextMs <= nowMs) {
      // What was not used is lost, but for the tick that starts are grouped in.
      nextMs = Math.max(nextMs, nowMs - graceMs) + intervalMs
      waiting.shift()?.start()
    }
    schedule()
  }
}

export type Pace = ReturnType<typeof createPace>
