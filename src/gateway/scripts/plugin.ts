/** What the plugins for scripts before and after all others have in common (contract §8). */
import Type, { type Static } from 'typebox'
import { DomainError } from '#kernel-thread'
import type { Context } from '../plane/context.ts'
import type { PhaseResult, PluginDeps, PluginPhases, WriteTools } from '../plane/plugin.ts'
import { toAnswer as refuse } from '../plane/refusal.ts'
import type { ScriptSource } from './engine.ts'
import { ScriptFailure } from './engine.ts'
import { createHost } from './host.ts'
import {
  answerHeadersIn,
  applyAnswerHeaders,
  applyChanges,
  type Change,
  type Outcome,
  parseOutcome,
  toAnswer,
} from './outcome.ts'
import type { Script } from './sandboxes.ts'

/** Up to here a script may stop the gateway's thread; a longer limit takes it to a worker. */
const IN_THREAD_MS = 50

export const SCRIPT_SETTINGS = Type.Object({
  phase: Type.Optional(
    Type.Enum(['rewrite', 'access', 'before_proxy', 'header_filter', 'log'], {
      expects: 'must be rewrite, access, before_proxy, header_filter or log',
    }),
  ),
  functions: Type.Array(
    Type.String({
      minLength: 1,
      maxLength: 64 * 1024,
      expects: 'must be a text of at most 64 KiB',
    }),
    { minItems: 1, maxItems: 16 },
  ),
  timeout_ms: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
  body: Type.Optional(Type.Boolean()),
})

type Settings = Static<typeof SCRIPT_SETTINGS>

/** Loaded with the same engine and limits as in the gateway, so what is stored can run. */
export function scriptFaults(settings: Settings, { scripts }: WriteTools) {
  const { phase = 'access', functions, timeout_ms: limitMs = IN_THREAD_MS, body } = settings
  const isLate = phase === 'header_filter' || phase === 'log'
  const late = (path: string, what: string) => ({ path, message: `${what} in phase ${phase}` })
  const large = functions.flatMap((text, at) =>
    Buffer.byteLength(text) > 64 * 1024
      ? [{ path: `/functions/${at}`, message: 'must be a text of at most 64 KiB' }]
      : [],
  )
  return [
    ...large,
    ...(isLate && limitMs > IN_THREAD_MS
      ? [late('/timeout_ms', `must be at most ${IN_THREAD_MS}`)]
      : []),
    ...(isLate && body ? [late('/body', 'cannot be read')] : []),
    ...functions.flatMap((text, at) => {
      const failure = scripts.findFailure({ ...sourceOf(settings), functions: [text] })
      if (!failure) return []
      const [first] = failure.trace.split('\n')
      const place = first?.includes(':') ? ` (${first.trim()})` : ''
      return [{ path: `/functions/${at}`, message: `${failure.message}${place}` }]
    }),
  ]
}

function sourceOf(settings: Settings): ScriptSource {
  const { phase = 'access', functions, body = false } = settings
  return { phase, functions, mayReadBody: body, conf: JSON.stringify(settings) }
}

/** Headers that scripts set before there was an answer. */
const waiting = new WeakMap<Context, Change[]>()

/** Contract §8: larger bodies than can be read only stream. */
function tooLarge(ctx: Context) {
  // What is left of the body would be taken for the next request.
  ctx.client.closes = true
  ctx.errorCode = 'payload_too_large'
  const body = { error_msg: 'the request body is too large', code: 'payload_too_large' }
  return { status: 413, body: { ...body, request_id: ctx.requestId } }
}

export function readsBody({ body = false }: Settings): boolean {
  return body
}

