import { setTimeout as delay } from 'node:timers/promises'

/** Asks again until the answer is not undefined or false; for effects that no event announces. */
export async function until<T>(
  ask: () => T | undefined | false | Promise<T | undefined | false>,
  { withinMs = 30_000, what = 'the condition' } = {},
): Promise<T> {
  const endMs = performance.now() + withinMs
  for (;;) {
    const answer = await ask()
    if (answer !== undefined && answer !== false) return answer
    if (performance.now() > endMs) throw new Error(`${what} did not come true in ${withinMs} ms`)
    await delay(10)
  }
}
