import type { Context } from './context.ts'
import { forwardedValues } from './forwarded.ts'
import { INVALID, kindOf, lowerOf } from './http1/header-kinds.ts'

/** Visible characters, spaces and tabs: no control character can end a line or a value. */
const GOOD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/
/** What a plugin must not touch: it belongs to the connection or frames the message. */
const FORBIDDEN = new Set([
  'connection',
  'content-length',
  'transfer-encoding',
  'upgrade',
  'keep-alive',
  'te',
  'trailer',
  'expect',
  'proxy-connection',
  'x-entrepot-forwarded',
])
const HOST = /^[A-Za-z0-9_.:[\]-]{1,255}$/

/** A name and value that can go into a head without changing what it means. */
function isSafeHeader(name: string, value: string): boolean {
  return headerNameFault(name) === null && GOOD_VALUE.test(value)
}

/** Why a plugin cannot set or remove a header of that name; null when it can. */
export function headerNameFault(name: string): string | null {
  if (name.length > 256 || kindOf(name) === INVALID) return 'is not the name of a header'
  if (!FORBIDDEN.has(lowerOf(name))) return null
  return 'belongs to the connection and cannot be changed'
}

/** Why a text cannot be the value of a header; null when it can. */
export function headerValueFault(value: string): string | null {
  if (value.length > MAX_VALUE) return `must have at most ${MAX_VALUE} characters`
  if (GOOD_VALUE.test(value)) return null
  return 'must be a text of one line, without control characters and of ISO 8859-1'
}

/** More than that and upstreams refuse the whole head. */
const MAX_VALUE = 8192

/** One value or several in place of all there were; null removes, and so does what cannot be sent. */
export function setForwardHeader(
  ctx: Context,
  name: string,
  given: string | readonly string[] | null,
): void {
  const lower = lowerOf(name)
  if (headerNameFault(name) !== null) return
  const all = typeof given === 'string' ? [given] : given
  // Or what the client has sent under that name would be taken for it.
  const values = all?.every((value) => GOOD_VALUE.test(value)) ? all : null
  // A request has exactly one Host line, which is written first.
  if (lower === 'host') {
    const [host] = values ?? []
    if (host !== undefined && HOST.test(host)) ctx.forwardHost = host
    return
  }
  ctx.forwardHeaders ??= new Map()
  ctx.forwardHeaders.set(lower, values)
}

/** Keeps what would be forwarded under the name and adds one more. */
export function addForwardHeader(ctx: Context, name: string, value: string): void {
  const lower = lowerOf(name)
  if (lower === 'host' || !isSafeHeader(name, value)) return
  ctx.forwardHeaders ??= new Map()
  const changed = ctx.forwardHeaders.get(lower)
  const before = changed === undefined ? forwardedValues(ctx, lower) : (changed ?? [])
  ctx.forwardHeaders.set(lower, [...before, value])
}

/** One value or several in place of all there were. */
export function setAnswerHeader(
  ctx: Context,
  name: string,
  given: string | readonly string[],
): void {
  const values = typeof given === 'string' ? [given] : given
  if (!values.every((value) => isSafeHeader(name, value))) return
  removeAnswerHeader(ctx, name)
  for (const value of values) ctx.headers.push(name, value)
}

export function addAnswerHeader(ctx: Context, name: string, value: string): void {
  if (isSafeHeader(name, value)) ctx.headers.push(name, value)
}

export function findAnswerHeader({ headers }: Context, name: string): string | undefined {
  const lower = lowerOf(name)
  for (let at = 0; at < headers.length; at += 2) {
    const given = headers[at]
    if (given?.length === lower.length && lowerOf(given) === lower) return headers[at + 1]
  }
  return undefined
}

export function removeAnswerHeader(ctx: Context, name: string): void {
  const lower = lowerOf(name)
  const { headers } = ctx
  for (let at = headers.length - 2; at >= 0; at -= 2) {
    const given = headers[at]
    if (given?.length === lower.length && lowerOf(given) === lower) headers.splice(at, 2)
  }
}
