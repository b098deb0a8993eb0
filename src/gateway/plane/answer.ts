import { type Chain, isWanted } from './chain.ts'
import type { Context } from './context.ts'
import { findAnswerHeader, removeAnswerHeader, setAnswerHeader } from './headers.ts'
import type { PluginAnswer } from './plugin.ts'
import { showLimits } from './sale.ts'
import { lookUp } from './variables.ts'

const JSON_TYPE = 'application/json; charset=utf-8'

/** An answer of the gateway itself; header filters run for it too (contract §7.1). */
export function sendAnswer(ctx: Context, { status, headers, body }: PluginAnswer): void {
  if (ctx.isAnswered || ctx.isOver) return
  const payload = toBuffer(body)
  ctx.status = status
  ctx.headers = []
  if (typeof body === 'object' && !Buffer.isBuffer(body))
    ctx.headers.push('Content-Type', JSON_TYPE)
  if (headers) {
    for (const [name, value] of Object.entries(headers)) setAnswerHeader(ctx, name, value)
  }
  begin(ctx, payload.length)
  if (ctx.replacedBody === null) endWith(ctx, payload)
}

/** Contract §6.3: the shape of every failure of the gateway or of its upstream. */
export function sendFailure(ctx: Context, status: number, code: string, message: string): void {
  ctx.errorCode = code
  sendAnswer(ctx, { status, body: { error_msg: message, code, request_id: ctx.requestId } })
}

/** Runs the header filters and writes the head; `length` below 0 when it is not known. */
export function begin(ctx: Context, length: number): void {
  if (ctx.attempts && ctx.attempts.length > 0) {
    const own = ctx.upstreamStatus === 0 ? [] : [ctx.upstreamStatus]
    ctx.headers.push('X-Gateway-Upstream-Status', [...ctx.attempts, ...own].join(', '))
  }
  if (ctx.resolved && !ctx.isFailed) filterHeaders(ctx)
  if (ctx.sale) showLimits(ctx, ctx.sale)
  if (!ctx.isIdHidden) ctx.headers.push('X-Request-Id', ctx.requestId)
  if (ctx.replacedBody !== null) replaceFraming(ctx, ctx.replacedBody)
  else if (length >= 0 && ctx.upstreamStatus === 0) {
    ctx.headers.push('Content-Length', String(length))
  }
  ctx.isAnswered = true
  ctx.client.begin(ctx.status, ctx.headers)
  // A stream of events is recorded by its first byte, all else by its last.
  if (ctx.record && isEventStream(ctx) && !ctx.record(ctx.status)) ctx.client.destroy()
  if (ctx.replacedBody !== null) {
    ctx.isDiscarding = true
    endWith(ctx, ctx.replacedBody)
  }
}

/** Gives away the last piece of an answer, which never leaves unrecorded. */
export function endAnswer(ctx: Context, chunk: Buffer | null): void {
  if (ctx.isEnded || ctx.isOver) return
  ctx.isEnded = true
  if (ctx.record && !ctx.record(ctx.status)) ctx.client.destroy()
  else ctx.client.end(chunk)
}

function isEventStream(ctx: Context): boolean {
  const type = findAnswerHeader(ctx, 'content-type')
  return type?.toLowerCase().startsWith('text/event-stream') ?? false
}

function filterHeaders(ctx: Context) {
  if (ctx.globalChain.headerFilter.length > 0) runFilters(ctx, ctx.globalChain)
  if (ctx.chain.headerFilter.length > 0) runFilters(ctx, ctx.chain)
  // Ours goes last and once, whatever upstream and plugins have said.
  removeAnswerHeader(ctx, 'x-request-id')
}

function runFilters(ctx: Context, { headerFilter }: Chain) {
  const get = (name: string) => lookUp(ctx, name)
  for (const instance of headerFilter) {
    if (isWanted(instance, get)) instance.phases.headerFilter?.(ctx)
  }
}

function replaceFraming(ctx: Context, body: Buffer): void {
  for (const name of ['content-length', 'content-encoding', 'etag', 'last-modified']) {
    removeAnswerHeader(ctx, name)
  }
  ctx.headers.push('Content-Length', String(body.length))
}

function endWith(ctx: Context, body: Buffer) {
  const isEmpty = body.length === 0 || ctx.method === 'HEAD'
  ctx.bytesOut += isEmpty ? 0 : body.length
  endAnswer(ctx, isEmpty ? null : body)
}

function toBuffer(body: PluginAnswer['body']): Buffer {
  if (body === undefined) return Buffer.alloc(0)
  if (Buffer.isBuffer(body)) return body
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}
