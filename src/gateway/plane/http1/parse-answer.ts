import {
  type Framing,
  hasBadCharacter,
  joined,
  NO_LENGTH,
  noteFraming,
  optionsOf,
  readHeaders,
} from './head-text.ts'
import {
  CONNECTION,
  CONTENT_LENGTH,
  HOP,
  KEEP_ALIVE,
  REQUEST_ID,
  TE,
  TRANSFER_ENCODING,
  UPGRADE,
} from './header-kinds.ts'

/** The head of an answer, without what belongs to the connection only. */
export interface AnswerHead extends Readonly<Framing> {
  readonly status: number
  /** Names and values in turn, as they came. */
  readonly headers: string[]
  readonly keepAlive: boolean
  /** How long the other side keeps the connection; 0 when it does not say. */
  readonly keepMs: number
}

type Draft = { -readonly [Member in keyof AnswerHead]: AnswerHead[Member] } & {
  connection: string | undefined
}

/** `text` ends before the empty line. Undefined: not a correct answer of HTTP/1. */
export function parseAnswer(text: string, isHead: boolean): AnswerHead | undefined {
  const found = text.indexOf('\r\n')
  const end = found === -1 ? text.length : found
  const status = statusOf(text, end)
  if (status === 0 || hasBadCharacter(text)) return undefined
  const isOld = text.charCodeAt(7) === 48
  const head: Draft = {
    status,
    isOld,
    headers: [],
    length: NO_LENGTH,
    isChunked: false,
    keepAlive: !isOld,
    keepMs: 0,
    connection: undefined,
  }
  if (!readHeaders(text, end, head, note)) return undefined
  if (head.connection !== undefined) applyConnection(head, head.connection)
  if (isHead || status === 204 || status === 304 || status < 200) {
    head.length = 0
    head.isChunked = false
  } else if (!head.isChunked && head.length === NO_LENGTH) head.keepAlive = false
  return head
}

function note(head: Draft, kind: number, name: string, value: string): boolean {
  switch (kind) {
    case CONTENT_LENGTH:
      head.headers.push(name, value)
      return noteFraming(head, kind, value)
    case TRANSFER_ENCODING:
      return noteFraming(head, kind, value)
    case CONNECTION:
      head.connection = joined(head.connection, value)
      return true
    case KEEP_ALIVE:
      head.keepMs = Number(/timeout=(\d{1,6})/i.exec(value)?.[1] ?? 0) * 1000
      return true
    case HOP:
    case TE:
    case UPGRADE:
    // The gateway's own counts (contract §11).
    case REQUEST_ID:
      return true
    default:
      head.headers.push(name, value)
      return true
  }
}

function statusOf(text: string, end: number): number {
  if (end < 12 || !text.startsWith('HTTP/1.')) return 0
  const minor = text.charCodeAt(7)
  if ((minor !== 48 && minor !== 49) || text.charCodeAt(8) !== 32) return 0
  if (end > 12 && text.charCodeAt(12) !== 32) return 0
  const status = Number(text.slice(9, 12))
  return Number.isInteger(status) && status >= 100 && status <= 599 ? status : 0
}

function applyConnection(head: Draft, connection: string): void {
  if (connection === 'keep-alive') {
    head.keepAlive = true
    return
  }
  for (const name of optionsOf(connection)) {
    if (name === 'close') head.keepAlive = false
    else if (name === 'keep-alive') head.keepAlive = true
    else if (name !== '') dropNamed(head.headers, name)
  }
}

/** Removes every header of that name, in place. */
function dropNamed(headers: string[], name: string): void {
  for (let at = headers.length - 2; at >= 0; at -= 2) {
    if (headers[at]?.toLowerCase() === name) headers.splice(at, 2)
  }
}
