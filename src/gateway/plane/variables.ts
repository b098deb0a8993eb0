import { memoize } from '#kernel'
import type { Context } from './context.ts'
import { captureParameters } from './path-index.ts'
import { graphqlOf, postArgument } from './request-body.ts'
import { headerOf } from './server/headers-of.ts'

type Read = (ctx: Context) => string | undefined

/** A variable of the request (contract §4.2); undefined when it is absent. */
export function lookUp(ctx: Context, name: string): string | undefined {
  const known = VARIABLES.get(name)
  if (known) return known(ctx)
  if (name.startsWith('arg_')) return argument(ctx, name.slice(4))
  if (name.startsWith('http_')) return headerOf(ctx.request, headerNameOf(name.slice(5)))
  if (name.startsWith('cookie_')) {
    return cookieIn(headerOf(ctx.request, 'cookie'), name.slice(7))
  }
  if (name.startsWith('post_arg_')) return postArgument(ctx, name.slice(9))
  if (name.startsWith('uri_param_')) return parameter(ctx, name.slice(10))
  return ctx.extra?.get(name)
}

/** The same of the request as it would be forwarded now, changed by the plugins that ran so far. */
export function lookUpForwarded(ctx: Context, name: string): string | undefined {
  const known = FORWARDED.get(name)
  if (known) return known(ctx)
  if (name.startsWith('arg_')) {
    if (ctx.forwardQuery === ctx.query) return argument(ctx, name.slice(4))
    return new URLSearchParams(ctx.forwardQuery).get(name.slice(4)) ?? undefined
  }
  if (name.startsWith('http_')) return forwardedHeader(ctx, headerNameOf(name.slice(5)))
  if (name.startsWith('cookie_')) return cookieIn(forwardedHeader(ctx, 'cookie'), name.slice(7))
  return lookUp(ctx, name)
}

/** Why a text cannot be the name of a variable; null when it can. */
export function variableFault(name: string): string | null {
  if (VARIABLES.has(name) || LATE.has(name)) return null
  const isOpen = OPEN.some(({ prefix, rest }) => name.startsWith(prefix) && rest.test(name))
  return isOpen ? null : `unknown variable [${shorten(name)}]`
}

const VARIABLES: ReadonlyMap<string, Read> = new Map<string, Read>([
  ['uri', (ctx) => ctx.path],
  ['request_uri', (ctx) => ctx.target],
  ['args', (ctx) => ctx.query.slice(1) || undefined],
  ['query_string', (ctx) => ctx.query.slice(1) || undefined],
  ['host', (ctx) => ctx.host],
  ['scheme', (ctx) => (ctx.isTls ? 'https' : 'http')],
  ['request_method', (ctx) => ctx.method],
  ['remote_addr', (ctx) => ctx.remoteAddr],
  ['remote_port', (ctx) => ctx.extra?.get('remote_port') ?? String(ctx.client.peer.port)],
  ['server_port', (ctx) => String(ctx.client.peer.localPort)],
  ['request_id', (ctx) => ctx.requestId],
  ['route_id', (ctx) => ctx.resolved?.route.id],
  ['route_name', (ctx) => ctx.resolved?.route.value.name],
  ['service_id', (ctx) => ctx.resolved?.service?.id],
  ['consumer_name', (ctx) => ctx.consumer?.username],
  ['consumer_group_id', (ctx) => ctx.consumer?.groupId ?? undefined],
  ['status', (ctx) => (ctx.status === 0 ? undefined : String(ctx.status))],
  ['upstream_status', (ctx) => (ctx.upstreamStatus === 0 ? undefined : String(ctx.upstreamStatus))],
  ['graphql_operation', (ctx) => graphqlOf(ctx)?.operation],
  ['graphql_name', (ctx) => graphqlOf(ctx)?.name],
  // As a list that `has` looks into.
  ['graphql_root_fields', (ctx) => graphqlOf(ctx)?.rootFields.join(',')],
  ['balancer_ip', (ctx) => ctx.node?.host],
  ['balancer_port', (ctx) => (ctx.node ? String(ctx.node.port) : undefined)],
])

const FORWARDED: ReadonlyMap<string, Read> = new Map<string, Read>([
  ['uri', (ctx) => ctx.forwardPath],
  ['args', (ctx) => ctx.forwardQuery.slice(1) || undefined],
  ['query_string', (ctx) => ctx.forwardQuery.slice(1) || undefined],
  ['host', (ctx) => ctx.forwardHost?.replace(/:\d+$/, '').toLowerCase() ?? ctx.host],
  ['request_method', (ctx) => ctx.forwardMethod],
])

/** Set by `plan-access` once it is known who buys. */
const LATE: ReadonlySet<string> = new Set(['api_key_id', 'user_id', 'plan_id', 'plan_name'])

/** Families of variables whose names go on as the request or a script wants. */
const OPEN: readonly { readonly prefix: string; readonly rest: RegExp }[] = [
  { prefix: 'arg_', rest: /^arg_[^\0-\x20\x7f]{1,256}$/ },
  { prefix: 'post_arg_', rest: /^post_arg_[^\0-\x20\x7f]{1,256}$/ },
  { prefix: 'http_', rest: /^http_[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/ },
  { prefix: 'cookie_', rest: /^cookie_[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/ },
  { prefix: 'uri_param_', rest: /^uri_param_[^\0-\x20\x7f/]{1,256}$/ },
  { prefix: 'ctx_', rest: /^ctx_\w{1,256}$/ },
]

/** The header that a variable means. */
export const headerNameOf = memoize(1_000, (name: string) =>
  name.replaceAll('_', '-').toLowerCase(),
)

/** The first value of a parameter of the query. */
function argument(ctx: Context, name: string): string | undefined {
  if (ctx.query === '') return undefined
  ctx.args ??= new URLSearchParams(ctx.query)
  return ctx.args.get(name) ?? undefined
}

function forwardedHeader(ctx: Context, lower: string): string | undefined {
  if (lower === 'host' && ctx.forwardHost !== null) return ctx.forwardHost
  const changed = ctx.forwardHeaders?.get(lower)
  if (changed === undefined) return headerOf(ctx.request, lower)
  return changed?.join(lower === 'cookie' ? '; ' : ', ')
}

function cookieIn(header: string | undefined, name: string): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const equals = pair.indexOf('=')
    if (equals !== -1 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim()
  }
  return undefined
}

function parameter(ctx: Context, name: string): string | undefined {
  if (!ctx.pattern) return undefined
  ctx.params ??= captureParameters(ctx.pattern, ctx.path)
  return ctx.params.get(name)
}

function shorten(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text
}
