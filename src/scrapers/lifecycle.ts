import {
  type Bus,
  type Clock,
  conflict,
  type Database,
  type DomainError,
  type NewEvent,
  renderTime,
  renderTimeOrNull,
  type Tx,
} from '#kernel'
import type { Run, Scraper, Trigger } from './records.ts'
import { insertLines } from './store/log.ts'
import type { Finish, RunStore } from './store/runs.ts'
import type { ScraperStore } from './store/scrapers.ts'
import type { ScrapersTables } from './tables.ts'
import { PROGRESS_TOPIC, WORK_TOPIC } from './topics.ts'

interface Deps {
  readonly db: Database
  readonly clock: Clock
  readonly bus: Pick<Bus, 'publish'>
  readonly scrapers: ScraperStore
  readonly runs: RunStore
  /** Where clients see the server, for URLs in events; '' when that is not known. */
  readonly publicUrl: string
  appendEvents(tx: Tx, events: readonly NewEvent[]): Promise<unknown>
}

/** How runs come to be and end, whoever starts or ends them (scrapers contract §3). */
export function createLifecycle(deps: Deps) {
  const { db, clock, bus, scrapers, runs, publicUrl, appendEvents } = deps
  return { start, announceStart, finish }

  /** Of any number of simultaneous starts one succeeds; the unique index decides, on any node. */
  async function start(scraper: Scraper, trigger: Trigger, tx?: Tx): Promise<Run> {
    try {
      return await db.main.transaction(tx, async (own) => {
        const trx = own.as<ScrapersTables>()
        const run = await runs.insert(trx, {
          ...{ scraperId: scraper.id, trigger, definition: scraper.definition },
          startedAtMs: clock.now(),
          previousId: await runs.findLastCompleted(trx, scraper.id),
        })
        await scrapers.setStatus(trx, scraper.id, 'running')
        own.afterCommit(() => bus.publish(WORK_TOPIC, null))
        return run
      })
    } catch (error) {
      throw db.dialect.isUniqueViolation(error) ? alreadyRunning() : error
    }
  }

  /** In the transaction that makes the run `running` for the first time. */
  async function announceStart(tx: Tx, scraper: Scraper, run: Run): Promise<void> {
    await appendEvents(tx, [toEvent('run.started', scraper, { ...run, status: 'running' })])
  }

  /**
   * Ends a run with its event, hence once, crash or not; false when it had ended already or is
   * another holder's.
   */
  async function finish(
    tx: Tx,
    scraper: Scraper,
    runId: number,
    end: Finish,
    holder?: string,
  ): Promise<boolean> {
    const trx = tx.as<ScrapersTables>()
    const run = await runs.finish(trx, runId, end, holder)
    if (!run) return false
    await scrapers.setStatus(trx, scraper.id, end.status)
    await insertLines(trx, runId, [
      {
        atMs: end.atMs,
        level: end.status === 'failed' ? 'error' : 'info',
        type: 'state',
        message: end.error
          ? `${end.status}: ${end.error.message}`
          : `${end.status} (${end.reason})`,
      },
    ])
    await appendEvents(tx, [toEvent(`run.${end.status}`, scraper, run)])
    tx.afterCommit(() => bus.publish(PROGRESS_TOPIC, runId))
    return true
  }

  function toEvent(type: string, scraper: Scraper, run: Run): NewEvent {
    const { id, finishedAtMs, startedAtMs } = run
    return {
      type,
      owner: scraper.consumerId,
      payload: {
        run_id: id,
        scraper_id: scraper.id,
        scraper_name: scraper.definition.name,
        status: run.status,
        trigger: run.trigger,
        started_at: renderTime(startedAtMs),
        finished_at: renderTimeOrNull(finishedAtMs),
        duration_ms: finishedAtMs === null ? null : finishedAtMs - startedAtMs,
        items_collected: run.itemsCollected,
        pages_fetched: run.pagesFetched,
        pages_failed: run.pagesFailed,
        finish_reason: run.finishReason,
        changes: renderChanges(run),
        error: run.error,
        results_url: `${publicUrl}/api/v1/scrapers/${scraper.id}/results?run_id=${id}`,
      },
    }
  }
}

export type Lifecycle = ReturnType<typeof createLifecycle>

export function renderChanges(run: Run) {
  return {
    new: run.itemsNew,
    changed: run.itemsChanged,
    unchanged: run.itemsUnchanged,
    missing: run.itemsMissing,
  }
}

function alreadyRunning(): DomainError {
  return conflict('scraper_already_running', 'Scraper is already running')
}
