import { parseDate, parseTime } from '#kernel'

const DAY_MS = 86_400_000
const WITHOUT_ZONE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?$/i

/** What a filter says of a time: a moment, or a whole day in UTC. */
export interface Moment {
  readonly startMs: number
  /** The first moment after it; a moment itself lasts a millisecond. */
  readonly endMs: number
}

/** `YYYY-MM-DD` or a date-time, in UTC unless it says otherwise; undefined when it is neither. */
export function parseMoment(text: string): Moment | undefined {
  const day = parseDate(text)
  if (day !== undefined) return { startMs: day, endMs: day + DAY_MS }
  const ms = parseTime(WITHOUT_ZONE.test(text) ? `${text}Z` : text)
  return ms === undefined ? undefined : { startMs: ms, endMs: ms + 1 }
}

/** The day of a moment, and whether it is the first moment of that day. */
export function dayOf({ startMs }: Moment): { readonly date: string; readonly isStart: boolean } {
  const time = new Date(startMs).toISOString()
  return { date: time.slice(0, 10), isStart: time.endsWith('T00:00:00.000Z') }
}
