/** A request on a route that is sold by plan (contract §9), beside the plugin that sells it. */
import type { ActiveKey, LimitOutcome, Meter, Principal } from '#access-thread'
import { NO_INSTANCES } from './chain.ts'
import type { Context } from './context.ts'
import { removeAnswerHeader, setForwardHeader } from './headers.ts'

export interface Sale {
  readonly principal: Principal
  readonly key: ActiveKey
  /** Null when the route leaves no usage records. */
  readonly meter: Meter | null
  /** What was counted for it; null until the limits have let it through. */
  cost: number | null
  /** What the limits said when they let it through. */
  decided: Pick<LimitOutcome, 'decidedAtMs' | 'epoch'>
  /** What the answer says of the limits. */
  headers: Readonly<Record<string, string>>
}

/** Whatever says something of limits, in both forms. */
const LIMIT_HEADER = /^(x-ratelimit-.*|ratelimit(-.*)?)$/i
const PRINTABLE = /^[\x20-\x7e]*$/

/** Contract §9.3: the limits of the plan win over what the upstream and other plugins say. */
export function showLimits(ctx: Context, { headers }: Sale): void {
  const own = Object.entries(headers)
  if (own.length === 0) return
  for (let at = ctx.headers.length - 2; at >= 0; at -= 2) {
    if (LIMIT_HEADER.test(ctx.headers[at] ?? '')) ctx.headers.splice(at, 2)
  }
  for (const [name, value] of own) {
    removeAnswerHeader(ctx, name)
    ctx.headers.push(name, value)
  }
}

/** Tells upstream, variables and log who calls (contract §9.4). */
export function introduceBuyer(ctx: Context, { key }: Sale): void {
  const { plan, userId } = key
  const username = `key-${key.id}`
  ctx.consumer = {
    username,
    groupId: null,
    value: { username },
    plugins: NO_INSTANCES,
    groupPlugins: NO_INSTANCES,
    isBuyer: true,
  }
  ctx.extra ??= new Map()
  const facts = [
    ['X-Api-Key-Id', 'api_key_id', String(key.id)],
    ['X-User-Id', 'user_id', String(userId)],
    ['X-Plan-Id', 'plan_id', String(plan.id)],
    ['X-Plan-Name', 'plan_name', plan.name],
  ] as const
  for (const [header, variable, value] of facts) {
    setForwardHeader(ctx, header, PRINTABLE.test(value) ? value : encodeURIComponent(value))
    ctx.extra.set(variable, value)
  }
}
