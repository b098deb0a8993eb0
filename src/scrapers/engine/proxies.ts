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
  hasAnswered: boolean
  /** In a row. */
  failures: number
  /** How often the pool had answered when the row began. */
  answersBefore: number
  restsUntilMs: number
}

const MAX_FAILURES = 3
const REST_MS = 60_000
const LOOK_AGAIN_MS = 1_000
/** What may be the fault of a proxy or of what lies behind it. */
const DOUBTFUL = new Set(['connection_refused', 'connection_reset', 'timeout', 'invalid_response'])

/**
 * Requests go through the proxies of a pool, never past them (scrapers contract §7). A proxy that cannot be reached, or
 * has never answered, is passed over at once. Of one that has, a failure is that of the page, which comes again by its own
 * rules. Failures in doubt make a proxy rest only when others were answered meanwhile: a dead site must not cost the pool.
 */
export function createProxies({ strategy, addresses, random, open, now }: Deps) {
  const proxies = addresses.map((address): Proxy => {
    const client = open(address)
    return { client, hasAnswered: false, failures: 0, answersBefore: 0, restsUntilMs: 0 }
  })
  const byHost = new Map<string, Proxy>()
  let turn = 0
  let answers = 0
  return { use, close, size: proxies.length }

  /** Each proxy is tried once at most; `work` takes a slot of the rate each time. */
  async function use<Answer extends { readonly ok: true }>(
    host: string,
    work: (client: Outbound) => Promise<Answer | Refusal>,
  ): Promise<Answer | Refusal> {
    const tried = new Set<Proxy>()
    let inDoubt: Refusal | undefined
    for (;;) {
      const proxy = choose(host, tried)
      if (!proxy) return inDoubt ?? nobody(host, tried.size > 0)
      const answer = await work(proxy.client)
      if (answer.ok) {
        answers++
        proxy.failures = 0
        proxy.hasAnswered = true
        return answer
      }
      const { isOfProxy, code } = answer
      if (!isOfProxy && !DOUBTFUL.has(code)) return answer
      note(proxy, isOfProxy)
      byHost.delete(host)
      if (!isOfProxy && proxy.hasAnswered) return answer
      if (!isOfProxy) inDoubt = answer
      tried.add(proxy)
    }
  }

  /** Nobody is asked: a moment's wait keeps the retries from running through at once. */
  async function nobody(host: string, wasTried: boolean): Promise<Refusal> {
    if (!wasTried) await delay(LOOK_AGAIN_MS)
    return {
      ...{ ok: false, code: 'connection_refused', url: host, redirects: [], durationMs: 0 },
      ...{ message: NO_PROXY, isOfProxy: true },
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

  function note(proxy: Proxy, isOfProxy: boolean) {
    if (proxy.failures === 0) proxy.answersBefore = answers
    proxy.failures++
    const isItsFault = isOfProxy || answers > proxy.answersBefore
    if (proxy.failures < MAX_FAILURES || !isItsFault) return
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
