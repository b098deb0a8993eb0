import type { Definition } from './definition/definition.ts'

export interface Scraper {
  readonly id: number
  readonly userId: number
  /** The same user as events name one. */
  readonly consumerId: string
  readonly definition: Definition
  readonly status: ScraperStatus
  readonly nextRunAtMs: number | null
  readonly createdAtMs: number
  readonly updatedAtMs: number
}

export type RunStatus = 'pending' | 'running' | FinalStatus
export type FinalStatus = 'completed' | 'failed' | 'stopped'
export type ScraperStatus = 'idle' | 'running' | FinalStatus
export type Trigger = 'manual' | 'schedule'

export type FinishReason =
  | 'exhausted'
  | 'max_pages'
  | 'max_items'
  | 'max_duration'
  | 'stopped'
  | 'error'

export type RunErrorCode =
  | 'start_url_failed'
  | 'robots_disallowed'
  | 'address_not_allowed'
  | 'no_proxy_available'
  | 'owner_not_allowed'
  | 'renderer_unavailable'
  | 'worker_lost'
  | 'internal_error'

export interface RunError {
  readonly code: RunErrorCode
  readonly message: string
}

/** What a run has done so far; added to in the transaction of each page. */
export interface RunCounts {
  readonly itemsCollected: number
  readonly pagesFetched: number
  readonly pagesFailed: number
  readonly pagesSkipped: number
  readonly pagesQueued: number
  readonly retries: number
  readonly bytesDownloaded: number
  readonly itemsNew: number
  readonly itemsChanged: number
  readonly itemsUnchanged: number
  readonly itemsMissing: number
}

export interface Run extends RunCounts {
  readonly id: number
  readonly scraperId: number
  readonly status: RunStatus
  readonly trigger: Trigger
  /** As it was when the run was started. */
  readonly definition: Definition
  readonly startedAtMs: number
  readonly executingAtMs: number | null
  readonly finishedAtMs: number | null
  readonly finishReason: FinishReason | null
  readonly error: RunError | null
  readonly recoveries: number
  readonly activeMs: number
  readonly previousId: number | null
  readonly isStopRequested: boolean
}

export type LogLevel = 'info' | 'warn' | 'error'
export type LogType = 'page' | 'skip' | 'retry' | 'error' | 'state' | 'publish'

export interface LogLine {
  readonly id: number
  readonly atMs: number
  readonly level: LogLevel
  readonly type: LogType
  readonly url: string | null
  readonly statusCode: number | null
  readonly message: string
}

export type Change = 'new' | 'changed' | 'unchanged'

export interface Item {
  readonly id: number
  readonly runId: number
  readonly scraperId: number
  readonly url: string
  readonly statusCode: number
  readonly contentType: string | null
  readonly depth: number
  readonly fetchedAtMs: number
  readonly change: Change
  readonly contentHash: string
  readonly entry: PublishedEntry | null
  /** JSON text. */
  readonly data: string
}

export interface PublishedEntry {
  readonly type: string
  readonly documentId: string
  readonly id: number
}

export type PoolStrategy = 'round_robin' | 'random' | 'sticky_host'

export interface ProxyPool {
  readonly id: number
  readonly name: string
  readonly strategy: PoolStrategy
  readonly proxies: readonly string[]
  readonly createdAtMs: number
}

export function isLive(status: string): status is 'pending' | 'running' {
  return status === 'pending' || status === 'running'
}
