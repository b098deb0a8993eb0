import { createLru } from '#kernel'
import { type BalancedNode, balancers } from '../balancers/index.ts'
import { type Memory, NO_SLOT } from '../memory.ts'
import type { UpstreamSlots } from '../protocol.ts'
import { nodeName, nodesOf, serverNameOf } from '../resources/nodes.ts'
import type { TimeoutValue, UpstreamTls, UpstreamValue } from '../resources/values.ts'
import { type ClientPair, compileClientPair } from './certificates.ts'
import type { Pool } from './client/pool.ts'
import type { Pools } from './client/pools.ts'
import type { Context } from './context.ts'
import { type PassiveChecks, readPassive } from './passive.ts'
import { mentionsBody } from './request-body.ts'
import { compileTemplate } from './template.ts'
import { lookUp } from './variables.ts'

export interface UpstreamNode extends BalancedNode {
  readonly host: string
  readonly port: number
  readonly priority: number
  readonly slot: number
  /** For `pass_host: node`. */
  readonly hostHeader: string
  pool(connectMs: number): Pool<Context>
}

export interface Timeouts {
  readonly connectMs: number
  readonly sendMs: number
  readonly readMs: number
}

export interface CompiledUpstream {
  /** Such as `upstreams/1`. */
  readonly key: string
  readonly nodes: readonly UpstreamNode[]
  readonly timeouts: Timeouts
  readonly retries: number
  readonly retryMs: number
  readonly passHost: 'pass' | 'node' | 'rewrite'
  readonly rewrittenHost: string
  readonly passive: PassiveChecks | null
  /** Requests under way are counted, because the balancer goes by them. */
  readonly countsBusy: boolean
  /** The time to the first byte is measured, because the balancer goes by it. */
  readonly measuresLatency: boolean
  /** Its hash goes by a variable of the body. */
  readonly readsBody: boolean
  /** Lines that are added to the head of every request to it. */
  readonly ownHeaders: ((ctx: Context) => string) | null
  /** The next node that was not tried yet; undefined when none is left. */
  pick(ctx: Context): UpstreamNode | undefined
}

export interface UpstreamDeps {
  readonly memory: Memory
  readonly pools: Pools<Context>
  readonly verifyTls: boolean
  /** Of an `ssl` of the type `client`. */
  findClientPair(id: string): ClientPair | undefined
}

type Choose = (key: string) => UpstreamNode | undefined

export const DEFAULT_TIMEOUT_MS = 60_000
/** A cycle of a balancer can have 100,000 places. */
const MAX_AGAIN = 16

export function compileUpstream(
  key: string,
  value: UpstreamValue,
  slots: UpstreamSlots,
  deps: UpstreamDeps,
): CompiledUpstream {
  const { memory } = deps
  const pairOf = compilePair(value.tls, deps)
  const nodes = nodesOf(value, slots.discovered).map((node) =>
    compileNode(node, value, slots, { ...deps, pairOf }),
  )
  const candidates = nodes.filter(({ weight }) => weight > 0)
  const balancer = balancers.get(value.type ?? 'roundrobin')
  const keyOf = hashKeyOf(value)
  const cursor = createCursor(slots.cursor, memory)
  const prepare = (usable: readonly UpstreamNode[]): Choose =>
    usable.length === 0 || !balancer ? () => undefined : balancer.prepare(usable, { cursor })
  const failsWhenUnhealthy = value.checks?.when_all_unhealthy === 'fail'
  let choose: Choose = () => undefined
  /** Among those that are left, by which were tried: most requests that are sent again have met the same node. */
  const again = createLru<string, Choose>(MAX_AGAIN)
  let preparedFor = Number.NaN

  return {
    key,
    nodes,
    timeouts: toTimeouts(value.timeout),
    retries: value.retries ?? Math.max(0, nodes.length - 1),
    retryMs: (value.retry_timeout ?? 0) * 1000,
    passHost: value.pass_host ?? 'pass',
    rewrittenHost: value.upstream_host ?? '',
    passive: readPassive(value.checks),
    countsBusy: balancer?.countsBusy ?? false,
    measuresLatency: balancer?.measuresLatency ?? false,
    readsBody: value.type === 'chash' && mentionsBody(value.key),
    ownHeaders: null,
    pick,
  }

  function pick(ctx: Context): UpstreamNode | undefined {
    const version = memory.version()
    if (version !== preparedFor) {
      preparedFor = version
      again.clear()
      choose = prepare(ofHighestPriority(usable()))
    }
    return (ctx.tried ? chooseAgain(ctx.tried) : choose)(keyOf(ctx))
  }

  function chooseAgain(tried: readonly UpstreamNode[]): Choose {
    const name = tried.map((node) => nodes.indexOf(node)).join()
    const known = again.find(name)
    if (known) return known
    const rest = usable().filter((node) => !tried.includes(node))
    return again.keep(name, prepare(ofHighestPriority(rest)))
  }

  /**
   * Healthy nodes; all of them when none is healthy. Those that a request has tried are among them: that
   * one node has failed it makes no other node healthy.
   */
  function usable(): readonly UpstreamNode[] {
    // Nobody would find out that a node has recovered once its checks are gone.
    if (!value.checks) return candidates
    const healthy = candidates.filter(({ slot }) => memory.isHealthy(slot))
    return healthy.length > 0 || failsWhenUnhealthy ? healthy : candidates
  }
}

