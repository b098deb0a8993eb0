import type { Context } from './context.ts'
import { hasBody } from './http1/parse-request.ts'
import type { PluginAnswer } from './plugin.ts'

/** Takes a body that is read whole before the request is forwarded. */
export interface HeldBody {
  add(chunk: Buffer): boolean
  end(): void
}

/** Larger ones only stream (contract §8). */
const MAX_HELD_REQUEST = 1024 * 1024

const EMPTY = Buffer.alloc(0)

/** Reads the body of the request into `ctx.heldBody`; an answer when the body is too large. */
export function holdBody(ctx: Context): Promise<PluginAnswer | undefined> {
  if (!hasBody(ctx.request)) {
    ctx.heldBody = EMPTY
    return Promise.resolve(undefined)
  }
  if (ctx.request.length > MAX_HELD_REQUEST) return Promise.resolve(refuse(ctx))
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let bytes = 0
    ctx.holding = { add, end }
    ctx.client.takeBody()

    function add(chunk: Buffer): boolean {
      bytes += chunk.length
      if (bytes > MAX_HELD_REQUEST) {
        chunks.length = 0
        resolve(refuse(ctx))
      } else chunks.push(Buffer.from(chunk))
      return true
    }

    function end() {
      ctx.holding = null
      ctx.heldBody = Buffer.concat(chunks)
      resolve(undefined)
    }
  })
}

function refuse(ctx: Context): PluginAnswer {
  // What is left of the body would be taken for the next request.
  ctx.client.closes = true
  ctx.errorCode = 'payload_too_large'
  const body = { error_msg: 'the request body is too large', code: 'payload_too_large' }
  return { status: 413, body: { ...body, request_id: ctx.requestId } }
}
