import { performance } from 'node:perf_hooks'
import type { Instance } from './chain.ts'
import type { AnswerMeter, Context } from './context.ts'
import { decodeBody } from './decode-body.ts'
import { findAnswerHeader, removeAnswerHeader, setAnswerHeader } from './headers.ts'
import type { PluginAnswer } from './plugin.ts'
import { toFailure } from './refusal.ts'
import { showLimits } from './sale.ts'
import { isWanted } from './wanted.ts'

const JSON_TYPE = 'application/json; charset=utf-8'

/** An answer of the gateway itself; header filters run for it too (contract §7.1). */
export function sendAnswer(ctx: Context, answer: PluginAnswer): void {
  const { status, headers, rawHeaders, body } = answer
  if (ctx.isAnswered || ctx.isOver) return
  untap(ctx, false)
  const payload = toBuffer(body)
  ctx.status = status
  ctx.headers = []
  // Of an answer of the upstream that was begun to be changed and does not leave.
  ctx.held = null
  ctx.heldBack = null
  ctx.rewriteBody = null
  ctx.replacedBody = null
  if (typeof body === 'object' && !Buffer.isBuffer(body))
    ctx.headers.push('Content-Type', JSON_TYPE)
  if (headers) {
    for (const [name, value] of Object.entries(headers)) setAnswerHeader(ctx, name, value)
  }
  if (rawHeaders) ctx.headers.push(...rawHeaders)
  const hasLength = findAnswerHeader(ctx, 'content-length') !== undefined
  const filtering = runHeaderFilters(ctx)
  if (filtering) after(ctx, filtering, () => leave(ctx, payload, hasLength))
  else leave(ctx, payload, hasLength)
}

/** Continues with an answer that a filter has held back, unless another has taken its place. */
function after(ctx: Context, filtering: Promise<boolean>, go: () => void): void {
  filtering
    .then((isCurrent) => {
      if (isCurrent) go()
    })
    .catch((error: unknown) => ctx.crash(ctx, error))
}

function leave(ctx: Context, payload: Buffer, hasLength: boolean): void {
  if (ctx.rewriteBody && ctx.replacedBody === null) ctx.replacedBody = payload
  if (ctx.replacedBody === null && !hasLength) {
    ctx.headers.push('Content-Length', String(payload.length))
  }
  open(ctx)
  if (ctx.replacedBody === null && !ctx.isEnded) endWith(ctx, payload)
}

/** Nothing more comes of the upstream's answer. */
export function untap(ctx: Context, isWhole: boolean): void {
  const { tap } = ctx
  ctx.tap = null
  tap?.end(isWhole)
}

export function sendFailure(ctx: Context, status: number, code: string, message: string): void {
  sendAnswer(ctx, toFailure(ctx, status, code, message))
}

/**
 * An answer of the upstream: its head leaves now, or with a body that has to be changed first. False
 * when a filter holds it back; `go` is called then, unless another answer takes its place.
 */
export function begin(ctx: Context, go: (ctx: Context) => void): boolean {
  const filtering = runHeaderFilters(ctx)
  if (filtering) {
    after(ctx, filtering, () => {
      openOrHold(ctx)
      go(ctx)
    })
    return false
  }
  openOrHold(ctx)
  return true
}

/**
 * A switch to another protocol: its head may be changed like that of any answer, but not into another
 * answer, except by a filter that fails. `isOn` says whether the switch still takes place.
 */
export function beginSwitch(ctx: Context, go: (isOn: boolean) => void): void {
  const filtering = runHeaderFilters(ctx)
  if (filtering) {
    filtering
      .then((isCurrent) => (isCurrent ? decide() : go(false)))
      .catch((error: unknown) => {
        go(false)
        ctx.crash(ctx, error)
      })
  } else decide()

  function decide(): void {
    const isOn = ctx.status < 400
    if (isOn) ctx.status = 101
    else leave(ctx, Buffer.alloc(0), false)
    go(isOn)
  }
}

function openOrHold(ctx: Context): void {
  if (ctx.rewriteBody && ctx.replacedBody === null) {
    if (hasBody(ctx)) {
      ctx.held = []
      return
    }
    // RFC 9110 §8.6: a HEAD must not tell another length than its GET would have.
    if (ctx.method === 'HEAD') removeAnswerHeader(ctx, 'content-length')
  }
  open(ctx)
}

