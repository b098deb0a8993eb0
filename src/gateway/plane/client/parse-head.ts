import {
  CONNECTION,
  CONTENT_LENGTH,
  HOP,
  INVALID,
  KEEP_ALIVE,
  kindOf,
  TE,
  TRANSFER_ENCODING,
  UPGRADE,
} from './header-kinds.ts'

export const CHUNKED = -1
export const UNTIL_CLOSE = -2

/** The head of an answer, without what belongs to the connection only. */
export interface Head {
  readonly status: number
  /** Names and values in turn, as they came. */
  readonly headers: string[]
  /** Bytes of the body, or how its end is found. */
  readonly length: number
  readonly keepAlive: boolean
  /** How long the other side keeps the connection; 0 when it does not say. */
  readonly keepMs: number
}

/** Of the whole text: a line break that is no end of a line would begin another line elsewhere. */
const BAD_CHARACTER = /\0|\r(?!\n)|(?:^|[^\r])\n/
const SPACE = 32

/** `text` ends before the empty line. Undefined: not a correct answer of HTTP/1. */
export function parseHead(text: string, isHead: boolean): Head | undefined {
  let end = text.indexOf('\r\n')
  if (end === -1) end = text.length
  const status = statusOf(text, end)
  if (status === 0 || BAD_CHARACTER.test(text)) return undefined
  const headers: string[] = []
  let length = UNTIL_CLOSE
  let keepAlive = text.charCodeAt(7) === 49
  let keepMs = 0
  let isChunked = false
  let named: string | undefined
  while (end < text.length) {
    const start = end + 2
    end = text.indexOf('\r\n', start)
    if (end === -1) end = text.length
    const colon = text.indexOf(':', start)
    if (colon <= start || colon > end) return undefined
    const name = text.slice(start, colon)
    const value = valueBetween(text, colon + 1, end)
    const kind = kindOf(name)
    if (kind === INVALID) return undefined
    switch (kind) {
      case CONTENT_LENGTH: {
        if (!/^\d{1,15}$/.test(value)) return undefined
        const given = Number(value)
        if (length >= 0 && length !== given) return undefined
        if (length === given) break
        length = given
        headers.push(name, value)
        break
      }
      case TRANSFER_ENCODING:
        if (isChunked || value.toLowerCase() !== 'chunked') return undefined
        isChunked = true
        break
      case CONNECTION:
        named = named === undefined ? value : `${named},${value}`
        break
      case KEEP_ALIVE:
        keepMs = Number(/timeout=(\d{1,6})/i.exec(value)?.[1] ?? 0) * 1000
        break
      case HOP:
      case TE:
      case UPGRADE:
        break
      default:
        headers.push(name, value)
    }
  }
  // RFC 9112 §6.3: two ways to find the end are a way to hide an answer in another.
  if (isChunked && length >= 0) return undefined
  if (named !== undefined) keepAlive = applyConnection(named, headers, keepAlive)
  const hasNoBody = isHead || status === 204 || status === 304 || status < 200
  if (hasNoBody) length = 0
  else if (isChunked) length = CHUNKED
  return { status, headers, length, keepAlive: keepAlive && length !== UNTIL_CLOSE, keepMs }
}

/** Without white space around it, which is nearly always one space before. */
function valueBetween(text: string, from: number, end: number): string {
  const start = text.charCodeAt(from) === SPACE ? from + 1 : from
  if (text.charCodeAt(start) > SPACE && text.charCodeAt(end - 1) > SPACE) {
    return text.slice(start, end)
  }
  return text.slice(start, end).trim()
}

function statusOf(text: string, end: number): number {
  if (end < 12 || !text.startsWith('HTTP/1.')) return 0
  const minor = text.charCodeAt(7)
  if ((minor !== 48 && minor !== 49) || text.charCodeAt(8) !== 32) return 0
  if (end > 12 && text.charCodeAt(12) !== 32) return 0
  const status = Number(text.slice(9, 12))
  return Number.isInteger(status) && status >= 100 && status <= 599 ? status : 0
}

function applyConnection(named: string, headers: string[], keepAlive: boolean): boolean {
  if (named === 'keep-alive') return true
  let keeps = keepAlive
  for (const option of named.toLowerCase().split(',')) {
    const name = option.trim()
    if (name === 'close') keeps = false
    else if (name === 'keep-alive') keeps = true
    else if (name !== '') dropNamed(headers, name)
  }
  return keeps
}

/** Removes every header of that name, in place. */
function dropNamed(headers: string[], name: string): void {
  for (let at = headers.length - 2; at >= 0; at -= 2) {
    if (headers[at]?.toLowerCase() === name) headers.splice(at, 2)
  }
}
