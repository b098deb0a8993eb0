import Type, { type Static } from 'typebox'
import type { Context } from '../plane/context.ts'
import { headerNameFault, headerValueFault, setAnswerHeader } from '../plane/headers.ts'
import { definePlugin, type PluginDeps } from '../plane/plugin.ts'
import { compileTemplate, templateFault } from '../plane/template.ts'

const SCHEMA = Type.Object({
  break_response_code: Type.Integer({ minimum: 200, maximum: 599 }),
  break_response_body: Type.Optional(Type.String()),
  break_response_headers: Type.Optional(
    Type.Array(
      Type.Object({ key: Type.String({ minLength: 1 }), value: Type.String({ minLength: 1 }) }),
      { minItems: 1, maxItems: 100 },
    ),
  ),
  max_breaker_sec: Type.Optional(Type.Integer({ minimum: 3, maximum: 86_400 })),
  unhealthy: Type.Optional(
    Type.Object({
      http_statuses: statuses(500, 599),
      failures: Type.Optional(Type.Integer({ minimum: 1 })),
    }),
  ),
  healthy: Type.Optional(
    Type.Object({
      http_statuses: statuses(200, 499),
      successes: Type.Optional(Type.Integer({ minimum: 1 })),
    }),
  ),
})

type Settings = Static<typeof SCHEMA>

/** Failures of which none was followed by another for so long are forgotten. */
const MEMORY_MS = 86_400_000

/** Answers in place of an upstream that keeps failing: for 2 seconds, then 4, 8 and so on. */
export default definePlugin({
  name: 'api-breaker',
  priority: 1005,
  schema: SCHEMA,
  findFaults({ break_response_body: body, break_response_headers: headers = [] }) {
    const lone = { path: '/break_response_headers', message: 'needs break_response_body' }
    return [
      ...(headers.length > 0 && body === undefined ? [lone] : []),
      ...headers.flatMap(({ key, value }, at) => {
        const path = `/break_response_headers/${at}`
        const name = headerNameFault(key)
        const text = headerValueFault(value) ?? templateFault(value)
        return [
          ...(name === null ? [] : [{ path: `${path}/key`, message: name }]),
          ...(text === null ? [] : [{ path: `${path}/value`, message: text }]),
        ]
      }),
    ]
  },
  setup(conf, deps) {
    const { break_response_code: status, break_response_body: body } = conf
    const { break_response_headers: headers = [] } = conf
    const templates = headers.map(({ key, value }) => [key, compileTemplate(value)] as const)
    const bad = new Set(conf.unhealthy?.http_statuses ?? [500])
    const good = new Set(conf.healthy?.http_statuses ?? [200])
    const breaker = createBreaker(conf, deps)
    const broken = new WeakSet<Context>()
    return {
      access(ctx) {
        if (!breaker.isBroken(nameOf(ctx))) return undefined
        broken.add(ctx)
        return body === undefined ? { status } : { status, body }
      },
      headerFilter(ctx) {
        if (broken.has(ctx)) {
          for (const [name, template] of templates) setAnswerHeader(ctx, name, template.render(ctx))
          return
        }
        // Before the answer leaves: whoever has got it and asks again meets what it has changed.
        const outcome = outcomeOf(ctx)
        if (bad.has(outcome)) breaker.fail(nameOf(ctx))
        else if (good.has(outcome)) breaker.succeed(nameOf(ctx))
      },
    }

    /** By route also where a service or a global rule holds the settings: routes fail on their own. */
    function nameOf(ctx: Context): string {
      return `${deps.owner}/${ctx.resolved?.route.id ?? ''}`
    }
  },
})

/** What the upstream answered, or the gateway in its place when it could not be reached. */
function outcomeOf({ upstreamStatus, attempts, errorCode, status }: Context): number {
  if (upstreamStatus !== 0) return upstreamStatus
  return attempts?.length || errorCode.startsWith('upstream_') ? status : 0
}

/** Exact over all threads. */
function createBreaker(conf: Settings, { counters, clock }: PluginDeps) {
  const { max_breaker_sec: mostSeconds = 300 } = conf
  const { failures: threshold = 3 } = conf.unhealthy ?? {}
  const { successes: enough = 3 } = conf.healthy ?? {}
  const window = { kind: 'fixed', ms: MEMORY_MS } as const
  return { isBroken, fail, succeed }

  function isBroken(name: string): boolean {
    const brokenAtMs = counters.read(`${name}/at`, window)
    if (brokenAtMs === undefined) return false
    const times = Math.floor((counters.read(`${name}/failures`, window) ?? 0) / threshold)
    const seconds = Math.min(2 ** Math.max(1, times), mostSeconds)
    return clock.now() < brokenAtMs + seconds * 1000
  }

  function fail(name: string): void {
    forget(`${name}/successes`)
    if (count(`${name}/failures`) % threshold !== 0) return
    counters.update(`${name}/at`, (_, nowMs) => ({ value: nowMs, endsAtMs: nowMs + MEMORY_MS }))
  }

  function succeed(name: string): void {
    if (counters.read(`${name}/failures`, window) === undefined) return
    if (count(`${name}/successes`) < enough) return
    for (const part of ['at', 'failures', 'successes']) forget(`${name}/${part}`)
  }

  function count(name: string): number {
    let value = 0
    counters.update(name, (before = 0, nowMs) => {
      value = before + 1
      return { value, endsAtMs: nowMs + MEMORY_MS }
    })
    return value
  }

  function forget(name: string): void {
    counters.update(name, (before) => (before === undefined ? null : { value: 0, endsAtMs: 0 }))
  }
}

function statuses(minimum: number, maximum: number) {
  return Type.Optional(
    Type.Array(Type.Integer({ minimum, maximum }), { minItems: 1, uniqueItems: true }),
  )
}
