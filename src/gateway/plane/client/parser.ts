import { CHUNKED, type Head, parseHead, UNTIL_CLOSE } from './parse-head.ts'

export interface AnswerEvents {
  /** False: the bytes after this head are not HTTP any more. */
  head(head: Head): boolean
  /** Valid only during the call. */
  data(chunk: Buffer): void
  end(keepAlive: boolean): void
  malformed(): void
  /** The connection is no longer HTTP; `rest` was read already and is valid only during the call. */
  switched(rest: Buffer): void
}

const MAX_HEAD_BYTES = 128 * 1024
const MAX_LINE_BYTES = 16 * 1024
const EMPTY = Buffer.alloc(0)
const NO_STATE = 0
const IN_HEAD = 1
const IN_BODY = 2
const IN_CHUNK_SIZE = 3
const IN_CHUNK = 4
const AFTER_CHUNK = 5
const IN_TRAILER = 6
const IN_REST = 7

/** Reads answers of HTTP/1 from one connection, one at a time and strictly. */
export function createParser(events: AnswerEvents) {
  let state = NO_STATE
  let isHead = false
  let kept: Buffer = EMPTY
  let left = 0
  let keepAlive = false
  let trailerBytes = 0
  let isOver = false
  return { expect, push, finish }

  /** The next bytes answer a request of this method. */
  function expect(method: string) {
    state = IN_HEAD
    isHead = method === 'HEAD'
    kept = EMPTY
  }

  function push(chunk: Buffer) {
    const bytes = kept.length === 0 ? chunk : Buffer.concat([kept, chunk])
    kept = EMPTY
    let at = 0
    while (at < bytes.length) {
      const next = step(bytes, at)
      if (next < 0) return
      // What follows an answer that nobody asked for could be taken for the next one.
      if (isOver) return end(keepAlive && next === bytes.length)
      if (next === at) {
        kept = Buffer.from(bytes.subarray(at))
        return
      }
      at = next
    }
  }

  function end(isReusable: boolean) {
    isOver = false
    events.end(isReusable)
  }

  /** The other side has closed: the end of an answer that is not otherwise delimited. */
  function finish(): boolean {
    if (state !== IN_REST) return false
    state = NO_STATE
    events.end(false)
    return true
  }

  /** Where to go on; the same place when more bytes are needed, below 0 when it is over. */
  function step(bytes: Buffer, at: number): number {
    switch (state) {
      case IN_HEAD:
        return readHead(bytes, at)
      case IN_BODY:
      case IN_CHUNK:
        return readBody(bytes, at)
      case IN_CHUNK_SIZE:
        return readLine(bytes, at, readChunkSize)
      case AFTER_CHUNK:
        return readLine(bytes, at, (line) => line === '' && advance(IN_CHUNK_SIZE))
      case IN_TRAILER:
        return readLine(bytes, at, readTrailer)
      case IN_REST:
        events.data(at === 0 ? bytes : bytes.subarray(at))
        return bytes.length
      default:
        return fail()
    }
  }

  function readHead(bytes: Buffer, at: number): number {
    const end = bytes.indexOf('\r\n\r\n', at, 'latin1')
    if (end === -1) return bytes.length - at > MAX_HEAD_BYTES ? fail() : at
    const head = parseHead(bytes.toString('latin1', at, end), isHead)
    if (!head) return fail()
    const after = end + 4
    if (head.status === 101) {
      state = NO_STATE
      if (events.head(head)) return fail()
      events.switched(bytes.subarray(after))
      return -1
    }
    // Other interim answers are for the connection between the upstream and us.
    if (head.status < 200) return after
    keepAlive = head.keepAlive
    left = head.length
    state = stateFor(head.length)
    events.head(head)
    if (head.length === 0) done()
    return after
  }

  function readBody(bytes: Buffer, at: number): number {
    const available = bytes.length - at
    const end = available > left ? at + left : bytes.length
    left -= end - at
    const isLast = left === 0
    events.data(at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end))
    if (!isLast) return end
    if (state === IN_BODY) done()
    else state = AFTER_CHUNK
    return end
  }

  function readLine(bytes: Buffer, at: number, take: (line: string) => boolean): number {
    const end = bytes.indexOf('\r\n', at, 'latin1')
    if (end === -1) return bytes.length - at > MAX_LINE_BYTES ? fail() : at
    return take(bytes.toString('latin1', at, end)) ? end + 2 : fail()
  }

  function readChunkSize(line: string): boolean {
    const size = /^([0-9a-fA-F]{1,12})[ \t]*(?:;[^\0\n]*)?$/.exec(line)?.[1]
    if (size === undefined) return false
    left = Number.parseInt(size, 16)
    trailerBytes = 0
    return advance(left === 0 ? IN_TRAILER : IN_CHUNK)
  }

  /** Trailers are read and dropped. */
  function readTrailer(line: string): boolean {
    trailerBytes += line.length
    if (trailerBytes > MAX_HEAD_BYTES) return false
    if (line === '') done()
    return true
  }

  function advance(to: number): boolean {
    state = to
    return true
  }

  function done() {
    state = NO_STATE
    isOver = true
  }

  function fail(): number {
    state = NO_STATE
    events.malformed()
    return -1
  }
}

function stateFor(length: number): number {
  if (length === CHUNKED) return IN_CHUNK_SIZE
  return length === UNTIL_CLOSE ? IN_REST : IN_BODY
}
