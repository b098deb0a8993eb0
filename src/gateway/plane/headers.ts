import type { Context } from './context.ts'
import { INVALID, kindOf } from './http1/header-kinds.ts'

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
])

/** A name and value that can go into a head without changing what it means. */
function isSafeHeader(name: string, value: string): boolean {
  return kindOf(name) !== INVALID && GOOD_VALUE.test(value) && !FORBIDDEN.has(name.toLowerCase())
}

export function setForwardHeader(ctx: Context, name: string, value: string | null): void {
  if (value !== null && !isSafeHeader(name, value)) return
  ctx.forwardHeaders ??= new Map()
  ctx.forwardHeaders.set(name.toLowerCase(), value === null ? null : [value])
}

/** Keeps what the client sent under the name and adds one more. */
export function addForwardHeader(ctx: Context, name: string, value: string): void {
  if (!isSafeHeader(name, value)) return
  const lower = name.toLowerCase()
  ctx.forwardHeaders ??= new Map()
  const before = ctx.forwardHeaders.get(lower) ?? sentValues(ctx, lower)
  ctx.forwardHeaders.set(lower, [...before, value])
}

function sentValues(ctx: Context, lower: string): string[] {
  const { rawHeaders } = ctx.request
  const values: string[] = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() === lower) values.push(rawHeaders[at + 1] ?? '')
  }
  return values
}

export function setAnswerHeader(ctx: Context, name: string, value: string): void {
  if (!isSafeHeader(name, value)) return
  removeAnswerHeader(ctx, name)
  ctx.headers.push(name, value)
}

export function addAnswerHeader(ctx: Context, name: string, value: string): void {
  if (isSafeHeader(name, value)) ctx.headers.push(name, value)
}

export function findAnswerHeader({ headers }: Context, name: string): string | undefined {
  const lower = name.toLowerCase()
  for (let at = 0; at < headers.length; at += 2) {
    if (headers[at]?.toLowerCase() === lower) return headers[at + 1]
  }
  return undefined
}

export function removeAnswerHeader(ctx: Context, name: string): void {
  const lower = name.toLowerCase()
  const { headers } = ctx
  for (let at = headers.length - 2; at >= 0; at -= 2) {
    const given = headers[at]
    if (given?.length === lower.length && given.toLowerCase() === lower) headers.splice(at, 2)
  }
}
