import { parseDate, parseTime, renderTime } from '#kernel'

const SECONDS = /^-?\d{1,12}(?:\.\d{1,3})?$/

/** Epoch milliseconds of an ISO time, a date or Unix seconds (contract §6.1). */
export function toMs(text: string): number | undefined {
  const trimmed = text.trim()
  if (SECONDS.test(trimmed)) return Math.round(Number(trimmed) * 1_000)
  // The `+` of an offset is a space in a query that was not encoded.
  const zoned = trimmed.replace(/(T[\d:.]+) (\d{2}:\d{2})$/i, '$1+$2')
  return parseTime(zoned) ?? parseTime(`${zoned}Z`) ?? parseDate(zoned)
}

export function toMoment(text: string): string | undefined {
  const ms = toMs(text)
  return ms === undefined ? undefined : inYears(ms)
}

export function toDate(text: string): string | undefined {
  const ms = toMs(text)
  return ms === undefined ? undefined : inYears(ms)?.slice(0, 10)
}

/** Years of four digits; there is no other form of a time on this wire. */
function inYears(ms: number): string | undefined {
  const isShown =
    ms >= Date.parse('0000-01-01T00:00:00Z') && ms < Date.parse('9999-12-31T23:59:59Z')
  return isShown ? renderTime(ms) : undefined
}
