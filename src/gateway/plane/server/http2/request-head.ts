import type { Fault } from '../../http1/faults.ts'
import { MALFORMED, NO_CONNECT } from '../../http1/faults.ts'
import { NO_LENGTH } from '../../http1/head-text.ts'
import {
  CONNECTION,
  HOP,
  INVALID,
  KEEP_ALIVE,
  kindOf,
  TE,
  TRANSFER_ENCODING,
  UPGRADE,
} from '../../http1/header-kinds.ts'
import { isFault, parseRequest, type RequestHead } from '../../http1/parse-request.ts'

/** What could end a line of HTTP/1, where nothing else keeps it out. */
const LINE_END = /[\r\n]/
const COLON = 58

interface Pseudo {
  method: string
  path: string
  authority: string
  /** Of a `host` header, which has to say the same. */
  host: string
}

/**
 * The head of a request of HTTP/2 as names and values in turn. It is written down as one of HTTP/1 and
 * read by the parser of those: there is one strictness, and what is forwarded is what was checked.
 */
export function toRequestHead(raw: readonly string[], hasBody: boolean): RequestHead | Fault {
  const pseudo: Pseudo = { method: '', path: '', authority: '', host: '' }
  let lines = ''
  let cookies = ''
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at] ?? ''
    const value = raw[at + 1] ?? ''
    if (LINE_END.test(value)) return MALFORMED
    if (name.charCodeAt(0) === COLON) setPseudo(pseudo, name, value)
    else if (name === 'host') pseudo.host = value
    // RFC 9113 §8.2.3: a cookie may come in pieces.
    else if (name === 'cookie') cookies = cookies === '' ? value : `${cookies}; ${value}`
    else if (isForbidden(name, value)) return MALFORMED
    else lines += `\r\n${name}: ${value}`
  }
  if (pseudo.method === 'CONNECT') return NO_CONNECT
  const { authority, host } = pseudo
  if (authority !== '' && host !== '' && authority !== host) return MALFORMED
  if (cookies !== '') lines += `\r\ncookie: ${cookies}`
  const first = `${pseudo.method} ${pseudo.path} HTTP/1.1\r\nhost: ${authority || host}`
  const head = parseRequest(`${first}${lines}`)
  if (isFault(head)) return head
  // Without a length the end of the body is that of the stream, which becomes chunks upstream.
  return hasBody && head.length === NO_LENGTH ? { ...head, isChunked: true } : head
}

function setPseudo(pseudo: Pseudo, name: string, value: string): void {
  if (name === ':method') pseudo.method = value
  else if (name === ':path') pseudo.path = value
  else if (name === ':authority') pseudo.authority = value
}

/** No header, or one that has no meaning here and would have one upstream (RFC 9113 §8.2.2). */
function isForbidden(name: string, value: string): boolean {
  switch (kindOf(name)) {
    case CONNECTION:
    case KEEP_ALIVE:
    case TRANSFER_ENCODING:
    case UPGRADE:
    case INVALID:
      return true
    case HOP:
      return name === 'proxy-connection'
    case TE:
      return value !== 'trailers'
    default:
      return false
  }
}