/** A promise of whether it still is the answer to be sent, where a filter takes its time. */
function runHeaderFilters(ctx: Context): Promise<boolean> | undefined {
  ctx.answers++
  if (ctx.attempts && ctx.attempts.length > 0) {
    const own = ctx.upstreamStatus === 0 ? [] : [ctx.upstreamStatus]
    ctx.headers.push('X-Gateway-Upstream-Status', [...ctx.attempts, ...own].join(', '))
  }
  // Plugins have the last word on it.
  ctx.headers.push('X-Request-Id', ctx.requestId)
  const filtering = ctx.isFailed ? undefined : filterHeaders(ctx)
  if (filtering) return filtering
  if (ctx.sale) showLimits(ctx, ctx.sale)
  return undefined
}

/** Writes the head, and with it the body that takes the place of the upstream's. */
function open(ctx: Context): void {
  const { replacedBody, rewriteBody } = ctx
  if (replacedBody !== null) {
    const body = rewriteBody ? rewriteBody(replacedBody) : replacedBody
    if (!body) return void refuseChanged(ctx)
    ctx.replacedBody = body
    replaceFraming(ctx, body)
  }
  ctx.isAnswered = true
  ctx.answeredAt = performance.now()
  ctx.client.begin(ctx.status, ctx.headers)
  // A stream of events is recorded by its first byte, all else by its last.
  if (ctx.meter && isEventStream(ctx) && !ctx.meter.record(ctx.status)) ctx.client.destroy()
  if (ctx.replacedBody !== null) {
    ctx.isDiscarding = true
    endWith(ctx, ctx.replacedBody)
  }
}

/** Without filters, which could do the same to this answer. */
function refuseChanged(ctx: Context): void {
  ctx.isFailed = true
  ctx.isDiscarding = true
  sendFailure(ctx, 502, 'upstream_error', 'the answer is too large once it is changed')
}

/** The whole body of the upstream is there: it is changed and leaves. */
export function endHeld(ctx: Context, held: readonly Buffer[]): void {
  const plain = decodeBody(Buffer.concat(held), findAnswerHeader(ctx, 'content-encoding'))
  if (plain) {
    ctx.held = null
    ctx.replacedBody = plain
    open(ctx)
    return
  }
  const message = 'the answer of the upstream has a coding that cannot be taken off'
  sendFailure(ctx, 502, 'upstream_error', message)
}

/** Gives away the last piece of an answer, which never leaves unrecorded. */
export function endAnswer(ctx: Context, chunk: Buffer | null): void {
  if (ctx.isEnded || ctx.isOver) return
  ctx.isEnded = true
  if (ctx.meter) endRecorded(ctx, ctx.meter, chunk)
  else ctx.client.end(chunk, ctx.trailers)
}

/** With the records of all answers of this moment; what the upstream sent is valid only now. */
function endRecorded(
  { client, status, trailers }: Context,
  meter: AnswerMeter,
  chunk: Buffer | null,
): void {
  const last = chunk && Buffer.from(chunk)
  meter.recordSoon(status, (isRecorded) => {
    if (isRecorded) client.end(last, trailers)
    else client.destroy()
  })
}

/** It has no end of its own: how long it lasts says nothing of the upstream. */
export function isEventStream(ctx: Context): boolean {
  const type = findAnswerHeader(ctx, 'content-type')
  return type?.toLowerCase().startsWith('text/event-stream') ?? false
}

function filterHeaders(ctx: Context): Promise<boolean> | undefined {
  const { globalChain, chain } = ctx
  if (globalChain.headerFilter.length + chain.headerFilter.length === 0) return undefined
  const waitsFrom = runFilters(ctx, globalChain.headerFilter)
  if (waitsFrom) return finishFilters(ctx, waitsFrom, chain.headerFilter)
  const waitsThen = runFilters(ctx, chain.headerFilter)
  return waitsThen && finishFilters(ctx, waitsThen, [])
}

/** A filter that takes its time, and those after it. */
interface HeldBack {
  readonly filter: Promise<void>
  readonly rest: readonly Instance[]
}

function runFilters(ctx: Context, filters: readonly Instance[]): HeldBack | undefined {
  for (let at = 0; at < filters.length; at++) {
    const instance = filters[at]
    if (!instance || !isWanted(ctx, instance)) continue
    const filter = instance.phases.headerFilter?.(ctx)
    if (filter) return { filter, rest: filters.slice(at + 1) }
  }
  return undefined
}

async function finishFilters(
  ctx: Context,
  first: HeldBack,
  more: readonly Instance[],
): Promise<boolean> {
  const { answers } = ctx
  let held: HeldBack | undefined = { filter: first.filter, rest: [...first.rest, ...more] }
  while (held) {
    await held.filter
    if (ctx.isOver || ctx.answers !== answers) return false
    held = runFilters(ctx, held.rest)
  }
  if (ctx.sale) showLimits(ctx, ctx.sale)
  return true
}

function hasBody({ method, status, bodyLeft }: Context): boolean {
  return method !== 'HEAD' && status !== 204 && status !== 304 && bodyLeft !== 0
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
