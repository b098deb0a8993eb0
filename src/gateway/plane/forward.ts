import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import type { Log } from '#kernel'
import type { Memory } from '../memory.ts'
import { nodeChanged } from '../node-changed.ts'
import { begin, beginSwitch, endAnswer, endHeld, sendFailure, untap } from './answer.ts'
import { createBodyPump } from './body.ts'
import type { Connection, Failure, Listen, Receiver } from './client/connection.ts'
import { createPools } from './client/pools.ts'
import type { Context } from './context.ts'
import { createCrash } from './crash.ts'
import { MAX_HELD_BYTES } from './decode-body.ts'
import { guardReceiver } from './guard.ts'
import type { AnswerHead } from './http1/parse-answer.ts'
import { hasBody } from './http1/parse-request.ts'
import { passedTrailers } from './http1/trailers.ts'
import { noteFailure, noteStatus } from './passive.ts'
import { tooSlow } from './request-body.ts'
import { renderRequestHead } from './request-head.ts'
import { mayRepeat, mayTryAgain } from './retry.ts'
import { SMALL_BYTES } from './server/client.ts'
import { MISSING } from './state.ts'
import type { Timeouts, UpstreamNode } from './upstream.ts'
import { joinSockets } from './websocket.ts'

interface Deps {
  readonly memory: Memory
  readonly threadNo: number
  readonly log: Log
  readonly maxBody: number
}

const NO_TIMEOUTS: Timeouts = { connectMs: 60_000, sendMs: 60_000, readMs: 60_000 }

/** An upstream may send hints without end before it answers. */
const MAX_HINTS = 16

/** A node that fails at once must not look like a fast one. */
const FAILED_MS = 10_000

