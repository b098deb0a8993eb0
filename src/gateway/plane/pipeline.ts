/** The way of a request through the gateway: match, plugins phase by phase, upstream. */
import type { Log } from '#kernel'
import { sendAnswer, sendFailure } from './answer.ts'
import { type Chain, type Instance, withErrorResponse } from './chain.ts'
import type { Context } from './context.ts'
import type { Crash } from './guard.ts'
import type { PhaseResult, PluginAnswer } from './plugin.ts'
import { readBody } from './request-body.ts'
import type { Candidate } from './resolve.ts'
import { headersOf } from './server/headers-of.ts'
import type { State } from './state.ts'
import { isWanted } from './wanted.ts'

interface Deps {
  readonly state: State
  readonly log: Log
  forward(ctx: Context): void
  readonly crash: Crash<Context>
}

const NOT_FOUND: PluginAnswer = {
  status: 404,
  headers: { 'Content-Type': 'application/json; charset=utf-8' },
  body: Buffer.from('{"error_msg":"404 Route Not Found"}'),
}

type Phase = 'rewrite' | 'access' | 'beforeProxy'

interface Step {
  readonly phase: Phase
  plugins(ctx: Context): readonly Instance[]
}

/** The way through the plugins (contract §7.1). */
const STEPS: readonly Step[] = [
  { phase: 'rewrite', plugins: ({ globalChain }) => globalChain.rewrite },
  { phase: 'rewrite', plugins: ({ chain }) => chain.rewrite },
  // Now it is known who calls.
  { phase: 'rewrite', plugins: joinConsumer },
  { phase: 'access', plugins: ({ globalChain }) => globalChain.access },
  { phase: 'access', plugins: ({ chain }) => chain.access },
  { phase: 'beforeProxy', plugins: (ctx) => beforeProxy(ctx, ctx.globalChain) },
  { phase: 'beforeProxy', plugins: (ctx) => beforeProxy(ctx, ctx.chain) },
]

