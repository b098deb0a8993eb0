import { RE2JS } from 're2js'

/** Checks of single texts. Each answers what is wrong, to follow the name of the field, or null. */

const MAX_URL = 2_048
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const REFUSED_HEADERS = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'upgrade',
  'te',
  'trailer',
  'keep-alive',
  'expect',
])

export const URL_RULE = { max: MAX_URL, check: checkUrl }

export function checkUrl(text: string): string | null {
  const url = URL.parse(text)
  if (!url) return 'must be an absolute URL such as https://news.example/'
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'must be an http or https URL'
  if (url.username !== '' || url.password !== '') return 'must not hold a user or password'
  return null
}

export function checkHeaderName(name: string): string | null {
  if (!HEADER_NAME.test(name)) return 'is not the name of a header'
  const lower = name.toLowerCase()
  if (REFUSED_HEADERS.has(lower) || lower.startsWith('proxy-')) return 'cannot be set here'
  return null
}

/** What the HTTP client can send: no line breaks, no control characters, bytes only. */
export function checkHeaderValue(value: string): string | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused
  if (/[\x00-\x08\x0a-\x1f\x7f]/.test(value)) return 'must not hold line breaks'
  return /[\u0100-\uffff]/.test(value) ? 'must hold bytes only; encode other characters' : null
}

export function checkTimezone(name: string): string | null {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    // Offsets such as +01:00 are taken by the formatter, but have no calendar of their own.
    return /^[+-]/.test(name) ? 'must be a name such as Europe/Berlin' : null
  } catch {
    return 'must be a name of the time zone database such as Europe/Berlin'
  }
}

/** Linear in the text whatever the pattern is, so that a page cannot stall the crawler. */
export function checkPattern(pattern: string): string | null {
  try {
    RE2JS.compile(pattern)
    return null
  } catch {
    return 'is not a regular expression (without look-around and back references)'
  }
}

export function checkFieldName(name: string): string | null {
  return /^[A-Za-z][A-Za-z0-9_]{0,59}$/.test(name)
    ? null
    : 'must begin with a letter and hold letters, digits and _ only, at most 60'
}
