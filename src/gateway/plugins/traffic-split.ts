import Type, { type Static } from 'typebox'
import { hashOf, interleave } from '../balancers/index.ts'
import { type Condition, compileExpression } from '../expression/expression.ts'
import type { Context } from '../plane/context.ts'
import { definePlugin, type PluginDeps, type PluginPlace } from '../plane/plugin.ts'
import { createSplitGuard, type SplitGuard } from '../plane/split-guard.ts'
import { lookUp, variableFault } from '../plane/variables.ts'
import { check } from '../resources/check.ts'
import { below, upstreamFaults, varsFaults } from '../resources/faults.ts'
import { UPSTREAM } from '../resources/schemas.ts'
import type { UpstreamValue } from '../resources/values.ts'

const GUARD = Type.Object(
  {
    error_ratio: Type.Number({
      minimum: 0,
      maximum: 1,
      expects: 'must be the share of failures that is borne, from 0 to 1',
    }),
    min_requests: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
    window: Type.Optional(Type.Number({ minimum: 1, maximum: 86_400 })),
  },
  { additionalProperties: false },
)

const ENTRY = Type.Object({
  upstream_id: Type.Optional(
    Type.Union([Type.String({ pattern: '^[A-Za-z0-9_.-]{1,64}$' }), Type.Integer({ minimum: 1 })], {
      expects: 'must be the id of an upstream',
    }),
  ),
  upstream: Type.Optional(UPSTREAM),
  weight: Type.Optional(Type.Integer({ minimum: 0 })),
  guard: Type.Optional(GUARD),
})

const STICKY = Type.Optional(Type.String({ minLength: 1 }))

const SCHEMA = Type.Object({
  rules: Type.Optional(
    Type.Array(
      Type.Object({
        match: Type.Optional(
          Type.Array(Type.Object({ vars: Type.Optional(Type.Array(Type.Unknown())) })),
        ),
        weighted_upstreams: Type.Array(ENTRY, { minItems: 1, maxItems: 20 }),
        sticky: STICKY,
      }),
    ),
  ),
  sticky: STICKY,
})

/** Divides requests among upstreams by weight, interleaved and exact over all threads. */
export default definePlugin({
  name: 'traffic-split',
  priority: 966,
  schema: SCHEMA,
  findFaults({ rules = [], sticky }) {
    return [
      ...stickyFaults(sticky, '/sticky'),
      ...rules.flatMap((rule, at) => ruleFaults(rule, `/rules/${at}`)),
    ]
  },
  places: ({ rules = [] }) =>
    rules.flatMap(({ weighted_upstreams: entries }, at): PluginPlace[] => [
      { name: String(at) },
      ...entries.flatMap((entry, n): PluginPlace[] => {
        if (entry.upstream_id !== undefined)
          return [{ name: '', upstreamId: String(entry.upstream_id) }]
        return isUpstream(entry.upstream) ? [{ name: `${at}-${n}`, upstream: entry.upstream }] : []
      }),
    ]),
  setup({ rules = [], sticky }, deps) {
    // A rule's own variable counts before the one that is said for all of them.
    const compiled = rules.map((rule, at) => compileRule(rule, at, rule.sticky ?? sticky, deps))
    const watched = new WeakMap<Context, SplitGuard>()
    const hasGuard = rules.some(({ weighted_upstreams: all }) => all.some(({ guard }) => guard))
    return {
      access(ctx) {
        const guard = compiled.find(({ matches }) => matches(ctx))?.choose(ctx)
        if (guard) watched.set(ctx, guard)
        return undefined
      },
      ...(hasGuard ? { log: judge } : {}),
    }

    function judge(ctx: Context): void {
      const isFailure = hasFailed(ctx)
      if (isFailure !== undefined) watched.get(ctx)?.note(isFailure)
    }
  },
})

const NOT_REACHED = /^(upstream_|no_upstream$)/

