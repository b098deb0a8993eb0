import assert from 'node:assert/strict'
import { until } from './wait.ts'

/** What the work below takes on a machine of the kind that the contracts' times are for, when it has nothing else to do. */
const WORK_MS = 100
const STEPS = 10
const ROUNDS = 1_280_000

/** `until` for what has to be true within a time that the contract names. */
export async function promptly<T>(
  withinMs: number,
  ask: () => T | undefined | false | Promise<T | undefined | false>,
): Promise<T> {
  const startedMs = performance.now()
  const answer = await until(ask)
  assertPrompt(performance.now() - startedMs, withinMs)
  return answer
}

/**
 * The contract speaks of a machine that has cores to spare. Whoever is late on one that has none gets as many times
 * longer as work takes there at that moment; on one that has, nothing.
 */
export function assertPrompt(tookMs: number, withinMs: number, what = 'this'): void {
  if (tookMs <= withinMs) return
  const times = slowness()
  const took = `${what} took ${Math.round(tookMs)} ms instead of ${withinMs}`
  assert.ok(
    tookMs <= withinMs * times,
    `${took}; work takes ${times.toFixed(1)} times as long here`,
  )
}

function slowness(): number {
  work()
  const startedMs = performance.now()
  for (let step = 0; step < STEPS; step++) work()
  return Math.max(1, (performance.now() - startedMs) / WORK_MS)
}

function work(): number {
  let sum = 0
  for (let round = 0; round < ROUNDS; round++) sum = (sum * 31 + round) | 0
  return sum
}
