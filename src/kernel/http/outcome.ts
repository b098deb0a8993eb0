import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** What is known of a request when it is over. */
interface Exchange {
  readonly id: string
  /** As sent; it may hold credentials. */
  readonly url: string
  /** The route's template, never the path: few different values and no secret in them. */
  readonly route: string
  /** The client's, behind proxies that are believed; a connection that is gone may have none. */
  readonly address: string | undefined
  readonly apiKeyId: number | undefined
  /** The code of the error that was answered. */
  readonly error: string | undefined
  /** It is over when the client leaves, which is no cut. */
  readonly isEventStream?: boolean
}

/** How a request ended. */
interface RequestOutcome extends Omit<Exchange, 'isEventStream'> {
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
const USER_AGENT = 'user-agent'

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
  if (response.destroyed) observe()
  else response.on('close', observe)

  function observe() {
    const exchange = describe()
    const isCutOff = !response.writableFinished && !exchange.isEventStream
    // Member by member: spreading the exchange costs more than all the rest here.
    const outcome: RequestOutcome = {
      id: exchange.id,
      url: exchange.url,
      route: exchange.route,
      address: exchange.address,
      apiKeyId: exchange.apiKeyId,
      error: exchange.error,
      method: request.method ?? '',
      userAgent: userAgentOf(request.rawHeaders),
      status: isCutOff ? CLIENT_CLOSED_REQUEST : response.statusCode,
      // Injected requests have no socket that counts.
      bytes: socket.bytesWritten - bytesBefore || 0,
      durationMs: performance.now() - startedMs,
    }
    for (const tell of observers) tell(outcome)
  }
}

/** Looked for by itself: the framework may never have needed the headers by name. */
function userAgentOf(headers: readonly string[]): string | undefined {
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at]
    if (name?.length === USER_AGENT.length && name.toLowerCase() === USER_AGENT) {
      return headers[at + 1]
    }
  }
  return undefined
}