/** Undefined: the upstream was not asked. What plugins make of an answer, or give in its place, is not its own. */
function hasFailed({ upstreamStatus, errorCode }: Context): boolean | undefined {
  if (upstreamStatus !== 0) return upstreamStatus >= 500
  return NOT_REACHED.test(errorCode) ? true : undefined
}

type Rule = NonNullable<Static<typeof SCHEMA>['rules']>[number]
type Entry = Rule['weighted_upstreams'][number]
type Choose = (ctx: Context) => void

function compileRule(rule: Rule, at: number, sticky: string | undefined, deps: PluginDeps) {
  const conditions: Condition[] = (rule.match ?? []).map(({ vars = [] }) => compileExpression(vars))
  const choices = rule.weighted_upstreams.map((entry, n) => compileEntry(entry, `${at}-${n}`, deps))
  const guards = rule.weighted_upstreams.map(({ guard }, n) =>
    guard ? createSplitGuard(guard, `${at}-${n}`, deps, prepare) : undefined,
  )
  let sequence: readonly number[] = []
  prepare()
  return { matches, choose }

  function matches(ctx: Context): boolean {
    if (conditions.length === 0) return true
    return conditions.some((condition) => condition((name) => lookUp(ctx, name)))
  }

  /** An entry whose guard has tripped counts as weight 0; with none left the route's own is used. */
  function prepare() {
    sequence = interleave(
      rule.weighted_upstreams.map(({ weight = 1 }, n) => (guards[n]?.isAborted() ? 0 : weight)),
    )
  }

  function choose(ctx: Context): SplitGuard | undefined {
    if (sequence.length === 0) return undefined
    const value = sticky === undefined ? undefined : lookUp(ctx, sticky)
    const position =
      value === undefined
        ? deps.cursor(String(at), sequence.length)
        : hashOf(value) % sequence.length
    const chosen = sequence[position] ?? 0
    choices[chosen]?.(ctx)
    return guards[chosen]
  }
}

function ruleFaults({ match = [], weighted_upstreams: entries, sticky }: Rule, path: string) {
  const hasWeight = entries.some(({ weight = 1 }) => weight > 0)
  const weightless = { path: `${path}/weighted_upstreams`, message: 'must have a weight above 0' }
  return [
    ...(hasWeight ? [] : [weightless]),
    ...stickyFaults(sticky, `${path}/sticky`),
    ...match.flatMap(({ vars }, n) =>
      vars === undefined ? [] : varsFaults(vars, `${path}/match/${n}/vars`),
    ),
    ...entries.flatMap((entry, n) => entryFaults(entry, `${path}/weighted_upstreams/${n}`)),
  ]
}

function stickyFaults(sticky: string | undefined, path: string) {
  const message = sticky === undefined ? null : variableFault(sticky)
  return message === null ? [] : [{ path, message }]
}

/** An entry with neither id nor upstream is the route's own. */
function compileEntry(entry: Entry, place: string, deps: PluginDeps): Choose {
  const { upstream_id: id, upstream } = entry
  if (id !== undefined) return (ctx) => deps.upstreams.byId(ctx, String(id))
  return isUpstream(upstream) ? deps.upstreams.inline(place, upstream) : () => {}
}

function entryFaults(entry: Entry, path: string) {
  const { upstream } = entry
  if (!isUpstream(upstream)) return []
  if (entry.upstream_id !== undefined) {
    return [{ path: `${path}/upstream`, message: 'must not stand beside upstream_id' }]
  }
  // A secret deep in a list could be neither masked nor kept.
  const key = { path: '/tls/client_key', message: 'cannot stand here: use client_cert_id' }
  const faults = upstreamFaults(upstream)
  const all = upstream.tls?.client_key === undefined ? faults : [key, ...faults]
  return all.map((fault) => below(`${path}/upstream`, fault))
}

function isUpstream(value: unknown): value is UpstreamValue {
  return value !== undefined && check(UPSTREAM, value).length === 0
}
