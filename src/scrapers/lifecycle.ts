import type { Kysely } from 'kysely'
import type { Bus } from '#bus'
import { type Alongside, carryOutIn, type Database, type Tx, type WriteStep } from '#db'
import type { NewEvent, Outbox } from '#events'
import { type Clock, conflict, type DomainError, renderTime, renderTimeOrNull } from '#kernel'
import type { Run, Scraper, Trigger } from './records.ts'
import { lineSteps } from './store/log.ts'
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
  readonly toEventSteps: Outbox['toSteps']
}

/** In order, for whoever goes on with it, or without a word. */
type Left = 'given_back' | 'lost'

const TAKEN_UP: Record<Left, string> = {
  given_back: 'Taken up again; its worker gave it back, as it does when its server stops',
  lost: 'Taken up again after its worker was lost',
}

/** How runs come to be and end, whoever starts or ends them (scrapers contract §3). */
export function createLifecycle(deps: Deps) {
  const { db, clock, bus, scrapers, runs, publicUrl, toEventSteps } = deps
  const writer: Kysely<ScrapersTables> = db.main.writer
  const reader: Kysely<ScrapersTables> = db.main.reader
  return { start, enter, finish, finishHeld }

  /** Of any number of simultaneous starts one succeeds; the unique index decides, on any node. */
  async function start(
    scraper: Scraper,
    trigger: Trigger,
    { tx, alongside }: { tx?: Tx; alongside?: Alongside<Run> | undefined } = {},
  ): Promise<Run> {
    try {
      return await db.main.transaction(tx, async (own) => {
        const trx = own.as<ScrapersTables>()
        const run = await runs.insert(trx, {
          ...{ scraperId: scraper.id, trigger, definition: scraper.definition },
          startedAtMs: clock.now(),
          previousId: await runs.findLastCompleted(trx, scraper.id),
        })
        await carryOutIn(own, [scrapers.statusStep(trx, scraper.id, 'running')])
        await alongside?.(own, run)
        own.afterCommit(() => bus.publish(WORK_TOPIC, null))
        return run
      })
    } catch (error) {
      throw db.dialect.isUniqueViolation(error) ? alreadyRunning() : error
    }
  }

  /** A worker begins, or goes on after another, which left the run as `before` says; false when the run is not its own. */
  async function enter(
    scraper: Scraper,
    run: Run,
    holder: string,
    before: Left | null,
  ): Promise<boolean> {
    const atMs = clock.now()
    const isRecovery = before !== null
    const message = before === null ? 'Started' : TAKEN_UP[before]
    const level = before === 'lost' ? 'warn' : 'info'
    const started = toEvent('run.started', scraper, { ...run, status: 'running' })
    return db.main.carryOut([
      runs.beginStep(writer, run.id, holder, { atMs, isRecovery }),
      ...lineSteps(writer, run.id, [{ atMs, level, type: 'state', message }]),
      ...(isRecovery ? [] : toEventSteps(db.main.writer, [started])),
    ])
  }

  /**
   * Ends a run that no worker has, or whose worker does not answer, with its event, hence once, crash
   * or not; false when it had ended already.
   */
  async function finish(tx: Tx, scraper: Scraper, runId: number, end: Finish): Promise<boolean> {
    const run = await runs.finish(tx.as<ScrapersTables>(), runId, end)
    return run !== undefined && carryOutIn(tx, afterEnd(scraper, { ...run, status: end.status }))
  }

  /** The same for its worker, which alone changes what the run has counted. */
  async function finishHeld(
    scraper: Scraper,
    runId: number,
    end: Finish,
    holder: string,
  ): Promise<boolean> {
    const run = await runs.find(reader, scraper.id, runId)
    if (!run) return false
    const { status, reason: finishReason, error, atMs: finishedAtMs } = end
    const ended = { ...run, status, finishReason, error, finishedAtMs }
    return db.main.carryOut([
      runs.finishStep(writer, runId, end, holder),
      ...afterEnd(scraper, ended),
    ])
  }

  /** What goes with the end of a run: the state of its scraper, a line and an event. */
  function afterEnd(scraper: Scraper, run: Run & Pick<Finish, 'status'>): WriteStep[] {
    const { id, status, error, finishReason, finishedAtMs } = run
    const message = error ? `${status}: ${error.message}` : `${status} (${finishReason})`
    const level = status === 'failed' ? 'error' : 'info'
    const line = { atMs: finishedAtMs ?? clock.now(), level, type: 'state', message } as const
    return [
      { ...scrapers.statusStep(writer, scraper.id, status), afterCommit: tellProgress },
      ...lineSteps(writer, id, [line]),
      ...toEventSteps(db.main.writer, [toEvent(`run.${status}`, scraper, run)]),
    ]

    function tellProgress() {
      return bus.publish(PROGRESS_TOPIC, id)
    }
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
