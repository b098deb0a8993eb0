import type { FastifyRequest } from 'fastify'
import type { Registry } from 'prom-client'
import { DomainError } from '../errors.ts'
import type { HttpPlugin } from './app.ts'
import type { RequestObserver } from './outcome.ts'
import { hasForwardingHeaders, isFromBrowserPage, isLoopbackPeer } from './peer.ts'

export interface Metrics {
  /** Other parts add theirs here. */
  readonly registry: Registry
  readonly observe: RequestObserver
  readonly routes: HttpPlugin
}

export interface MetricsDeps {
  readonly registry?: Registry
  /** Whether the credential of this request opens the metrics; may throw its own refusal. */
  readonly mayRead?: (request: FastifyRequest) => boolean | Promise<boolean>
}

const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export async function createMetrics({ registry, mayRead }: MetricsDeps = {}): Promise<Metrics> {
  const prometheus = await import('prom-client')
  const target = registry ?? new prometheus.Registry()
  prometheus.collectDefaultMetrics({ register: target })
  const durations = new prometheus.Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of the request to the last byte of the answer',
    labelNames: ['method', 'route', 'status'],
    buckets: BUCKETS_SECONDS,
    registers: [target],
  })

  return { registry: target, observe, routes }

  function observe({ request, route, status, durationMs }: Parameters<RequestObserver>[0]): void {
    const statusClass = `${Math.floor(status / 100)}xx`
    durations.observe({ method: request.method, route, status: statusClass }, durationMs / 1000)
  }

  function routes(app: Parameters<HttpPlugin>[0]): void {
    app.get('/metrics', { config: { etag: false } }, async (request, reply) => {
      if (!isLocal(request) && !(await mayRead?.(request))) throw keyRequired()
      // A page of another site must not read them through the operator's browser.
      reply.removeHeader('access-control-allow-origin')
      reply.header('cache-control', 'no-store').type(target.contentType)
      return target.metrics()
    })
  }
}

/** Gateway contract §1: loopback peers without forwarding headers need no key. */
function isLocal(request: FastifyRequest): boolean {
  const { headers } = request
  return isLoopbackPeer(request) && !hasForwardingHeaders(headers) && !isFromBrowserPage(headers)
}

function keyRequired(): DomainError {
  return new DomainError('unauthenticated', 'key_required', 'API key required')
}
