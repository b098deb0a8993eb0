import { parseDate, parseDay, parseMoment, renderTime } from '#kernel'

const SECONDS = /^-?\d{1,12}(?:\.\d{1,3})?$/

/**
 * Epoch milliseconds of an ISO time, a date or Unix seconds (contract §6.1); thirteen digits and more are
 * milliseconds themselves, which as seconds would lie beyond every year that can be shown.
 */
export function toMs(text: string): number | undefined {
  const zoned = withZone(text)
  if (SECONDS.test(zoned)) return Math.round(Number(zoned) * 1_000)
  return parseMoment(zoned) ?? parseDate(zoned)
}

/** The `+` of an offset is a space in a query that was not encoded. */
function withZone(text: string): string {
  return text.trim().replace(/(T[\d:.]+) (\d{2}:\d{2})$/i, '$1+$2')
}

export function toMoment(text: string): string | undefined {
  const ms = toMs(text)
  return ms === undefined ? undefined : inYears(ms)
}

/** The day an ISO time is written with, whatever its zone; of Unix seconds the day in UTC. */
export function toDate(text: string): string | undefined {
  return parseDay(withZone(text)) ?? toMoment(text)?.slice(0, 10)
}

/** Years of four digits; there is no other form of a time on this wire. */
function inYears(ms: number): string | undefined {
  const isShown =
    ms >= Date.parse('0000-01-01T00:00:00Z') && ms < Date.parse('9999-12-31T23:59:59Z')
  return isShown ? renderTime(ms) : undefined
}
