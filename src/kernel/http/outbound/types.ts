import type { Socket } from 'node:net'
import type { BodyEnd, OutboundBody } from './body.ts'
import type { OutboundCode } from './failure.ts'

export interface OutboundRequest {
  readonly method: string
  readonly url: string
  /** `host` is always taken from the URL. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
  /** For each hop: name resolution, connecting, TLS, sending, and the headers of the answer. */
  readonly timeoutMs: number
  /** For the whole body of the answer; 30 s when absent, `rest`: what its headers left of `timeoutMs`. */
  readonly bodyTimeoutMs?: number | 'rest'
  readonly maxBodyBytes: number
  /** 0 when absent: a redirect is then an answer like any other. */
  readonly maxRedirects?: number
  /** Asked before a redirect is followed; false ends the request with the code `redirect`. */
  readonly onRedirect?: (redirect: OutboundRedirect) => boolean | Promise<boolean>
  /** Called for each hop, when its connection stands and the request goes out. */
  readonly onSend?: (() => void) | undefined
  readonly signal?: AbortSignal
}

interface OutboundRedirect {
  readonly from: string
  readonly to: string
  readonly status: number
  readonly headers: OutboundHeaders
}

/** Names in lower case. */
type OutboundHeaders = Readonly<Record<string, string | string[] | undefined>>

interface OutboundHead {
  readonly ok: true
  readonly status: number
  readonly headers: OutboundHeaders
  /** Where the answer came from. */
  readonly url: string
  /** The URLs that redirected, in order; empty when the first one answered. */
  readonly redirects: readonly string[]
  /** Until the headers of the last answer. */
  readonly durationMs: number
}

/** An answer whose body is still to be read. */
export interface OutboundStream extends OutboundHead {
  readonly body: OutboundBody
}

export interface OutboundAnswer extends OutboundHead {
  readonly body: Buffer
  /** There is more than was read; `bodyEnd` says why it was not. */
  readonly truncated: boolean
  readonly bodyEnd: BodyEnd
}

export interface OutboundRefusal {
  readonly ok: false
  readonly code: OutboundCode
  /** May be shown to users: names no address. */
  readonly message: string
  /** The proxy was not reached or refused us: what lies behind it was not asked. */
  readonly isOfProxy: boolean
  /** The last URL that was tried. */
  readonly url: string
  readonly redirects: readonly string[]
  readonly durationMs: number
}

/** Where a connection without a request leads. */
export interface OutboundTarget {
  /** A name or an address, the latter without brackets. */
  readonly host: string
  readonly port: number
  /** For name resolution and connecting. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal
}

export interface OutboundConnection {
  readonly ok: true
  readonly socket: Socket
}
