import { type DomainError, invalid } from '#kernel'

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/
const DATE_TIME =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:[.,](\d{1,9}))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/
const MONTH = /^(\d{4})-(\d{2})$/

export function badParameter(name: string, what: string): DomainError {
  return invalid(
    [{ path: [name], rule: 'format', message: `${name} ${what}` }],
    'invalid_parameter',
  )
}

/** A date, meaning its first instant in UTC, or a date-time that says its zone. */
export function parseInstant(name: string, text: string): number {
  const atMs = readDate(text) ?? readDateTime(text)
  if (atMs === undefined) {
    throw badParameter(name, 'must be a date or a date-time with a zone, as 2026-03-01T09:00:00Z')
  }
  return atMs
}

/** The first instant of `2026-03`. */
export function parseMonth(name: string, text: string): number {
  const [, year, month] = MONTH.exec(text)?.map(Number) ?? []
  const atMs = year === undefined || month === undefined ? undefined : dayOf(year, month, 1)
  if (atMs === undefined) throw badParameter(name, 'must be a month as 2026-03')
  return atMs
}

function readDate(text: string): number | undefined {
  const [, year, month, day] = DATE.exec(text)?.map(Number) ?? []
  if (year === undefined || month === undefined || day === undefined) return undefined
  return dayOf(year, month, day)
}

function readDateTime(text: string): number | undefined {
  const parts = DATE_TIME.exec(text)
  if (!parts) return undefined
  const number = (place: number) => Number(parts[place] ?? 0)
  const day = dayOf(number(1), number(2), number(3))
  const [hour, minute, second] = [number(4), number(5), number(6)]
  const [zoneHour, zoneMinute] = [number(9), number(10)]
  if (day === undefined || hour > 23 || minute > 59 || second > 59) return undefined
  if (zoneHour > 23 || zoneMinute > 59) return undefined
  const ms = Number((parts[7] ?? '').padEnd(3, '0').slice(0, 3))
  const zoneMinutes = (zoneHour * 60 + zoneMinute) * (parts[8] === '-' ? -1 : 1)
  return day + ((hour * 60 + minute - zoneMinutes) * 60 + second) * 1000 + ms
}

/** Undefined for a day that no calendar has, which `Date` would turn into another one. */
function dayOf(year: number, month: number, day: number): number | undefined {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  const isReal = date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  return isReal ? date.getTime() : undefined
}
