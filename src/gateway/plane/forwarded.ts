/** Which headers a forwarded request has of the client, and which of the gateway (contract §5.1, §5.2). */

import type { Context } from './context.ts'
import { hasOption } from './http1/head-text.ts'
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
  lowerOf,
  REQUEST_ID,
  TE,
  TRANSFER_ENCODING,
  UPGRADE,
} from './http1/header-kinds.ts'
import type { RequestHead } from './http1/parse-request.ts'
import type { Client } from './server/client.ts'
import { headersOf } from './server/headers-of.ts'

interface OwnHeader {
  readonly name: string
  readonly lower: string
  /** Undefined: there is nothing to say. */
  value(ctx: Context): string | undefined
}

/** What the gateway says of every request. */
const OWN_HEADERS: readonly OwnHeader[] = [
  own('X-Real-IP', (ctx) => ctx.remoteAddr),
  own('X-Forwarded-For', (ctx) => {
    const before = saidByProxy(ctx, 'x-forwarded-for')
    return before ? `${before}, ${ctx.peer}` : ctx.peer
  }),
  own('X-Request-Id', (ctx) => ctx.requestId),
  own('X-Forwarded-Proto', (ctx) => {
    return saidByProxy(ctx, 'x-forwarded-proto') ?? (ctx.isTls ? 'https' : 'http')
  }),
  own('X-Forwarded-Host', (ctx) => saidByProxy(ctx, 'x-forwarded-host') ?? ctx.sentHost),
  own('X-Forwarded-Port', (ctx) => {
    return saidByProxy(ctx, 'x-forwarded-port') ?? String(ctx.client.peer.localPort)
  }),
]

/** The lines of these headers; `changed` are the names on which a plugin has the last word. */
export function renderOwnHeaders(
  ctx: Context,
  changed: ReadonlyMap<string, unknown> | null,
): string {
  // What nearly all requests have, in one piece: six calls and texts would be a tenth of the work.
  if (!ctx.isTrusted && ctx.remoteAddr === ctx.peer && !namesOwn(changed)) {
    const { client } = ctx
    client.peer.lines ||= renderPeer(client)
    // HTTP/1.0 needs no Host; an empty one is a name to those that build addresses of it.
    const host = ctx.sentHost === undefined ? '' : `X-Forwarded-Host: ${ctx.sentHost}\r\n`
    return `${client.peer.lines}X-Request-Id: ${ctx.requestId}\r\n${host}`
  }
  let lines = ''
  for (const { name, lower, value } of OWN_HEADERS) {
    const said = changed?.has(lower) ? undefined : value(ctx)
    if (said !== undefined) lines += `${name}: ${said}\r\n`
  }
  return lines
}

function namesOwn(changed: ReadonlyMap<string, unknown> | null): boolean {
  return changed !== null && OWN_HEADERS.some(({ lower }) => changed.has(lower))
}

/** Those that are the same for all requests of one connection. */
function renderPeer({ peer: { address, localPort }, isTls }: Client): string {
  const proto = isTls ? 'https' : 'http'
  return `X-Real-IP: ${address}\r\nX-Forwarded-For: ${address}\r\nX-Forwarded-Proto: ${proto}\r\nX-Forwarded-Port: ${localPort}\r\n`
}

const OWN_BY_NAME: ReadonlyMap<string, OwnHeader> = new Map(
  OWN_HEADERS.map((header) => [header.lower, header]),
)

function own(name: string, value: OwnHeader['value']): OwnHeader {
  return { name, lower: name.toLowerCase(), value }
}

/** What a trusted proxy has said stays; nobody else's word counts. */
function saidByProxy(ctx: Context, lower: string): string | undefined {
  return ctx.isTrusted ? headersOf(ctx.request)[lower] : undefined
}

/** Whether a header of the client is passed on. */
export function passes(ctx: Context, kind: number, name: string, value: string): boolean {
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
      return hasOption(value, 'trailers')
    case CONTENT_LENGTH:
      return !ctx.isBodyChunked && ctx.newBody === null
    case FORWARDING:
      return ctx.isTrusted && !OWN_BY_NAME.has(lowerOf(name))
    case IDENTITY:
      return !ctx.chain.authenticates && !ctx.globalChain.authenticates
    default:
      return true
  }
}

/** Headers that the client declares to be for its own connection only. */
export function namedByConnection({ connection: value }: RequestHead): string[] | undefined {
  if (value === undefined || value === 'keep-alive' || value === 'close') return undefined
  return value
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
}

/** What would be forwarded under a name if no plugin had changed it. */
export function forwardedValues(ctx: Context, lower: string): readonly string[] {
  const known = OWN_BY_NAME.get(lower)
  if (known) {
    const value = known.value(ctx)
    return value === undefined ? [] : [value]
  }
  const { rawHeaders: raw, kinds } = ctx.request
  if (namedByConnection(ctx.request)?.includes(lower)) return []
  const values: string[] = []
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at] ?? ''
    const value = raw[at + 1] ?? ''
    if (lowerOf(name) !== lower) continue
    if (passes(ctx, kinds[at >> 1] ?? INVALID, name, value)) values.push(value)
  }
  return values
}
