import { CONTENT_LENGTH, INVALID, kindOf, TRANSFER_ENCODING } from './header-kinds.ts'
import { NO_TRAILERS } from './trailers.ts'

/** Why a body cannot be read on. */
export type BodyFault = 'malformed' | 'extensions' | 'trailers'

const DONE = 0
const IN_BODY = 1
const IN_CHUNK_SIZE = 2
const IN_CHUNK = 3
const AFTER_CHUNK = 4
const IN_TRAILER = 5
const MAX_LINE_BYTES = 16 * 1024
const MAX_TRAILER_BYTES = 64 * 1024
const CR = 13
const LF = 10

/** RFC 9112 §7.1 without white space, in which an end of a line could be hidden. */
const CHUNK_SIZE =
  /^([0-9a-fA-F]{1,12})((?:;[!#$%&'*+.^_`|~\w-]+(?:=(?:[!#$%&'*+.^_`|~\w-]+|"[\t\x20\x21\x23-\x5b\x5d-\x7e\x80-\xff]*"))?)*)$/
const BAD_TRAILER = /[^\t\x20-\x7e\x80-\xff]/

/** Finds the end of a body. `data` may say no: then reading stops there. */
export function createBodyReader(data: (chunk: Buffer) => boolean) {
  let state = DONE
  let left = 0
  let extras = 0
  let fault: BodyFault | null = null
  let trailers: string[] | null = null
  return {
    start,
    read,
    isDone: () => state === DONE,
    fault: () => fault,
    /** Of the body that is done. */
    trailers: () => trailers ?? NO_TRAILERS,
  }

  /** A body without end but that of the connection has the length `Infinity`. */
  function start(length: number, isChunked: boolean) {
    left = length
    extras = 0
    fault = null
    trailers = null
    if (isChunked) state = IN_CHUNK_SIZE
    else state = length > 0 ? IN_BODY : DONE
  }

  /** Where it stopped: at the end of the body, where more bytes are needed, or after `data` said no. */
  function read(bytes: Buffer, from: number): number {
    let at = from
    while (state !== DONE && at < bytes.length) {
      if (state === IN_BODY || state === IN_CHUNK) {
        const end = Math.min(bytes.length, at + left)
        left -= end - at
        if (left === 0) state = state === IN_BODY ? DONE : AFTER_CHUNK
        const isTaken = data(at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end))
        at = end
        if (!isTaken) return at
        continue
      }
      const next = state === AFTER_CHUNK ? readBreak(bytes, at) : readLine(bytes, at)
      if (next === at) return at
      at = next
    }
    return at
  }

  function readLine(bytes: Buffer, at: number): number {
    const end = bytes.indexOf(LF, at)
    if (end === -1) return bytes.length - at > MAX_LINE_BYTES ? stop('malformed', at) : at
    if (end === at || bytes[end - 1] !== CR) return stop('malformed', at)
    const line = bytes.toString('latin1', at, end - 1)
    const found = state === IN_CHUNK_SIZE ? readSize(line) : readTrailer(line)
    return found === null ? end + 1 : stop(found, at)
  }

  /** After a chunk there is a line break and nothing else, or its size was not true. */
  function readBreak(bytes: Buffer, at: number): number {
    if (bytes[at] !== CR) return stop('malformed', at)
    if (at + 1 === bytes.length) return at
    if (bytes[at + 1] !== LF) return stop('malformed', at)
    state = IN_CHUNK_SIZE
    return at + 2
  }

  function readSize(line: string): BodyFault | null {
    const [, size, extension = ''] = CHUNK_SIZE.exec(line) ?? []
    if (size === undefined) return 'malformed'
    extras += extension.length
    if (extras > MAX_LINE_BYTES) return 'extensions'
    left = Number.parseInt(size, 16)
    if (left === 0) extras = 0
    state = left === 0 ? IN_TRAILER : IN_CHUNK
    return null
  }

  function readTrailer(line: string): BodyFault | null {
    if (line === '') {
      state = DONE
      return null
    }
    extras += line.length
    if (extras > MAX_TRAILER_BYTES) return 'trailers'
    const colon = line.indexOf(':')
    const kind = colon === -1 ? INVALID : kindOf(line.slice(0, colon))
    // RFC 9110 §6.5.1: what frames a message has no business after it.
    const isBad = kind === INVALID || kind === CONTENT_LENGTH || kind === TRANSFER_ENCODING
    if (isBad || BAD_TRAILER.test(line)) return 'malformed'
    trailers ??= []
    trailers.push(line.slice(0, colon), line.slice(colon + 1).trim())
    return null
  }

  function stop(why: BodyFault, at: number): number {
    fault = why
    return at
  }
}
