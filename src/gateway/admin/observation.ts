/** Metrics and health of the data plane, for operators (contract §3.4, §11). */
import { hostname } from 'node:os'
import type { HttpPlugin } from '#http'
import type { Memory } from '../memory.ts'
import { NO_SLOT } from '../memory.ts'
import { BUCKETS } from '../plane/metrics.ts'
import type { Probes, Watched } from '../probes.ts'
import type { Purge, ThreadMetrics } from '../protocol.ts'
import { nodeName, nodesOf } from '../resources/nodes.ts'
import type { AbortedPart } from './aborts.ts'
import type { AdminAuth } from './auth.ts'
import { keyNotFound, refuse } from './errors.ts'

export interface ObservationDeps {
  readonly auth: AdminAuth
  readonly memory: Memory
  readonly probes: Probes
  readonly prefix: string
  readonly version: string
  readonly nodeId: string
  readonly startedAtMs: number
  metrics(): Promise<readonly ThreadMetrics[]>
  revision(): number
  aborts(): readonly AbortedPart[]
  schemas(): unknown
  /** On all threads of all nodes; how many answers this node dropped. */
  purge(purge: Purge): Promise<number>
}

const TEXT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

export function metricsRoutes(deps: ObservationDeps): HttpPlugin {
  return (app) => {
    app.get('/metrics', { config: { etag: false } }, async (request, reply) => {
      await deps.auth.admit(request)
      reply.type(TEXT_TYPE).header('cache-control', 'no-store')
      return renderMetrics(deps, await deps.metrics())
    })
  }
}

export function controlRoutes(deps: ObservationDeps): HttpPlugin {
  const { auth, probes, memory } = deps
  const quiet = { config: { etag: false } }
  return (app) => {
    app.addHook('onRequest', async (request) => {
      auth.requireWrite(await auth.admit(request), request.method)
    })
    app.delete('/v1/cache', async (request) => ({
      purged: await deps.purge(parsePurge(request.query)),
    }))
    app.get('/v1/healthcheck', quiet, () => probes.list().map((one) => renderHealth(one, memory)))
    app.get('/v1/healthcheck/*', quiet, (request) => {
      const params: unknown = request.params
      const key = typeof params === 'object' && params && '*' in params ? String(params['*']) : ''
      const found = probes.list().find((one) => one.key === key)
      if (!found) throw keyNotFound()
      return renderHealth(found, memory)
    })
    app.get('/v1/server_info', quiet, () => ({
      id: deps.nodeId,
      hostname: hostname(),
      version: deps.version,
      boot_time: Math.floor(deps.startedAtMs / 1000),
      config_revision: deps.revision(),
    }))
    app.get('/v1/schema', quiet, () => deps.schemas())
  }
}

function parsePurge(query: unknown): Purge {
  const given = Object.entries(typeof query === 'object' && query ? query : {})
  const [[by, text] = ['', ''], ...more] = given
  if (more.length === 0 && typeof text === 'string' && text !== '') {
    if (by === 'all' && text === 'true') return { by }
    if (by === 'tag' || by === 'prefix') return { by, text }
  }
  throw refuse('say which answers to drop by one of ?tag=…, ?prefix=… and ?all=true')
}

function renderHealth({ key, upstream, slots }: Watched, memory: Memory) {
  return {
    name: `/gateway/${key}`,
    type: upstream.checks?.active?.type ?? 'http',
    nodes: nodesOf(upstream, slots.discovered).map((node) => {
      const { healthy, counter } = memory.inspect(slots.nodes[nodeName(node)] ?? NO_SLOT)
      const status = healthy ? 'healthy' : 'unhealthy'
      return { ip: node.host, port: node.port, status, counter }
    }),
  }
}

/** Nodes of watched upstreams that get no requests now. */
export function listUnhealthy(watched: readonly Watched[], memory: Memory) {
  return watched.flatMap((one) =>
    renderHealth(one, memory)
      .nodes.filter(({ status }) => status === 'unhealthy')
      .map(({ ip, port }) => ({ upstream: one.key, host: ip, port })),
  )
}

export function sumAnswers(threads: readonly ThreadMetrics[]) {
  let requests = 0
  let errors = 0
  for (const thread of threads) {
    requests += thread.requests
    for (const { name, labels, value } of thread.counts) {
      if (name === 'http_status' && labels.startsWith('code="5')) errors += value
    }
  }
  return { requests, errors }
}

interface Family {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly lines: readonly string[]
}

