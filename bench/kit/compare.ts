import type { BenchContext, Speed } from './bench.ts'
import { type Measured, measure } from './load.ts'

const CONNECTIONS = 32

export interface Target {
  readonly what: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * Measures all targets in turn, several rounds, and takes each one's median. What slows the machine
 * for a while slows the neighbours within a round alike: many short rounds say more than few long.
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
  return [...results].map(([what, measured]) => ({
    what,
    ...middle(measured),
    eachPerSecond: measured.map(({ perSecond }) => perSecond),
  }))
}

/**
 * How much later the slowest hundredth of answers comes through a target than from what is behind
 * it, at half the rate that the target can do.
 */
export async function addedLatencyMs(
  { tool, rounds, secondsPerRound: seconds, say }: BenchContext,
  { through, behind, fullRate }: { through: Target; behind: Target; fullRate: number },
): Promise<number> {
  const added: number[] = []
  for (let round = 1; round <= rounds; round++) {
    say(`round ${round} of ${rounds}: ${through.what} at half load`)
    const at = { connections: CONNECTIONS, seconds, perSecond: fullRate / 2 }
    const straight = await measure(tool, { url: behind.url, ...at })
    const led = await measure(tool, { url: through.url, ...at })
    added.push(led.p99Ms - straight.p99Ms)
  }
  return median(added)
}

/** How many times as fast the first is: the median of what the single rounds say. */
export function ratio(speeds: readonly Speed[], what: string, against: string): number {
  const find = (name: string) => speeds.find((speed) => speed.what === name)?.eachPerSecond ?? []
  const others = find(against)
  return median(find(what).map((value, round) => value / (others[round] ?? Number.NaN)))
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
