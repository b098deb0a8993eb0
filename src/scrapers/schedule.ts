import type { Kysely } from 'kysely'
import { nextTick } from '#cron'
import { carryOutIn, type Database, type Tx } from '#db'
import { type Clock, DomainError, type Log } from '#kernel'
import type { Lifecycle } from './lifecycle.ts'
import type { Scraper } from './records.ts'
import { nextRunOf } from './scrapers.ts'
import { lineSteps } from './store/log.ts'
import type { RunStore } from './store/runs.ts'
import type { ScraperStore } from './store/scrapers.ts'
import type { ScrapersTables } from './tables.ts'

interface Deps {
  readonly db: Database
  readonly clock: Clock
  readonly log: Log
  readonly scrapers: ScraperStore
  readonly runs: RunStore
  readonly lifecycle: Lifecycle
  settings(): { readonly catchUp: 'one' | 'none' }
  mayWrite(userId: number): Promise<boolean>
}

const AT_ONCE = 50
/** Later than this nobody was up: the tick was missed, not late. */
const MISSED_AFTER_MS = 60_000
const CAUGHT_UP_MS = 24 * 3_600_000

/** Starts scrapers when their time comes; one node of all does it (scrapers contract §8). */
export function createSchedule(deps: Deps) {
  const { db, clock, log, scrapers, runs, lifecycle } = deps
  const reader: Kysely<ScrapersTables> = db.main.reader
  return { turn }

  /** True when there may be more. */
  async function turn(signal: AbortSignal): Promise<boolean> {
    const due = await scrapers.findDue(reader, clock.now(), AT_ONCE)
    for (const scraper of due) {
      if (signal.aborted) return false
      await tick(scraper)
    }
    return due.length === AT_ONCE
  }

  async function tick(scraper: Scraper) {
    const nowMs = clock.now()
    const dueMs = scraper.nextRunAtMs ?? nowMs
    const isWanted = nowMs - dueMs <= MISSED_AFTER_MS || isCaughtUp(scraper, nowMs)
    const isAllowed = await deps.mayWrite(scraper.userId)
    if (!isAllowed) log.warn({ scraper: scraper.id }, 'a tick was skipped: its owner may not write')
    const nextMs = nextRunOf(scraper.definition, nowMs)
    try {
      await db.main.transaction(undefined, async (tx) => {
        // Whoever moves the tick has it: a second leader finds it moved.
        const trx = tx.as<ScrapersTables>()
        if (!(await scrapers.setNextRun(trx, scraper.id, dueMs, nextMs))) return
        if (!isWanted || !isAllowed) return
        if (await noteOverlap(tx, scraper, nowMs)) return
        await lifecycle.start(scraper, 'schedule', { tx })
      })
    } catch (error) {
      // Somebody started the scraper in this moment: the tick comes again and is noted then.
      if (!(error instanceof DomainError)) throw error
    }
  }

  /** Ticks missed while no node was up are made up by one run, if the last is not too old. */
  function isCaughtUp({ definition }: Scraper, nowMs: number): boolean {
    if (deps.settings().catchUp === 'none' || definition.schedule === null) return false
    const last = nextTick(definition.schedule, definition.timezone, nowMs - CAUGHT_UP_MS)
    return last !== null && last <= nowMs
  }

  /** A tick while the scraper runs is skipped and told in the log of the live run. */
  async function noteOverlap(tx: Tx, scraper: Scraper, atMs: number): Promise<boolean> {
    const trx = tx.as<ScrapersTables>()
    const live = await runs.findLive(trx, scraper.id)
    if (!live) return false
    const message = 'A tick of the schedule was skipped because this run is not over'
    const line = { atMs, level: 'warn', type: 'state', message } as const
    return carryOutIn(tx, lineSteps(trx, live.id, [line]))
  }
}