function renderMetrics(deps: ObservationDeps, threads: readonly ThreadMetrics[]): string {
  const { prefix, probes, memory } = deps
  const counts = sumCounts(threads)
  const total = threads.reduce((sum, { requests }) => sum + requests, 0)
  const families: Family[] = [
    family('http_status', 'counter', 'Answers by status', counted('http_status')),
    family('http_latency', 'histogram', 'Milliseconds per request', histogram('http_latency')),
    family('bandwidth', 'counter', 'Bytes of bodies', counted('bandwidth')),
    family('http_requests_total', 'counter', 'Requests answered', [
      sample('http_requests_total', '', total),
    ]),
    family(
      'plan_refusals_total',
      'counter',
      'Requests that a limit of a plan has refused',
      counted('plan_refusals_total'),
    ),
    family('connections', 'gauge', 'Client connections by state', connectionLines()),
    family('upstream_status', 'gauge', 'Health of nodes: 1 healthy, 0 not', healthLines()),
    family('split_aborted', 'gauge', 'Entries of splits out of use', abortLines()),
    family('config_revision', 'gauge', 'Index of the last change', [
      sample('config_revision', '', deps.revision()),
    ]),
    family(
      'script_failures_total',
      'counter',
      'Scripts that failed',
      counted('script_failures_total'),
    ),
    family(
      'script_thread_ms',
      'histogram',
      'Milliseconds of the processor that scripts took from a gateway thread',
      histogram('script_thread_ms'),
    ),
    family(
      'log_entries_dropped_total',
      'counter',
      'Entries of http-logger and file-logger that were lost',
      counted('log_entries_dropped_total'),
    ),
    family('node_info', 'gauge', 'This node', [
      sample('node_info', `hostname="${deps.nodeId}",version="${deps.version}"`, 1),
    ]),
  ]
  return families.map(render).join('')

  function family(
    name: string,
    type: Family['type'],
    help: string,
    lines: readonly string[],
  ): Family {
    return { name, type, help, lines }
  }

  function render({ name, type, help, lines }: Family): string {
    return `# HELP ${prefix}${name} ${help}\n# TYPE ${prefix}${name} ${type}\n${lines.join('')}`
  }

  function sample(name: string, labels: string, value: number): string {
    return `${prefix}${name}${labels === '' ? '' : `{${labels}}`} ${value}\n`
  }

  function counted(name: string): string[] {
    return [...counts.values()]
      .filter((count) => count.name === name)
      .map(({ labels, value }) => sample(name, labels, value))
  }

  function histogram(name: string): string[] {
    return [...sumHistograms(threads, name)].flatMap(([labels, { buckets, sumMs }]) => {
      let running = 0
      const lines = buckets.map((count, index) => {
        running += count
        const bound = BUCKETS[index] ?? '+Inf'
        return sample(`${name}_bucket`, `${labels},le="${bound}"`, running)
      })
      return [
        ...lines,
        sample(`${name}_sum`, labels, sumMs),
        sample(`${name}_count`, labels, running),
      ]
    })
  }

  function connectionLines(): string[] {
    const sums = new Map<string, number>()
    for (const { connections } of threads) {
      for (const [state, value] of Object.entries(connections)) {
        sums.set(state, (sums.get(state) ?? 0) + value)
      }
    }
    return [...sums].map(([state, value]) => sample('connections', `state="${state}"`, value))
  }

  function abortLines(): string[] {
    return deps.aborts().map(({ owner, rule, entry }) => {
      const labels = `owner="${owner}",rule="${rule}",entry="${entry}"`
      return sample('split_aborted', labels, 1)
    })
  }

  function healthLines(): string[] {
    return probes.list().flatMap(({ key, upstream, slots }) =>
      nodesOf(upstream, slots.discovered).map((node) => {
        const slot = slots.nodes[nodeName(node)] ?? NO_SLOT
        const labels = `name="/gateway/${key}",ip="${node.host}",port="${node.port}"`
        return sample('upstream_status', labels, memory.isHealthy(slot) ? 1 : 0)
      }),
    )
  }
}

function sumCounts(threads: readonly ThreadMetrics[]) {
  const sums = new Map<string, { name: string; labels: string; value: number }>()
  for (const { counts } of threads) {
    for (const { name, labels, value } of counts) {
      const key = `${name}{${labels}`
      sums.set(key, { name, labels, value: (sums.get(key)?.value ?? 0) + value })
    }
  }
  return sums
}

function sumHistograms(threads: readonly ThreadMetrics[], wanted: string) {
  const sums = new Map<string, { buckets: number[]; sumMs: number }>()
  for (const { histograms } of threads) {
    for (const { name, labels, buckets, sumMs } of histograms) {
      if (name !== wanted) continue
      const sum = sums.get(labels)
      sums.set(labels, {
        buckets: buckets.map((count, index) => count + (sum?.buckets[index] ?? 0)),
        sumMs: sumMs + (sum?.sumMs ?? 0),
      })
    }
  }
  return sums
}
