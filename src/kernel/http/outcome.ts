import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** What is known of a request when it is over. */
interface Exchange {
  readonly id: string
  /** As sent; it may hold credentials. */
  readonly url: string
  /** The route's template, never the path: few different values and no secret in them. */
  readonly route: string
  /** The client's, behind proxies that are believed. */
  readonly address: string
  readonly apiKeyId: number | undefined
  /** The code of the error that was answered. */
  readonly error: string | undefined
  /** It is over when the client leaves, which is no cut. */
  readonly isEventStream?: boolean
}

/** How a request ended. */
interface RequestOutcome extends Exchange {
  readonly method: string
  readonly userAgent: string | undefined
  /** What was sent, or 499 when the client left before the last byte. */
  readonly status: number
  /** On the wire, headers included. */
  readonly bytes: number
  readonly durationMs: number
}

export type RequestObserver = (outcome: RequestOutcome) => void

const UNMATCHED = '(unmatched)'
const CLIENT_CLOSED_REQUEST = 499

/** Tells every observer how the request ended, exactly once, whoever ended it. */
export function watchRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  observers: readonly RequestObserver[],
): void {
  watchResponse(request.raw, reply.raw, observers, () => ({
    id: request.id,
    url: request.originalUrl,
    route: request.routeOptions.url ?? UNMATCHED,
    address: request.ip,
    apiKeyId: request.actor?.apiKeyId ?? undefined,
    error: request.refusal ?? undefined,
    isEventStream: request.isEventStream,
  }))
}

/** The same for what the framework never sees; `describe` is asked at the end. */
export function watchResponse(
  request: IncomingMessage,
  response: ServerResponse,
  observers: readonly RequestObserver[],
  describe: () => Exchange,
): void {
  // Not the product's clock: a duration must not jump when that clock is set.
  const startedMs = performance.now()
  const { socket } = request
  const bytesBefore = socket.bytesWritten
  response.on('close', () => {
    const exchange = describe()
    const isCutOff = !response.writableFinished && !exchange.isEventStream
    const outcome: RequestOutcome = {
      ...exchange,
      method: request.method ?? '',
      userAgent: request.headers['user-agent'],
      status: isCutOff ? CLIENT_CLOSED_REQUEST : response.statusCode,
      bytes: socket.bytesWritten - bytesBefore,
      durationMs: performance.now() - startedMs,
    }
    for (const observe of observers) observe(outcome)
  })
}
