import type { Node, Nodes } from './nodes.ts'
import type { TrafficCounts, TrafficPoint } from './traffic.ts'

/** A change of content, as its event told it. */
export interface LatestChange {
  readonly event: string
  readonly type: string
  readonly documentId: string
  readonly locale: string | null
  readonly atMs: number
}

interface FailingSubscription {
  readonly id: string
  /** Whose it is: nobody else finds it. */
  readonly consumerId: string
  readonly endpointUrl: string
  readonly isActive: boolean
  readonly failureCount: number
  readonly disabledReason: string | null
}

interface FailingNode {
  readonly upstream: string
  readonly host: string
  readonly port: number
}

interface LiveRun {
  readonly id: number
  readonly scraperId: number
  readonly scraper: string
  readonly status: string
  readonly startedAtMs: number
  readonly itemsCollected: number
  readonly pagesFetched: number
}

/** Of what may be many: how many there are, and some of them. */
interface Some<T> {
  readonly total: number
  readonly some: readonly T[]
}

export interface OverviewDeps {
  readonly nodes: Nodes
  readonly traffic: Pick<TrafficCounts, 'series'>
  readonly version: string
  readonly database: string
  /** Bytes by part, and what is left. */
  storage(): Promise<{ readonly parts: Readonly<Record<string, number>>; readonly free: number }>
  latestChanges(limit: number): Promise<readonly LatestChange[]>
  failingSubscriptions(limit: number): Promise<Some<FailingSubscription>>
  failingNodes(): readonly FailingNode[]
  liveRuns(limit: number): Promise<Some<LiveRun>>
}

export interface Overview {
  readonly version: string
  readonly database: string
  readonly nodes: readonly Node[]
  readonly storage: Awaited<ReturnType<OverviewDeps['storage']>>
  readonly traffic: readonly TrafficPoint[]
  readonly changes: readonly LatestChange[]
  readonly subscriptions: Some<FailingSubscription>
  readonly upstreams: readonly FailingNode[]
  readonly runs: Some<LiveRun>
}

const SHOWN = 8

/** What a person who looks after the server wants to see first, in one answer. */
export function createOverview(deps: OverviewDeps) {
  return async (): Promise<Overview> => {
    const [nodes, storage, traffic, changes, subscriptions, runs] = await Promise.all([
      deps.nodes.list(),
      deps.storage(),
      deps.traffic.series(),
      deps.latestChanges(SHOWN),
      deps.failingSubscriptions(SHOWN),
      deps.liveRuns(SHOWN),
    ])
    const { version, database } = deps
    const upstreams = deps.failingNodes()
    return {
      ...{ version, database, nodes, storage, traffic },
      ...{ changes, subscriptions, upstreams, runs },
    }
  }
}
