// Apart from the tables, because a gateway thread must not load a database library.
export const KEYS = ['k0', 'k1', 'k2', 'k3', 'small'] as const
/** The one key whose month ends during the run. */
export const MONTH_LIMIT: Readonly<Record<string, number>> = { small: 700 }
export const MINUTE = { kind: 'calendar', unit: 'minute' } as const
export const MONTH = { kind: 'calendar', unit: 'month' } as const

export interface UsageRecord {
  readonly request: string
  readonly key: string
  readonly cost: number
  readonly status: number
  readonly atMs: number
}

export function windowStart(unit: 'minute' | 'month', atMs: number): number {
  const date = new Date(atMs)
  if (unit === 'minute') return atMs - (atMs % 60_000)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
}
