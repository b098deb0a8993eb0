/**
 * Finds the route of a request among many thousands: by host, then by path, then in the order of
 * contract §4.1. Changed in place between two requests, so one change costs the same however many
 * routes there are.
 */
import { createPathIndex, type PathIndex, type PathPattern, parsePattern } from './path-index.ts'

/** What the router needs of a route; the rest belongs to the caller. */
export interface Routable {
  readonly id: string
  readonly uris: readonly string[]
  readonly hosts: readonly string[]
  readonly priority: number
  readonly createdIndex: number
  readonly varsCount: number
  readonly hasMethods: boolean
  /** The conditions beside host and path. */
  accepts(request: Matched, pattern: PathPattern): boolean
}

export interface Matched {
  readonly method: string
  readonly path: string
  readonly host: string
}

/** One route under one of its hosts and paths. */
export interface Entry<R extends Routable> {
  readonly route: R
  readonly hostRank: number
  /** The configured host that matched; null when the route takes any. */
  readonly host: string | null
  readonly pattern: PathPattern
}

export function createRouter<R extends Routable>() {
  const anyHost = createPathIndex<R>(compareEntries)
  const exactHosts = new Map<string, PathIndex<R>>()
  const wildcards = new Map<string, PathIndex<R>>()
  const lists: Entry<R>[][] = []
  return { add, remove, match, candidates }

  function add(route: R) {
    eachPlace(route, (index, entry) => index.add(entry))
  }

  function remove(route: R) {
    eachPlace(route, (index, { pattern }) => index.remove(route, pattern))
  }

  function eachPlace(route: R, work: (index: PathIndex<R>, entry: Entry<R>) => void) {
    const hosts = route.hosts.length === 0 ? [null] : route.hosts
    for (const host of hosts) {
      const index = indexFor(host)
      for (const uri of route.uris) {
        work(index, { route, host, hostRank: rankOf(host), pattern: parsePattern(uri) })
      }
      if (host !== null && index.isEmpty()) mapFor(host).delete(keyOf(host))
    }
  }

  function indexFor(host: string | null): PathIndex<R> {
    if (host === null) return anyHost
    const map = mapFor(host)
    const index = map.get(keyOf(host)) ?? createPathIndex<R>(compareEntries)
    map.set(keyOf(host), index)
    return index
  }

  function mapFor(host: string) {
    return host.startsWith('*.') ? wildcards : exactHosts
  }

  /** Every entry of the path and host, best first, whether its route accepts the request or not. */
  function candidates(request: Matched): Entry<R>[] {
    collect(request)
    return lists.flat().sort(compareEntries)
  }

  function collect(request: Matched) {
    lists.length = 0
    if (exactHosts.size > 0) exactHosts.get(request.host)?.collect(request.path, lists)
    if (wildcards.size > 0) collectWildcards(request)
    anyHost.collect(request.path, lists)
  }

  /** The best entry whose route accepts the request; the lists are each in order already. */
  function match(request: Matched): Entry<R> | undefined {
    collect(request)
    if (lists.length === 0) return undefined
    const [only] = lists
    if (lists.length === 1 && only) {
      for (const entry of only) if (entry.route.accepts(request, entry.pattern)) return entry
      return undefined
    }
    return bestOf(request)
  }

  function collectWildcards({ host, path }: Matched) {
    let dot = host.indexOf('.')
    while (dot !== -1) {
      wildcards.get(host.slice(dot + 1))?.collect(path, lists)
      dot = host.indexOf('.', dot + 1)
    }
  }

  function bestOf(request: Matched): Entry<R> | undefined {
    const positions = lists.map(() => 0)
    for (;;) {
      let best: Entry<R> | undefined
      let from = -1
      for (let list = 0; list < lists.length; list++) {
        const entry = lists[list]?.[positions[list] ?? 0]
        if (!entry || (best && compareEntries(best, entry) <= 0)) continue
        best = entry
        from = list
      }
      if (!best || best.route.accepts(request, best.pattern)) return best
      positions[from] = (positions[from] ?? 0) + 1
    }
  }
}

/** Contract §4.1: below 0 when `a` goes first. */
function compareEntries<R extends Routable>(a: Entry<R>, b: Entry<R>): number {
  return (
    b.route.priority - a.route.priority ||
    b.hostRank - a.hostRank ||
    b.pattern.rank - a.pattern.rank ||
    b.route.varsCount - a.route.varsCount ||
    Number(b.route.hasMethods) - Number(a.route.hasMethods) ||
    a.route.createdIndex - b.route.createdIndex ||
    (a.route.id < b.route.id ? -1 : a.route.id > b.route.id ? 1 : 0)
  )
}

const EXACT_HOST = 1_000_000

function rankOf(host: string | null): number {
  if (host === null) return 0
  return host.startsWith('*.') ? host.length : EXACT_HOST
}

function keyOf(host: string): string {
  return host.startsWith('*.') ? host.slice(2) : host
}
