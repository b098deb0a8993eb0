import { setTimeout as delay } from 'node:timers/promises'
import type { Outbound } from '#http'
import type { Random } from '#kernel'
import type { PoolStrategy } from '../records.ts'

interface Deps {
  readonly strategy: PoolStrategy
  readonly addresses: readonly string[]
  readonly random: Random
  /** A client whose requests go through the proxy. */
  open(address: string): Outbound
  now(): number
}

type Refusal = Extract<Awaited<ReturnType<Outbound['send']>>, { ok: false }>

interface Proxy {
  readonly client: Outbound
  failures: number
  restsUntilMs: number
}

const MAX_FAILURES = 3
const REST_MS = 60_000
const LOOK_AGAIN_MS = 1_000
/** How the way to a proxy fails, as opposed to what lies behind it. */
const PROXY_FAULTS = new Set(['connection_refused', 'connection_reset', 'timeout', 'dns_error'])

/** Requests go through the proxies of a pool, never past them (scrapers contract §7). */
export function createProxies({ strategy, addresses, random, open, now }: Deps) {
  const proxies = addresses.map((address): Proxy => {
    return { client: open(address), failures: 0, restsUntilMs: 0 }
  })
  const byHost = new Map<string, Proxy>()
  let turn = 0
  return { use, close, size: proxies.length }

  /** Each proxy is tried once at most. */
  async function use<Answer extends { readonly ok: true }>(
    host: string,
    work: (client: Outbound) => Promise<Answer | Refusal>,
  ): Promise<Answer | Refusal> {
    const tried = new Set<Proxy>()
    for (;;) {
      const proxy = choose(host, tried)
      if (!proxy) return nobody(host, tried.size > 0)
      const answer = await work(proxy.client)
      if (answer.ok || !PROXY_FAULTS.has(answer.code)) {
        proxy.failures = 0
        return answer
      }
      note(proxy)
      tried.add(proxy)
      byHost.delete(host)
    }
  }

  /** Nobody is asked: a moment's wait keeps the retries from running through at once. */
  async function nobody(host: string, wasTried: boolean): Promise<Refusal> {
    if (!wasTried) await delay(LOOK_AGAIN_MS)
    return {
      ...{ ok: false, code: 'connection_refused', url: host, redirects: [], durationMs: 0 },
      message: NO_PROXY,
    }
  }

  function choose(host: string, tried: ReadonlySet<Proxy>): Proxy | undefined {
    const nowMs = now()
    const usable = proxies.filter((proxy) => proxy.restsUntilMs <= nowMs && !tried.has(proxy))
    if (usable.length === 0) return undefined
    if (strategy === 'random') return usable[random.bytes(2).readUInt16BE() % usable.length]
    if (strategy === 'round_robin') return usable[turn++ % usable.length]
    const before = byHost.get(host)
    if (before && usable.includes(before)) return before
    const chosen = usable[turn++ % usable.length]
    if (chosen) byHost.set(host, chosen)
    return chosen
  }

  function note(proxy: Proxy) {
    proxy.failures++
    if (proxy.failures < MAX_FAILURES) return
    proxy.failures = 0
    proxy.restsUntilMs = now() + REST_MS
  }

  async function close() {
    await Promise.all(proxies.map(({ client }) => client.close()))
  }
}

export type Proxies = ReturnType<typeof createProxies>

/** The message of a request that no proxy could take. */
export const NO_PROXY = 'No proxy of the pool is usable'

/** Through a proxy of the pool where there is one; else directly. */
export type Way = Pick<Proxies, 'use'>

export function directWay(client: Outbound): Way {
  return { use: (_host, work) => work(client) }
}
