import type { ThreadMetrics } from '../protocol.ts'
import type { Context } from './context.ts'

/** Upper bounds in milliseconds; the last bucket has none. */
export const BUCKETS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000,
]

interface Cell {
  readonly labels: string
  readonly statuses: Map<number, number>
  readonly latencies: Readonly<Record<'request' | 'upstream' | 'gateway', Histogram>>
  bytesIn: number
  bytesOut: number
}

interface Histogram {
  readonly counts: number[]
  sumMs: number
}

/** Counts of one thread; label values are names from the configuration, so they stay few. */
export function createThreadMetrics() {
  const cells = new Map<string, Cell>()
  /** What most requests find without their labels being put together: by path pattern and node. */
  const quick = new WeakMap<object, Map<string, Cell>>()
  let requests = 0
  /** What plugins count. */
  const own = new Map<string, { name: string; labels: string; value: number }>()
  const scriptTimes = { call: createHistogram(), turn: createHistogram() }
  return { note, count, noteScriptTime, collect }

  function noteScriptTime(of: 'call' | 'turn', ms: number): void {
    observe(scriptTimes[of], ms)
  }

  function count(name: string, labels: Readonly<Record<string, string>>, by = 1): void {
    const text = Object.entries(labels)
      .map(([key, value]) => label(key, value))
      .join(',')
    const known = own.get(`${name}{${text}`)
    if (known) known.value += by
    else own.set(`${name}{${text}`, { name, labels: text, value: by })
  }

  function note(ctx: Context, status: number, totalMs: number): void {
    requests++
    const cell = cellFor(ctx)
    cell.statuses.set(status, (cell.statuses.get(status) ?? 0) + 1)
    const upstreamMs = ctx.upstreamStatus === 0 ? 0 : ctx.upstreamMs
    observe(cell.latencies.request, totalMs)
    if (ctx.upstreamStatus !== 0) observe(cell.latencies.upstream, upstreamMs)
    // How long a body or a WebSocket lasts is not the gateway's doing.
    const beganMs = ctx.answeredAt === 0 ? totalMs : ctx.answeredAt - ctx.startedAt
    observe(cell.latencies.gateway, Math.max(0, beganMs - upstreamMs))
    cell.bytesIn += ctx.bytesIn
    cell.bytesOut += ctx.bytesOut
  }

  function cellFor(ctx: Context): Cell {
    const { pattern, consumer, node } = ctx
    const isCommon = pattern && !ctx.prefersNames && (!consumer || consumer.isBuyer)
    if (!isCommon) return namedCell(ctx)
    const byNode = quick.get(pattern) ?? new Map<string, Cell>()
    const name = node?.name ?? ''
    const known = byNode.get(name)
    if (known) return known
    const cell = namedCell(ctx)
    quick.set(pattern, byNode.set(name, cell))
    return cell
  }

  function namedCell(ctx: Context): Cell {
    const { resolved, pattern, matchedHost, consumer, node } = ctx
    const route = nameOf(resolved?.route, ctx.prefersNames)
    const service = nameOf(resolved?.service, ctx.prefersNames)
    // Keys are many; only names of the configuration may become labels.
    const username = consumer?.isBuyer ? undefined : consumer?.username
    const key = `${route}|${pattern?.uri ?? ''}|${matchedHost}|${service}|${username ?? ''}|${node?.name ?? ''}`
    const known = cells.get(key)
    if (known) return known
    const shared = [
      label('route', route),
      label('service', service),
      label('consumer', username),
      label('node', node?.host),
    ].join(',')
    const cell: Cell = {
      labels: `${shared}\n${label('matched_uri', pattern?.uri)},${label('matched_host', matchedHost)}`,
      statuses: new Map(),
      latencies: {
        request: createHistogram(),
        upstream: createHistogram(),
        gateway: createHistogram(),
      },
      bytesIn: 0,
      bytesOut: 0,
    }
    cells.set(key, cell)
    return cell
  }

  function collect(connections: Readonly<Record<string, number>>): ThreadMetrics {
    const counts: { name: string; labels: string; value: number }[] = [...own.values()]
    const histograms = Object.entries(scriptTimes).map(([of, times]) =>
      toSeries('script_thread_ms', label('of', of), times),
    )
    for (const cell of cells.values()) {
      const [shared = '', matched = ''] = cell.labels.split('\n')
      for (const [code, value] of cell.statuses) {
        counts.push({ name: 'http_status', labels: `code="${code}",${shared},${matched}`, value })
      }
      for (const [type, value] of [
        ['ingress', cell.bytesIn],
        ['egress', cell.bytesOut],
      ] as const) {
        counts.push({ name: 'bandwidth', labels: `type="${type}",${shared}`, value })
      }
      for (const [type, times] of Object.entries(cell.latencies)) {
        histograms.push(toSeries('http_latency', `type="${type}",${shared}`, times))
      }
    }
    return { requests, connections, counts, histograms }
  }
}

interface Named {
  readonly id: string
  readonly value: { readonly name?: string }
}

function nameOf(object: Named | null | undefined, prefersNames: boolean): string {
  if (!object) return ''
  return prefersNames ? (object.value.name ?? object.id) : object.id
}

function createHistogram(): Histogram {
  return { counts: new Array<number>(BUCKETS.length + 1).fill(0), sumMs: 0 }
}

function toSeries(name: string, labels: string, { counts, sumMs }: Histogram) {
  return { name, labels, buckets: counts, sumMs }
}

function observe(histogram: Histogram, ms: number): void {
  let at = 0
  while (at < BUCKETS.length && ms > (BUCKETS[at] ?? 0)) at++
  histogram.counts[at] = (histogram.counts[at] ?? 0) + 1
  histogram.sumMs += ms
}

/** Text exposition format: backslash, quote and line feed are escaped. */
function label(name: string, value = ''): string {
  const escaped = value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
  return `${name}="${escaped}"`
}
