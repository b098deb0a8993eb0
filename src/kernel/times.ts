const DATE = /^\d{4}-\d{2}-\d{2}$/
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/i

const WITHOUT_ZONE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?$/i
const EPOCH = /^-?\d{1,16}$/

const YEAR_0_MS = Date.parse('0000-01-01T00:00:00Z')
const YEAR_10_000_MS = Date.UTC(10_000, 0)

const DAY_MS = 86_400_000
const DAYS_IN_400_YEARS = 146_097
/** From 1 March of the year 0, so that leap days come last in a year. */
const DAYS_BEFORE_1970 = 719_468
const FIRST_MS = Date.UTC(1600, 0)
const LAST_MS = Date.UTC(9999, 11, 31)
const DAYS_OF_MONTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
const TWO = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0'))
const THREE = Array.from({ length: 1_000 }, (_, number) => String(number).padStart(3, '0'))

/**
 * As every answer shows a time: ISO 8601, UTC, milliseconds. Lists show several for each entry, and
 * the language's own way takes more of a list's time than all the rest of rendering it.
 */
export function renderTime(ms: number): string {
  const before = known.get(ms)
  if (before !== undefined) return before
  const text = toText(ms)
  // To know which were used last would take longer than to make them anew.
  if (known.size >= MOST_KNOWN) known.clear()
  known.set(ms, text)
  return text
}

const MOST_KNOWN = 2_000
/** Most entries were made, changed and published in the same moment, and are read again and again. */
const known = new Map<number, string>()

function toText(ms: number): string {
  if (!Number.isInteger(ms) || ms < FIRST_MS || ms > LAST_MS) return new Date(ms).toISOString()
  const days = Math.floor(ms / DAY_MS)
  const rest = ms - days * DAY_MS
  const seconds = Math.floor(rest / 1_000)
  const minutes = Math.floor(seconds / 60)
  const hours = TWO[Math.floor(minutes / 60)]
  return `${renderDay(days)}T${hours}:${TWO[minutes % 60]}:${TWO[seconds % 60]}.${THREE[rest % 1_000]}Z`
}

/** The Gregorian calendar repeats itself every 400 years; a year is counted from March. */
function renderDay(daysSince1970: number): string {
  const days = daysSince1970 + DAYS_BEFORE_1970
  const era = Math.floor(days / DAYS_IN_400_YEARS)
  const inEra = days - era * DAYS_IN_400_YEARS
  const leapDays =
    Math.floor(inEra / 1_460) - Math.floor(inEra / 36_524) + Math.floor(inEra / 146_096)
  const yearInEra = Math.floor((inEra - leapDays) / 365)
  const before = 365 * yearInEra + Math.floor(yearInEra / 4) - Math.floor(yearInEra / 100)
  const inYear = inEra - before
  const fromMarch = Math.floor((5 * inYear + 2) / 153)
  const day = inYear - Math.floor((153 * fromMarch + 2) / 5) + 1
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9
  const year = era * 400 + yearInEra + (month <= 2 ? 1 : 0)
  return `${year}-${TWO[month]}-${TWO[day]}`
}

export function renderTimeOrNull(ms: number | null): string | null {
  return ms === null ? null : renderTime(ms)
}

/** RFC 3339 with a time zone; undefined when it is not, or names a day or zone that is none. */
export function parseTime(text: string): number | undefined {
  if (!DATE_TIME.test(text) || !isRealDay(text.slice(0, 10))) return undefined
  const ms = Date.parse(text.toUpperCase())
  return Number.isNaN(ms) ? undefined : ms
}

/** As people and forms send a time: with its zone, without one in UTC, or as text of epoch milliseconds. */
export function parseMoment(text: string): number | undefined {
  if (EPOCH.test(text)) return withinYears(Number(text))
  const ms = parseTime(WITHOUT_ZONE.test(text) ? `${text}Z` : text)
  return ms === undefined ? undefined : withinYears(ms)
}

/** Years of four digits; the ISO form of others is one that few readers know. */
function withinYears(ms: number): number | undefined {
  return ms >= YEAR_0_MS && ms < YEAR_10_000_MS ? ms : undefined
}

/** A date, or the date that an ISO time is written with, whatever its zone. */
export function parseDay(text: string): string | undefined {
  const isDay = parseDate(text) !== undefined
  if (!isDay && (EPOCH.test(text) || parseMoment(text) === undefined)) return undefined
  return text.slice(0, 'YYYY-MM-DD'.length)
}

/** A bare date is its first instant in UTC. */
export function parseDate(text: string): number | undefined {
  return DATE.test(text) && isRealDay(text) ? Date.parse(text) : undefined
}

/** JavaScript takes 30 February for 2 March. By arithmetic: a filter may name thousands of days. */
function isRealDay(date: string): boolean {
  const year = Number(date.slice(0, 4))
  const month = Number(date.slice(5, 7))
  const day = Number(date.slice(8, 10))
  const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  const days = month === 2 && isLeapYear ? 29 : (DAYS_OF_MONTHS[month - 1] ?? 0)
  return day >= 1 && day <= days
}
