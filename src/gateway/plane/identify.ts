import type { Credential } from './consumers.ts'
import type { Context } from './context.ts'
import { setForwardHeader } from './headers.ts'
import { headerOf } from './server/headers-of.ts'
import { headerNameOf, lookUp, lookUpForwarded } from './variables.ts'

/** Settles who calls; the upstream is told (contract §7.2). */
export function identify(ctx: Context, { consumer, id }: Credential): void {
  ctx.consumer = consumer
  setForwardHeader(ctx, 'X-Consumer-Username', consumer.username)
  if (id !== null) setForwardHeader(ctx, 'X-Credential-Identifier', id)
  const custom = consumer.value.labels?.['custom_id']
  if (custom !== undefined) setForwardHeader(ctx, 'X-Consumer-Custom-ID', custom)
}

/** Who has no credential passes as this consumer; false when there is none of that name. */
export function identifyAnonymous(ctx: Context, username: string): boolean {
  const consumer = ctx.consumers.find(username)
  if (!consumer) return false
  ctx.consumer = consumer
  setForwardHeader(ctx, 'X-Consumer-Username', username)
  return true
}

/** Where a credential was found, so that it can be hidden from the upstream. */
export interface Presented {
  readonly value: string
  hide(): void
}

export function fromHeader(ctx: Context, name: string): Presented | undefined {
  const lower = headerNameOf(name)
  const value = headerOf(ctx.request, lower)
  if (!value) return undefined
  return { value, hide: () => setForwardHeader(ctx, lower, null) }
}

export function fromQuery(ctx: Context, name: string): Presented | undefined {
  const value = lookUp(ctx, `arg_${name}`)
  if (!value) return undefined
  return { value, hide: () => hideArgument(ctx, name) }
}

export function fromCookie(ctx: Context, name: string): Presented | undefined {
  const value = lookUp(ctx, `cookie_${name}`)
  if (!value) return undefined
  return { value, hide: () => hideCookie(ctx, name) }
}

/** Takes a parameter out of what is forwarded, however its name is written. */
export function hideArgument(ctx: Context, name: string): void {
  const kept = ctx.forwardQuery
    .slice(1)
    .split('&')
    .filter((pair) => !new URLSearchParams(pair).has(name))
  ctx.forwardQuery = kept.length === 0 ? '' : `?${kept.join('&')}`
}

function hideCookie(ctx: Context, name: string): void {
  const kept = (lookUpForwarded(ctx, 'http_cookie') ?? '')
    .split(';')
    .filter((pair) => pair.split('=', 1)[0]?.trim() !== name)
    .map((pair) => pair.trim())
  setForwardHeader(ctx, 'Cookie', kept.length === 0 ? null : kept.join('; '))
}
