import { constants, type ServerHttp2Stream } from 'node:http2'
import { FAILED, type Fault } from '../../http1/faults.ts'
import { isFault, type RequestHead } from '../../http1/parse-request.ts'
import { framingOf, NO_BODY } from '../answer-head.ts'
import { type Client, type ConnectionOwner, type Service, SMALL_BYTES } from '../client.ts'

const { NGHTTP2_NO_ERROR } = constants

/** What all streams of a connection have in common. */
export type Shared = Pick<Client, 'peer' | 'isTls' | 'entrance'>

export interface ServedStream {
  /** Called with every tick: a client that takes nothing of its answer must not hold it for ever. */
  check(tick: number): void
}

interface Deps<T> {
  readonly stream: ServerHttp2Stream
  readonly shared: Shared
  readonly service: Service<T>
  readonly owner: ConnectionOwner
  closed(): void
}

/** One request and its answer. */
export function serveStream<T>(parsed: RequestHead | Fault, deps: Deps<T>): ServedStream {
  const { stream, shared, service, owner, closed } = deps
  let exchange: T | undefined
  /** Waits for the first piece of the body, so that an answer without one is a single frame. */
  let head: string[] | null = null
  let hasBody = false
  let isEnded = false
  let unsent = 0
  let stuckSince = 0
  const client: Client = {
    peer: shared.peer,
    isTls: shared.isTls,
    entrance: shared.entrance,
    // Every answer may be the last: the connection is not the request's to close.
    closes: false,
    ownLines: '',
    begin,
    flush,
    write,
    end,
    takeBody,
    resumeBody: () => void stream.resume(),
    destroy: cut,
    detach: noSocket,
  }
  stream.on('error', ignore)
  stream.on('close', safely(finish))
  if (!stream.endAfterHeaders) stream.on('finish', safely(finished))
  if (isFault(parsed)) refuse(parsed)
  else safely(() => run(parsed))()
  return { check }

  /** A fault of our own costs this stream and no other. */
  function safely(work: () => void): () => void {
    return () => {
      try {
        work()
      } catch (error) {
        owner.report(error)
        if (exchange === undefined && !stream.headersSent) refuse(FAILED)
        else cut()
      }
    }
  }

  function run(request: RequestHead) {
    exchange = service.open(request, client)
    service.run(exchange)
  }

  function refuse({ status, message }: Fault) {
    const body = JSON.stringify({ error_msg: message })
    const type = ['content-type', 'application/json; charset=utf-8']
    begin(status, [...type, 'content-length', String(Buffer.byteLength(body))])
    end(Buffer.from(body))
  }

  function begin(status: number, headers: readonly string[]) {
    const isHead = !isFault(parsed) && parsed.method === 'HEAD'
    const framing = framingOf(status, headers, { isHead, isOld: false })
    hasBody = framing !== NO_BODY
    head = toAnswerHead(status, headers, client.ownLines, owner.date())
  }

  function flush() {
    if (head === null || stream.destroyed) return
    stream.respond(head)
    head = null
  }

  function write(chunk: Buffer): boolean {
    if (!hasBody || chunk.length === 0 || stream.destroyed) return true
    flush()
    if (stream.write(ownedCopy(chunk))) return true
    stream.once('drain', safely(drained))
    return false
  }

  function end(chunk: Buffer | null) {
    isEnded = true
    if (stream.destroyed) return
    const last = hasBody && chunk !== null && chunk.length > 0 ? chunk : null
    if (head !== null && last === null) {
      stream.respond(head, { endStream: true })
      head = null
      return
    }
    flush()
    if (last) stream.end(ownedCopy(last))
    else stream.end()
  }

  function takeBody() {
    if (!isFault(parsed) && parsed.expect !== undefined && !stream.headersSent) {
      stream.additionalHeaders({ ':status': 100 })
    }
    stream.on('data', (chunk: Buffer) => safely(() => takePiece(chunk))())
    stream.on(
      'end',
      safely(() => {
        if (exchange !== undefined) service.bodyEnd(exchange)
      }),
    )
  }

  function takePiece(chunk: Buffer) {
    if (exchange !== undefined && !service.body(exchange, chunk)) stream.pause()
  }

  /** Never `close`, which would first end what has been written as if that were all. */
  function cut() {
    stream.destroy(new Error('the answer is cut'))
  }

  function drained() {
    if (exchange !== undefined && !isEnded) service.drained(exchange)
  }

  /** RFC 9113 §8.1: what the client still sends of its body is not wanted any more. */
  function finished() {
    if (!stream.readableEnded) stream.close(NGHTTP2_NO_ERROR)
  }

  function finish() {
    closed()
    const done = exchange
    exchange = undefined
    const isWhole = isEnded && stream.rstCode === NGHTTP2_NO_ERROR
    if (done !== undefined) service.over(done, isWhole)
  }

  function check(tick: number) {
    const { writableLength } = stream
    if (writableLength === 0 || writableLength !== unsent) {
      unsent = writableLength
      stuckSince = tick
    } else if (tick - stuckSince >= owner.limits.idleTicks) cut()
  }
}

/** Names in lower case, and nothing that belongs to a connection of HTTP/1. */
function toAnswerHead(
  status: number,
  headers: readonly string[],
  ownLines: string,
  date: string,
): string[] {
  const isBare = status === 204 || status === 304
  const head = [':status', String(status)]
  let isDated = false
  for (let at = 0; at < headers.length; at += 2) {
    const name = (headers[at] ?? '').toLowerCase()
    if (name === 'date') isDated = true
    if (isBare && name === 'content-length') continue
    head.push(name, headers[at + 1] ?? '')
  }
  if (!isDated) head.push('date', date)
  if (ownLines === '') return head
  for (const line of ownLines.split('\r\n')) {
    const colon = line.indexOf(':')
    if (colon > 0) head.push(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim())
  }
  return head
}

function ignore() {}

function noSocket(): never {
  throw new Error('a stream of HTTP/2 has no socket of its own')
}

/** Small pieces are the caller's only during the call; larger ones were copied already. */
function ownedCopy(chunk: Buffer): Buffer {
  return chunk.length <= SMALL_BYTES ? Buffer.from(chunk) : chunk
}
