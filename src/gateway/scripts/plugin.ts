/** What the plugins for scripts before and after all others have in common (contract §8). */
import Type, { type Static } from 'typebox'
import { DomainError } from '#kernel'
import type { Context } from '../plane/context.ts'
import { setAnswerHeader } from '../plane/headers.ts'
import type {
  PhaseResult,
  PluginAnswer,
  PluginDeps,
  PluginPhases,
  WriteTools,
} from '../plane/plugin.ts'
import { toFailure } from '../plane/refusal.ts'
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
import { createScript } from './sandboxes.ts'

const DEFAULT_LIMIT_MS = 50

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
  const { phase = 'access', functions, timeout_ms: limitMs = DEFAULT_LIMIT_MS, body } = settings
  const isLate = phase === 'header_filter' || phase === 'log'
  const late = (path: string, what: string) => ({ path, message: `${what} in phase ${phase}` })
  const large = functions.flatMap((text, at) =>
    Buffer.byteLength(text) > 64 * 1024
      ? [{ path: `/functions/${at}`, message: 'must be a text of at most 64 KiB' }]
      : [],
  )
  return [
    ...large,
    ...(isLate && limitMs > DEFAULT_LIMIT_MS
      ? [late('/timeout_ms', `must be at most ${DEFAULT_LIMIT_MS}`)]
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

/** Headers that scripts set before there was an answer, and the answer that has them. */
const waiting = new WeakMap<Context, { changes: readonly Change[]; answer: number }>()

/** Contract §8: larger bodies than can be read only stream. */
function tooLarge(ctx: Context) {
  // What is left of the body would be taken for the next request.
  ctx.client.closes = true
  return toFailure(ctx, 413, 'payload_too_large', 'the request body is too large')
}

export function readsBody({ body = false }: Settings): boolean {
  return body
}

export function setupScript(settings: Settings, deps: PluginDeps): PluginPhases {
  const { phase = 'access', timeout_ms: limitMs = DEFAULT_LIMIT_MS, body: needsBody } = settings
  const { scripts, clock, upstreams } = deps
  const tools = { now: clock.now, hasUpstream: upstreams.has }
  const script = createScript(sourceOf(settings))
  // Whoever asks for more time is likely to need it.
  if (limitMs > DEFAULT_LIMIT_MS) scripts.startWorker()
  switch (phase) {
    case 'header_filter':
      return { headerFilter: (ctx) => runLate(ctx, HEADER_FILTER) }
    case 'log':
      return { log: (ctx) => runLate(ctx, LOG) }
    case 'before_proxy':
      return { beforeProxy: before, headerFilter: addWaiting }
    default:
      return { [phase]: before, headerFilter: addWaiting }
  }

  function before(ctx: Context): PhaseResult {
    return needsBody && !ctx.readBody?.isWhole ? tooLarge(ctx) : decide(ctx)
  }

  function decide(ctx: Context): PhaseResult {
    try {
      const text = run(ctx, () => ctx.isOver)
      if (typeof text === 'string') return goOn(ctx, text)
      return text
        .then((later) => (ctx.isOver ? undefined : goOn(ctx, later)))
        .catch((error) => fail(ctx, error))
    } catch (error) {
      return fail(ctx, error)
    }
  }

  function run(ctx: Context, isGone: () => boolean): string | Promise<string> {
    const lines = ctx.scriptLines?.length ?? 0
    return scripts.run({
      ...{ script, scope: scopeOf(ctx), host: createHost(ctx, tools), limitMs, isGone },
      restart() {
        if (ctx.scriptLines) ctx.scriptLines.length = lines
      },
    })
  }

  function goOn(ctx: Context, text: string): PhaseResult {
    if (text === '') return undefined
    const outcome = parseOutcome(text)
    applyChanges(ctx, outcome.changes, { chooseUpstream: deps.upstreams.byId })
    const headers = answerHeadersIn(outcome.changes)
    if (headers.length > 0) {
      const { changes = [] } = waiting.get(ctx) ?? {}
      waiting.set(ctx, { changes: [...changes, ...headers], answer: 0 })
    }
    return outcome.answer ? toAnswer(outcome.answer) : undefined
  }

  function addWaiting(ctx: Context): void {
    const wait = waiting.get(ctx)
    // Every script of the route comes by here: a header that is added must not be added by each.
    if (!wait || wait.answer === ctx.answers) return
    wait.answer = ctx.answers
    applyAnswerHeaders(ctx, wait.changes)
  }

  /** After the upstream: at once where the script ends soon. */
  function runLate(ctx: Context, late: Late): void | Promise<void> {
    try {
      const text = run(ctx, () => false)
      if (typeof text === 'string') return take(text)
      return text.then(take).catch(failed)
    } catch (error) {
      failed(error)
    }

    function take(text: string): void {
      const outcome = parseOutcome(text)
      applyChanges(ctx, outcome.changes, { chooseUpstream() {} })
      late.decided(ctx, outcome)
    }

    function failed(error: unknown): void {
      late.failed(ctx, fail(ctx, error))
    }
  }

  function fail(ctx: Context, error: unknown): PluginAnswer {
    const isRefused = error instanceof DomainError
    if (!isRefused && !(error instanceof ScriptFailure)) throw error
    const route = ctx.resolved?.route.id ?? ''
    ctx.errorCode = error.code
    deps.count('script_failures_total', { route, code: error.code })
    deps.log.warn(
      {
        ...{ plugin: deps.plugin, owner: deps.owner, route_id: route, code: error.code },
        ...{ request_id: ctx.requestId, error: error.message },
        ...(isRefused ? {} : { stack: error.trace }),
      },
      isRefused ? 'a script could not run' : 'a script failed',
    )
    const about = { code: error.code, request_id: ctx.requestId }
    if (!isRefused) return { status: 500, body: { error_msg: 'script failed', ...about } }
    // Not run at all, for reasons that pass (contract §6.3).
    const headers = { 'Retry-After': '1' }
    return { status: 503, headers, body: { error_msg: error.message, ...about } }
  }
}

/** What becomes of a script that runs after the upstream has answered. */
interface Late {
  decided(ctx: Context, outcome: Outcome): void
  failed(ctx: Context, answer: PluginAnswer): void
}

/** The request is over: nothing can be changed any more. */
const LOG: Late = { decided() {}, failed() {} }

const HEADER_FILTER: Late = {
  decided(ctx, { changes, answer }) {
    applyAnswerHeaders(ctx, answerHeadersIn(changes))
    if (!answer) return
    ctx.status = answer.status
    for (const [name, value] of Object.entries(answer.headers)) setAnswerHeader(ctx, name, value)
  },
  /** The answer that was about to leave is replaced by the failure. */
  failed(ctx, { status, headers = {}, body }) {
    ctx.status = status
    ctx.headers = ['Content-Type', 'application/json; charset=utf-8', 'X-Request-Id', ctx.requestId]
    for (const [name, value] of Object.entries(headers)) setAnswerHeader(ctx, name, value)
    ctx.replacedBody = Buffer.from(JSON.stringify(body))
  },
}

function scopeOf({ resolved }: Context): string {
  return resolved?.route.id ?? ''
}
