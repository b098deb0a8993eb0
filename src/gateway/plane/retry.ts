import { performance } from 'node:perf_hooks'
import type { Context } from './context.ts'

/** RFC 9110 §9.2.2: sending these twice is the same as once. */
const REPEATABLE = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'TRACE'])

/** Asking twice does no more than asking once, and there is still something to ask with. */
export function mayRepeat(ctx: Context): boolean {
  return REPEATABLE.has(ctx.forwardMethod) && !ctx.isBodyTaken
}

/** Another node may be asked: attempts and time are left. */
export function mayTryAgain(ctx: Context): boolean {
  const { upstream } = ctx
  const used = ctx.attempts?.length ?? 0
  if (!upstream || used > upstream.retries) return false
  return upstream.retryMs === 0 || performance.now() - ctx.startedAt <= upstream.retryMs
}