/** Sends requests to upstreams and their answers to clients (contract §5, §6.3). */
export function createForwarder({ memory, threadNo, log, maxBody }: Deps) {
  const receiver: Receiver<Context> = {
    ...{ connected, hints, head, data, flush, trailers, end, failed, switched },
    drained: (ctx) => ctx.isOver || ctx.client.resumeBody(),
  }
  const crash = createCrash({ log, abandon })
  const pools = createPools(guardReceiver(receiver, crash))
  const pump = createBodyPump(maxBody)
  return { forward, abandon, crash, pools, drained, body: pump.body, bodyEnd: pump.end }

  function forward(ctx: Context) {
    const upstream = ctx.upstream ?? ctx.resolved?.upstream ?? null
    const isMissing = upstream === MISSING || (!upstream && ctx.resolved?.isUpstreamMissing)
    if (isMissing) return sendFailure(ctx, 502, 'upstream_missing', 'the upstream does not exist')
    if (!upstream) return noUpstream(ctx)
    if (ctx.lacksPlugins) {
      const message = 'what the route or the consumer refers to does not exist'
      return sendFailure(ctx, 502, 'upstream_missing', message)
    }
    if (maxBody > 0 && ctx.request.length > maxBody) {
      ctx.client.closes = true
      return sendFailure(ctx, 413, 'payload_too_large', 'the request body is too large')
    }
    ctx.upstream = upstream
    ctx.isBodyChunked = ctx.request.isChunked && ctx.newBody === null
    // What a client sends after it asked to switch need not be HTTP.
    if (ctx.wantsSwitch) ctx.client.closes = true
    attempt(ctx)
  }

  function attempt(ctx: Context) {
    const node = ctx.upstream?.pick(ctx)
    if (!node) return noUpstream(ctx)
    ctx.node = node
    ask(ctx, node)
  }

  function ask(ctx: Context, node: UpstreamNode, onlyFresh = false) {
    if (ctx.upstream?.countsBusy) {
      memory.addBusy(node.slot, threadNo)
      ctx.isCountedBusy = true
    }
    node.pool(timeoutsOf(ctx).connectMs).exchange(ctx, onlyFresh)
  }

  function connected(ctx: Context, connection: Connection<Context>) {
    const { upstream, node } = ctx
    if (ctx.isOver || !upstream || !node) return connection.abort()
    ctx.connection = connection
    ctx.sentAt = performance.now()
    const head = renderRequestHead(ctx, upstream, node)
    const { readMs, sendMs } = timeoutsOf(ctx)
    if (ctx.newBody !== null) {
      connection.send(ctx, ctx.forwardMethod, head, Math.max(readMs, sendMs))
      if (ctx.newBody.length > 0) connection.socket.write(ctx.newBody)
      return
    }
    if (!hasBody(ctx.request)) return connection.send(ctx, ctx.forwardMethod, head, readMs)
    connection.send(ctx, ctx.forwardMethod, head, Math.max(readMs, sendMs))
    pump.begin(ctx, connection)
  }

  /** Only links, which are what hints are for: no filter of the answer sees the others. */
  function hints(ctx: Context, headers: readonly string[]) {
    if (ctx.isOver || ctx.isAnswered || ++ctx.hints > MAX_HINTS) return
    const links = headers.flatMap((name, at) =>
      at % 2 === 0 && name.toLowerCase() === 'link' ? [name, headers[at + 1] ?? ''] : [],
    )
    if (links.length > 0) ctx.client.hint(links)
  }

  function trailers(ctx: Context, raw: readonly string[]) {
    ctx.trailers = passedTrailers(raw)
  }

  function head(ctx: Context, answer: AnswerHead) {
    const { upstream, node, tap } = ctx
    const { status, headers, length } = answer
    if (length === 0 && ctx.method !== 'HEAD') announceNothing(headers)
    if (tap && !tap.head(answer)) ctx.tap = null
    ctx.upstreamMs = performance.now() - ctx.sentAt
    ctx.upstreamStatus = status
    ctx.status = status
    ctx.headers = headers
    if (upstream?.measuresLatency) measure(ctx, ctx.upstreamMs)
    if (upstream?.passive && node && noteStatus(memory, upstream.passive, node, status)) {
      logHealth(ctx, node)
    }
    if (status === 101) return
    ctx.bodyLeft = length
    if (!begin(ctx, letGo)) ctx.heldBack = { chunks: [], isWhole: false }
  }

  /** The filters of an answer are through: what has come of it meanwhile follows its head. */
  function letGo(ctx: Context) {
    const { heldBack } = ctx
    ctx.heldBack = null
    if (!heldBack) return
    let mayGoOn = true
    for (const chunk of heldBack.chunks) mayGoOn = pass(ctx, chunk)
    if (heldBack.isWhole) return finish(ctx)
    flush(ctx)
    if (mayGoOn) ctx.connection?.resume()
  }

  function data(ctx: Context, read: Buffer): boolean {
    if (ctx.tap && !ctx.tap.data(read)) ctx.tap = null
    if (!ctx.heldBack) return pass(ctx, read)
    ctx.heldBack.chunks.push(Buffer.from(read))
    return false
  }

  function pass(ctx: Context, read: Buffer): boolean {
    if (ctx.isDiscarding) return true
    // A small piece leaves as text, which is a copy already.
    const chunk = read.length > SMALL_BYTES || ctx.held ? Buffer.from(read) : read
    if (ctx.held) return hold(ctx, ctx.held, chunk)
    ctx.bytesOut += chunk.length
    if (ctx.bodyLeft > 0) {
      ctx.bodyLeft -= chunk.length
      if (ctx.bodyLeft === 0) {
        // Whoever has the whole answer may ask again at once: the node is idle by then.
        release(ctx)
        endAnswer(ctx, chunk)
        return true
      }
    }
    return ctx.client.write(chunk)
  }

  /** Nothing of a body that has to be changed leaves before all of it is there. */
  function hold(ctx: Context, held: Buffer[], chunk: Buffer): boolean {
    held.push(chunk)
    ctx.heldBytes += chunk.length
    if (ctx.heldBytes <= MAX_HELD_BYTES) return true
    abandon(ctx)
    sendFailure(ctx, 502, 'upstream_error', 'the answer of the upstream is too large to be changed')
    return true
  }

  function drained(ctx: Context) {
    ctx.connection?.resume()
  }

  /** What has come so far is all for now: a client must not wait for the head of a slow body. */
  function flush(ctx: Context) {
    if (!ctx.isAnswered || ctx.isFlushed || ctx.isDiscarding || ctx.isEnded) return
    // The head of an answer without a body is its last piece.
    if (ctx.bodyLeft === 0) return
    ctx.isFlushed = true
    ctx.client.flush()
  }

  function end(ctx: Context) {
    release(ctx)
    untap(ctx, true)
    ctx.connection = null
    if (ctx.heldBack) ctx.heldBack.isWhole = true
    else finish(ctx)
  }

  function finish(ctx: Context) {
    if (ctx.held) endHeld(ctx, ctx.held)
    else if (!ctx.isDiscarding) endAnswer(ctx, null)
  }

  function failed(ctx: Context, failure: Failure, error: Error) {
    const { connection, node, upstream } = ctx
    release(ctx)
    ctx.connection = null
    if (ctx.isOver || !upstream || !node) return
    if (ctx.isAnswered) {
      untap(ctx, false)
      return cut(ctx)
    }
    // Nothing is wrong with the node.
    if (failure === 'stalled') return tooSlow(ctx)
    const isBegun = ctx.held !== null || ctx.heldBack !== null
    const isRepeatable = mayRepeat(ctx)
    // The other side closed an idle connection just as it was used: nothing is wrong with the node.
    if (connection && connection.uses > 0 && failure === 'reset' && isRepeatable && !isBegun) {
      return ask(ctx, node, true)
    }
    const isTimeout = failure === 'timeout' || failure === 'connect_timeout'
    if (upstream.passive && noteFailure(memory, upstream.passive, node, isTimeout)) {
      logHealth(ctx, node)
    }
    if (upstream.measuresLatency) measure(ctx, FAILED_MS)
    // Of this answer a part has come, so nobody else is asked.
    if (isBegun) return failWith(ctx, isTimeout)
    ctx.attempts ??= []
    ctx.attempts.push(isTimeout ? 504 : 502)
    ctx.tried ??= []
    ctx.tried.push(node)
    const about = { err: error, node: node.name, request_id: ctx.requestId }
    if (failure === 'fault') log.error(about, 'an answer could not be read')
    else log.debug(about, 'an attempt failed')
    if (connection === null || isRepeatable) {
      if (mayTryAgain(ctx)) return attempt(ctx)
    }
    failWith(ctx, isTimeout)
  }

  function switched(ctx: Context, socket: Socket, listen: Listen) {
    // The node is busy with it as long as it lasts.
    socket.once('close', () => release(ctx))
    ctx.connection = null
    if (ctx.isOver || !ctx.wantsSwitch) socket.destroy()
    if (ctx.isOver) return
    // Nobody has asked it to.
    if (!ctx.wantsSwitch) return failWith(ctx, false)
    // A filter may take its time: nothing that the upstream says meanwhile may be lost.
    socket.pause()
    beginSwitch(ctx, (isOn) => {
      if (!isOn) return void socket.destroy()
      joinSockets(ctx, { socket, listen }, timeoutsOf(ctx).readMs)
      socket.resume()
    })
  }

  /** The client is gone: nobody needs the answer. */
  function abandon(ctx: Context) {
    const { connection } = ctx
    untap(ctx, false)
    ctx.connection = null
    connection?.abort()
    release(ctx)
  }

  function release(ctx: Context) {
    const { node } = ctx
    if (!ctx.isCountedBusy || !node) return
    ctx.isCountedBusy = false
    memory.removeBusy(node.slot, threadNo)
  }

  function measure({ node }: Context, ms: number) {
    if (node) memory.observe(node.slot, ms, Date.now())
  }

  function logHealth(ctx: Context, node: UpstreamNode) {
    const state = memory.isHealthy(node.slot) ? 'healthy' : 'unhealthy'
    const upstream = ctx.upstream?.key ?? ''
    const message = nodeChanged({ upstream, node: node.name, state })
    log.warn({ upstream, node: node.name, state }, message)
  }
}

