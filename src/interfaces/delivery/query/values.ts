import { parseDate, parseMoment as parseInstant } from '#kernel'

const DAY_MS = 86_400_000

/** What a filter says of a time: a moment, or a whole day in UTC. */
export interface Moment {
  readonly startMs: number
  /** The first moment after it; a moment itself lasts a millisecond. */
  readonly endMs: number
}

/** `YYYY-MM-DD`, a date-time in UTC unless it says otherwise, or epoch milliseconds; else undefined. */
export function parseMoment(text: string): Moment | undefined {
  const day = parseDate(text)
  if (day !== undefined) return { startMs: day, endMs: day + DAY_MS }
  const ms = parseInstant(text)
  return ms === undefined ? undefined : { startMs: ms, endMs: ms + 1 }
}

/** The day of a moment, and whether it is the first moment of that day. */
export function dayOf({ startMs }: Moment): { readonly date: string; readonly isStart: boolean } {
  const time = new Date(startMs).toISOString()
  return { date: time.slice(0, 10), isStart: time.endsWith('T00:00:00.000Z') }
}
