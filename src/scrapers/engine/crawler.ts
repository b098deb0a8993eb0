import { setTimeout as delay } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Bus } from '#bus'
import type { Database } from '#db'
import { type AddressRule, createOutbound, type Outbound } from '#http'
import { type Claim, createClaims, createLoop, type Loop } from '#jobs'
import { type Clock, DomainError, type Log, type Random } from '#kernel'
import type { Renderer } from '../browser/renderer.ts'
import type { Lifecycle } from '../lifecycle.ts'
import { isLive, type Run, type RunError, type Scraper } from '../records.ts'
import type { PoolStore } from '../store/pools.ts'
import type { Finish, RunStore } from '../store/runs.ts'
import type { ScraperStore } from '../store/scrapers.ts'
import type { ScrapersTables } from '../tables.ts'
import { PROGRESS_TOPIC, WORK_TOPIC } from '../topics.ts'
import { chooseRuns, type WaitingRun } from './choose-runs.ts'
import type { Publisher } from './commit.ts'
import { type CrawlEnd, createCrawl, RunLost, type RunningCrawl } from './crawl.ts'
import { createProxies, directWay, type Proxies } from './proxies.ts'
import { createShares } from './shares.ts'

export interface CrawlerDeps {
  readonly db: Database
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly bus: Pick<Bus, 'publish' | 'subscribe'>
  /** New with every start of the thread. */
  readonly owner: string
  readonly scrapers: ScraperStore
  readonly runs: RunStore
  readonly pools: PoolStore
  readonly lifecycle: Lifecycle
  readonly userAgent: string
  settings(): { readonly maxConcurrentRuns: number }
  /** The addresses that may be asked, by the settings in force now. */
  rule(): AddressRule
  readonly renderer: Renderer
  /** Whether the owner of a scraper may still write. */
  mayWrite(userId: number): Promise<boolean>
  /** Asked of runs that publish. */
  openPublisher(scraper: Scraper, run: Run): Promise<RunPublisher>
}

export interface RunPublisher extends Publisher {
  /** After the last page of a run that saw everything there is. Rejects between two entries once the signal is aborted. */
  settleMissing(signal: AbortSignal): Promise<void>
}

interface Held {
  readonly run: Run
  readonly userId: number
  readonly claim: Claim<{ id: number }, number>
  crawl: RunningCrawl | undefined
  /** For what follows the crawl: the run was stopped, is lost, or the thread ends. */
  readonly leaving: AbortController
  isLost: boolean
  rate: number
}

/** Scrapers contract §3: a lease is renewed every 5 s and lost after 20 s. */
const LEASE_MS = 20_000
const RENEW_EVERY_MS = 5_000
/** A lost notice of a stop or a changed rate costs no more than this. */
const LOOK_EVERY_MS = 500
const MOST_CLAIMED = 500
const MAX_IDLE_RECOVERIES = 3
const PROGRESS_EVERY_MS = 250
/** Who goes on asks for the pages under way again. */
const WAIT_MS = 3_000

