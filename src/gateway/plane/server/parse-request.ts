import {
  CONNECTION,
  CONTENT_LENGTH,
  EXPECT,
  HOST,
  INVALID,
  kindOf,
  PASS,
  REQUEST_ID,
  TRANSFER_ENCODING,
  UPGRADE,
} from '../client/header-kinds.ts'
import { type Fault, HEAD_TOO_LARGE, MALFORMED } from './faults.ts'

export const NO_LENGTH = -1

/** The head of a request, with what every request is asked for found in the walk that reads it. */
export interface RequestHead {
  readonly method: string
  readonly target: string
  /** HTTP/1.0. */
  readonly isOld: boolean
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[]
  /** What each header is to a proxy, in the same order. */
  readonly kinds: readonly number[]
  readonly hosts: number
  /** The first one. */
  readonly host: string | undefined
  readonly requestIds: number
  /** Undefined also when there are several. */
  readonly requestId: string | undefined
  /** Bytes of the body; below 0 when the head does not say. */
  readonly length: number
  readonly isChunked: boolean
  /** All of them, joined. */
  readonly connection: string | undefined
  readonly upgrade: string | undefined
  readonly expect: string | undefined
}

type Draft = { -readonly [Member in keyof RequestHead]: RequestHead[Member] } & {
  readonly rawHeaders: string[]
  readonly kinds: number[]
}

/** Nothing that could end a line or a value elsewhere: RFC 9110 §5.5, RFC 9112 §2.2. */
const BAD_CHARACTER = /[^\t\r\n\x20-\x7e\x80-\xff]|\r(?!\n)|(?:^|[^\r])\n/
/** The same for a text that is not complete: what follows a last `\r` is not known yet. */
const BAD_SO_FAR = /[^\t\r\n\x20-\x7e\x80-\xff]|\r[^\n]|[^\r]\n/
const BEGINNING = /^[A-Z\r]/
const VISIBLE = /^[\x21-\x7e]+$/
const MAX_HEADERS = 1_000
const SPACE = 32
const SLASH = 47
const METHODS = new Set(
  (
    'GET HEAD POST PUT DELETE PATCH OPTIONS CONNECT TRACE PURGE QUERY SEARCH ACL BIND CHECKOUT COPY LINK ' +
    'LOCK M-SEARCH MERGE MKACTIVITY MKCALENDAR MKCOL MOVE NOTIFY PROPFIND PROPPATCH REBIND REPORT SOURCE ' +
    'SUBSCRIBE UNBIND UNLINK UNLOCK UNSUBSCRIBE'
  ).split(' '),
)

/** What cannot become a correct head any more is refused at once and not after a time limit. */
export function isHopeless(part: string, isBeginning: boolean): boolean {
  return BAD_SO_FAR.test(part) || (isBeginning && !BEGINNING.test(part))
}

/** `text` ends before the empty line. */
export function parseRequest(text: string): RequestHead | Fault {
  const found = text.indexOf('\r\n')
  const end = found === -1 ? text.length : found
  const space = text.indexOf(' ')
  const method = text.slice(0, space)
  const target = text.slice(space + 1, end - 9)
  const minor = minorVersion(text, end)
  if (minor < 0 || !isMethod(method) || !isTarget(method, target)) return MALFORMED
  if (BAD_CHARACTER.test(text)) return MALFORMED
  const head: Draft = {
    method,
    target,
    isOld: minor === 0,
    rawHeaders: [],
    kinds: [],
    hosts: 0,
    host: undefined,
    requestIds: 0,
    requestId: undefined,
    length: NO_LENGTH,
    isChunked: false,
    connection: undefined,
    upgrade: undefined,
    expect: undefined,
  }
  if (!readHeaders(text, end, head)) return MALFORMED
  if (head.kinds.length > MAX_HEADERS) return HEAD_TOO_LARGE
  return head.isChunked && head.length !== NO_LENGTH ? MALFORMED : head
}

