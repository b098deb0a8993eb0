import { createHash, createHmac, randomUUID } from 'node:crypto'
import type { Context } from '../plane/context.ts'
import { headerNameFault, headerValueFault } from '../plane/headers.ts'
import { normalisePath } from '../plane/normalise.ts'
import { readBytes } from '../plane/request-body.ts'
import { headersOf } from '../plane/server/headers-of.ts'
import { lookUp } from '../plane/variables.ts'
import { FORWARDED_METHODS } from '../resources/methods.ts'
import type { HostCall } from './engine.ts'

/** What a script says to the log of its request. */
export interface ScriptLine {
  readonly level: string
  readonly text: string
}

const MAX_LINES = 100
const MAX_LINE_BYTES = 1024
const METHODS: ReadonlySet<string> = new Set(FORWARDED_METHODS)
const HOST = /^[A-Za-z0-9_.:[\]-]{1,255}$/

type Operation = (a: string, b: string) => string | undefined

/** Operations that need nothing of the request: a worker answers them itself. */
export const PLAIN_OPERATIONS: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  [
    'check-header',
    (name, value) => named('header', headerNameFault(name) ?? headerValueFault(value)),
  ],
  ['check-path', (path) => (isPath(path) ? undefined : 'setPath: is not a path')],
  ['check-method', (method) => (METHODS.has(method) ? undefined : 'setMethod: is not a method')],
  ['check-host', (host) => (HOST.test(host) ? undefined : 'setHost: is not a host')],
  ['sha256', (text) => createHash('sha256').update(text).digest('hex')],
  ['hmac-sha256', (key, text) => createHmac('sha256', key).update(text).digest('hex')],
  ['uuid', () => randomUUID()],
  ['base64-encode', (text) => Buffer.from(text).toString('base64')],
  ['base64-decode', decodeBase64],
])

/** What a script asks of the gateway and not of its request. */
interface Tools {
  now(): number
  hasUpstream(id: string): boolean
}

type Read = (ctx: Context, a: string, b: string, tools: Tools) => string | undefined

const OPERATIONS: ReadonlyMap<string, Read> = new Map<string, Read>([
  ['now', (_ctx, _a, _b, { now }) => String(now())],
  ['var', lookUp],
  ['request', (ctx) => JSON.stringify(requestOf(ctx))],
  ['response', (ctx) => JSON.stringify(responseOf(ctx))],
  ['body', (ctx) => (ctx.newBody ?? readBytes(ctx))?.toString('utf8') ?? ''],
  ['consumer', (ctx) => JSON.stringify(consumerOf(ctx))],
  ['route', (ctx) => JSON.stringify(routeOf(ctx))],
  ['plan', (ctx) => JSON.stringify(planOf(ctx))],
  ['check-upstream', upstreamFault],
  ['log', (ctx, level, text) => void addLine(ctx, level, text)],
])

/** What a script reads of a request, when it reads it. */
export function createHost(ctx: Context, tools: Tools): HostCall {
  return (operation, a, b) => {
    const plain = PLAIN_OPERATIONS.get(operation)
    return plain ? plain(a, b) : OPERATIONS.get(operation)?.(ctx, a, b, tools)
  }
}

function addLine(ctx: Context, level: string, text: string): void {
  ctx.scriptLines ??= []
  if (ctx.scriptLines.length >= MAX_LINES) return
  ctx.scriptLines.push({ level, text: cut(text) })
}

function cut(text: string): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= MAX_LINE_BYTES) return text
  // Not through the middle of a character.
  let end = MAX_LINE_BYTES
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--
  return bytes.toString('utf8', 0, end)
}

function requestOf(ctx: Context) {
  const headers = headersOf(ctx.request)
  return {
    method: ctx.method,
    path: ctx.path,
    query: toObject(new URLSearchParams(ctx.query)),
    headers,
    cookies: toObject(cookiesIn(headers['cookie'])),
    host: ctx.host,
    scheme: ctx.isTls ? 'https' : 'http',
    remote_addr: ctx.remoteAddr,
    id: ctx.requestId,
  }
}

function* cookiesIn(header: string | undefined): Iterable<readonly [string, string]> {
  for (const pair of header?.split(';') ?? []) {
    const equals = pair.indexOf('=')
    if (equals > 0) yield [pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()]
  }
}

/** Without prototype, since clients choose the names; what comes several times becomes a list. */
function toObject(entries: Iterable<readonly [string, string]>) {
  const all: Record<string, string | string[]> = Object.create(null)
  for (const [name, value] of entries) {
    const before = all[name]
    all[name] = before === undefined ? value : [before, value].flat()
  }
  return all
}

function responseOf({ status, headers }: Context) {
  const entries: [string, string][] = []
  for (let at = 0; at < headers.length; at += 2) {
    entries.push([(headers[at] ?? '').toLowerCase(), headers[at + 1] ?? ''])
  }
  return { status: status === 0 ? null : status, headers: toObject(entries) }
}

function consumerOf({ consumer }: Context) {
  if (!consumer) return null
  const { labels = {} } = consumer.value
  return { username: consumer.username, group_id: consumer.groupId, labels }
}

function routeOf({ resolved, pattern }: Context) {
  if (!resolved) return null
  const { name = null, labels = {} } = resolved.route.value
  const service = resolved.service?.id ?? null
  return { id: resolved.route.id, name, labels, uri: pattern?.uri ?? null, service_id: service }
}

function planOf({ sale }: Context) {
  return sale ? { id: sale.key.plan.id, name: sale.key.plan.name } : null
}

function upstreamFault(_ctx: Context, id: string, _b: string, { hasUpstream }: Tools) {
  return hasUpstream(id) ? undefined : `upstream [${id.slice(0, 64)}] not found`
}

function isPath(path: string): boolean {
  return /^\/[!-~]*$/.test(path) && !/[?#\\]/.test(path) && normalisePath(path) !== undefined
}

function named(what: string, fault: string | null): string | undefined {
  return fault === null ? undefined : `${what}: ${fault}`
}

const BASE_64 = /^[A-Za-z0-9+/_-]*={0,2}$/

function decodeBase64(text: string): string | undefined {
  if (!BASE_64.test(text)) return undefined
  try {
    return new TextDecoder('utf8', { fatal: true, ignoreBOM: true }).decode(
      Buffer.from(text, 'base64'),
    )
  } catch {
    return undefined
  }
}
