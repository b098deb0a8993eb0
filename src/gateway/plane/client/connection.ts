import type { Socket } from 'node:net'
import type { AnswerHead } from '../http1/parse-answer.ts'
import { createParser } from './parser.ts'

/** Why an exchange ended without a whole answer. */
export type Failure =
  | 'refused'
  | 'connect_timeout'
  | 'reset'
  | 'timeout'
  /** The client sent no more of its request, or took no more of the answer. */
  | 'stalled'
  | 'malformed'
  /** Of our own. */
  | 'fault'

/**
 * Who takes an answer. One object serves all exchanges, so that a request costs no closures; `T` is
 * what the exchange is known by.
 */
export interface Receiver<T> {
  /** The connection is there: write the request to it. */
  connected(exchange: T, connection: Connection<T>): void
  /** Of a 103, which may come several times before the head. */
  hints(exchange: T, headers: readonly string[]): void
  head(exchange: T, head: AnswerHead): void
  /** The bytes are the receiver's only during the call. False: stop reading until `resume`. */
  data(exchange: T, chunk: Buffer): boolean
  /** All that has been read was handed over, and the answer is not complete. */
  flush(exchange: T): void
  /** More of the request's body can be written. */
  drained(exchange: T): void
  /** Before the end of an answer that has some. */
  trailers(exchange: T, trailers: readonly string[]): void
  end(exchange: T): void
  failed(exchange: T, failure: Failure, error: Error): void
  /** Answered 101: the socket belongs to the receiver now, and its bytes go where it says. */
  switched(exchange: T, socket: Socket, listen: Listen): void
}

/** The taker gets bytes that are its own only during the call. */
export type Listen = (take: (chunk: Buffer) => void) => void

export interface Connection<T> {
  readonly socket: Socket
  /** Requests answered on it; above 0 the other side may just have closed it. */
  uses: number
  /** The body of the request is still on its way. */
  isSending: boolean
  /** Writes the head of a request and waits for its answer. */
  send(exchange: T, method: string, head: string, idleMs: number): void
  /** Takes what the socket has read. */
  read(chunk: Buffer): void
  /** How long nothing may happen on it. */
  limit(ms: number): void
  resume(): void
  /** Nobody wants the answer any more. */
  abort(): void
}

export interface ConnectionOwner<T> {
  free(connection: Connection<T>, keepMs: number): void
  closed(connection: Connection<T>): void
}

/** How long a client may let an upstream wait that has a shorter limit itself. */
const PATIENCE_MS = 60_000

/** One connection to an upstream; exchanges come one after the other. */
export function createConnection<T>(
  socket: Socket,
  receiver: Receiver<T>,
  owner: ConnectionOwner<T>,
): Connection<T> {
  let exchange: T | undefined
  let keepMs = 0
  let limitMs = 0
  let isSwitched = false
  // The receiver takes no more for now.
  let isHeldUp = false
  let resumedAt = 0
  // When its time was up the last time: how much had passed, and since when no more.
  let moved = 0
  let stillSince = 0
  let takeRaw: (chunk: Buffer) => void = () => {}
  const parser = createParser({
    head(head) {
      keepMs = head.keepMs
      if (exchange === undefined) return false
      receiver.head(exchange, head)
      return head.status !== 101
    },
    data(chunk) {
      if (exchange === undefined || receiver.data(exchange, chunk)) return
      isHeldUp = true
      socket.pause()
    },
    hints(headers) {
      if (exchange !== undefined) receiver.hints(exchange, headers)
    },
    trailers(trailers) {
      if (exchange !== undefined) receiver.trailers(exchange, trailers)
    },
    end: finish,
    malformed: () => fail('malformed', new Error('the upstream sent no correct HTTP')),
    switched(rest) {
      const taken = exchange
      exchange = undefined
      isSwitched = true
      socket.setTimeout(0)
      owner.closed(connection)
      if (taken === undefined) return void socket.destroy()
      // Who listens later would find what other connections have read into the same room since.
      const first = Buffer.from(rest)
      receiver.switched(taken, socket, (take) => {
        takeRaw = take
        if (first.length > 0) take(first)
      })
    },
  })
  const connection: Connection<T> = {
    socket,
    uses: 0,
    isSending: false,
    send,
    read,
    limit,
    resume,
    abort,
  }
  socket.on('drain', () => {
    if (exchange !== undefined && connection.isSending) receiver.drained(exchange)
  })
  socket.on('end', () => {
    if (isSwitched || (exchange !== undefined && parser.finish())) return
    fail('reset', new Error('the upstream closed the connection'))
  })
  socket.on('error', (error) => fail('reset', error))
  socket.on('timeout', timedOut)
  socket.on('close', () => {
    if (isSwitched) return
    fail('reset', new Error('the connection was closed'))
    owner.closed(connection)
  })
  return connection

  function send(next: T, method: string, head: string, idleMs: number) {
    exchange = next
    isHeldUp = false
    parser.expect(method)
    limit(idleMs)
    socket.write(head, 'latin1')
  }

  /** Every use starts the time anew by itself; setting it again would cost a timer per request. */
  function limit(ms: number) {
    if (ms === limitMs) return
    limitMs = ms
    socket.setTimeout(ms)
  }

  function resume() {
    isHeldUp = false
    resumedAt = performance.now()
    socket.resume()
  }

  /** The limits of an upstream are its own: who waits for the client waits as long as for a slow one. */
  function timedOut() {
    if (exchange === undefined) return void socket.destroy()
    const now = performance.now()
    const passed = socket.bytesRead + socket.bytesWritten
    if (passed !== moved) stillSince = now - limitMs
    moved = passed
    const waitsForClient = isHeldUp || (connection.isSending && socket.writableLength === 0)
    const since = waitsForClient ? stillSince : resumedAt
    const patienceMs = waitsForClient ? Math.max(PATIENCE_MS, limitMs) : limitMs
    // A timer that has fired does not start again by itself.
    if (now - since < patienceMs) return void socket.setTimeout(limitMs)
    if (waitsForClient) fail('stalled', new Error('the client let the upstream wait'))
    else fail('timeout', new Error('the upstream took too long'))
  }

  function read(chunk: Buffer) {
    if (isSwitched) return takeRaw(chunk)
    if (exchange === undefined) return void socket.destroy()
    try {
      parser.push(chunk)
    } catch (error) {
      fail('fault', error instanceof Error ? error : new Error(String(error)))
    }
    if (exchange !== undefined) receiver.flush(exchange)
  }

  function finish(isReusable: boolean) {
    const done = exchange
    exchange = undefined
    if (done === undefined) return
    // An answer before the whole request was sent leaves the connection in the middle of it.
    if (isReusable && !connection.isSending && !socket.destroyed) {
      connection.uses++
      socket.resume()
      owner.free(connection, keepMs)
    } else socket.destroy()
    receiver.end(done)
  }

  function fail(failure: Failure, error: Error) {
    const failed = exchange
    exchange = undefined
    if (isSwitched) return
    socket.destroy()
    if (failed !== undefined) receiver.failed(failed, failure, error)
  }

  function abort() {
    exchange = undefined
    socket.destroy()
  }
}
