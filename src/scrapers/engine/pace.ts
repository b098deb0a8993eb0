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
 * order in which they were asked for. A busy thread wakes late, and a run must not lose that time for good: the
 * next moment stays where it was, as long as no second has more starts than the rate.
 *
 * The first request of a process finds code, names and connections cold and reaches its site late.
 * The second would follow too closely, so it is counted from the answer to the first.
 */
export function createPace({ rate, notBeforeMs, now }: Deps) {
  const waiting: Waiter[] = []
  let intervalMs = 0
  let graceMs = 0
  let nextMs = notBeforeMs
  /** Of the starts within the last second, or a few more. */
  let starts: number[] = []
  let perSecond = rate
  let timer: NodeJS.Timeout | undefined
  let isFirstAnswered = false
  setRate(rate)
  return { take, answered, setRate }

  /** Also for those who wait already. */
  function setRate(given: number) {
    perSecond = given
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

  /** Of a request that was begun, however it went. */
  function answered() {
    if (isFirstAnswered) return
    isFirstAnswered = true
    nextMs = Math.max(nextMs, now() + intervalMs)
    schedule()
  }

  function mayBegin(): boolean {
    return waiting.length > 0 && (isFirstAnswered || starts.length === 0)
  }

  function schedule() {
    clearTimeout(timer)
    if (!mayBegin()) return
    const waitMs = momentMs() - now()
    if (waitMs <= 0) return begin(graceMs)
    timer = setTimeout(begin, Math.max(waitMs, graceMs), graceMs || intervalMs)
  }

  /** What nobody waited for is lost; of what came late, up to `lateMs` is not. */
  function begin(lateMs: number) {
    const nowMs = now()
    while (mayBegin() && momentMs() <= nowMs) {
      nextMs = Math.max(nextMs, nowMs - lateMs) + intervalMs
      starts.push(nowMs)
      if (starts.length > perSecond) starts = starts.slice(-perSecond)
      waiting.shift()?.start()
    }
    schedule()
  }

  /** When the next request may begin. Groups have a share that keeps them below the rate. */
  function momentMs(): number {
    const first = starts.at(-perSecond)
    return graceMs > 0 || first === undefined ? nextMs : Math.max(nextMs, first + 1_000)
  }
}

export type Pace = ReturnType<typeof createPace>
