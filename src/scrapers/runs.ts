import { setTimeout as delay } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Bus } from '#bus'
import { type Alongside, carryOutIn, type Database } from '#db'
import { type Clock, conflict, notFound } from '#kernel'
import type { FoundPage, ListQuery } from '#paging'
import type { Lifecycle } from './lifecycle.ts'
import { isLive, type LogLine, type Run, type Scraper, type ScraperStatus } from './records.ts'
import { findLines } from './store/log.ts'
import type { RunFilter, RunStore } from './store/runs.ts'
import type { ScraperStore } from './store/scrapers.ts'
import type { ScrapersTables } from './tables.ts'
import { PROGRESS_TOPIC, WORK_TOPIC } from './topics.ts'

interface Deps {
  readonly db: Database
  readonly clock: Clock
  readonly bus: Pick<Bus, 'publish' | 'subscribe'>
  readonly scrapers: Pick<ScraperStore, 'lock' | 'statusStep'>
  readonly store: RunStore
  readonly lifecycle: Lifecycle
}

/** After this a stop is answered though the run goes on stopping. */
const STOP_WAIT_MS = 5_000
/** A lost notice costs no more than this. */
const LOOK_EVERY_MS = 200

/** Runs as the owners of scrapers see them (scrapers contract §3). */
export function createRuns({ db, clock, bus, scrapers, store, lifecycle }: Deps) {
  const reader: Kysely<ScrapersTables> = db.main.reader
  return { start, stop, get, list, latest, waitFor, findLog, remove, endLive }

  function start(scraper: Scraper, alongside?: Alongside<Run>): Promise<Run> {
    return lifecycle.start(scraper, 'manual', { alongside })
  }

  /** Whether the run has ended: one that another node must end may take longer than we wait. */
  async function stop(
    scraper: Scraper,
  ): Promise<{ readonly runId: number; readonly isOver: boolean }> {
    const runId = await requestStop(scraper)
    if (runId === null) throw conflict('scraper_not_running', 'Scraper is not running')
    const run = await waitUntilFinal(scraper.id, runId, STOP_WAIT_MS)
    return { runId, isOver: run === undefined || !isLive(run.status) }
  }

  /** Before a scraper goes: its run has ended afterwards, whether its worker answered or not. */
  async function endLive(scraper: Scraper): Promise<void> {
    const runId = await requestStop(scraper)
    if (runId === null) return
    await waitUntilFinal(scraper.id, runId, STOP_WAIT_MS)
    await db.main.transaction(undefined, (tx) =>
      lifecycle.finish(tx, scraper, runId, stopped(clock.now())),
    )
  }

  /** Null when nothing is live. What no worker has is ended here. */
  async function requestStop(scraper: Scraper): Promise<number | null> {
    const live = await store.findLive(reader, scraper.id)
    if (!live) return null
    const isRequested = await db.main.transaction(undefined, async (tx) => {
      const found = await store.requestStop(tx.as<ScrapersTables>(), live.id, db.dialect.nowMs())
      if (!found) return false
      if (!found.isHeld) await lifecycle.finish(tx, scraper, live.id, stopped(clock.now()))
      else tx.afterCommit(() => bus.publish(WORK_TOPIC, live.id))
      return true
    })
    return isRequested ? live.id : null
  }

  async function get(scraper: Scraper, id: number | undefined): Promise<Run> {
    const run = id === undefined ? undefined : await store.find(reader, scraper.id, id)
    if (!run) throw notFound('run')
    return run
  }

  function list(filter: RunFilter, query: ListQuery<'id'>): Promise<FoundPage<Run>> {
    return store.findMany(reader, filter, query)
  }

  function latest(scraper: Scraper): Promise<Run | undefined> {
    return store.findLatest(reader, scraper.id)
  }

  /** The run when it is final, or as it is after the given time. */
  async function waitFor(scraper: Scraper, run: Run, seconds: number): Promise<Run> {
    if (seconds === 0 || !isLive(run.status)) return run
    return (await waitUntilFinal(scraper.id, run.id, seconds * 1_000)) ?? get(scraper, run.id)
  }

  async function waitUntilFinal(scraperId: number, id: number, ms: number) {
    const untilMs = performance.now() + ms
    let wake = new AbortController()
    const unsubscribe = bus.subscribe(PROGRESS_TOPIC, (about) => {
      if (about === id) wake.abort()
    })
    try {
      for (;;) {
        const run = await store.find(reader, scraperId, id)
        const leftMs = untilMs - performance.now()
        if (!run || !isLive(run.status) || leftMs <= 0) return run
        const pauseMs = Math.min(leftMs, LOOK_EVERY_MS)
        await delay(pauseMs, undefined, { signal: wake.signal }).catch(() => {})
        wake = new AbortController()
      }
    } finally {
      unsubscribe()
    }
  }

  function findLog(
    run: Run,
    level: string | undefined,
    query: ListQuery<'id'>,
  ): Promise<FoundPage<LogLine>> {
    return findLines(reader, run.id, level, query)
  }

  /** Its results, log and frontier are removed in small steps by the worker. The state of its scraper is that of the run before. */
  async function remove(run: Run): Promise<void> {
    if (isLive(run.status)) throw conflict('run_active', 'The run is not over; stop it first')
    await db.main.transaction(undefined, async (tx) => {
      const trx = tx.as<ScrapersTables>()
      // Whoever starts or ends a run changes the scraper: before, or after this.
      await scrapers.lock(trx, run.scraperId)
      await store.remove(trx, run.id, clock.now())
      const latest = await store.findLatest(trx, run.scraperId)
      await carryOutIn(tx, [scrapers.statusStep(trx, run.scraperId, statusBy(latest))])
    })
  }
}

function statusBy(latest: Run | undefined): ScraperStatus {
  if (!latest) return 'idle'
  return latest.status === 'pending' ? 'running' : latest.status
}

export type Runs = ReturnType<typeof createRuns>

function stopped(atMs: number) {
  return { status: 'stopped', reason: 'stopped', error: null, atMs } as const
}
