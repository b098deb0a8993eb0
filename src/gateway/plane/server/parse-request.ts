import {
  CONNECTION,
  CONTENT_LENGTH,
  EXPECT,
  HOST,
  INVALID,
  kindOf,
  REQUEST_ID,
  TRANSFER_ENCODING,
  UPGRADE,
} from '../client/header-kinds.ts'

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

export interface HeadFault {
  readonly status: number
  readonly message: string
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

export const MALFORMED: HeadFault = { status: 400, message: 'this is not a correct HTTP request' }
export const HEAD_TOO_LARGE: HeadFault = { status: 431, message: 'the request head is too large' }

/** What cannot become a correct head any more is refused at once and not after a time limit. */
export function isHopeless(part: string, isBeginning: boolean): boolean {
  return BAD_SO_FAR.test(part) || (isBeginning && !BEGINNING.test(part))
}

/** `text` ends before the empty line. */
export function parseRequest(text: string): RequestHead | HeadFault {
  let end = text.indexOf('\r\n')
  if (end === -1) end = text.length
  const afterMethod = text.indexOf(' ')
  const afterTarget = end - 9
  const method = text.slice(0, afterMethod)
  const minor = minorVersion(text, end)
  const target = text.slice(afterMethod + 1, afterTarget)
  if (minor < 0 || !isMethod(method) || !isTarget(method, target)) return MALFORMED
  if (BAD_CHARACTER.test(text)) return MALFORMED

  const rawHeaders: string[] = []
  const kinds: number[] = []
  let hosts = 0
  let host: string | undefined
  let ids = 0
  let requestId: string | undefined
  let length = NO_LENGTH
  let isChunked = false
  let connection: string | undefined
  let upgrade: string | undefined
  let expect: string | undefined
  while (end < text.length) {
    const start = end + 2
    end = text.indexOf('\r\n', start)
    if (end === -1) end = text.length
    const colon = text.indexOf(':', start)
    if (colon <= start || colon > end) return MALFORMED
    const name = text.slice(start, colon)
    const value = valueBetween(text, colon + 1, end)
    const kind = kindOf(name)
    switch (kind) {
      case INVALID:
        return MALFORMED
      case HOST:
        if (hosts++ === 0) host = value
        break
      case REQUEST_ID:
        requestId = ids++ === 0 ? value : undefined
        break
      case CONTENT_LENGTH:
        // RFC 9112 §6.3: also the same length twice is a way to be read differently.
        if (length !== NO_LENGTH || !/^\d{1,15}$/.test(value)) return MALFORMED
        length = Number(value)
        break
      case TRANSFER_ENCODING:
        if (isChunked || minor === 0 || value.toLowerCase() !== 'chunked') return MALFORMED
        // Others do not take a tab for white space here.
        if (text.slice(colon, end).includes('\t')) return MALFORMED
        isChunked = true
        break
      case CONNECTION:
        connection = connection === undefined ? value : `${connection}, ${value}`
        break
      case UPGRADE:
        upgrade = upgrade === undefined ? value : `${upgrade}, ${value}`
        break
      case EXPECT:
        expect = expect === undefined ? value : `${expect}, ${value}`
    }
    kinds.push(kind)
    rawHeaders.push(name, value)
  }
  if (kinds.length > MAX_HEADERS) return HEAD_TOO_LARGE
  if (isChunked && length !== NO_LENGTH) return MALFORMED
  return {
    method,
    target,
    isOld: minor === 0,
    rawHeaders,
    kinds,
    hosts,
    host,
    requestId,
    length,
    isChunked,
    connection,
    upgrade,
    expect,
  }
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

export function isFault(parsed: RequestHead | HeadFault): parsed is HeadFault {
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