export function createPipeline({ state, log, forward, crash }: Deps) {
  return { run, match }

  function run(ctx: Context) {
    if (ctx.path === '') {
      return sendFailure(ctx, 400, 'bad_request', 'the request target is not correct')
    }
    if (state.matchesByBody() && !ctx.resolved && isDecidedByBody(ctx)) {
      return readBody(ctx, () => matched(ctx))
    }
    matched(ctx)
  }

  function matched(ctx: Context) {
    // Contract §3.3: global rules run for every request, one without a route too.
    if (!ctx.resolved) match(ctx)
    const { globalChain, chain } = ctx
    if (isEmpty(globalChain) && isEmpty(chain)) finish(ctx)
    else runPhases(ctx)
  }

  /** No plugin has answered. Of a preflight the conditions of the route were not asked. */
  function finish(ctx: Context) {
    if (!ctx.resolved || ctx.isPreflight) sendAnswer(ctx, NOT_FOUND)
    else send(ctx)
  }

  /** What looks at the body after the access phase, or not before the answer, finds it read. */
  function send(ctx: Context) {
    const { globalChain, chain, resolved } = ctx
    const { readsBody = false } = ctx.upstream ?? resolved?.upstream ?? {}
    const isRead = globalChain.readsBody || chain.readsBody || readsBody
    if (isRead && !ctx.readBody) readBody(ctx, () => forward(ctx))
    else forward(ctx)
  }

  /** Only for a route of this path and host the body is read before one is found. */
  function isDecidedByBody(ctx: Context): boolean {
    const { method, path, host } = ctx
    return state.candidates({ method, path, host }).some(({ route }) => route.readsBody)
  }

  /** False when no route takes the request. The configuration of the request is settled here. */
  function match(ctx: Context): boolean {
    const { method, path, host, remoteAddr } = ctx
    const candidate: Candidate = { method, path, host, remoteAddr, ctx, isPreflight: false }
    ctx.globalChain = state.globalChain()
    ctx.consumers = state.consumers()
    const found = state.match(candidate) ?? matchPreflight(ctx)
    if (!found) return false
    ctx.resolved = state.resolve(found.route)
    ctx.pattern = found.pattern
    ctx.matchedHost = found.host ?? ''
    ctx.chain = ctx.resolved.chain
    ctx.lacksPlugins = ctx.resolved.lacksPlugins
    // Contract §5.3: other requests to switch are ordinary ones, whose upgrade is dropped.
    if (!ctx.resolved.hasWebSocket) ctx.wantsSwitch = false
    return true
  }

  /** Contract §4.1: browsers cannot send the real method and headers with a preflight. */
  function matchPreflight(ctx: Context) {
    if (ctx.method !== 'OPTIONS') return
    const { origin, 'access-control-request-method': method } = headersOf(ctx.request)
    if (origin === undefined || method === undefined) return
    const { path, host, remoteAddr } = ctx
    const candidate: Candidate = { method, path, host, remoteAddr, ctx, isPreflight: true }
    const found = state.match(candidate)
    const chains = found ? [state.resolve(found.route).chain, state.globalChain()] : []
    if (!chains.some(({ has }) => has.has('cors'))) return undefined
    ctx.isPreflight = true
    return found
  }

  /**
   * Goes through the plugins from a place in one of the lists on. Waits only where a plugin does, so
   * that others cost neither a promise nor anything else for the way.
   */
  function runPhases(ctx: Context, from = 0, first = 0) {
    let at = first
    for (let step = from; ; step++) {
      const now = STEPS[step]
      if (!now) break
      const list = now.plugins(ctx)
      for (; at < list.length; at++) {
        const instance = list[at]
        if (!instance) continue
        // Not before: who is refused without it must not have to send it (contract §5.1).
        if (instance.readsBody && !ctx.readBody)
          return readBody(ctx, () => runPhases(ctx, step, at))
        const result = call(ctx, instance, now.phase)
        if (result instanceof Promise) return waitFor(ctx, instance, result, step, at + 1)
        if (!goesOn(ctx, result, now.phase)) return
      }
      at = 0
    }
    finish(ctx)
  }

  function waitFor(
    ctx: Context,
    instance: Instance,
    result: Promise<PluginAnswer | undefined>,
    step: number,
    next: number,
  ): void {
    result
      .then(
        (answer) => {
          if (goesOn(ctx, answer, STEPS[step]?.phase)) runPhases(ctx, step, next)
        },
        (error: unknown) => pluginFailed(ctx, instance, error),
      )
      .catch((error) => crash(ctx, error))
  }

  function goesOn(ctx: Context, answer: PluginAnswer | undefined, phase?: Phase): boolean {
    if (!answer) return !ctx.isOver
    // What is answered in the place of the upstream, from a cache for instance, is no refusal.
    if (answer.status >= 400 && phase !== 'beforeProxy') ctx.isRefused = true
    sendAnswer(ctx, answer)
    return false
  }

  function call(ctx: Context, instance: Instance, phase: Phase): PhaseResult {
    try {
      if (!isWanted(ctx, instance)) return undefined
      const result = instance.phases[phase]?.(ctx)
      if (result === undefined) return undefined
      if (!(result instanceof Promise)) return withErrorResponse(result, instance)
      return result.then((answer) => answer && withErrorResponse(answer, instance))
    } catch (error) {
      return Promise.reject(error)
    }
  }

  function pluginFailed(ctx: Context, { name: plugin, owner }: Instance, error: unknown) {
    const about = { plugin, owner, request_id: ctx.requestId, route_id: ctx.resolved?.route.id }
    log.error({ err: error, ...about }, 'a plugin failed')
    sendFailure(ctx, 500, 'plugin_error', 'the request could not be processed')
  }
}

/** The plugins of a consumer take their places; those of the rewrite phase, which is over, run late. */
function joinConsumer(ctx: Context): readonly Instance[] {
  const { consumer, resolved } = ctx
  if (consumer?.lacksGroup) ctx.lacksPlugins = true
  const joined = consumer && resolved ? resolved.join(consumer) : null
  if (joined) ctx.chain = joined.chain
  return joined?.late ?? []
}

/** Where nothing will be forwarded nothing is answered in the place of the upstream. */
function beforeProxy(ctx: Context, chain: Chain): readonly Instance[] {
  return ctx.resolved && !ctx.lacksPlugins ? chain.beforeProxy : []
}

function isEmpty({ rewrite, access, beforeProxy }: Chain): boolean {
  return rewrite.length === 0 && access.length === 0 && beforeProxy.length === 0
}
