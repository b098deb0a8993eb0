/** Which headers a forwarded request has of the client, and which of the gateway (contract §5.1, §5.2). */

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
import { headersOf } from './server/headers-of.ts'

/** What the gateway says of every request, as it is written and as it is compared. */
export const OWN_HEADERS: readonly (readonly [name: string, lower: string])[] = [
  'X-Real-IP',
  'X-Forwarded-For',
  'X-Request-Id',
  'X-Forwarded-Proto',
  'X-Forwarded-Host',
  'X-Forwarded-Port',
].map((name) => [name, name.toLowerCase()])

const OWN_NAMES: ReadonlySet<string> = new Set(OWN_HEADERS.map(([, lower]) => lower))

/** The value the gateway gives a header of its own; undefined for any other name. */
export function ownValue(ctx: Context, lower: string): string | undefined {
  switch (lower) {
    case 'x-real-ip':
      return ctx.remoteAddr
    case 'x-forwarded-for': {
      const before = saidByProxy(ctx, lower)
      return before ? `${before}, ${ctx.peer}` : ctx.peer
    }
    case 'x-request-id':
      return ctx.requestId
    case 'x-forwarded-proto':
      return saidByProxy(ctx, lower) ?? (ctx.isTls ? 'https' : 'http')
    case 'x-forwarded-host':
      return saidByProxy(ctx, lower) ?? ctx.sentHost ?? ''
    case 'x-forwarded-port':
      return saidByProxy(ctx, lower) ?? String(ctx.client.socket.localPort ?? '')
    default:
      return undefined
  }
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
      return value.trim().toLowerCase() === 'trailers'
    case CONTENT_LENGTH:
      return !ctx.isBodyChunked
    case FORWARDING:
      return ctx.isTrusted && !OWN_NAMES.has(name.toLowerCase())
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
  const own = ownValue(ctx, lower)
  if (own !== undefined) return [own]
  const { rawHeaders: raw, kinds } = ctx.request
  if (namedByConnection(ctx.request)?.includes(lower)) return []
  const values: string[] = []
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at] ?? ''
    const value = raw[at + 1] ?? ''
    if (name.toLowerCase() !== lower) continue
    if (passes(ctx, kinds[at >> 1] ?? INVALID, name, value)) values.push(value)
  }
  return values
}
