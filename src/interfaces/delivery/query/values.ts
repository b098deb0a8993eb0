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

const NUMBER = /^([+-]?)(\d*)(?:\.(\d*))?$/
/** Longer texts are no numbers of ours, and converting them would take time. */
const LONGEST = 60

/** A number between those that a column can hold: the next one below it, and whether it is that. */
export interface Boundary {
  readonly scaled: bigint
  readonly isExact: boolean
  /** The next one below it, as a decimal text. */
  readonly text: string
}

/** `scale` is the number of decimals of the column; undefined when the text is no number. */
export function parseBoundary(text: string, scale: number): Boundary | undefined {
  const [, sign, whole = '', fraction = ''] =
    (text.length <= LONGEST ? NUMBER.exec(text) : null) ?? []
  if (sign === undefined || whole + fraction === '') return undefined
  const kept = fraction.slice(0, scale).padEnd(scale, '0')
  const isExact = !/[1-9]/.test(fraction.slice(scale))
  const size = BigInt(`${whole}${kept}` || '0')
  const isNegative = sign === '-'
  const scaled = isNegative ? -size - (isExact ? 0n : 1n) : size
  return { scaled, isExact, text: toText(scaled, scale) }
}

function toText(scaled: bigint, scale: number): string {
  if (scale === 0) return String(scaled)
  const digits = String(scaled < 0n ? -scaled : scaled).padStart(scale + 1, '0')
  return `${scaled < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}
