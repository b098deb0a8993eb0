import type { Context } from './context.ts'
import {
  CONNECTION,
  CONTENT_LENGTH,
  EXPECT,
  FORWARDING,
  HOP,
  HOST,
  IDENTITY,
  INVALID,
  KEEP_ALIVE,
  REQUEST_ID,
  TE,
  TRANSFER_ENCODING,
  UPGRADE,
} from './http1/header-kinds.ts'
import type { RequestHead } from './http1/parse-request.ts'
import { headersOf, type SentHeaders } from './server/headers-of.ts'
import type { CompiledUpstream, UpstreamNode } from './upstream.ts'

/** The head of the forwarded request (contract §5.1, §5.2); everything in it was checked before. */
export function renderRequestHead(
  ctx: Context,
  upstream: CompiledUpstream,
  node: UpstreamNode,
): string {
  const { request, forwardHeaders: changed } = ctx
  const { rawHeaders: raw, kinds } = request
  const named = namedByConnection(request)
  let head = `${ctx.forwardMethod} ${ctx.forwardPath}${ctx.forwardQuery} HTTP/1.1\r\nHost: ${hostFor(ctx, upstream, node)}\r\n`
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at] ?? ''
    const value = raw[at + 1] ?? ''
    if (!passes(ctx, kinds[at >> 1] ?? INVALID, name, value)) continue
    if (changed?.has(name.toLowerCase()) || named?.includes(name.toLowerCase())) continue
    head += `${name}: ${value}\r\n`
  }
  if (ctx.isBodyChunked) head += 'Transfer-Encoding: chunked\r\n'
  if (ctx.wantsSwitch) head += 'Connection: Upgrade\r\nUpgrade: websocket\r\n'
  head += forwardingHeaders(ctx)
  if (upstream.ownHeaders) head += upstream.ownHeaders(ctx)
  if (changed) for (const [name, values] of changed) head += renderValues(name, values)
  return `${head}\r\n`
}

function passes(ctx: Context, kind: number, name: string, value: string): boolean {
  switch (kind) {
    case HOP:
    case CONNECTION:
    case KEEP_ALIVE:
    case HOST:
    case TRANSFER_ENCODING:
    case EXPECT:
    case UPGRADE:
    case REQUEST_ID:
    case INVALID:
      return false
    case TE:
      return value.trim().toLowerCase() === 'trailers'
    case CONTENT_LENGTH:
      return !ctx.isBodyChunked
    case FORWARDING:
      return ctx.isTrusted && name.toLowerCase() !== 'x-forwarded-for' && isKept(name)
    case IDENTITY:
      return !ctx.chain.authenticates && !ctx.globalChain.authenticates
    default:
      return true
  }
}

/** The address is always ours to say; what else a trusted proxy has said stays. */
function isKept(name: string): boolean {
  return name.toLowerCase() !== 'x-real-ip'
}

function forwardingHeaders(ctx: Context): string {
  const { remoteAddr, peer, request, client } = ctx
  const own = ctx.isTrusted ? headersOf(request) : NO_HEADERS
  const before = own['x-forwarded-for']
  const chain = before === undefined || before === '' ? peer : `${before}, ${peer}`
  let text = `X-Real-IP: ${remoteAddr}\r\nX-Forwarded-For: ${chain}\r\nX-Request-Id: ${ctx.requestId}\r\n`
  if (own['x-forwarded-proto'] === undefined) {
    text += ctx.isTls ? 'X-Forwarded-Proto: https\r\n' : 'X-Forwarded-Proto: http\r\n'
  }
  if (own['x-forwarded-host'] === undefined) text += `X-Forwarded-Host: ${ctx.sentHost ?? ''}\r\n`
  if (own['x-forwarded-port'] === undefined) {
    text += `X-Forwarded-Port: ${client.socket.localPort ?? ''}\r\n`
  }
  return text
}

/** Of somebody whose word does not count. */
const NO_HEADERS: SentHeaders = {}

function hostFor(ctx: Context, upstream: CompiledUpstream, node: UpstreamNode): string {
  if (ctx.forwardHost !== null) return ctx.forwardHost
  if (upstream.passHost === 'node') return node.hostHeader
  if (upstream.passHost === 'rewrite') return upstream.rewrittenHost
  return ctx.sentHost ?? node.hostHeader
}

/** Headers that the client declares to be for its own connection only. */
function namedByConnection({ connection: value }: RequestHead): string[] | undefined {
  if (value === undefined || value === 'keep-alive' || value === 'close') return undefined
  return value
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
}

function renderValues(name: string, values: readonly string[] | null): string {
  let text = ''
  if (values) for (const value of values) text += `${name}: ${value}\r\n`
  return text
}
