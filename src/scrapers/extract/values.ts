import { isObject } from '#kernel'
import { toUrl } from './dom.ts'

export type Json = string | number | boolean | null | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [name: string]: Json
}

/** JSON of a page; undefined when it is none. Escapes can hide what no store can keep. */
export function parseJson(text: string): Json | undefined {
  try {
    const parsed: Json = JSON.parse(text, LONG_NUMBER.test(text) ? storable : cleanText)
    return parsed
  } catch {
    return undefined
  }
}

const LONG_NUMBER = /\d{16}/

/** Whole numbers that a double would round become texts: as keys two of them would be one. */
function storable(name: string, value: Json, context?: { readonly source?: string }): Json {
  const source = context?.source
  const isRounded = typeof value === 'number' && !Number.isSafeInteger(value)
  return isRounded && source && /^-?\d+$/.test(source) ? source : cleanText(name, value)
}

function cleanText(_: string, value: Json): Json {
  return typeof value === 'string' ? clean(value) : value
}

/** Scrapers contract §4: U+0000 and unpaired surrogates are replaced. */
export function clean(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed()
}

/** ISO 8601, UTC, or null when it is no time. A time without zone is taken as UTC. */
export function toTime(text: string | null): string | null {
  if (text === null) return null
  const plain = text.trim()
  if (!isDated(plain)) return null
  const ms = toMs(plain)
  // Years beyond four digits are no dates that people mean.
  return Number.isNaN(ms) || Math.abs(ms) > 253_402_300_799_999 ? null : new Date(ms).toISOString()
}

/** Numbers as a date has them, or the name of a month and a year. */
const NUMERIC = /\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}/
const MONTH = /(?<!\p{L})(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/iu
const YEAR = /\d{4}|\d-\p{L}{3,9}-\d{2}/u

/** Node passes over what it does not know: to it `Lamp 12` is a day in December 2001. */
function isDated(plain: string): boolean {
  return DATE_ISO.test(plain) || NUMERIC.test(plain) || (MONTH.test(plain) && YEAR.test(plain))
}

const LOCAL_ISO = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?$/
const DATE_ISO = /^\d{4}(-\d{2}){0,2}$/
/** What Node knows as a zone: its name, or an offset, which stands behind a time or a name. */
const ZONED =
  /(?:[\d\s](?:Z|UTC?|GMT|[ECMP][SD]T)|(?::\d{2}(?:\.\d+)?(?:\s*[AP]M)?|UTC?|GMT)\s*[-+]\d{1,2}(?::?\d{2})?)(?:\s*\([^()]*\))?$/i

/** Node takes most times without a zone as those of the machine it runs on. NaN when the text is no time. */
export function toMs(plain: string): number {
  if (LOCAL_ISO.test(plain)) return Date.parse(`${plain.replace(' ', 'T')}Z`)
  const isWhole = DATE_ISO.test(plain) || ZONED.test(plain)
  return Date.parse(isWhole ? plain : `${plain} UTC`)
}

/** With blanks and apostrophes only between thousands: what follows may be another number. A hyphen in a word is no sign. */
const NUMBER = /((?<![\p{L}\p{N}])[-+−])?((?:\d{1,3}(?:[\s'’]\d{3})+(?!\d)|\d+)(?:[.,]\d+)*)/u

/** `1.234,50 €` and `$1,234.50`; null when no number is in it. */
function toNumber(text: string): number | null {
  const [, mark = '', found] = NUMBER.exec(text) ?? []
  if (found === undefined) return null
  const sign = /[-−]/u.test(mark) ? -1 : 1
  const digits = found.replaceAll(/[^\d.,]/gu, '')
  const number = Number(decimalOf(digits))
  return Number.isFinite(number) ? sign * number : null
}

/** The last mark is the decimal one, unless it stands as marks of thousands do. */
function decimalOf(digits: string): string {
  const marks = [...digits.matchAll(/[.,]/g)].map(([mark]) => mark)
  const last = marks.at(-1)
  if (last === undefined) return digits
  const isRepeated = marks.filter((mark) => mark === last).length > 1
  const isMixed = new Set(marks).size > 1
  const isGroup = !isMixed && /^[1-9]\d*,\d{3}$/.test(digits)
  if ((isRepeated && !isMixed) || isGroup) return digits.replaceAll(/[.,]/g, '')
  const at = digits.lastIndexOf(last)
  return `${digits.slice(0, at).replaceAll(/[.,]/g, '')}.${digits.slice(at + 1)}`
}

const TRUE = new Set(['true', 'yes', 'y', '1', 'on', 'in stock', 'available'])
const FALSE = new Set(['false', 'no', 'n', '0', 'off', 'out of stock', 'unavailable'])

function toBoolean(text: string): boolean | null {
  const word = text.trim().toLowerCase()
  if (TRUE.has(word)) return true
  return FALSE.has(word) ? false : null
}

type Conversion = (text: string, base: string) => Json

/** By the type a field rule names; null: the text is no such value. */
export const CONVERSIONS: Record<
  'string' | 'number' | 'integer' | 'boolean' | 'date' | 'url',
  Conversion
> = {
  string: (text) => text,
  number: (text) => toNumber(text),
  integer: (text) => toWhole(toNumber(text)),
  boolean: (text) => toBoolean(text),
  date: (text) => toTime(text),
  url: (text, base) => toUrl(text, base),
}

function toWhole(number: number | null): number | null {
  return number !== null && Number.isSafeInteger(number) ? number : null
}

/** What a dotted path leads to; numbers are places in lists. */
export function valueAt(data: Json | undefined, path: string): Json | undefined {
  let value: Json | undefined = data
  for (const part of path.split('.')) {
    if (isList(value)) value = /^\d+$/.test(part) ? value[Number(part)] : undefined
    else if (isObject(value)) value = Object.hasOwn(value, part) ? value[part] : undefined
    else return undefined
  }
  return value
}

export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value)
}
