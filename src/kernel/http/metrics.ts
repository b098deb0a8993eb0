import type { FastifyRequest } from 'fastify'
import type { Registry } from 'prom-client'
import { DomainError } from '../errors.ts'
import type { HttpApp, HttpPlugin } from './app.ts'
import { createDurations } from './durations.ts'
import { watchEventLoop } from './event-loop-delay.ts'
import { hasForwardingHeaders, isFromBrowserPage, isLoopbackPeer } from './peer.ts'
import type { RequestObserver } from './request-log.ts'

export interface Metrics {
  /** Other parts add theirs here. */
  readonly registry: Registry
  readonly observe: RequestObserver
  /** Everything in the exposition format. */
  text(): Promise<string>
  readonly routes: HttpPlugin
}

export interface MetricsDeps {
  readonly registry?: Registry
  /** Whether the credential of this request opens the metrics; may throw its own refusal. */
  readonly mayRead?: (request: FastifyRequest) => boolean | Promise<boolean>
  /** Statements of reads that were asked of the database so far. */
  asked?(): number
}

/** prom-client samples the event loop, too, for figures that ours replace: once a day. */
const HARDLY_EVER_MS = 86_400_000

export async function createMetrics({
  registry,
  mayRead,
  asked,
}: MetricsDeps = {}): Promise<Metrics> {
  const { default: prometheus } = await import('prom-client')
  const target = registry ?? new prometheus.Registry()
  let watching: Promise<void> | undefined
  new prometheus.Gauge({
    name: 'storage_read_statements',
    help: 'Statements of content reads that the API thread has asked of the database',
    registers: [target],
    collect() {
      this.set(asked?.() ?? 0)
    },
  })
  const durations = createDurations(
    'http_request_duration_seconds',
    'Time from the first byte of the request to the last byte of the answer',
  )

  return {
    registry: target,
    observe: ({ route, method, status, durationMs }) =>
      durations.observe(route, method, status, durationMs / 1000),
    text,
    routes,
  }

  /**
   * What Node tells of the process. Its event loop is sampled a hundred times a second, which costs an idle
   * server more than all of its work: so only where metrics are read, from the first time on.
   */
  async function watchProcess(): Promise<void> {
    prometheus.collectDefaultMetrics({
      register: target,
      eventLoopMonitoringPrecision: HARDLY_EVER_MS,
    })
    // Gauges with the ending of counters, which the others of the same kind come to by their sum.
    for (const kind of ['handles', 'requests', 'resources']) {
      target.removeSingleMetric(`nodejs_active_${kind}_total`)
    }
    await watchEventLoop(target)
  }

  async function text(): Promise<string> {
    watching ??= watchProcess()
    await watching
    return `${await target.metrics()}\n${durations.render()}`
  }

  function routes(app: HttpApp): void {
    app.get('/metrics', { config: { etag: false } }, async (request, reply) => {
      if (!isLocal(request) && !(await mayRead?.(request))) throw keyRequired()
      // A page of another site must not read them through the operator's browser.
      reply.removeHeader('access-control-allow-origin')
      reply.header('cache-control', 'no-store').type(target.contentType)
      return text()
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
