import type { Context } from './context.ts'
import { captureParameters } from './path-index.ts'
import { headersOf } from './server/headers-of.ts'

/** A variable of the request (contract §4.2); undefined when it is absent. */
export function lookUp(ctx: Context, name: string): string | undefined {
  const known = VARIABLES[name]
  if (known) return known(ctx)
  if (name.startsWith('arg_')) return argument(ctx, name.slice(4))
  if (name.startsWith('http_')) return header(ctx, name.slice(5).replaceAll('_', '-'))
  if (name.startsWith('cookie_')) return cookie(ctx, name.slice(7))
  if (name.startsWith('uri_param_')) return parameter(ctx, name.slice(10))
  return ctx.extra?.get(name)
}

/** Replaces `$name` and `${name}` by the variables' values; absent ones by nothing. */
export function renderTemplate(ctx: Context, template: string): string {
  if (!template.includes('$')) return template
  return template.replace(/\$(?:\{(\w+)\}|(\w+))/g, (_all, braced, bare) => {
    return lookUp(ctx, braced ?? bare) ?? ''
  })
}

const VARIABLES: Readonly<Record<string, (ctx: Context) => string | undefined>> = {
  uri: (ctx) => ctx.path,
  request_uri: (ctx) => ctx.target,
  args: (ctx) => ctx.query.slice(1) || undefined,
  host: (ctx) => ctx.host,
  scheme: (ctx) => (ctx.isTls ? 'https' : 'http'),
  request_method: (ctx) => ctx.method,
  remote_addr: (ctx) => ctx.remoteAddr,
  remote_port: (ctx) => String(ctx.client.socket.remotePort ?? ''),
  server_port: (ctx) => String(ctx.client.socket.localPort ?? ''),
  request_id: (ctx) => ctx.requestId,
  route_id: (ctx) => ctx.resolved?.route.id,
  route_name: (ctx) => ctx.resolved?.route.value.name,
  service_id: (ctx) => ctx.resolved?.service?.id,
  consumer_name: (ctx) => ctx.consumer?.username,
  consumer_group_id: (ctx) => ctx.consumer?.groupId ?? undefined,
  status: (ctx) => (ctx.status === 0 ? undefined : String(ctx.status)),
  upstream_status: (ctx) => (ctx.upstreamStatus === 0 ? undefined : String(ctx.upstreamStatus)),
  balancer_ip: (ctx) => ctx.node?.host,
  balancer_port: (ctx) => (ctx.node ? String(ctx.node.port) : undefined),
}

/** The first value of a parameter of the query. */
function argument(ctx: Context, name: string): string | undefined {
  if (ctx.query === '') return undefined
  ctx.args ??= new URLSearchParams(ctx.query)
  return ctx.args.get(name) ?? undefined
}

function header(ctx: Context, name: string): string | undefined {
  return headersOf(ctx.request)[name]
}

function cookie(ctx: Context, name: string): string | undefined {
  for (const pair of headersOf(ctx.request)['cookie']?.split(';') ?? []) {
    const equals = pair.indexOf('=')
    if (equals !== -1 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim()
  }
  return undefined
}

function parameter(ctx: Context, name: string): string | undefined {
  if (!ctx.pattern) return undefined
  ctx.params ??= captureParameters(ctx.pattern, ctx.path)
  return ctx.params[name]
}
