import { recordQuery } from '../../api/lists.ts'

export interface Overview {
  readonly version: string
  readonly database: string
  readonly nodes: readonly {
    readonly id: string
    readonly host: string
    readonly pid: number
    readonly roles: readonly string[]
    readonly threads: number
    readonly gateway_threads: number
    readonly memory_bytes: number
    readonly started_at: string
    readonly is_this: boolean
  }[]
  readonly storage: {
    readonly total_bytes: number
    readonly free_bytes: number
    readonly parts: Readonly<Record<string, number>>
  }
  readonly requests: readonly {
    readonly at: string
    readonly requests: number
    readonly errors: number
    readonly gateway_requests: number
    readonly gateway_errors: number
  }[]
  readonly changes: readonly {
    readonly event: string
    readonly type: string
    readonly document_id: string
    readonly locale: string | null
    readonly at: string
  }[]
  readonly failing_webhooks: {
    readonly total: number
    readonly some: readonly {
      readonly id: string
      readonly consumer_id: string
      readonly endpoint_url: string
      readonly is_active: boolean
      readonly failure_count: number
    }[]
  }
  readonly failing_upstreams: readonly {
    readonly upstream: string
    readonly host: string
    readonly port: number
  }[]
  readonly runs: {
    readonly total: number
    readonly some: readonly {
      readonly id: number
      readonly scraper_id: number
      readonly scraper: string
      readonly status: string
      readonly started_at: string
      readonly items_collected: number
      readonly pages_fetched: number
    }[]
  }
}

export const overviewQuery = recordQuery<Overview>('/api/v1/overview')
