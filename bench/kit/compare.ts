import type { BenchContext, Speed } from './bench.ts'
import { type Measured, measure } from './load.ts'

const CONNECTIONS = 32

export interface Target {
  readonly what: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * Measures all targets in turn, several rounds, and takes each one's median: what slows the machine
 * for a while then slows all of them alike.
 */
export async function compare(context: BenchContext, targets: readonly Target[]): Promise<Speed[]> {
  const { tool, rounds, secondsPerRound, say } = context
  const results = new Map<string, Measured[]>(targets.map(({ what }) => [what, []]))
  for (const { url, headers = {} } of targets) {
    await measure(tool, { url, headers, connections: CONNECTIONS, seconds: 1 })
  }
  for (let round = 1; round <= rounds; round++) {
    for (const { what, url, headers = {} } of targets) {
      say(`round ${round} of ${rounds}: ${what}`)
      const load = { url, headers, connections: CONNECTIONS, seconds: secondsPerRound }
      results.get(what)?.push(await measure(tool, load))
    }
  }
  return [...results].map(([what, measured]) => ({ what, ...middle(measured) }))
}

/** How many times as fast the first is. */
export function ratio(speeds: readonly Speed[], what: string, against: string): number {
  const find = (name: string) => speeds.find((speed) => speed.what === name)?.perSecond
  return (find(what) ?? Number.NaN) / (find(against) ?? Number.NaN)
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN
}

function middle(measured: readonly Measured[]): Measured {
  return {
    perSecond: median(measured.map(({ perSecond }) => perSecond)),
    p50Ms: median(measured.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(measured.map(({ p99Ms }) => p99Ms)),
  }
}
