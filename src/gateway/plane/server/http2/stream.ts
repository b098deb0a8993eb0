import { constants, type ServerHttp2Stream } from 'node:http2'
import { FAILED, type Fault } from '../../http1/faults.ts'
import { isFault, type RequestHead } from '../../http1/parse-request.ts'
import { NO_TRAILERS, wantsTrailers } from '../../http1/trailers.ts'
import { framingOf, IN_CHUNKS, NO_BODY } from '../answer-head.ts'
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
  let mayHaveTrailers = false
  let trailers: readonly string[] = NO_TRAILERS
  let bodyTrailers: readonly string[] = NO_TRAILERS
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
    hint,
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
  if (!stream.endAfterHeaders) {
    stream.on('finish', safely(finished))
    // They come when they come, whether the body was read or not.
    stream.once('trailers', (_headers: object, _flags: number, raw: string[]) => {
      bodyTrailers = raw
    })
  }
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

  function hint(headers: readonly string[]) {
    if (stream.headersSent || stream.destroyed) return
    const link = headers.filter((_, at) => at % 2 === 1)
    stream.additionalHeaders({ ':status': 103, link })
  }

  function begin(status: number, headers: readonly string[]) {
    const isHead = !isFault(parsed) && parsed.method === 'HEAD'
    const framing = framingOf(status, headers, { isHead, isOld: false })
    hasBody = framing !== NO_BODY && !isBare(status)
    mayHaveTrailers = framing === IN_CHUNKS && !isFault(parsed) && wantsTrailers(parsed)
    head = toAnswerHead(status, headers, client.ownLines, owner.date())
  }

  function flush() {
    if (head === null || stream.destroyed) return
    stream.respond(head, { waitForTrailers: mayHaveTrailers })
    head = null
    if (mayHaveTrailers) stream.once('wantTrailers', safely(sendTrailers))
  }

  function sendTrailers() {
    stream.sendTrailers(toTrailers(trailers))
  }

  function write(chunk: Buffer): boolean {
    if (!hasBody || chunk.length === 0 || stream.destroyed) return true
    flush()
    if (stream.write(ownedCopy(chunk))) return true
    stream.once('drain', safely(drained))
    return false
  }

  function end(chunk: Buffer | null, given: readonly string[] = NO_TRAILERS) {
    isEnded = true
    trailers = given
    if (stream.destroyed) return
    const last = hasBody && chunk !== null && chunk.length > 0 ? chunk : null
    if (head !== null && last === null && trailers.length === 0) {
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
    stream.once(
      'end',
      safely(() => {
        if (exchange !== undefined) service.bodyEnd(exchange, bodyTrailers)
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
  const hasNoLength = isBare(status)
  const head = [':status', String(status)]
  let isDated = false
  for (let at = 0; at < headers.length; at += 2) {
    const name = (headers[at] ?? '').toLowerCase()
    if (name === 'date') isDated = true
    if (hasNoLength && name === 'content-length') continue
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

/** Node ends the stream with the head of these; 205 is one of them by RFC 9110 §15.3.6. */
function isBare(status: number): boolean {
  return status === 204 || status === 205 || status === 304
}

/** By name: Node takes trailers no other way. */
function toTrailers(raw: readonly string[]): Record<string, string[]> {
  // No prototype: a header may have any name.
  const trailers: Record<string, string[]> = Object.create(null)
  for (let at = 0; at < raw.length; at += 2) {
    const name = (raw[at] ?? '').toLowerCase()
    const values = trailers[name] ?? []
    values.push(raw[at + 1] ?? '')
    trailers[name] = values
  }
  return trailers
}

function ignore() {}

function noSocket(): never {
  throw new Error('a stream of HTTP/2 has no socket of its own')
}

/** Small pieces are the caller's only during the call; larger ones were copied already. */
function ownedCopy(chunk: Buffer): Buffer {
  return chunk.length <= SMALL_BYTES ? Buffer.from(chunk) : chunk
}