function timeoutsOf(ctx: Context): Timeouts {
  return ctx.resolved?.route.timeouts ?? ctx.upstream?.timeouts ?? NO_TIMEOUTS
}

/**
 * No body comes with 204, 304 and what was asked by HEAD. Where the client does not see that status or
 * that method, it would take the next answer for the bytes that were announced.
 */
function announceNothing(headers: string[]): void {
  for (let at = 0; at < headers.length; at += 2) {
    if (headers[at]?.toLowerCase() === 'content-length') headers[at + 1] = '0'
  }
}

function noUpstream(ctx: Context) {
  if (ctx.attempts) return failWith(ctx, ctx.attempts.at(-1) === 504)
  sendFailure(ctx, 503, 'no_upstream', 'no upstream node can be used')
}

function failWith(ctx: Context, isTimeout: boolean) {
  // A body that was not read would be taken for the next request.
  if (ctx.isBodyTaken) ctx.client.closes = true
  if (isTimeout) sendFailure(ctx, 504, 'upstream_timeout', 'the upstream took too long')
  else
    sendFailure(ctx, 502, 'upstream_error', 'the upstream could not be reached or did not answer')
}

/** Contract §5.1: a broken body is never ended as if it were whole. */
function cut(ctx: Context) {
  ctx.errorCode = 'upstream_broke_off'
  ctx.client.destroy()
}
