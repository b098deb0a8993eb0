import { setTimeout as delay } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Database } from '#db'
import type { Clock, Log, Random } from '#kernel'
import type { Renderer } from '../browser/renderer.ts'
import { readsAlike } from '../definition/reads-alike.ts'
import type { FinalStatus, FinishReason, Run, RunError, RunErrorCode } from '../records.ts'
import { countMissing } from '../store/items.ts'
import {
  findKept,
  findStartOutcomes,
  findStartUrls,
  findStates,
  hasDonePage,
  type NewPage,
} from '../store/pages.ts'
import type { RunStore } from '../store/runs.ts'
import type { ScrapersTables } from '../tables.ts'
import { type Commit, createCommit, type Publisher, type PublishingRun, RunLost } from './commit.ts'
import { createCookies } from './cookies.ts'
import { createFileSource } from './fetch-file.ts'
import { createPageFetcher, type Outcome } from './fetch-page.ts'
import { createFrontier, type Waiting } from './frontier.ts'
import { createHosts } from './hosts.ts'
import { createPace } from './pace.ts'
import type { Finished } from './page-writes.ts'
import type { Way } from './proxies.ts'
import { createRequests } from './requests.ts'
import { retryPauseMs } from './retries.ts'
import { createRobotsFiles } from './robots-files.ts'
import { createUrls, hashOf } from './urls.ts'
import { createWriteQueue } from './write-queue.ts'

export interface CrawlDeps {
  readonly db: Database
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly runs: RunStore
  readonly run: Run
  /** Whose the run's lease is; writes for the run are made under this name. */
  readonly holder: string
  readonly isRecovery: boolean
  readonly publisher: Publisher | null
  readonly way: Way
  /** Null: pages are read as they came. */
  readonly renderer: Renderer | null
  readonly userAgent: string
  /** Requests a second, as the scraper says now. */
  readonly rate: number
  /** Resolves when a page of the run may be read. */
  takeTurn(signal: AbortSignal): Promise<void>
  /** Carries out a write of the run when its turn comes. */
  write<Result>(work: () => Promise<Result>): Promise<Result>
  readonly undisturbed: PublishingRun['undisturbed']
  /** Something of the run was committed. */
  onProgress(): void
}

/** How the engine thinks a run ended; the caller writes it down. */
export interface CrawlEnd {
  readonly status: Exclude<FinalStatus, 'stopped'>
  readonly reason: Exclude<FinishReason, 'stopped'>
  readonly error: RunError | null
  /** Items of the run before that this one did not see. */
  readonly missing: number
}

/** After a takeover the worker before may have asked a moment ago (scrapers contract §4). */
const RECOVERY_PAUSE_MS = 1_000
/** Pages that are read but not yet written; more would only fill memory. */
const MOST_UNWRITTEN = 100
/** A page and its entry are one plan; more would be a transaction, in which other writers wait for this thread. */
const PUBLISHED_AT_ONCE = 1
const MAX_IDLE_MS = 1_000

