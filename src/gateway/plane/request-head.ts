import type { Context } from './context.ts'
import { namedByConnection, passes, renderOwnHeaders } from './forwarded.ts'
import { CONTENT_LENGTH, INVALID, lowerOf, TE } from './http1/header-kinds.ts'
import { hasBody } from './http1/parse-request.ts'
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
    const kind = kinds[at >> 1] ?? INVALID
    if (!passes(ctx, kind, name, value)) continue
    // Whatever a client says of its connection: a body without its length would be the next request, and
    // RFC 9110 §10.1.4 has it name TE, of which trailers alone hold from end to end.
    const isOwn = kind === CONTENT_LENGTH || kind === TE
    if (!isOwn && (changed?.has(lowerOf(name)) || named?.includes(lowerOf(name)))) continue
    head += `${name}: ${kind === TE ? 'trailers' : value}\r\n`
  }
  if (ctx.newBody !== null && (ctx.newBody.length > 0 || hasBody(request))) {
    head += `Content-Length: ${ctx.newBody.length}\r\n`
  }
  if (ctx.isBodyChunked) head += 'Transfer-Encoding: chunked\r\n'
  if (ctx.wantsSwitch) head += 'Connection: Upgrade\r\nUpgrade: websocket\r\n'
  head += renderOwnHeaders(ctx, changed)
  if (upstream.ownHeaders) head += upstream.ownHeaders(ctx)
  if (changed) for (const [name, values] of changed) head += renderValues(name, values)
  return `${head}\r\n`
}

function hostFor(ctx: Context, upstream: CompiledUpstream, node: UpstreamNode): string {
  if (ctx.forwardHost !== null) return ctx.forwardHost
  if (upstream.passHost === 'node') return node.hostHeader
  if (upstream.passHost === 'rewrite') return upstream.rewrittenHost
  return ctx.sentHost ?? node.hostHeader
}

function renderValues(name: string, values: readonly string[] | null): string {
  let text = ''
  if (values) for (const value of values) text += `${name}: ${value}\r\n`
  return text
}
