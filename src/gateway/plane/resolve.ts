import { type Condition, compileExpression } from '../expression/expression.ts'
import { createNetworks, type Networks } from '../expression/networks.ts'
import type { RouteValue, ServiceValue } from '../resources/values.ts'
import type { Chain, Instance, Instances } from './chain.ts'
import type { Consumer } from './consumers.ts'
import type { Context } from './context.ts'
import type { Matched, Routable } from './router.ts'
import { type CompiledUpstream, type Timeouts, toTimeouts } from './upstream.ts'
import { lookUp } from './variables.ts'

export interface CompiledService {
  readonly id: string
  readonly value: ServiceValue
  readonly plugins: Instances
  readonly upstream: CompiledUpstream | null
}

export interface CompiledRoute extends Routable {
  readonly value: RouteValue
  /** Its own or those of its service; changed only while the router does not hold the route. */
  hosts: readonly string[]
  readonly plugins: Instances
  readonly upstream: CompiledUpstream | null
  readonly timeouts: Timeouts | null
  /** Its conditions look at the body, which is then read before they are. */
  readonly readsBody: boolean
  /** With everything the route refers to; made anew when the configuration has changed. */
  resolved: Resolved | null
}

/** A route with what it refers to: what one request goes by from start to end. */
export interface Resolved {
  readonly version: number
  readonly route: CompiledRoute
  readonly service: CompiledService | null
  readonly upstream: CompiledUpstream | null
  /** It names an upstream that is not there any more. */
  readonly isUpstreamMissing: boolean
  /** It names a service or a plugin config that is not there any more. */
  readonly lacksPlugins: boolean
  readonly timeouts: Timeouts | null
  readonly hasWebSocket: boolean
  readonly chain: Chain
  /** The plugins once it is known who calls. */
  join(consumer: Consumer): Joined
}

export interface Joined {
  readonly chain: Chain
  /** What the consumer brings to the rewrite phase, which is over for all others by then. */
  readonly late: readonly Instance[]
}

/** What the conditions of a route look at: a request that has no route yet. */
export interface Candidate extends Matched {
  readonly remoteAddr: string
  readonly ctx: Context
  /** Contract §4.1: a preflight cannot send the headers and cookies that conditions ask for. */
  readonly isPreflight: boolean
}

export function createAccepts(value: RouteValue, id: string): CompiledRoute['accepts'] {
  const methods = value.methods?.length ? new Set(value.methods) : null
  const addresses = addressesOf(value)
  const condition = value.vars?.length ? compileExpression(value.vars) : null
  const relaxed = value.vars?.length ? withoutHeaders(value.vars) : null
  if (value.status === 0) return () => false
  if (!methods && !addresses && !condition) return () => true
  return (request, pattern) => {
    if (methods && !methods.has(request.method)) return false
    if (!addresses && !condition) return true
    if (!isCandidate(request)) return false
    if (addresses && !addresses.has(request.remoteAddr)) return false
    const wanted = request.isPreflight ? relaxed : condition
    // Captures are variables too, and they depend on the path that is tried.
    request.ctx.pattern = pattern
    request.ctx.params = null
    return wanted === null || holds(wanted, request.ctx, id)
  }
}

/** Whoever reads of a failure has to know which route to mend: at this point the request has none. */
function holds(condition: Condition, ctx: Context, id: string): boolean {
  try {
    return condition((name) => lookUp(ctx, name))
  } catch (error) {
    throw new Error(`the conditions of route ${id} failed`, { cause: error })
  }
}

export function timeoutsOf(value: RouteValue): Timeouts | null {
  return value.timeout ? toTimeouts(value.timeout) : null
}

function addressesOf({ remote_addr: one, remote_addrs: many }: RouteValue): Networks | null {
  const list = many ?? (one === undefined ? [] : [one])
  return list.length > 0 ? createNetworks(list) : null
}

function withoutHeaders(vars: NonNullable<RouteValue['vars']>): Condition {
  const conditions = typeof vars[0] === 'string' ? [vars] : vars
  return compileExpression(
    conditions.filter((condition) => !/"(http_|cookie_)/.test(JSON.stringify(condition))),
  )
}

function isCandidate(request: Matched): request is Candidate {
  return 'ctx' in request
}
