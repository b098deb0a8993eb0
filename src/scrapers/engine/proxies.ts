import { setTimeout as delay } from 'node:timers/promises'
import type { Outbound, Random } from '#kernel'
import type { PoolStrategy } from '../records.ts'

interface Deps {
  readonly strategy: PoolStrategy
  readonly addresses: readonly string[]
  readonly random: Random
  /** A client whose requests go through the proxy. */
  open(address: string): Outbound
  now(): number
}

type Request = Parameters<Outbound['send']>[0]
type Answer = Awaited<ReturnType<Outbound['send']>>

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
  return { send, close, size: proxies.length }

  /** Each proxy is tried once at most; null when none is usable now. */
  async function send(url: URL, request: Request): Promise<Answer> {
    const tried = new Set<Proxy>()
    for (;;) {
      const proxy = choose(url.host, tried)
      if (!proxy) return nobody(url, tried.size > 0)
      const answer = await proxy.client.send(request)
      if (answer.ok || !PROXY_FAULTS.has(answer.code)) {
        proxy.failures = 0
        return answer
      }
      note(proxy)
      tried.add(proxy)
      byHost.delete(url.host)
    }
  }

  /** Nobody is asked: a moment's wait keeps the retries from running through at once. */
  async function nobody(url: URL, wasTried: boolean): Promise<Answer> {
    if (!wasTried) await delay(LOOK_AGAIN_MS)
    const { href } = url
    return {
      ...{ ok: false, code: 'connection_refused', url: href, redirects: [], durationMs: 0 },
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
