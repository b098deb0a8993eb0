import type { Context } from '../plane/context.ts'
import { compileTemplate, templateFault } from '../plane/template.ts'
import { lookUp } from '../plane/variables.ts'

/** Makes the entry of one request, as JSON. */
export type FormatEntry = (ctx: Context, atMs: number) => string

type Read = (ctx: Context, atMs: number) => string | undefined

/** Variables that only an entry of a log has, under the names existing formats use. */
const LOG_VARIABLES: ReadonlyMap<string, Read> = new Map<string, Read>([
  ['time_iso8601', (_ctx, atMs) => new Date(atMs).toISOString()],
  ['msec', (_ctx, atMs) => (atMs / 1000).toFixed(3)],
  ['request_time', (ctx) => ((performance.now() - ctx.startedAt) / 1000).toFixed(3)],
  [
    'upstream_response_time',
    (ctx) => (ctx.upstreamStatus ? (ctx.upstreamMs / 1000).toFixed(3) : undefined),
  ],
  ['upstream_addr', (ctx) => ctx.node?.name],
  ['bytes_sent', (ctx) => String(ctx.bytesOut)],
  ['body_bytes_sent', (ctx) => String(ctx.bytesOut)],
  ['request_length', (ctx) => String(ctx.bytesIn)],
])

const WHOLE = /^\$(?:\{(\w+)\}|([A-Za-z_]\w*))$/

/** A map of names to texts with variables; constants stay what they are. */
export function compileFormat(format: Readonly<Record<string, unknown>>): FormatEntry {
  const members = Object.entries(format).map(([name, value]) => {
    const whole = typeof value === 'string' ? WHOLE.exec(value) : null
    const variable = whole?.[1] ?? whole?.[2]
    if (variable !== undefined) return [name, variableOf(variable)] as const
    if (typeof value !== 'string') return [name, () => value] as const
    const template = compileTemplate(value)
    return [name, (ctx: Context) => template.render(ctx)] as const
  })
  return (ctx, atMs) => {
    const entry: Record<string, unknown> = Object.create(null)
    for (const [name, read] of members) entry[name] = read(ctx, atMs)
    return JSON.stringify(entry)
  }
}

export function formatFaults(format: Readonly<Record<string, unknown>>) {
  return Object.entries(format).flatMap(([name, value]) => {
    const path = `/log_format/${name}`
    if (typeof value === 'object' && value !== null) {
      return [{ path, message: 'must be a text, a number or a truth value' }]
    }
    if (
      typeof value !== 'string' ||
      LOG_VARIABLES.has(WHOLE.exec(value)?.slice(1).join('') ?? '')
    ) {
      return []
    }
    const message = templateFault(value)
    return message === null ? [] : [{ path, message }]
  })
}

function variableOf(name: string): Read {
  return LOG_VARIABLES.get(name) ?? ((ctx) => lookUp(ctx, name))
}

/** What the access log says, without the query: that may hold what nobody should keep. */
export const formatUsual: FormatEntry = (ctx, atMs) =>
  JSON.stringify({
    time: new Date(atMs).toISOString(),
    request_id: ctx.requestId,
    remote_addr: ctx.remoteAddr,
    consumer: ctx.consumer?.username ?? null,
    api_key_id: ctx.sale?.key.id ?? null,
    method: ctx.method,
    host: ctx.host,
    path: ctx.path,
    route_id: ctx.resolved?.route.id ?? null,
    service_id: ctx.resolved?.service?.id ?? null,
    status: ctx.status,
    bytes_in: ctx.bytesIn,
    bytes_out: ctx.bytesOut,
    duration_ms: Math.round((performance.now() - ctx.startedAt) * 1000) / 1000,
    upstream: ctx.node?.name ?? null,
    upstream_status: ctx.upstreamStatus || null,
    upstream_ms: ctx.upstreamStatus ? Math.round(ctx.upstreamMs * 1000) / 1000 : null,
  })
