import type { Generated } from 'kysely'
import type { LeaseColumns } from '#jobs'

export interface ScrapersTables {
  scrapers_scrapers: ScraperRow
  scrapers_runs: RunRow
  scrapers_pages: PageRow
  scrapers_items: ItemRow
  scrapers_log: LogRow
  scrapers_entries: EntryRow
  scrapers_pools: PoolRow
  scrapers_files: FileRow
}

interface ScraperRow {
  id: Generated<number>
  user_id: number
  consumer_id: string
  name: string
  /** JSON as on the wire, with headers sealed. */
  definition: string
  rate_limit: number
  proxy_pool: string | null
  next_run_at: number | null
  status: string
  created_at: number
  updated_at: number
  removed_at: number | null
}

interface RunRow extends LeaseColumns {
  id: Generated<number>
  scraper_id: number
  status: string
  trigger_name: string
  config: string
  started_at: number
  executing_at: number | null
  finished_at: number | null
  finish_reason: string | null
  error_code: string | null
  error_message: string | null
  stop_requested: Generated<number>
  previous_id: number | null
  removed_at: number | null
  items_collected: Generated<number>
  pages_fetched: Generated<number>
  pages_failed: Generated<number>
  pages_skipped: Generated<number>
  pages_queued: Generated<number>
  retries: Generated<number>
  bytes_downloaded: Generated<number>
  items_new: Generated<number>
  items_changed: Generated<number>
  items_unchanged: Generated<number>
  items_missing: Generated<number>
  recoveries: Generated<number>
  idle_recoveries: Generated<number>
  pages_at_recovery: Generated<number>
  active_ms: Generated<number>
}

interface PageRow {
  id: Generated<number>
  run_id: number
  url_hash: string
  url: string
  depth: number
  is_start: number
  kind: string
  state: string
  attempts: number
  due_at: number | null
  outcome: string | null
  etag: string | null
  last_modified: string | null
  /** Hashes of the URLs it leads to, with spaces between them; null where nobody will ask. */
  links: string | null
}

interface ItemRow {
  id: Generated<number>
  scraper_id: number
  run_id: number
  page_hash: string
  key_hash: string
  url: string
  status_code: number
  content_type: string | null
  depth: number
  fetched_at: number
  change_kind: string
  content_hash: string
  data: string
  entry: string | null
}

interface LogRow {
  id: Generated<number>
  run_id: number
  at: number
  level: string
  type: string
  url: string | null
  status_code: number | null
  message: string
  item: string | null
}

interface EntryRow {
  scraper_id: number
  key_hash: string
  type: string
  document_id: string
  entry_id: number
  locale: string | null
  run_id: number
  values_hash: string
  written: string
  is_gone: number
}

interface FileRow {
  scraper_id: number
  url_hash: string
  file_id: number
  etag: string | null
  last_modified: string | null
  digest: string
}

interface PoolRow {
  id: Generated<number>
  name: string
  strategy: string
  proxies: string
  created_at: number
}