function ofHighestPriority(nodes: readonly UpstreamNode[]): readonly UpstreamNode[] {
  const top = Math.max(...nodes.map(({ priority }) => priority))
  return nodes.filter(({ priority }) => priority === top)
}

export function toTimeouts(value: TimeoutValue | undefined): Timeouts {
  const ms = (seconds: number | undefined) =>
    seconds === undefined ? DEFAULT_TIMEOUT_MS : Math.max(1, Math.round(seconds * 1000))
  return { connectMs: ms(value?.connect), sendMs: ms(value?.send), readMs: ms(value?.read) }
}

type PairOf = (() => ClientPair | null) | null

/** Null: the gateway shows nothing of itself. A certificate by its id may be replaced at any time. */
function compilePair(tls: UpstreamTls | undefined, { findClientPair }: UpstreamDeps): PairOf {
  const { client_cert: cert, client_key: key, client_cert_id: id } = tls ?? {}
  if (id !== undefined) return () => findClientPair(String(id)) ?? null
  if (cert === undefined || key === undefined) return null
  const pair = compileClientPair({ cert, key })
  return () => pair
}

function compileNode(
  {
    host,
    port,
    weight,
    priority,
  }: { host: string; port: number; weight: number; priority: number },
  value: UpstreamValue,
  slots: UpstreamSlots,
  { memory, pools, verifyTls, pairOf }: UpstreamDeps & { readonly pairOf: PairOf },
): UpstreamNode {
  const name = nodeName({ host, port })
  const slot = slots.nodes[name] ?? NO_SLOT
  const isTls = value.scheme === 'https'
  const servername = serverNameOf(value, host)
  const { size = 320, idle_timeout: idle = 60, requests = 1000 } = value.keepalive_pool ?? {}
  const known = new Map<number, Pool<Context>>()
  let pair: ClientPair | null = null
  return {
    name,
    host,
    port,
    weight,
    priority,
    slot,
    hostHeader: port === (isTls ? 443 : 80) ? name.slice(0, name.lastIndexOf(':')) : name,
    busy: () => memory.busy(slot),
    latency: () => memory.latency(slot, Date.now()),
    pool,
  }

  function pool(connectMs: number): Pool<Context> {
    if (pairOf) follow(pairOf())
    const found = known.get(connectMs)
    if (found) return found
    const verify = value.tls?.verify ?? verifyTls
    const made = pools.get({
      host,
      port,
      socketPath: null,
      tls: isTls ? { verify, servername, pair } : null,
      connectMs,
      size,
      idleMs: idle * 1000,
      requests,
    })
    known.set(connectMs, made)
    return made
  }

  function follow(current: ClientPair | null) {
    if (current === pair) return
    pair = current
    known.clear()
  }
}

/** The value that a consistent hash goes by; the client's address when there is none. */
function hashKeyOf({
  type,
  hash_on: on = 'vars',
  key = '',
}: UpstreamValue): (ctx: Context) => string {
  if (type !== 'chash') return () => ''
  const combination = compileTemplate(on === 'vars_combinations' ? key : '')
  const find = (ctx: Context) => {
    switch (on) {
      case 'header':
        return lookUp(ctx, `http_${key}`)
      case 'cookie':
        return lookUp(ctx, `cookie_${key}`)
      case 'consumer':
        return ctx.consumer?.username
      case 'vars_combinations':
        return combination.render(ctx)
      default:
        return lookUp(ctx, key)
    }
  }
  return (ctx) => find(ctx) || ctx.remoteAddr
}

function createCursor(cursor: number, memory: Memory) {
  let own = 0
  return {
    next: (length: number) => (cursor === NO_SLOT ? own++ % length : memory.next(cursor, length)),
  }
}
