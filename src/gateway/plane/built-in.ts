import { FORWARDED_HEADER, signForwarded } from '#access-thread'
import { NO_SLOT } from '../memory.ts'
import type { ApiAddress } from '../protocol.ts'
import type { PoolSettings } from './client/pool.ts'
import type { Context } from './context.ts'
import { publicSideOf } from './public-side.ts'
import {
  type CompiledUpstream,
  DEFAULT_TIMEOUT_MS,
  type UpstreamDeps,
  type UpstreamNode,
} from './upstream.ts'

interface Deps extends UpstreamDeps {
  readonly api: ApiAddress | null
  now(): number
}

export const BUILT_IN = 'entrepot'

/** Contract §3.1: the main API of the installation as an upstream. */
export function createBuiltIn({ api, pools, verifyTls, now }: Deps): CompiledUpstream {
  const node = api && toNode(settingsOf(api, verifyTls), pools)
  return {
    key: `upstreams/${BUILT_IN}`,
    nodes: node ? [node] : [],
    timeouts: {
      connectMs: DEFAULT_TIMEOUT_MS,
      sendMs: DEFAULT_TIMEOUT_MS,
      readMs: DEFAULT_TIMEOUT_MS,
    },
    retries: 0,
    retryMs: 0,
    // Another node may serve several names and has to be called by its own.
    passHost: api && 'url' in api ? 'node' : 'pass',
    rewrittenHost: '',
    passive: null,
    countsBusy: false,
    measuresLatency: false,
    readsBody: false,
    ownHeaders: api ? (ctx) => introduction(ctx, api.secret, now()) : null,
    pick: ({ tried }) => (tried || !node ? undefined : node),
  }
}

/** Tells the API for whom it works, in a way that nobody else can. */
function introduction(ctx: Context, secret: string, nowMs: number): string {
  const { forwardMethod: method, forwardPath, forwardQuery, remoteAddr: address, sale } = ctx
  const actor = sale?.principal.actor ?? null
  const message = { method, target: `${forwardPath}${forwardQuery}`, nowMs }
  const forwarded = { address, actor, ...publicSideOf(ctx) }
  return `${FORWARDED_HEADER}: ${signForwarded(secret, forwarded, message)}\r\n`
}

type Target = Pick<PoolSettings, 'host' | 'port' | 'tls' | 'socketPath'>

function settingsOf(api: ApiAddress, verify: boolean): Target {
  if ('socketPath' in api) {
    return { host: 'localhost', port: 80, tls: null, socketPath: api.socketPath }
  }
  const { protocol, hostname, port } = new URL(api.url)
  const isTls = protocol === 'https:'
  const host = hostname.replace(/^\[|\]$/g, '')
  const tls = isTls ? { verify, servername: host, pair: null } : null
  return { host, port: Number(port) || (isTls ? 443 : 80), tls, socketPath: null }
}

function toNode(target: Target, pools: UpstreamDeps['pools']): UpstreamNode {
  const { host, port, tls } = target
  const limits = { size: 320, idleMs: 60_000, requests: 1_000 }
  const isUsual = port === (tls ? 443 : 80)
  const shown = host.includes(':') ? `[${host}]` : host
  return {
    name: BUILT_IN,
    host,
    port,
    weight: 1,
    priority: 0,
    slot: NO_SLOT,
    hostHeader: isUsual ? shown : `${shown}:${port}`,
    busy: () => 0,
    latency: () => 0,
    pool: (connectMs) => pools.get({ ...target, ...limits, connectMs }),
  }
}