export function setupScript(settings: Settings, deps: PluginDeps): PluginPhases {
  const { phase = 'access', timeout_ms: limitMs = IN_THREAD_MS, body: needsBody = false } = settings
  const { scripts, clock } = deps
  const script: Script = { source: sourceOf(settings), image: null }
  if (limitMs > IN_THREAD_MS) scripts.startApart()
  switch (phase) {
    case 'header_filter':
      return { headerFilter: filterHeaders }
    case 'log':
      return { log: (ctx) => void runNow(ctx) }
    case 'before_proxy':
      return { beforeProxy: before, headerFilter: addWaiting }
    default:
      return { [phase]: before, headerFilter: addWaiting }
  }

  function before(ctx: Context): PhaseResult {
    return needsBody && !ctx.readBody?.isWhole ? tooLarge(ctx) : decide(ctx)
  }

  function decide(ctx: Context): PhaseResult {
    const host = createHost(ctx, clock.now)
    const scope = scopeOf(ctx)
    try {
      if (limitMs <= IN_THREAD_MS) return goOn(ctx, scripts.run(script, scope, host, limitMs))
    } catch (error) {
      return fail(ctx, error)
    }
    return scripts.runApart(script, scope, host, limitMs).then(
      (text) => (ctx.isOver ? undefined : goOn(ctx, text)),
      (error) => fail(ctx, error),
    )
  }

  function goOn(ctx: Context, text: string): PhaseResult {
    if (text === '') return undefined
    const outcome = parseOutcome(text)
    applyChanges(ctx, outcome.changes, { chooseUpstream: deps.upstreams.byId })
    const headers = answerHeadersIn(outcome.changes)
    if (headers.length > 0) waiting.set(ctx, [...(waiting.get(ctx) ?? []), ...headers])
    return outcome.answer ? toAnswer(outcome.answer) : undefined
  }

  function addWaiting(ctx: Context): void {
    const changes = waiting.get(ctx)
    if (changes) applyAnswerHeaders(ctx, changes)
  }

  /** Undefined: the script has failed. */
  function runNow(ctx: Context): Outcome | undefined {
    try {
      const text = scripts.run(script, scopeOf(ctx), createHost(ctx, clock.now), limitMs)
      const outcome = parseOutcome(text)
      applyChanges(ctx, outcome.changes, { chooseUpstream() {} })
      return outcome
    } catch (error) {
      fail(ctx, error)
      return undefined
    }
  }

  function filterHeaders(ctx: Context) {
    const outcome = runNow(ctx)
    if (outcome === undefined) return refuseLate(ctx)
    applyAnswerHeaders(ctx, answerHeadersIn(outcome.changes))
    if (!outcome.answer) return
    ctx.status = outcome.answer.status
    const set = Object.entries(outcome.answer.headers)
    applyAnswerHeaders(
      ctx,
      set.map(([name, value]) => ['answer-header', name, value]),
    )
  }

  /** The answer that was about to leave is replaced by the failure. */
  function refuseLate(ctx: Context): void {
    const { status, body } = failureAnswer(ctx, ctx.errorCode)
    ctx.status = status
    ctx.headers = ['Content-Type', 'application/json; charset=utf-8', 'X-Request-Id', ctx.requestId]
    ctx.replacedBody = Buffer.from(JSON.stringify(body))
  }

  function fail(ctx: Context, error: unknown) {
    if (error instanceof DomainError) return refuse(ctx, error)
    if (!(error instanceof ScriptFailure)) throw error
    const route = ctx.resolved?.route.id ?? ''
    ctx.errorCode = error.code
    deps.count('script_failures_total', { route, code: error.code })
    deps.log.warn(
      {
        ...{ plugin: deps.plugin, owner: deps.owner, route_id: route, code: error.code },
        ...{ request_id: ctx.requestId, error: error.message, stack: error.trace },
      },
      'a script failed',
    )
    return failureAnswer(ctx, error.code)
  }
}

function failureAnswer({ requestId }: Context, code: string) {
  return { status: 500, body: { error_msg: 'script failed', code, request_id: requestId } }
}

function scopeOf({ resolved }: Context): string {
  return resolved?.route.id ?? ''
}
