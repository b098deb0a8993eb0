import Type, { type Static } from 'typebox'
import { hashOf, interleave } from '../balancers/index.ts'
import { type Condition, compileExpression } from '../expression/expression.ts'
import type { Context } from '../plane/context.ts'
import { definePlugin, type PluginDeps, type PluginPlace } from '../plane/plugin.ts'
import { lookUp, variableFault } from '../plane/variables.ts'
import { check } from '../resources/check.ts'
import { below, upstreamFaults, varsFaults } from '../resources/faults.ts'
import { UPSTREAM } from '../resources/schemas.ts'
import type { UpstreamValue } from '../resources/values.ts'

const ENTRY = Type.Object({
  upstream_id: Type.Optional(
    Type.Union([Type.String({ pattern: '^[A-Za-z0-9_.-]{1,64}$' }), Type.Integer({ minimum: 1 })], {
      expects: 'must be the id of an upstream',
    }),
  ),
  upstream: Type.Optional(UPSTREAM),
  weight: Type.Optional(Type.Integer({ minimum: 0 })),
  guard: Type.Optional(Type.Unknown()),
})

const SCHEMA = Type.Object({
  rules: Type.Optional(
    Type.Array(
      Type.Object({
        match: Type.Optional(
          Type.Array(Type.Object({ vars: Type.Optional(Type.Array(Type.Unknown())) })),
        ),
        weighted_upstreams: Type.Array(ENTRY, { minItems: 1, maxItems: 20 }),
      }),
    ),
  ),
  sticky: Type.Optional(Type.String({ minLength: 1 })),
})

/** Divides requests among upstreams by weight, interleaved and exact over all threads. */
export default definePlugin({
  name: 'traffic-split',
  priority: 966,
  schema: SCHEMA,
  findFaults({ rules = [], sticky }) {
    const unknown = sticky === undefined ? null : variableFault(sticky)
    return [
      ...(unknown === null ? [] : [{ path: '/sticky', message: unknown }]),
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
    const compiled = rules.map((rule, at) => compileRule(rule, at, sticky, deps))
    return {
      access(ctx) {
        compiled.find(({ matches }) => matches(ctx))?.choose(ctx)
        return undefined
      },
    }
  },
})

type Rule = NonNullable<Static<typeof SCHEMA>['rules']>[number]
type Entry = Rule['weighted_upstreams'][number]
type Choose = (ctx: Context) => void

function compileRule(rule: Rule, at: number, sticky: string | undefined, deps: PluginDeps) {
  const conditions: Condition[] = (rule.match ?? []).map(({ vars = [] }) => compileExpression(vars))
  const choices = rule.weighted_upstreams.map((entry, n) => compileEntry(entry, `${at}-${n}`, deps))
  const sequence = interleave(rule.weighted_upstreams.map(({ weight = 1 }) => weight))
  return { matches, choose }

  function matches(ctx: Context): boolean {
    if (conditions.length === 0) return true
    return conditions.some((condition) => condition((name) => lookUp(ctx, name)))
  }

  function choose(ctx: Context): void {
    const value = sticky === undefined ? undefined : lookUp(ctx, sticky)
    const position =
      value === undefined
        ? deps.cursor(String(at), sequence.length)
        : hashOf(value) % sequence.length
    choices[sequence[position] ?? 0]?.(ctx)
  }
}

function ruleFaults({ match = [], weighted_upstreams: entries }: Rule, path: string) {
  const hasWeight = entries.some(({ weight = 1 }) => weight > 0)
  const weightless = { path: `${path}/weighted_upstreams`, message: 'must have a weight above 0' }
  return [
    ...(hasWeight ? [] : [weightless]),
    ...match.flatMap(({ vars }, n) =>
      vars === undefined ? [] : varsFaults(vars, `${path}/match/${n}/vars`),
    ),
    ...entries.flatMap((entry, n) => entryFaults(entry, `${path}/weighted_upstreams/${n}`)),
  ]
}

/** An entry with neither id nor upstream is the route's own. */
function compileEntry(entry: Entry, place: string, deps: PluginDeps): Choose {
  const { upstream_id: id, upstream } = entry
  if (id !== undefined) return (ctx) => deps.upstreams.byId(ctx, String(id))
  return isUpstream(upstream) ? deps.upstreams.inline(place, upstream) : () => {}
}

function entryFaults(entry: Entry, path: string) {
  const later = { path: `${path}/guard`, message: 'is not supported yet' }
  const guard = entry.guard === undefined ? [] : [later]
  const { upstream } = entry
  if (!isUpstream(upstream)) return guard
  if (entry.upstream_id !== undefined) {
    return [{ path: `${path}/upstream`, message: 'must not stand beside upstream_id' }]
  }
  return [...guard, ...upstreamFaults(upstream).map((fault) => below(`${path}/upstream`, fault))]
}

function isUpstream(value: unknown): value is UpstreamValue {
  return value !== undefined && check(UPSTREAM, value).length === 0
}
