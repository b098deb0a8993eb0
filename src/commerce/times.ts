import { parseDate, parseTime } from '#kernel'

const DAY_MS = 24 * 3_600_000
/** A time without a zone is one of UTC (contract §2). */
const WITHOUT_ZONE = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)$/

/** `YYYY-MM-DD`, `YYYY-MM-DD HH:MM:SS` in UTC, or ISO 8601. */
export function parseMoment(given: string): number | undefined {
  const text = given.trim()
  return parseDate(text) ?? parseTime(text.replace(WITHOUT_ZONE, '$1T$2Z'))
}

/** The day that begins at this moment in UTC; undefined inside a day. */
export function dayAt(ms: number): string | undefined {
  return ms % DAY_MS === 0 ? dayOf(ms) : undefined
}

/** The day that this moment is in, in UTC. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

/** The first day that begins at this moment or after it. */
export function nextDayFrom(ms: number): string {
  return dayOf(Math.ceil(ms / DAY_MS) * DAY_MS)
}
