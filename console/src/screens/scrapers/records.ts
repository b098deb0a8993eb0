export const SCRAPERS = '/api/v1/scrapers'

/** What a scraper is told to do, as it is sent and shown. */
export interface Definition {
  readonly name: string
  readonly url: string
  readonly schedule?: string | null
  readonly timezone?: string
  readonly crawl?: Readonly<Record<string, unknown>>
  readonly extract?: {
    readonly mode?: string
    readonly item_selector?: string | null
    readonly fields?: Readonly<Record<string, unknown>>
    readonly [member: string]: unknown
  }
  readonly output?: Readonly<Record<string, unknown>> | null
  readonly [member: string]: unknown
}

export interface Scraper extends Definition {
  readonly id: number
  readonly status: string
  readonly next_run_at: string | null
}

export interface Status {
  readonly status: string
  readonly last_run: string | null
  readonly items_count: number
  readonly run_id: number | null
}

export interface Run {
  readonly id: number
  readonly status: string
  readonly trigger: string
  readonly started_at: string
  readonly finished_at: string | null
  readonly duration_ms: number | null
  readonly finish_reason: string | null
  readonly items_collected: number
  readonly pages_fetched: number
  readonly pages_failed: number
  readonly pages_queued: number
  readonly changes: Readonly<Record<string, number>> | null
  readonly error: { readonly code: string; readonly message: string } | null
}

export const LIVE = new Set(['pending', 'running'])
