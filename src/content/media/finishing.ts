import { setTimeout as wait } from 'node:timers/promises'

/** So that whoever waits behind many is not held up for long by one that took long. */
const LONGEST_PAUSE_MS = 100
/** Times as long as finishing one took. */
const PAUSE_SHARE = 6

/**
 * Finishes uploads one after the other, with pauses that grow with how long it takes: the busier the
 * event loop, the more of its time is left to other requests. Nobody waits for the last pause.
 */
export function createFinishing() {
  let last: Promise<unknown> = Promise.resolve()
  return finish

  function finish<T>(work: () => Promise<T>): Promise<T> {
    const before = last
    const mine = before.then(work)
    last = pauseAfter(before, mine)
    return mine
  }

  async function pauseAfter(before: Promise<unknown>, mine: Promise<unknown>): Promise<void> {
    await before
    const startedMs = performance.now()
    await mine.catch(() => {})
    const tookMs = performance.now() - startedMs
    await wait(Math.min(LONGEST_PAUSE_MS, PAUSE_SHARE * tookMs))
  }
}
