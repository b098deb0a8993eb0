import type { Log } from '#kernel'
import { sendFailure } from './answer.ts'
import type { Context } from './context.ts'

interface Deps {
  readonly log: Log
  /** Ends what is under way at an upstream. */
  abandon(ctx: Context): void
}

/**
 * What an exception does while one request is handled, in whatever phase: this request is answered
 * with 500, or cut when its answer has begun, and nothing else is touched.
 */
export function createCrash({ log, abandon }: Deps) {
  return function crash(ctx: Context, error: unknown): void {
    const about = { request_id: ctx.requestId, route_id: ctx.resolved?.route.id ?? null }
    log.error({ err: error, ...about }, 'a request could not be processed')
    if (ctx.isOver) return
    try {
      fail(ctx)
    } catch (again) {
      log.error({ err: again, ...about }, 'a failed request could not be answered')
      ctx.client.destroy()
    }
  }

  function fail(ctx: Context) {
    ctx.isFailed = true
    abandon(ctx)
    if (ctx.isAnswered) {
      ctx.errorCode = 'internal_error'
      ctx.client.destroy()
      return
    }
    ctx.client.closes = true
    ctx.replacedBody = null
    ctx.isDiscarding = false
    sendFailure(ctx, 500, 'internal_error', 'the request could not be processed')
  }
}
