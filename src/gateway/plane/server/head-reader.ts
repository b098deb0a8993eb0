import { type Fault, HEAD_FAULTS, NO_CONNECT } from '../http1/faults.ts'
import { createHeadFinder } from '../http1/head-finder.ts'
import type { Inbox } from '../http1/inbox.ts'
import { isFault, parseRequest, type RequestHead } from '../http1/parse-request.ts'

const MAX_HEAD_BYTES = 64 * 1024
const CR = 13
const LF = 10

/** Reads the heads of requests from what has come. */
export function createHeadReader(inbox: Inbox) {
  const heads = createHeadFinder(inbox, MAX_HEAD_BYTES)
  return { read, isBegun: heads.isBegun }

  /** Undefined: more is needed. */
  function read(): RequestHead | Fault | undefined {
    passEmptyLines()
    if (inbox.size() === 0) return undefined
    const text = heads.find()
    if (text === undefined) {
      const fault = heads.fault()
      return fault === null ? undefined : HEAD_FAULTS[fault]
    }
    const parsed = parseRequest(text)
    return !isFault(parsed) && parsed.method === 'CONNECT' ? NO_CONNECT : parsed
  }

  /** RFC 9112 §2.2: an empty line before a request is passed over. */
  function passEmptyLines() {
    const bytes = inbox.bytes()
    let start = inbox.start()
    if (bytes[start] !== CR) return
    while (bytes[start] === CR && bytes[start + 1] === LF) start += 2
    if (start === inbox.start()) return
    inbox.use(start)
    heads.reset()
  }
}
