import type { Socket } from 'node:net'
import type { Entrance } from '../certificates.ts'
import type { RequestHead } from '../http1/parse-request.ts'

/** Who is at the other end of a connection, and where the connection came in. */
export interface Peer {
  readonly address: string
  readonly port: number
  readonly localPort: number
  /** What is forwarded of the connection itself with each of its requests; empty before the first. */
  lines: string
}

/** Pieces up to this size are copied when they are written. */
export const SMALL_BYTES = 16 * 1024

/** A connection whose bytes are HTTP from here on. */
export interface Arrival {
  readonly socket: Socket
  readonly peer: Peer
  readonly entrance: Entrance | null
}

/** The connection of a client, as the one request that it is busy with sees it. */
export interface Client {
  readonly peer: Peer
  readonly isTls: boolean
  /** What a TLS connection came in by. */
  readonly entrance: Entrance | null
  /** Set: this answer is the last one on the connection. */
  closes: boolean
  /** Lines that are added to the head of this answer. */
  ownLines: string
  /** Sends a 103 with these headers, where the client can take one. */
  hint(headers: readonly string[]): void
  /** The head of the answer; it leaves with the first piece of the body, or with `flush`. */
  begin(status: number, headers: readonly string[]): void
  flush(): void
  /** False: wait for `drained` before more is written. */
  write(chunk: Buffer): boolean
  /** Trailers are left out where the client did not ask for them. */
  end(chunk: Buffer | null, trailers?: readonly string[]): void
  /** Tells a client that waits for it to send its body, and hands that over as it comes. */
  takeBody(): void
  resumeBody(): void
  /** The client must not take what it has for all. */
  destroy(): void
  /** Gives the socket away, with what was read of it already. */
  detach(): { readonly socket: Socket; readonly ahead: Buffer }
}

/** Who serves clients. One object for all connections; `T` is what a request is known by. */
export interface Service<T> {
  open(request: RequestHead, client: Client): T
  run(exchange: T): void
  /** False: stop reading until `resumeBody`. */
  body(exchange: T, chunk: Buffer): boolean
  bodyEnd(exchange: T, trailers: readonly string[]): void
  /** The body is none; nothing after it can be read. */
  bodyFault(exchange: T, status: number, message: string): void
  drained(exchange: T): void
  /** The last byte was handed to the system, or the client is gone. */
  over(exchange: T, isWhole: boolean): void
}

/** Time limits in ticks of the listener, which has one clock for all connections. */
export interface Limits {
  readonly headTicks: number
  readonly idleTicks: number
  /** How long what a refused client still sends is read: closing at once could take the answer back. */
  readonly lingerTicks: number
}

export interface ConnectionOwner {
  readonly limits: Limits
  readonly isTls: boolean
  /** How long a client may take nothing of an answer that waits for it. */
  readonly stuckMs: number
  tick(): number
  date(): string
  isDraining(): boolean
  closed(connection: ClientConnection): void
  /** A fault of our own, outside of any exchange. */
  report(error: unknown): void
}

export interface ClientConnection {
  isIdle(): boolean
  /** The client should make no further request on it. */
  retire(): void
  /** Called with every tick. */
  check(tick: number): void
  destroy(): void
}
