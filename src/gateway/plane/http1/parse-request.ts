import { type Fault, HEAD_TOO_LARGE, MALFORMED } from './faults.ts'
import {
  type Framing,
  hasBadCharacter,
  hasOption,
  joined,
  NO_LENGTH,
  noteFraming,
  readHeaders,
} from './head-text.ts'
import {
  CONNECTION,
  CONTENT_LENGTH,
  EXPECT,
  HOST,
  REQUEST_ID,
  TRANSFER_ENCODING,
  UPGRADE,
} from './header-kinds.ts'

/** The head of a request, with what every request is asked for found in the walk that reads it. */
export interface RequestHead extends Readonly<Framing> {
  readonly method: string
  readonly target: string
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
  /** All of them, joined. */
  readonly connection: string | undefined
  readonly upgrade: string | undefined
  readonly expect: string | undefined
}

type Draft = { -readonly [Member in keyof RequestHead]: RequestHead[Member] } & {
  readonly rawHeaders: string[]
  readonly kinds: number[]
}

const VISIBLE = /^[\x21-\x7e]+$/
const MAX_HEADERS = 1_000
const SLASH = 47
const METHODS = new Set(
  (
    'GET HEAD POST PUT DELETE PATCH OPTIONS CONNECT TRACE PURGE QUERY SEARCH ACL BIND CHECKOUT COPY LINK ' +
    'LOCK M-SEARCH MERGE MKACTIVITY MKCALENDAR MKCOL MOVE NOTIFY PROPFIND PROPPATCH REBIND REPORT SOURCE ' +
    'SUBSCRIBE UNBIND UNLINK UNLOCK UNSUBSCRIBE'
  ).split(' '),
)

/** `text` ends before the empty line. */
export function parseRequest(text: string): RequestHead | Fault {
  const found = text.indexOf('\r\n')
  const end = found === -1 ? text.length : found
  const space = text.indexOf(' ')
  const method = text.slice(0, space)
  const target = text.slice(space + 1, end - 9)
  const minor = minorVersion(text, end)
  if (minor < 0 || !isMethod(method) || !isTarget(method, target)) return MALFORMED
  if (hasBadCharacter(text)) return MALFORMED
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
  if (!readHeaders(text, end, head, note)) return MALFORMED
  return head.kinds.length > MAX_HEADERS ? HEAD_TOO_LARGE : head
}

function note(head: Draft, kind: number, name: string, value: string): boolean {
  head.kinds.push(kind)
  head.rawHeaders.push(name, value)
  switch (kind) {
    case HOST:
      if (head.hosts++ === 0) head.host = value
      return true
    case REQUEST_ID:
      head.requestId = head.requestIds++ === 0 ? value : undefined
      return true
    case CONTENT_LENGTH:
    case TRANSFER_ENCODING:
      return noteFraming(head, kind, value)
    case CONNECTION:
      head.connection = joined(head.connection, value)
      return true
    case UPGRADE:
      head.upgrade = joined(head.upgrade, value)
      return true
    case EXPECT:
      head.expect = joined(head.expect, value)
      return true
    default:
      return true
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

/** The last eight characters of the request line; below 0 when it is not HTTP/1. */
function minorVersion(text: string, end: number): number {
  if (end < 14 || !text.startsWith(' HTTP/1.', end - 9)) return -1
  const minor = text.charCodeAt(end - 1) - 48
  return minor === 0 || minor === 1 ? minor : -1
}
