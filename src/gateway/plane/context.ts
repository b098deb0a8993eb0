import type { Meter } from '#access-thread'
import type { Verdict } from '../limits/windows.ts'
import type { ScriptLine } from '../scripts/host.ts'
import type { Chain, Instance } from './chain.ts'
import type { Connection } from './client/connection.ts'
import type { Consumer, Consumers } from './consumers.ts'
import type { AnswerHead } from './http1/parse-answer.ts'
import type { RequestHead } from './http1/parse-request.ts'
import type { PathPattern } from './path-index.ts'
import type { ReadBody } from './request-body.ts'
import type { Resolved } from './resolve.ts'
import type { Sale } from './sale.ts'
import type { Client } from './server/client.ts'
import type { CompiledUpstream, UpstreamNode } from './upstream.ts'

/** Records an answer before its last piece leaves. */
export type AnswerMeter = Pick<Meter, 'record' | 'recordSoon'>

/** Makes the new body of the old one without any content coding; undefined when it is too large. */
export type RewriteBody = (body: Buffer) => Buffer | undefined

/** Somebody who listens while the answer of the upstream passes. */
export interface AnswerTap {
  /** As the upstream sent it, before any plugin has changed something. False: listens no longer. */
  head(head: AnswerHead): boolean
  /** Its bytes are valid only during the call. False: listens no longer. */
  data(chunk: Buffer): boolean
  /** Not whole: the upstream broke off, or the client is gone. */
  end(isWhole: boolean): void
}

/** A part of an answer that cannot leave yet. */
interface HeldAnswer {
  readonly chunks: Buffer[]
  isWhole: boolean
}

/** Everything known about one request; made when it arrives, over when its answer is. */
export interface Context {
  readonly request: RequestHead
  /** Not to be touched once the request is over: others follow on the connection. */
  readonly client: Client
  /** A request to switch to WebSocket; once it has a route, one that the route permits. */
  wantsSwitch: boolean
  readonly startedAt: number
  readonly isTls: boolean
  readonly method: string
  /** As sent, for `request_uri`. */
  readonly target: string
  /** Normalised, without the query. */
  readonly path: string
  /** With its question mark; empty when there is none. */
  readonly query: string
  /** Lower case, without the port and a final dot. */
  readonly host: string
  /** Why the request is refused before anything looks at it. */
  readonly fault: string | null
  /** As sent, and with the port; what the upstream gets when nothing else is said. */
  readonly sentHost: string | undefined
  readonly peer: string
  readonly isTrusted: boolean
  /** Of the client; changed by `real-ip` alone. */
  remoteAddr: string
  requestId: string
  /** The query brings a credential and is not written to the log. */
  hidesQuery: boolean

  /** Matched by the method and without the headers it asks for: answered here, never forwarded. */
  isPreflight: boolean
  resolved: Resolved | null
  /** Its route or consumer refers to plugins that are gone, which would ask who calls, or how often. */
  lacksPlugins: boolean
  pattern: PathPattern | null
  matchedHost: string
  globalChain: Chain
  chain: Chain
  consumer: Consumer | null
  /** Consumers as they were when the request began. */
  consumers: Consumers
  params: ReadonlyMap<string, string> | null
  args: URLSearchParams | null
  extra: Map<string, string> | null
  /** How the limits stand that the request has met, by the settings they are of. */
  verdicts: Map<object, Verdict> | null
  /** Plugins whose `_meta.filter` has held: they stay in for the rest of the request. */
  wanted: Set<Instance> | null

  // What is forwarded, where it differs from what came.
  forwardMethod: string
  forwardPath: string
  forwardQuery: string
  forwardHost: string | null
  /** Lower-case names to their values; null removes. */
  forwardHeaders: Map<string, readonly string[] | null> | null
  upstream: CompiledUpstream | null

  // The way to the upstream.
  node: UpstreamNode | null
  tried: UpstreamNode[] | null
  attempts: number[] | null
  connection: Connection<Context> | null
  sentAt: number
  /** Counted as under way at its node. */
  isCountedBusy: boolean
  isBodyTaken: boolean
  /** What a plugin has put in place of the body. */
  newBody: Buffer | null
  /** The body, where it is looked at before it is forwarded. */
  readBody: ReadBody | null
  isBodyChunked: boolean
  bodyLeft: number

  // The answer.
  /** Told of an exception later than in the call that belongs to it. */
  readonly crash: (ctx: Context, error: unknown) => void
  /** Answers that were begun: one may take the place of another that a filter holds back. */
  answers: number
  /** What has come of the upstream's answer while a filter holds it back. */
  heldBack: HeldAnswer | null
  tap: AnswerTap | null
  /** How many 103 the upstream has sent. */
  hints: number
  /** What the upstream has sent after the body. */
  trailers: readonly string[]
  status: number
  headers: string[]
  replacedBody: Buffer | null
  /** Changes a whole body before any of it leaves; null when the body just passes. */
  rewriteBody: RewriteBody | null
  /** What has come of a body that is to be changed; null when none is. */
  held: Buffer[] | null
  heldBytes: number
  isDiscarding: boolean
  /** An exception came in its way: what is answered now is 500, without header filters. */
  isFailed: boolean
  isOver: boolean
  /** The answer was begun by the gateway or the upstream. */
  isAnswered: boolean
  /** When that was; 0 before. */
  answeredAt: number
  /** Its last piece was given away. */
  isEnded: boolean
  /** The head has left, or goes with the first bytes of the body. */
  isFlushed: boolean
  /** Null when the answer leaves no record. */
  meter: AnswerMeter | null
  /** A plugin has refused it before it was forwarded. */
  isRefused: boolean
  /** Set on a route that is sold, once it is known to whom. */
  sale: Sale | null
  upstreamStatus: number
  upstreamMs: number
  bytesIn: number
  bytesOut: number
  errorCode: string
  /** What scripts have said; goes into the access log. */
  scriptLines: ScriptLine[] | null
  /** Metrics name its route and service instead of giving their ids. */
  prefersNames: boolean
}