/** False: one of them is no header, or must not be there. */
function readHeaders(text: string, from: number, head: Draft): boolean {
  let end = from
  while (end < text.length) {
    const start = end + 2
    end = text.indexOf('\r\n', start)
    if (end === -1) end = text.length
    const colon = text.indexOf(':', start)
    if (colon <= start || colon > end) return false
    const name = text.slice(start, colon)
    const kind = kindOf(name)
    const value = valueBetween(text, colon + 1, end)
    // Others do not take a tab for white space before or after a coding.
    if (kind === TRANSFER_ENCODING && text.slice(colon, end).includes('\t')) return false
    if (kind !== PASS && !note(head, kind, value)) return false
    head.kinds.push(kind)
    head.rawHeaders.push(name, value)
  }
  return true
}

function note(head: Draft, kind: number, value: string): boolean {
  switch (kind) {
    case INVALID:
      return false
    case HOST:
      if (head.hosts++ === 0) head.host = value
      return true
    case REQUEST_ID:
      head.requestId = head.requestIds++ === 0 ? value : undefined
      return true
    case CONTENT_LENGTH:
      // RFC 9112 §6.3: also the same length twice is a way to be read differently.
      if (head.length !== NO_LENGTH || !/^\d{1,15}$/.test(value)) return false
      head.length = Number(value)
      return true
    case TRANSFER_ENCODING:
      if (head.isChunked || head.isOld || value.toLowerCase() !== 'chunked') return false
      head.isChunked = true
      return true
    case CONNECTION:
      head.connection = joined(head.connection, value)
      return true
    case UPGRADE:
      head.upgrade = joined(head.upgrade, value)
      return true
    case EXPECT:
      head.expect = joined(head.expect, value)
  }
  return true
}

function joined(before: string | undefined, value: string): string {
  return before === undefined ? value : `${before}, ${value}`
}

/** Most are one of two; asking the set would intern the text each time. */
function isMethod(method: string): boolean {
  return method === 'GET' || method === 'POST' || METHODS.has(method)
}

/** One of the forms of RFC 9112 §3.2; what is in it is looked at later. */
function isTarget(method: string, target: string): boolean {
  if (!VISIBLE.test(target)) return false
  if (target.charCodeAt(0) === SLASH || target === '*' || /^https?:\/\//i.test(target)) return true
  return method === 'CONNECT'
}

export function isFault(parsed: RequestHead | Fault): parsed is Fault {
  return 'status' in parsed
}

export function hasBody({ isChunked, length }: RequestHead): boolean {
  return isChunked || length > 0
}

/** RFC 9112 §9.3: what the client wants after the answer. */
export function wantsKeepAlive({ isOld, connection }: RequestHead): boolean {
  if (connection === undefined) return !isOld
  if (connection === 'keep-alive') return true
  if (hasOption(connection, 'close')) return false
  return !isOld || hasOption(connection, 'keep-alive')
}

/** A request that may become a WebSocket: RFC 9110 §7.8 leaves out HTTP/1.0 and bodies. */
export function wantsSwitch(head: RequestHead): boolean {
  const { upgrade, connection, isOld } = head
  if (upgrade === undefined || connection === undefined || isOld || hasBody(head)) return false
  return upgrade.toLowerCase() === 'websocket' && hasOption(connection, 'upgrade')
}

function hasOption(connection: string, wanted: string): boolean {
  return connection
    .toLowerCase()
    .split(',')
    .some((option) => option.trim() === wanted)
}

/** The last eight characters of the request line; below 0 when it is not HTTP/1. */
function minorVersion(text: string, end: number): number {
  if (end < 14 || !text.startsWith(' HTTP/1.', end - 9)) return -1
  const minor = text.charCodeAt(end - 1) - 48
  return minor === 0 || minor === 1 ? minor : -1
}

/** Without white space around it, which is nearly always one space before. */
function valueBetween(text: string, from: number, end: number): string {
  const start = text.charCodeAt(from) === SPACE ? from + 1 : from
  if (text.charCodeAt(start) > SPACE && text.charCodeAt(end - 1) > SPACE) {
    return text.slice(start, end)
  }
  return text.slice(start, end).replace(/^[ \t]+|[ \t]+$/g, '')
}
