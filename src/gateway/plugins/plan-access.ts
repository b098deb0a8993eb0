import Type, { type Static } from 'typebox'
import {
  journalFull,
  keyRequired,
  type LimitOutcome,
  notInPlan,
  type Principal,
  requireAccess,
  routedPath,
  type ThreadAccess,
} from '#access-thread'
import { DomainError } from '#kernel'
import type { Context } from '../plane/context.ts'
import {
  findAnswerHeader,
  headerNameFault,
  removeAnswerHeader,
  setForwardHeader,
} from '../plane/headers.ts'
import { hideArgument } from '../plane/identify.ts'
import { definePlugin, type PhaseResult, type PluginAnswer } from '../plane/plugin.ts'
import { after, answering, toAnswer } from '../plane/refusal.ts'
import { createBuyers, type Sale } from '../plane/sale.ts'
import { headersOf } from '../plane/server/headers-of.ts'

const SCHEMA = Type.Object({
  plans: Type.Optional(
    Type.Array(
      Type.Union([Type.Integer({ minimum: 1 }), Type.String({ minLength: 1 })], {
        expects: 'must be the id or the name of a plan',
      }),
    ),
  ),
  access: Type.Optional(Type.Enum(['none', 'read', 'write', 'admin'])),
  cost: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000_000 })),
  cost_header: Type.Optional(
    Type.String({ pattern: '^[A-Za-z0-9-]{1,100}$', expects: 'must be the name of a header' }),
  ),
  mode: Type.Optional(Type.Enum(['enforce', 'observe'])),
  hide_credentials: Type.Optional(Type.Boolean()),
  meter: Type.Optional(Type.Boolean()),
})

type Terms = Static<typeof SCHEMA> & {
  readonly with: ThreadAccess
  readonly buyers: ReturnType<typeof createBuyers>
}

const UNDECIDED = { decidedAtMs: 0, epoch: 0 }
const COST = /^\d{1,12}$/

/** Sells a route by plan: keys, endpoints, limits and usage as the main API has them. */
export default definePlugin({
  name: 'plan-access',
  priority: 2540,
  authenticates: true,
  schema: SCHEMA,
  findFaults({ cost_header: name }) {
    const message = name === undefined ? null : headerNameFault(name)
    return message === null ? [] : [{ path: '/cost_header', message }]
  },
  setup(conf, { access }) {
    const terms: Terms = { ...conf, with: access, buyers: createBuyers() }
    return {
      rewrite: (ctx) => identify(terms, ctx),
      /** Identified late when a filter of the plugin held only after others had run. */
      access: (ctx) =>
        after(identify(terms, ctx), (answer) => answer ?? admit(terms, ctx, ctx.sale)),
      headerFilter: (ctx) => settle(terms, ctx),
    }
  },
})

function identify(terms: Terms, ctx: Context): PhaseResult {
  if (ctx.sale) return undefined
  const presented = terms.with.present(headersOf(ctx.request), ctx.query.slice(1))
  if (!presented) return toAnswer(ctx, keyRequired())
  if (terms.hide_credentials ?? true) hideCredentials(ctx, terms, presented.place === 'bearer')
  return answering(ctx, () =>
    after(terms.with.authenticate(presented), (who) => begin(terms, ctx, who)),
  )
}

function begin(terms: Terms, ctx: Context, principal: Principal): PluginAnswer | undefined {
  const { key } = principal
  if (!key) throw new Error('a credential without a key record')
  const isMetered = terms.meter ?? true
  if (isMetered && !terms.with.hasRoom()) return toAnswer(ctx, journalFull())
  const { method, requestId, startedAt: startedMs } = ctx
  // As the API names what no route is for.
  const endpoint = () => ctx.pattern?.uri ?? '(unmatched)'
  const meter = isMetered ? terms.with.meter({ key, method, requestId, startedMs, endpoint }) : null
  ctx.sale = { principal, key, meter, cost: null, decided: UNDECIDED, headers: {} }
  ctx.meter = meter
  terms.buyers.introduce(ctx, ctx.sale)
  return undefined
}

/** In the order of access contract §3: level, plan, its endpoints, limits. */
function admit(terms: Terms, ctx: Context, sale: Sale | null): PhaseResult {
  if (!sale) throw new Error('nobody was identified')
  return answering(ctx, () => {
    const { access: level = 'none', plans, cost = 1 } = terms
    const { plan } = sale.key
    if (level !== 'none') requireAccess(sale.principal, level)
    if (plans && !plans.includes(plan.id) && !plans.includes(plan.name)) throw otherPlan()
    const path = routedPath(ctx.path)
    if (!plan.permits(ctx.method, path)) throw notInPlan(ctx.method, path)
    // A global rule may sell what the route sells already: it is counted once.
    if (sale.cost !== null) return undefined
    const outcome = terms.with.checkLimits(sale.key, { cost, enforced: terms.mode !== 'observe' })
    return after(outcome, (decided) => count(ctx, sale, cost, decided))
  })
}

function count(
  ctx: Context,
  sale: Sale,
  cost: number,
  outcome: LimitOutcome,
): PluginAnswer | undefined {
  sale.headers = outcome.headers
  if (outcome.refusal) return toAnswer(ctx, outcome.refusal)
  sale.cost = cost
  sale.decided = outcome
  sale.meter?.count(cost, outcome)
  return undefined
}

/** Contract §9.3: whoever is refused, by whichever plugin, has not spent anything of the month. */
function settle(terms: Terms, ctx: Context): void {
  const real = ctx.isRefused ? 0 : statedCost(terms, ctx)
  const { sale } = ctx
  if (!sale || sale.cost === null || real === undefined || real === sale.cost) return
  terms.with.correctCost(sale.key.id, real - sale.cost, sale.decided.epoch)
  sale.cost = real
  sale.meter?.count(real, sale.decided)
}

/** The upstream knows better what the request has cost. */
function statedCost({ cost_header: name }: Terms, ctx: Context): number | undefined {
  if (name === undefined) return undefined
  const given = findAnswerHeader(ctx, name)
  removeAnswerHeader(ctx, name)
  return given !== undefined && COST.test(given) ? Number(given) : undefined
}

/** In all three places, also where another one has decided. */
function hideCredentials(ctx: Context, terms: Terms, isBearer: boolean): void {
  const headers = headersOf(ctx.request)
  if (headers['x-api-key'] !== undefined) setForwardHeader(ctx, 'X-API-Key', null)
  if (isBearer || terms.with.isSecret(headers['authorization'])) {
    setForwardHeader(ctx, 'Authorization', null)
  }
  if (ctx.forwardQuery !== '') hideArgument(ctx, 'api_key')
}

function otherPlan(): DomainError {
  return new DomainError('forbidden', 'plan_not_allowed', 'Your plan does not include this API')
}
