/** Nodes that are found by name: resolved again when their records expire (contract §3.1). */
import { promises as dns } from 'node:dns'
import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '#kernel'
import type { NodeValue, UpstreamValue } from './resources/values.ts'

interface Deps {
  readonly log: Log
  /** The nodes of an upstream are others now. */
  onChange(key: string): void
  /** Whom names are asked of; the servers of the system when it is left out. */
  readonly resolver?: Resolver
}

type Resolver = Pick<dns.Resolver, 'resolve4' | 'resolve6' | 'resolveSrv'>

interface Followed {
  readonly name: string
  nodes: readonly NodeValue[] | undefined
  timer: NodeJS.Timeout | undefined
  /** Somebody waits for the first answer and will take it from there. */
  isAwaited: boolean
}

/** A name server that does not answer must not hold up changes. */
const FIRST_WITHIN_MS = 1_000

const SHORTEST_MS = 1_000
const LONGEST_MS = 60_000
/** For names that come without a time to live, such as those of a hosts file. */
const UNTIMED_MS = 5_000
/** `_http._tcp.example.org` */
const SERVICE = /^_[^.]+\._[^.]+\./

export function createDiscovery({ log, onChange, resolver = dns }: Deps) {
  const followed = new Map<string, Followed>()
  return { follow, forget, nodesOf: (key: string) => followed.get(key)?.nodes, close }

  /** Resolves when the name was looked up once, so that the upstream is saved with its nodes. */
  async function follow(key: string, upstream: UpstreamValue): Promise<void> {
    const { service_name: name } = upstream
    if (followed.get(key)?.name === name) return
    forget(key)
    if (name === undefined) return
    const entry: Followed = { name, nodes: undefined, timer: undefined, isAwaited: true }
    followed.set(key, entry)
    await Promise.race([refresh(key, entry), delay(FIRST_WITHIN_MS, undefined, { ref: false })])
    entry.isAwaited = false
  }

  async function refresh(key: string, entry: Followed): Promise<void> {
    const before = JSON.stringify(entry.nodes)
    let againMs = UNTIMED_MS
    try {
      const { nodes, ttlMs } = await resolve(entry.name, resolver)
      entry.nodes = nodes
      againMs = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, ttlMs))
    } catch (error) {
      // The nodes known so far are better than none.
      log.warn({ err: error, upstream: key, name: entry.name }, 'a name cannot be resolved')
    }
    if (followed.get(key) !== entry) return
    entry.timer = setTimeout(() => void refresh(key, entry), againMs)
    entry.timer.unref()
    if (entry.isAwaited || before === JSON.stringify(entry.nodes)) return
    try {
      onChange(key)
    } catch (error) {
      log.error({ err: error, upstream: key }, 'nodes that were found cannot be used')
    }
  }

  function forget(key: string): void {
    clearTimeout(followed.get(key)?.timer)
    followed.delete(key)
  }

  function close(): void {
    for (const key of [...followed.keys()]) forget(key)
  }
}

interface Found {
  readonly nodes: readonly NodeValue[]
  readonly ttlMs: number
}

function resolve(service: string, resolver: Resolver): Promise<Found> {
  return SERVICE.test(service) ? resolveService(service, resolver) : resolveHost(service, resolver)
}

/**
 * RFC 2782: a lower priority goes first, which here is the higher one; weight 0 is a small share,
 * not none. Targets stay names, so that certificates can be checked by them. The system does not
 * tell how long such records live, so they are asked for again soon.
 */
async function resolveService(service: string, resolver: Resolver): Promise<Found> {
  const records = await resolver.resolveSrv(service)
  const nodes = records
    .filter(({ name }) => name !== '' && name !== '.')
    .map(({ name, port, weight, priority }) => ({
      host: name,
      port,
      weight: Math.max(1, weight),
      priority: -priority,
    }))
    .sort((a, b) => (`${a.host}:${a.port}` < `${b.host}:${b.port}` ? -1 : 1))
  return { nodes, ttlMs: UNTIMED_MS }
}

async function resolveHost(service: string, resolver: Resolver): Promise<Found> {
  const [, name = service, port] = /^(.*):(\d{1,5})$/.exec(service) ?? []
  const [four, six] = await Promise.all([
    resolver.resolve4(name, { ttl: true }).catch(() => []),
    resolver.resolve6(name, { ttl: true }).catch(() => []),
  ])
  const records = [...four, ...six]
  const addresses =
    records.length > 0
      ? records.map(({ address }) => address)
      : (await dns.lookup(name, { all: true })).map(({ address }) => address)
  const ttlMs = records.length > 0 ? Math.min(...records.map(({ ttl }) => ttl)) * 1000 : UNTIMED_MS
  const nodes = [...new Set(addresses)].sort().map((host) => ({
    host,
    weight: 1,
    ...(port === undefined ? {} : { port: Number(port) }),
  }))
  return { nodes, ttlMs }
}
