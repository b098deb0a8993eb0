/** UTC calendar periods; each is named by its first millisecond. */
export type Period = 'minute' | 'hour' | 'day' | 'month'

export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/** Of the periods that are all equally long. */
export const lengthMs = { minute: MINUTE_MS, hour: HOUR_MS, day: DAY_MS } as const

export function startOf(period: Period, atMs: number): number {
  if (period === 'month') {
    const date = new Date(atMs)
    return Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
  }
  return atMs - (((atMs % lengthMs[period]) + lengthMs[period]) % lengthMs[period])
}

/** The first start of such a period that is not before `atMs`. */
export function startAtOrAfter(period: keyof typeof lengthMs, atMs: number): number {
  return startOf(period, atMs + lengthMs[period] - 1)
}

export function nextMonth(startMs: number): number {
  const date = new Date(startMs)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
}

export function monthsBefore(atMs: number, count: number): number {
  const date = new Date(atMs)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - count)
}

export function toIso(atMs: number): string {
  return new Date(atMs).toISOString()
}
