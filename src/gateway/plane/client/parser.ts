import { createBodyReader } from '../http1/body-reader.ts'
import { createHeadFinder } from '../http1/head-finder.ts'
import { createInbox } from '../http1/inbox.ts'
import { type AnswerHead, parseAnswer } from '../http1/parse-answer.ts'

export interface AnswerEvents {
  /** False: the bytes after this head are not HTTP any more. */
  head(head: AnswerHead): boolean
  /** Valid only during the call. */
  data(chunk: Buffer): void
  /** Before the end of an answer that has some. */
  trailers(trailers: readonly string[]): void
  /** The headers of a 103 before the answer. */
  hints(headers: readonly string[]): void
  end(keepAlive: boolean): void
  malformed(): void
  /** The connection is no longer HTTP; `rest` was read already and is valid only during the call. */
  switched(rest: Buffer): void
}

const MAX_HEAD_BYTES = 128 * 1024
const NO_STATE = 0
const IN_HEAD = 1
const IN_BODY = 2

/** Reads answers of HTTP/1 from one connection, one at a time and strictly. */
export function createParser(events: AnswerEvents) {
  const inbox = createInbox()
  const heads = createHeadFinder(inbox, MAX_HEAD_BYTES)
  const body = createBodyReader((chunk) => {
    events.data(chunk)
    return true
  })
  let state = NO_STATE
  let isHead = false
  let keepAlive = false
  let isEndless = false
  return { expect, push, finish }

  /** The next bytes answer a request of this method. */
  function expect(method: string) {
    state = IN_HEAD
    isHead = method === 'HEAD'
    isEndless = false
    inbox.clear()
    heads.reset()
  }

  /** The bytes are looked at only during the call. */
  function push(chunk: Buffer) {
    inbox.add(chunk)
    while (inbox.size() > 0 && step());
    inbox.keep()
  }

  /** The other side has closed: the end of an answer that is not otherwise delimited. */
  function finish(): boolean {
    if (state !== IN_BODY || !isEndless) return false
    end()
    return true
  }

  /** False: more bytes are needed, or it is over. */
  function step(): boolean {
    if (state === IN_HEAD) return readHead()
    if (state === IN_BODY) return readBody()
    return fail()
  }

  function readHead(): boolean {
    const text = heads.find()
    if (text === undefined) return heads.fault() !== null && fail()
    const head = parseAnswer(text, isHead)
    if (!head) return fail()
    if (head.status === 101) return switched(head)
    if (head.status === 103) events.hints(head.headers)
    // Other interim answers are for the connection between the upstream and us.
    if (head.status < 200) return true
    state = IN_BODY
    ;({ keepAlive } = head)
    isEndless = !head.isChunked && head.length < 0
    body.start(isEndless ? Number.POSITIVE_INFINITY : head.length, head.isChunked)
    events.head(head)
    return body.isDone() ? end() : true
  }

  function switched(head: AnswerHead): boolean {
    state = NO_STATE
    if (events.head(head)) return fail()
    const rest = inbox.bytes().subarray(inbox.start())
    inbox.clear()
    events.switched(rest)
    return false
  }

  function readBody(): boolean {
    inbox.use(body.read(inbox.bytes(), inbox.start()))
    if (body.fault() !== null) return fail()
    return body.isDone() && end()
  }

  function end(): false {
    state = NO_STATE
    // What follows an answer that nobody asked for could be taken for the next one.
    const isReusable = keepAlive && !isEndless && inbox.size() === 0
    inbox.clear()
    const trailers = body.trailers()
    if (trailers.length > 0) events.trailers(trailers)
    events.end(isReusable)
    return false
  }

  function fail(): false {
    state = NO_STATE
    inbox.clear()
    events.malformed()
    return false
  }
}
