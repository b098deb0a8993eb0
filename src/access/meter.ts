import type { FastifyReply, FastifyRequest } from 'fastify'
import { CLIENT_GONE, type Clock, DomainError, holdLastChunk } from '#kernel'
import type { ActiveKey } from './principal.ts'
import type { Meter } from './route-config.ts'

/** What a request with a key leaves behind (Doc 2 §2.3). */
export interface UsageEntry {
  readonly keyId: number
  readonly endpoint: string
  readonly method: string
  readonly status: number
  readonly responseMs: number
  readonly atMs: number
  readonly counted: boolean
  readonly cost: number
  readonly requestId: string
  /** The plan's requests per month when the request was decided; null: unlimited. */
  readonly monthLimit: number | null
}

/** Where usage goes: the journal of this thread. */
export interface UsageSink {
  /** False when there is no room. */
  append(entry: UsageEntry): boolean
  hasRoom(): boolean
}

type Passed = (error: Error | null, payload?: unknown) => void

const UNMATCHED = '(unmatched)'
const PARAMETER = /:(\w+)(\([^)]*\))?/g

/** Meters requests of keys: one record for each, appended before the last byte of its answer. */
export function createMeters({ sink, clock }: { sink: UsageSink; clock: Clock }) {
  const templates = new Map<string, string>()
  return { start, onSend }

  function start(request: FastifyRequest, reply: FastifyReply, key: ActiveKey): void {
    const startedMs = performance.now()
    let atMs = clock.now()
    let cost: number | null = null
    let recorded: boolean | undefined
    const meter: Meter = {
      count: (given, decidedAtMs) => {
        cost = given
        atMs = decidedAtMs
      },
      record(status) {
        recorded ??= sink.append({
          keyId: key.id,
          endpoint: request.usageEndpoint ?? templateOf(request),
          method: request.method,
          status,
          responseMs: Math.round(performance.now() - startedMs),
          atMs,
          counted: cost !== null,
          cost: cost ?? 0,
          requestId: request.id,
          monthLimit: key.plan.requestsPerMonth,
        })
        return recorded
      },
    }
    request.meter = meter
    reply.raw.once('close', () => meter.record(CLIENT_GONE))
  }

  /**
   * The last hook of a scope: what it passes on is what the client gets. `hasRoom` was asked before
   * the request was let in; should the room be gone all the same, the connection is cut.
   */
  function onSend(request: FastifyRequest, reply: FastifyReply, payload: unknown, done: Passed) {
    const { meter } = request
    if (meter && isStream(payload)) {
      const length = Number(reply.getHeader('content-length')) || undefined
      const held = holdLastChunk(reply.raw, { length, record: meter.record })
      payload.on('error', (error) => held.destroy(error))
      done(null, payload.pipe(held))
      return
    }
    if (meter && !meter.record(reply.raw.destroyed ? CLIENT_GONE : reply.statusCode)) {
      reply.raw.destroy()
    }
    done(null, payload)
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

/** Better refused than unrecorded: billing must be exact (access contract §7). */
export function journalFull(): DomainError {
  return new DomainError('unavailable', 'usage_unavailable', 'Usage cannot be recorded right now', {
    facts: { retry_after: 1 },
  })
}

function isStream(payload: unknown): payload is NodeJS.ReadableStream & { pipe: <T>(to: T) => T } {
  return typeof payload === 'object' && payload !== null && 'pipe' in payload
}
