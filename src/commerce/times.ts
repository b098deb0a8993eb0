import { parseDate, parseMoment as parseInstant } from '#kernel'

const DAY_MS = 24 * 3_600_000
/** As this dialect writes its times, in UTC (contract §2). */
const WITH_SPACE = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)$/

/** `YYYY-MM-DD`, `YYYY-MM-DD HH:MM:SS` in UTC, ISO 8601 or epoch milliseconds. */
export function parseMoment(given: string): number | undefined {
  const text = given.trim()
  return parseDate(text) ?? parseInstant(text.replace(WITH_SPACE, '$1T$2'))
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
