import type { FastifyReply, FastifyRequest } from 'fastify'

/** How a request ended. */
interface RequestOutcome {
  readonly id: string
  readonly method: string
  /** As sent; it may hold credentials. */
  readonly url: string
  /** The route's template, never the path: few different values and no secret in them. */
  readonly route: string
  /** The client's, behind proxies that are believed; a connection that was gone at once has none. */
  readonly address: string | undefined
  readonly apiKeyId: number | undefined
  readonly userAgent: string | undefined
  /** The code of the error that was answered. */
  readonly error: string | undefined
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
  // Not the product's clock: a duration must not jump when that clock is set.
  const startedMs = performance.now()
  const response = reply.raw
  const { rawHeaders, socket } = request.raw
  const bytesBefore = socket.bytesWritten
  // Read now: of a request that is answered before its body has come the socket is gone in the end.
  const address = request.ip
  if (response.destroyed) observe()
  else response.on('close', observe)

  function observe() {
    // An event stream is over when the client leaves, which is no cut.
    const isCutOff = !response.writableFinished && !request.isEventStream
    const outcome: RequestOutcome = {
      id: request.id,
      url: request.originalUrl,
      route: request.routeOptions.url ?? UNMATCHED,
      address,
      apiKeyId: request.actor?.apiKeyId ?? undefined,
      error: request.refusal ?? undefined,
      method: request.raw.method ?? '',
      userAgent: userAgentOf(rawHeaders),
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
