import { setTimeout as delay } from 'node:timers/promises'

const SHORTEST_PAUSE_MS = 10
const LONGEST_PAUSE_MS = 50

/**
 * Asks again until the answer is not undefined or false; for effects that no event announces. The longer it
 * has waited, the less often it asks, because each question takes from the server what it waits for.
 */
export async function until<T>(
  ask: () => T | undefined | false | Promise<T | undefined | false>,
  { withinMs = 30_000, what = 'the condition' } = {},
): Promise<T> {
  const startMs = performance.now()
  for (;;) {
    const answer = await ask()
    if (answer !== undefined && answer !== false) return answer
    const waitedMs = performance.now() - startMs
    if (waitedMs > withinMs) throw new Error(`${what} did not come true in ${withinMs} ms`)
    await delay(Math.min(Math.max(waitedMs / 10, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS))
  }
}
