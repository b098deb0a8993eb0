import type { FastifyReply, FastifyRequest } from 'fastify'

/** How a request ended. */
interface RequestOutcome {
  readonly request: FastifyRequest
  /** What was sent, or 499 when the client left before the last byte. */
  readonly status: number
  /** The route's template, never the path: few different values and no secret in them. */
  readonly route: string
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
  // Not the product's clock: a duration must not jump when that clock is set.
  const startedMs = performance.now()
  const { socket } = request.raw
  const bytesBefore = socket.bytesWritten
  reply.raw.on('close', () => {
    const outcome: RequestOutcome = {
      request,
      status: isCutOff(request, reply) ? CLIENT_CLOSED_REQUEST : reply.raw.statusCode,
      route: request.routeOptions.url ?? UNMATCHED,
      bytes: socket.bytesWritten - bytesBefore,
      durationMs: performance.now() - startedMs,
    }
    for (const observe of observers) observe(outcome)
  })
}

function isCutOff(request: FastifyRequest, reply: FastifyReply): boolean {
  return !reply.raw.writableFinished && !request.isEventStream
}
