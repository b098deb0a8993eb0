import { backoffMs } from '#jobs'
import type { Random } from '#kernel'

// What may pass by itself and is asked for again, pages and files alike (scrapers contract §4).

const STATUSES: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504])
const CODES: ReadonlySet<string> = new Set([
  'timeout',
  'dns_error',
  'connection_refused',
  'connection_reset',
  'invalid_response',
])
const PAUSES = { firstMs: 1_000, maxMs: 600_000 }

export function isPassingStatus(status: number): boolean {
  return STATUSES.has(status)
}

/** Of an exchange without an answer. */
export function isPassingFailure(code: string): boolean {
  return CODES.has(code)
}

/** How long to wait after so many failures. */
export function retryPauseMs(failures: number, random: Random): number {
  return backoffMs(failures, PAUSES, random)
}
