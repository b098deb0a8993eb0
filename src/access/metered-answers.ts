import type { FastifyReply, FastifyRequest } from 'fastify'
import { CLIENT_GONE, holdLastChunk } from '#journal'
import type { Clock } from '#kernel'
import { startMeter, type UsageSink } from './meter.ts'
import type { ActiveKey } from './principal.ts'

type Passed = (error: Error | null, payload?: unknown) => void

const UNMATCHED = '(unmatched)'
const PARAMETER = /:(\w+)(\([^)]*\))?/g

/** Meters requests of keys to the API: one record for each. */
export function createMeters(deps: { sink: UsageSink; clock: Clock }) {
  const templates = new Map<string, string>()
  return { start, onSend }

  function start(request: FastifyRequest, reply: FastifyReply, key: ActiveKey): void {
    const { method, id: requestId } = request
    const endpoint = () => request.usageEndpoint ?? templateOf(request)
    const startedMs = performance.now()
    const meter = startMeter(deps, { key, method, requestId, startedMs, endpoint })
    request.meter = meter
    reply.raw.on('close', () => meter.record(CLIENT_GONE))
  }

  /**
   * The last hook of a scope: what it passes on is what the client gets. `hasRoom` was asked before
   * the request was let in; should the room be gone all the same, the connection is cut.
   */
  function onSend(request: FastifyRequest, reply: FastifyReply, payload: unknown, done: Passed) {
    const { meter } = request
    if (!meter) return done(null, payload)
    if (isStream(payload)) {
      const length = Number(reply.getHeader('content-length')) || undefined
      const held = holdLastChunk(reply.raw, { length, record: meter.record })
      payload.on('error', (error) => held.destroy(error))
      done(null, payload.pipe(held))
      return
    }
    const status = reply.raw.destroyed ? CLIENT_GONE : reply.statusCode
    meter.recordSoon(status, pass)

    function pass(isRecorded: boolean): void {
      if (!isRecorded) reply.raw.destroy()
      try {
        done(null, payload)
      } catch (error) {
        // The framework is not there to catch it: what cannot be sent is an error like any other.
        reply.send(error)
      }
    }
  }

  function templateOf({ routeOptions }: FastifyRequest): string {
    const { url } = routeOptions
    if (url === undefined) return UNMATCHED
    let template = templates.get(url)
    if (template === undefined) {
      template = url.replaceAll(PARAMETER, '{$1}')
      templates.set(url, template)
    }
    return template
  }
}

export type Meters = ReturnType<typeof createMeters>

function isStream(payload: unknown): payload is NodeJS.ReadableStream & { pipe: <T>(to: T) => T } {
  return typeof payload === 'object' && payload !== null && 'pipe' in payload
}
