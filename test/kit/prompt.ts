import assert from 'node:assert/strict'
import { until } from './wait.ts'

/** What the work below takes on a machine of the kind that the contracts' times are for, when it has nothing else to do. */
const WORK_MS = 10
const SAMPLES = 10
const ROUNDS = 1_280_000

/** `until` for what has to be true within a time that the contract names. */
export async function promptly<T>(
  withinMs: number,
  ask: () => T | undefined | false | Promise<T | undefined | false>,
  what?: string,
): Promise<T> {
  const startedMs = performance.now()
  const samples: number[] = []
  const answer = await until(async () => {
    const found = await ask()
    const isLate = performance.now() - startedMs > withinMs / 2
    // While it is awaited: what held it up may be over once it is there.
    if (isLate && (found === undefined || found === false)) samples.push(takeSample())
    return found
  })
  assertPrompt(performance.now() - startedMs, withinMs, what, samples)
  return answer
}

/**
 * The contract speaks of a machine that has cores to spare. Whoever is late on one that has none gets as many times
 * longer as work takes there at that moment; on one that has, nothing.
 */
export function assertPrompt(
  tookMs: number,
  withinMs: number,
  what = 'this',
  samples: readonly number[] = [],
): void {
  if (tookMs <= withinMs) return
  const times = Math.max(meanOf(samples), slowness())
  const took = `${what} took ${Math.round(tookMs)} ms instead of ${withinMs}`
  assert.ok(
    tookMs <= withinMs * times,
    `${took}; work takes ${times.toFixed(1)} times as long here`,
  )
}

/** How many times as long as there work takes here and now; at least once. */
export function slowness(): number {
  work()
  return Math.max(1, meanOf(Array.from({ length: SAMPLES }, takeSample)))
}

function takeSample(): number {
  const startedMs = performance.now()
  work()
  return (performance.now() - startedMs) / WORK_MS
}

function meanOf(samples: readonly number[]): number {
  return samples.reduce((sum, sample) => sum + sample, 0) / Math.max(samples.length, 1)
}

function work(): number {
  let sum = 0
  for (let round = 0; round < ROUNDS; round++) sum = (sum * 31 + round) | 0
  return sum
}
