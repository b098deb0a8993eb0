/** A request on a route that is sold by plan (contract §9), beside the plugin that sells it. */
import type { ActiveKey, LimitOutcome, Meter, Principal } from '#access-thread'
import { NO_INSTANCES } from './chain.ts'
import type { Consumer } from './consumers.ts'
import type { Context } from './context.ts'

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
  const own = Object.keys(headers)
  if (own.length === 0) return
  for (let at = ctx.headers.length - 2; at >= 0; at -= 2) {
    const name = ctx.headers[at] ?? ''
    const isReplaced = LIMIT_HEADER.test(name) || Object.hasOwn(headers, name.toLowerCase())
    if (isReplaced) ctx.headers.splice(at, 2)
  }
  for (const name of own) ctx.headers.push(name, headers[name] ?? '')
}

interface Fact {
  readonly header: string
  readonly sent: readonly [string]
  readonly variable: string
  readonly value: string
}

/** What upstream, variables and log are told of a key (contract §9.4). */
interface Buyer {
  readonly consumer: Consumer
  readonly facts: readonly Fact[]
}

/** Tells upstream, variables and log who calls. A key that changes is another record. */
export function createBuyers() {
  const buyers = new WeakMap<ActiveKey, Buyer>()
  return { introduce }

  function introduce(ctx: Context, { key }: Sale): void {
    const { consumer, facts } = buyerOf(key)
    ctx.consumer = consumer
    ctx.forwardHeaders ??= new Map()
    ctx.extra ??= new Map()
    for (const { header, sent, variable, value } of facts) {
      ctx.forwardHeaders.set(header, sent)
      ctx.extra.set(variable, value)
    }
  }

  function buyerOf(key: ActiveKey): Buyer {
    let buyer = buyers.get(key)
    if (!buyer) {
      buyer = describeBuyer(key)
      buyers.set(key, buyer)
    }
    return buyer
  }
}

function describeBuyer({ id, userId, plan }: ActiveKey): Buyer {
  const username = `key-${id}`
  return {
    consumer: {
      username,
      groupId: null,
      value: { username },
      plugins: NO_INSTANCES,
      groupPlugins: NO_INSTANCES,
      lacksGroup: false,
      isBuyer: true,
    },
    facts: [
      toFact('api_key_id', 'x-api-key-id', String(id)),
      toFact('user_id', 'x-user-id', String(userId)),
      toFact('plan_id', 'x-plan-id', String(plan.id)),
      toFact('plan_name', 'x-plan-name', plan.name),
    ],
  }
}

function toFact(variable: string, header: string, value: string): Fact {
  const sent = PRINTABLE.test(value) ? value : encodeURIComponent(value)
  return { header, sent: [sent], variable, value }
}