/** One run from its first page to its last. `stop` ends it at once; what was written stays. */
export function createCrawl(deps: CrawlDeps) {
  const { db, clock, random, runs, run, holder, way, publisher } = deps
  const { definition } = run
  const { crawl } = definition
  const reader: Kysely<ScrapersTables> = db.main.reader
  const stopping = new AbortController()
  const { signal } = stopping
  const now = () => performance.now()
  const notBeforeMs = deps.isRecovery ? now() + RECOVERY_PAUSE_MS : 0

  const urls = createUrls(crawl)
  const starts = [definition.url, ...definition.startUrls].flatMap(
    (url) => urls.identify(url) ?? [],
  )
  const scopes = [urls.createScope(starts)]
  const pace = createPace({ rate: deps.rate, notBeforeMs, now })
  const hosts = createHosts({ delayMs: crawl.delayMs, now, wallClock: clock.now })
  const cookies = createCookies(clock.now)
  const requests = createRequests({
    ...{ crawl, pace, hosts, cookies, way, userAgent: deps.userAgent },
    headers: definition.headers,
    trustedOrigins: new Set(starts.map(({ origin }) => origin)),
  })
  const robots = createRobotsFiles({
    ...{ requests, signal, now, hosts, random, isRespected: crawl.robots === 'respect' },
    maxRetries: crawl.maxRetries,
  })
  const frontier = createFrontier({ reader, runId: run.id, waitMs: hosts.waitMs, now: clock.now })
  const fetchPage = createPageFetcher({
    ...{ definition, urls, requests, robots, hosts, signal },
    render: deps.renderer
      ? deps.renderer.forRun({
          ...{ crawl, cookies, way, userAgent: deps.userAgent, ownHeaders: requests.ownHeaders },
        })
      : null,
    // All links of a page are kept for the next run.
    isKnown: crawl.incremental ? () => false : frontier.isKnown,
    isInScope: (url) => scopes.some((isInside) => isInside(url)),
    reserve,
    takeTurn: () => deps.takeTurn(signal),
    validatorsOf: async (page) =>
      comparableId === null ? undefined : findKept(reader, comparableId, page),
  })
  const commits: Commit = createCommit({
    ...{ db, runs, run, holder, definition, publisher, throwIfLeft, inTurn: deps.write },
    undisturbed: deps.undisturbed,
    files: createFileSource({
      ...{ requests, robots, urls, hosts, signal, random, log: deps.log },
      maxRetries: crawl.maxRetries,
    }),
  })
  const writing = createWriteQueue({
    ...{ run, now, maxItems: crawl.maxItems, onWritten, commit: commits.commit },
    batchSize: publisher ? PUBLISHED_AT_ONCE : MOST_UNWRITTEN,
  })

  /** Where redirects of pages under way have led, by the page. */
  const reservations = new Map<string, Set<string>>()
  let underWay = 0
  let wake: (() => void) | undefined
  let isLeft = false
  let comparableId: number | null = null
  return { go, stop, leave, setRate: pace.setRate }

  /** As `stop`, but the run is not over: a page whose files were under way comes again with them. */
  function leave() {
    isLeft = true
    stop()
  }

  function throwIfLeft() {
    if (isLeft) signal.throwIfAborted()
  }

  /** Ends requests under way; `go` then rejects with the reason of the signal. */
  function stop() {
    stopping.abort()
    wake?.()
  }

  async function go(): Promise<CrawlEnd> {
    try {
      comparableId = await findComparable()
      await seed()
      const reason = await crawlPages()
      return await conclude(reason)
    } finally {
      stopping.abort()
      await writing.settled()
    }
  }

  /** The run before, where it made the same of a page as this one does: only then it need not be sent again. */
  async function findComparable(): Promise<number | null> {
    if (!crawl.incremental || run.previousId === null) return null
    const before = await runs.find(reader, run.scraperId, run.previousId)
    return before && readsAlike(before.definition, definition) ? before.id : null
  }

  /** Repeated after a crash it adds nothing. */
  async function seed() {
    // Where redirects of start URLs led before the takeover belongs to the scope too.
    const reached = deps.isRecovery ? await findStartUrls(reader, run.id) : []
    if (reached.length > 0) scopes.push(urls.createScope(reached.map((url) => new URL(url))))
    if (crawl.sitemap !== 'only') await commits.addLinks(starts.map(toStart))
    if (crawl.sitemap === 'off') return
    for (const origin of new Set(starts.map((url) => url.origin))) {
      const named = (await sitemapsOf(new URL(origin))).flatMap(
        (text) => urls.identify(text, origin) ?? [],
      )
      const files = named.length > 0 ? named : [new URL('/sitemap.xml', origin)]
      await commits.addLinks(
        files.map(({ href }) => ({ url: href, urlHash: hashOf(href), depth: 0, kind: 'sitemap' })),
      )
    }
  }

  /** Nobody else asks for robots.txt again before the crawl begins. */
  async function sitemapsOf(origin: URL): Promise<readonly string[]> {
    for (let failures = 1; ; failures++) {
      const named = await robots.sitemapsOf(origin)
      if (named || failures > crawl.maxRetries) return named ?? []
      await delay(retryPauseMs(failures, random), undefined, { signal })
    }
  }

  /** Until nothing is left or a limit is reached. */
  async function crawlPages(): Promise<CrawlEnd['reason']> {
    for (;;) {
      signal.throwIfAborted()
      writing.throwIfFailed()
      const limit = reachedLimit()
      if (limit !== null) {
        await settle()
        return limit
      }
      const wasFilled = await frontier.refill()
      const waitMs = begin()
      if (waitMs === null && underWay === 0 && writing.isIdle()) return 'exhausted'
      if (!wasFilled || waitMs !== 0) await pause(Math.min(waitMs ?? MAX_IDLE_MS, leftMs()))
    }
  }

  /** Begins what can begin; answers when to look again, null when nothing waits. */
  function begin(): number | null {
    while (underWay < crawl.concurrency && writing.size() < MOST_UNWRITTEN) {
      // Never exceeded: pages under way may each become one that counts.
      const { pagesFetched } = writing.counts()
      if (pagesFetched + underWay + writing.endedPages() >= crawl.maxPages) return MAX_IDLE_MS
      const picked = frontier.pick()
      if ('isEmpty' in picked) return null
      if ('waitMs' in picked) return Math.min(picked.waitMs, MAX_IDLE_MS)
      void work(picked.page)
    }
    return MAX_IDLE_MS
  }

  async function work(page: Waiting) {
    underWay++
    hosts.enter(page.host)
    try {
      const outcome = await fetchPage(page)
      if (outcome.kind !== 'aborted') take(page, outcome)
    } catch (error) {
      take(page, toFailed(error, page))
    } finally {
      underWay--
      hosts.leave(page.host)
      wake?.()
    }
  }

  /** One page that cannot be read must not end the run. */
  function toFailed(error: unknown, page: Waiting): Exclude<Outcome, { kind: 'aborted' }> {
    deps.log.warn({ err: error, run: run.id, url: page.url }, 'a page could not be read')
    const message = 'The page could not be read'
    return { kind: 'failed', code: 'unreadable', message, status: null, bytes: 0 }
  }

  function take(page: Waiting, outcome: Exclude<Outcome, { kind: 'aborted' }>) {
    const fetchedAtMs = clock.now()
    const retryAtMs = retryTime(page, outcome, fetchedAtMs)
    if (page.isStart && outcome.kind === 'done') scopes.push(urls.createScope([outcome.url]))
    writing.add({ page, outcome, retryAtMs, fetchedAtMs })
  }

  /** What the frontier held of these pages is known to the database now. */
  function onWritten(batch: readonly Finished[]) {
    for (const { page, outcome, retryAtMs } of batch) {
      if (retryAtMs === null) frontier.forget(page.urlHash)
      else frontier.putOff(page, page.attempts + 1, retryAtMs)
      if (outcome.kind === 'done') frontier.forget(hashOf(outcome.url.href))
      releaseAll(page)
    }
    if (batch.length > 0) {
      frontier.found()
      deps.onProgress()
    }
    wake?.()
  }

  function retryTime(page: Waiting, outcome: Outcome, nowMs: number): number | null {
    if (outcome.kind !== 'retry' || page.attempts >= crawl.maxRetries) return null
    const waitMs = retryPauseMs(page.attempts + 1, random)
    return nowMs + Math.max(waitMs, outcome.pauseMs)
  }

  function leftMs(): number {
    return Math.max(0, crawl.maxDurationSeconds * 1_000 - writing.activeMs())
  }

  function reachedLimit(): Extract<FinishReason, `max_${string}`> | null {
    const { pagesFetched, itemsCollected } = writing.counts()
    if (leftMs() <= 0) return 'max_duration'
    if (crawl.maxItems !== null && itemsCollected >= crawl.maxItems) return 'max_items'
    return pagesFetched >= crawl.maxPages ? 'max_pages' : null
  }

  /** What is under way ends by itself, or when the time is over; all of it is written. */
  async function settle() {
    const timer = setTimeout(() => stopping.abort(), leftMs())
    while (underWay > 0) await pause(MAX_IDLE_MS)
    await writing.settled()
    clearTimeout(timer)
    writing.throwIfFailed()
  }

  async function conclude(reason: CrawlEnd['reason']): Promise<CrawlEnd> {
    // Whatever limit it reached: pages that failed count against max_pages and take their time, too.
    if (!(await hasDonePage(reader, run.id))) {
      const error = await whyNothing()
      return { status: 'failed', reason: 'error', error, missing: 0 }
    }
    const { previousId } = run
    const isWhole = reason === 'exhausted' && previousId !== null
    const missing = isWhole ? await countMissing(reader, run.id, previousId) : 0
    return { status: 'completed', reason, error: null, missing }
  }

  async function whyNothing(): Promise<RunError> {
    const outcomes = await findStartOutcomes(reader, run.id)
    const [first] = outcomes
    const known = first === undefined ? undefined : START_ERRORS.get(first)
    return known ?? { code: 'start_url_failed', message: 'No page could be fetched' }
  }

  async function reserve(page: Waiting, urlHash: string): Promise<boolean> {
    const own = reservations.get(page.urlHash) ?? new Set()
    // Some redirects lead there and back again, with a cookie.
    if (own.has(urlHash)) return true
    if (!frontier.reserve(urlHash)) return false
    reservations.set(page.urlHash, own.add(urlHash))
    const known = (await findStates(reader, run.id, [urlHash])).get(urlHash)
    return known === undefined || known === 'queued'
  }

  function releaseAll({ urlHash }: Waiting) {
    for (const reserved of reservations.get(urlHash) ?? []) frontier.release(reserved)
    reservations.delete(urlHash)
  }

  function pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(end, ms)
      wake = end
      function end() {
        clearTimeout(timer)
        wake = undefined
        resolve()
      }
    })
  }
}

export type RunningCrawl = ReturnType<typeof createCrawl>
export { RunLost }

const START_ERRORS = new Map<string, { code: RunErrorCode; message: string }>([
  ['robots', { code: 'robots_disallowed', message: 'robots.txt does not allow the start URL' }],
  [
    'address_not_allowed',
    { code: 'address_not_allowed', message: 'The address of the start URL is not allowed' },
  ],
  [
    'no_proxy_available',
    { code: 'no_proxy_available', message: 'No proxy of the pool could be used' },
  ],
])

function toStart(url: URL): NewPage {
  return { url: url.href, urlHash: hashOf(url.href), depth: 0, isStart: true }
}
