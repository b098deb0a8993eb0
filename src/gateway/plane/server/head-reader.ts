import { type Fault, HEAD_TOO_LARGE, MALFORMED, NO_CONNECT } from './faults.ts'
import type { Inbox } from './inbox.ts'
import { isFault, isHopeless, parseRequest, type RequestHead } from './parse-request.ts'

const MAX_HEAD_BYTES = 64 * 1024
const CR = 13
const LF = 10
const END_OF_HEAD = Buffer.from('\r\n\r\n')

/** Finds the heads of requests in what has come. */
export function createHeadReader(inbox: Inbox) {
  let searched = 0
  return { read, isBegun: () => searched > 0 }

  /** Undefined: more is needed. */
  function read(): RequestHead | Fault | undefined {
    passEmptyLines()
    if (inbox.size() === 0) return undefined
    const bytes = inbox.bytes()
    const start = inbox.start()
    const end = bytes.indexOf(END_OF_HEAD, start + searched)
    if (end === -1) return readPart(bytes, start)
    searched = 0
    if (end - start > MAX_HEAD_BYTES) return HEAD_TOO_LARGE
    const parsed = parseRequest(bytes.toString('latin1', start, end))
    if (isFault(parsed)) return parsed
    inbox.use(end + END_OF_HEAD.length)
    return parsed.method === 'CONNECT' ? NO_CONNECT : parsed
  }

  /** RFC 9112 §2.2: an empty line before a request is passed over. */
  function passEmptyLines() {
    const bytes = inbox.bytes()
    let start = inbox.start()
    if (bytes[start] !== CR) return
    while (bytes[start] === CR && bytes[start + 1] === LF) start += 2
    if (start === inbox.start()) return
    inbox.use(start)
    searched = 0
  }

  function readPart(bytes: Buffer, start: number): Fault | undefined {
    const part = bytes.toString('latin1', start + Math.max(0, searched - 1), bytes.length)
    if (isHopeless(part, searched === 0)) return MALFORMED
    const size = bytes.length - start
    if (size > MAX_HEAD_BYTES) return HEAD_TOO_LARGE
    searched = Math.max(1, size - END_OF_HEAD.length + 1)
    return undefined
  }
}