/** Takes runs that wait, or whose worker was lost, and works on them until it is stopped. */
export function startCrawler(deps: CrawlerDeps): Loop {
  const { db, clock, random, log, bus, owner, scrapers, runs, lifecycle } = deps
  const claims = createClaims<ScrapersTables>({
    store: db.main,
    dialect: db.dialect,
    owner,
    random,
  })
  const reader: Kysely<ScrapersTables> = db.main.reader
  const held = new Map<number, Held>()
  const working = new Set<Promise<void>>()
  const shares = createShares()
  let renewedAtMs = performance.now()
  let isEnding = false
  const loop = createLoop({
    ...{ name: 'crawler', everyMs: LOOK_EVERY_MS, log, random },
    wake: (wake) => bus.subscribe(WORK_TOPIC, wake),
    run: turn,
  })
  return { stop }

  /** Leases are released at once, so that another node goes on without waiting. */
  async function stop() {
    // Told before the last turn is over: what it claims has no crawl yet that could leave.
    isEnding = true
    await loop.stop()
    for (const each of held.values()) leave(each)
    await Promise.all(working)
  }

  async function turn(signal: AbortSignal) {
    await renew()
    await look()
    const slots = deps.settings().maxConcurrentRuns
    if (held.size >= slots || signal.aborted) return false
    const free = await runs.findWaiting(reader, claims.isFree('scrapers_runs'), slots)
    // A page that held the thread for longer than a lease leaves its own runs free until they are renewed.
    const waiting = free.filter(({ id }) => !held.has(id))
    const chosen = chooseRuns(waiting, { slots, atWork: countByUser() }).slice(0, MOST_CLAIMED)
    if (chosen.length === 0) return false
    const chosenOf = new Map(chosen.map((each) => [each.id, each]))
    const claim = await claims.claim({
      ...{ table: 'scrapers_runs', key: 'id', order: ['id'], limit: chosen.length },
      due: (query) =>
        query.where('status', 'in', ['pending', 'running']).where('id', 'in', [...chosenOf.keys()]),
      leaseMs: LEASE_MS,
    })
    for (const row of claim.rows) begin(row, chosenOf.get(row.id), claim)
    return false
  }

  function countByUser(): Map<number, number> {
    const byUser = Map.groupBy(held.values(), ({ userId }) => userId)
    return new Map([...byUser].map(([userId, members]) => [userId, members.length]))
  }

  async function renew() {
    if (held.size === 0 || performance.now() - renewedAtMs < RENEW_EVERY_MS) return
    renewedAtMs = performance.now()
    const byClaim = Map.groupBy(held.values(), ({ claim }) => claim)
    for (const [claim, members] of byClaim) {
      const kept = new Set(await claim.renew(members.map(({ run }) => run.id)))
      for (const each of members) if (!kept.has(each.run.id)) lose(each)
    }
  }

  function lose(each: Held) {
    each.isLost = true
    leave(each)
  }

  function leave({ crawl, leaving }: Held) {
    crawl?.leave()
    leaving.abort()
  }

  /** Stops and changed rates, for all runs of this thread with one question. */
  async function look() {
    if (held.size === 0) return
    const rows = await reader
      .selectFrom('scrapers_runs')
      .innerJoin('scrapers_scrapers', 'scrapers_scrapers.id', 'scrapers_runs.scraper_id')
      .select(['scrapers_runs.id', 'stop_requested', 'scrapers_runs.status', 'rate_limit'])
      .where('scrapers_runs.id', 'in', [...held.keys()])
      .execute()
    for (const { id, stop_requested, status, rate_limit } of rows) {
      const each = held.get(id)
      if (!each?.crawl) continue
      // What was read may be older than the run's own beginning, when it was still pending.
      if (stop_requested === 1 || !isLive(status)) {
        each.crawl.stop()
        each.leaving.abort()
      }
      if (rate_limit !== each.rate) each.crawl.setRate(rate_limit)
      each.rate = rate_limit
    }
  }

  function begin(
    row: Parameters<RunStore['toRun']>[0],
    waiting: WaitingRun | undefined,
    claim: Claim<{ id: number }, number>,
  ) {
    const userId = waiting?.userId ?? 0
    const wasLost = waiting?.lostBy != null
    const run = runs.toRun(row)
    const idleRecoveries = row.idle_recoveries
    const leaving = new AbortController()
    const each: Held = { run, userId, claim, crawl: undefined, leaving, isLost: false, rate: 0 }
    held.set(run.id, each)
    const work = carryOut(each, { idleRecoveries, wasLost })
      .catch((error) => log.error({ err: error, run: run.id }, 'a run could not be ended'))
      .finally(() => {
        held.delete(run.id)
        working.delete(work)
      })
    working.add(work)
  }

  async function carryOut(
    each: Held,
    { idleRecoveries, wasLost }: { readonly idleRecoveries: number; readonly wasLost: boolean },
  ): Promise<void> {
    const { run, claim } = each
    const scraper = await scrapers.find(reader, run.scraperId)
    if (!scraper) return claim.release([run.id])
    const isRecovery = run.status === 'running'
    const refusal = await refusalOf(scraper, run, isRecovery ? idleRecoveries : 0)
    if (run.isStopRequested) return end(each, scraper, STOPPED)
    if (isEnding) return claim.release([run.id])
    const before = isRecovery ? (wasLost ? 'lost' : 'given_back') : null
    if (!(await lifecycle.enter(scraper, run, claim.holder, before))) return
    if (refusal) return end(each, scraper, failedWith(refusal))
    each.rate = scraper.definition.rateLimit
    await crawlAndEnd(each, scraper, isRecovery)
  }

  async function refusalOf(
    scraper: Scraper,
    run: Run,
    idleRecoveries: number,
  ): Promise<RunError | null> {
    if (idleRecoveries >= MAX_IDLE_RECOVERIES) {
      const message = 'Given up: its worker was lost three times without a page in between'
      return { code: 'worker_lost', message }
    }
    if (!(await deps.mayWrite(scraper.userId))) {
      return { code: 'owner_not_allowed', message: 'The owner of the scraper may no longer write' }
    }
    const { proxyPool, crawl } = run.definition
    const missing = crawl.render === 'browser' ? deps.renderer.findProblem() : null
    if (missing !== null) return { code: 'renderer_unavailable', message: missing }
    if (proxyPool === null) return null
    const pool = await deps.pools.find(reader, proxyPool)
    if (pool && pool.proxies.length > 0) return null
    return { code: 'no_proxy_available', message: `The proxy pool ${proxyPool} has no proxies` }
  }

  async function crawlAndEnd(each: Held, scraper: Scraper, isRecovery: boolean) {
    const { run, claim } = each
    const direct = createOutbound({ rule: deps.rule(), log })
    const progress = createProgress(run.id)
    let proxies: Proxies | null = null
    try {
      proxies = await openProxies(run)
      const { output } = run.definition
      const publisher = output === null ? null : await deps.openPublisher(scraper, run)
      const crawl = createCrawl({
        ...{ db, clock, random, log, runs, run, isRecovery, publisher },
        way: proxies ?? directWay(direct),
        renderer: run.definition.crawl.render === 'browser' ? deps.renderer : null,
        ...{ holder: claim.holder, userAgent: deps.userAgent, rate: each.rate },
        takeTurn: (signal) => shares.takeReading(each.userId, signal),
        write: (work) => shares.write(each.userId, work),
        undisturbed: shares.undisturbed,
        onProgress: progress.note,
      })
      each.crawl = crawl
      // A stop may have been asked for before there was anything to stop.
      if (isEnding || each.isLost) crawl.leave()
      await look()
      const outcome = await crawl.go()
      const isWhole = outcome.status === 'completed' && outcome.reason === 'exhausted'
      if (isWhole) await publisher?.settleMissing(each.leaving.signal)
      await conclude(each, scraper, outcome)
    } catch (error) {
      await interrupted(each, scraper, error)
    } finally {
      progress.end()
      await Promise.all([direct.close(), proxies?.close()])
    }
  }

  async function conclude(each: Held, scraper: Scraper, outcome: CrawlEnd) {
    const { run } = each
    const { status, reason, error, missing } = outcome
    if (missing > 0) {
      await db.main.carryOut([runs.missingStep(db.main.writer, run.id, missing)])
    }
    await end(each, scraper, { status, reason, error })
  }

  /** A stop ends the run; the end of the thread, a lost lease and an outage leave it to others. */
  async function interrupted(each: Held, scraper: Scraper, error: unknown) {
    const { run, claim, leaving } = each
    const isToWait = mayPass(error)
    if (isToWait) await delay(WAIT_MS, undefined, { signal: leaving.signal }).catch(() => {})
    const current = await runs.find(reader, run.scraperId, run.id).catch(() => undefined)
    if (current?.isStopRequested) return end(each, scraper, STOPPED)
    if (each.isLost || error instanceof RunLost) return
    if (isAbort(error) || isToWait) return runs.giveBack(db.main.writer, run.id, claim.holder)
    log.error({ err: error, run: run.id }, 'a run failed')
    return end(each, scraper, failedWith(INTERNAL))
  }

  /** The database is away or busy, or what the run writes to cannot be written to just now. */
  function mayPass(error: unknown): boolean {
    if (error instanceof DomainError) return error.kind === 'unavailable'
    return db.dialect.isUnavailable(error)
  }

  async function end({ run, claim }: Held, scraper: Scraper, how: Omit<Finish, 'atMs'>) {
    await lifecycle.finishHeld(scraper, run.id, { ...how, atMs: clock.now() }, claim.holder)
  }

  async function openProxies({ definition }: Run): Promise<Proxies | null> {
    if (definition.proxyPool === null) return null
    const pool = await deps.pools.find(reader, definition.proxyPool)
    const open = (proxyUrl: string): Outbound =>
      createOutbound({ rule: deps.rule(), log, proxyUrl })
    return createProxies({
      ...{ random, open, now: () => performance.now() },
      strategy: pool?.strategy ?? 'round_robin',
      addresses: pool?.proxies ?? [],
    })
  }

  /** Viewers need no more than some notices a second. */
  function createProgress(runId: number) {
    let timer: NodeJS.Timeout | undefined
    return { note, end: () => clearTimeout(timer) }

    function note() {
      timer ??= setTimeout(() => {
        timer = undefined
        bus.publish(PROGRESS_TOPIC, runId).catch(() => {})
      }, PROGRESS_EVERY_MS)
    }
  }
}

const STOPPED = { status: 'stopped', reason: 'stopped', error: null } as const
const INTERNAL: RunError = {
  code: 'internal_error',
  message: 'The run failed because of a fault of the server; its log says more',
}

function failedWith(error: RunError): Omit<Finish, 'atMs'> {
  return { status: 'failed', reason: 'error', error }
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError'
}
