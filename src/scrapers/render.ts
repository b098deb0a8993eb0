import { renderTime, renderTimeOrNull } from '#kernel'
import { writeDefinition } from './definition/definition.ts'
import { renderChanges } from './lifecycle.ts'
import { maskProxy } from './pools.ts'
import type { LogLine, ProxyPool, Run, Scraper } from './records.ts'

export function renderScraper(scraper: Scraper) {
  const { name, url, schedule, proxy_pool, rate_limit, headers, timezone, ...rest } =
    writeDefinition(scraper.definition)
  const { schedule_enabled, start_urls, ...inner } = rest
  return {
    id: scraper.id,
    ...{ name, url, schedule, proxy_pool, rate_limit, headers },
    status: scraper.status,
    ...{ timezone, schedule_enabled },
    next_run_at: renderTimeOrNull(scraper.nextRunAtMs),
    ...{ start_urls, ...inner },
    user_id: scraper.userId,
    created_at: renderTime(scraper.createdAtMs),
    updated_at: renderTime(scraper.updatedAtMs),
  }
}

export function renderRun(run: Run) {
  const { startedAtMs, finishedAtMs } = run
  return {
    id: run.id,
    scraper_id: run.scraperId,
    status: run.status,
    started_at: renderTime(startedAtMs),
    items_collected: run.itemsCollected,
    trigger: run.trigger,
    executing_at: renderTimeOrNull(run.executingAtMs),
    finished_at: renderTimeOrNull(finishedAtMs),
    duration_ms: finishedAtMs === null ? null : finishedAtMs - startedAtMs,
    finish_reason: run.finishReason,
    pages_fetched: run.pagesFetched,
    pages_failed: run.pagesFailed,
    pages_skipped: run.pagesSkipped,
    pages_queued: run.pagesQueued,
    retries: run.retries,
    bytes_downloaded: run.bytesDownloaded,
    changes: renderChanges(run),
    recoveries: run.recoveries,
    error: run.error,
    config: writeDefinition(run.definition),
  }
}

/** Doc 1 §2.3. */
export function renderStatus(scraper: Scraper, run: Run | undefined) {
  return {
    id: scraper.id,
    status: run?.status ?? 'idle',
    last_run: run ? renderTime(run.startedAtMs) : null,
    items_count: run?.itemsCollected ?? 0,
    run_id: run?.id ?? null,
    next_run_at: renderTimeOrNull(scraper.nextRunAtMs),
  }
}

export function renderLine(line: LogLine) {
  return {
    id: line.id,
    at: renderTime(line.atMs),
    level: line.level,
    type: line.type,
    url: line.url,
    status_code: line.statusCode,
    message: line.message,
  }
}

export function renderPool({ name, strategy, proxies, createdAtMs }: ProxyPool) {
  return {
    ...{ name, strategy },
    proxies: proxies.map(maskProxy),
    created_at: renderTime(createdAtMs),
  }
}
