import type { Random } from '../random.ts'

export interface Backoff {
  readonly firstMs: number
  readonly maxMs: number
}

/**
 * How long to wait after so many failures in a row (1 = the first): doubles up to `maxMs`. A random
 * part of up to half is left off, so that many that failed together do not come back together.
 */
export function backoffMs(failures: number, { firstMs, maxMs }: Backoff, random: Random): number {
  const wholeMs = Math.min(maxMs, firstMs * 2 ** (failures - 1))
  return Math.round(wholeMs * (1 - fraction(random) / 2))
}

/** Spreads a time evenly by the given part of it to both sides: 0.2 makes 100 into 80 to 120. */
export function spreadMs(ms: number, part: number, random: Random): number {
  return Math.round(ms * (1 + part * (2 * fraction(random) - 1)))
}

function fraction(random: Random): number {
  return random.bytes(4).readUInt32BE() / 2 ** 32
}
