import { type Kysely, type NotNull, sql } from 'kysely'
import type { Database } from '#db'
import type { Clock, Log } from '#kernel'
import type { SecretBox } from '#secrets'
import { resealScrapers } from './reseal.ts'
import type { ScrapersTables } from './tables.ts'

interface Deps {
  readonly db: Database
  readonly clock: Clock
  readonly log: Log
  readonly box: SecretBox
  /** The master key was changed: what the one before sealed is sealed anew. */
  readonly hasPreviousKey: boolean
}

const DAY_MS = 24 * 3_600_000
const KEPT_RUNS = 50
const KEPT_MS = 30 * DAY_MS
const ROWS_AT_ONCE = 500
const RUNS_AT_ONCE = 20
const RETENTION_EVERY_MS = 600_000

/** Removes what is gone and what is too old, in steps that hold up no other writer. */
export function createHousekeeping({ db, clock, log, box, hasPreviousKey }: Deps) {
  const reader: Kysely<ScrapersTables> = db.main.reader
  const writer: Kysely<ScrapersTables> = db.main.writer
  let retainedAtMs = Number.NEGATIVE_INFINITY
  let isResealed = !hasPreviousKey
  return { turn }

  async function turn(signal: AbortSignal): Promise<void> {
    const nowMs = clock.now()
    if (!isResealed) {
      const count = await resealScrapers(writer, box)
      isResealed = true
      if (count > 0) log.info({ count }, 'scrapers are sealed with the current master key')
    }
    if (Math.abs(nowMs - retainedAtMs) >= RETENTION_EVERY_MS) {
      await retire(nowMs, signal)
      retainedAtMs = nowMs
    }
    await removeScrapers(nowMs, signal)
    await removeRuns(signal)
  }

  /** Of each scraper the last 50 runs stay, and those of the last 30 days; logs 30 days. */
  async function retire(nowMs: number, signal: AbortSignal) {
    const before = nowMs - KEPT_MS
    while (!signal.aborted) {
      const { numUpdatedRows } = await writer
        .updateTable('scrapers_runs')
        .set({ removed_at: nowMs })
        .where('id', 'in', (select) =>
          select
            .selectFrom('scrapers_runs as old')
            .select('old.id')
            .where('old.finished_at', '<', before)
            .where('old.removed_at', 'is', null)
            .where(
              sql<boolean>`(select count(*) from scrapers_runs as newer
                where newer.scraper_id = old.scraper_id and newer.id > old.id) >= ${KEPT_RUNS}`,
            )
            .limit(RUNS_AT_ONCE),
        )
        .executeTakeFirst()
      if (Number(numUpdatedRows) < RUNS_AT_ONCE) break
    }
    while (!signal.aborted && (await deleteSome('scrapers_log', 'at', before)));
  }

  async function removeScrapers(nowMs: number, signal: AbortSignal) {
    const gone = await reader
      .selectFrom('scrapers_scrapers')
      .select('id')
      .where('removed_at', 'is not', null)
      .limit(RUNS_AT_ONCE)
      .execute()
    for (const { id } of gone) {
      await writer
        .updateTable('scrapers_runs')
        .set({ removed_at: nowMs })
        .where('scraper_id', '=', id)
        .where('removed_at', 'is', null)
        .execute()
      await removeRuns(signal, id)
      if (signal.aborted) return
      await writer.deleteFrom('scrapers_entries').where('scraper_id', '=', id).execute()
      await writer.deleteFrom('scrapers_files').where('scraper_id', '=', id).execute()
      await writer.deleteFrom('scrapers_scrapers').where('id', '=', id).execute()
    }
  }

  async function removeRuns(signal: AbortSignal, scraperId?: number) {
    const gone = await reader
      .selectFrom('scrapers_runs')
      .select('id')
      .where('removed_at', 'is not', null)
      // A live run takes from it what has not changed.
      .where('id', 'not in', (select) =>
        select
          .selectFrom('scrapers_runs')
          .select('previous_id')
          .where('status', 'in', ['pending', 'running'])
          .where('previous_id', 'is not', null)
          .$narrowType<{ previous_id: NotNull }>(),
      )
      .$if(scraperId !== undefined, (query) => query.where('scraper_id', '=', scraperId ?? 0))
      .execute()
    for (const { id } of gone) {
      for (const table of ['scrapers_items', 'scrapers_pages', 'scrapers_log'] as const) {
        while (!signal.aborted && (await deleteOfRun(table, id)));
      }
      if (signal.aborted) return
      await writer.deleteFrom('scrapers_runs').where('id', '=', id).execute()
    }
  }

  /** True when there may be more. */
  async function deleteOfRun(
    table: 'scrapers_items' | 'scrapers_pages' | 'scrapers_log',
    runId: number,
  ): Promise<boolean> {
    const { numAffectedRows = 0n } = await sql`
      delete from ${sql.table(table)} where id in (
        select id from ${sql.table(table)} where run_id = ${runId} limit ${sql.lit(ROWS_AT_ONCE)}
      )
    `.execute(writer)
    return Number(numAffectedRows) >= ROWS_AT_ONCE
  }

  async function deleteSome(table: 'scrapers_log', column: string, beforeMs: number) {
    const { numAffectedRows = 0n } = await sql`
      delete from ${sql.table(table)} where id in (
        select id from ${sql.table(table)}
        where ${sql.ref(column)} < ${beforeMs} limit ${sql.lit(ROWS_AT_ONCE)}
      )
    `.execute(writer)
    return Number(numAffectedRows) >= ROWS_AT_ONCE
  }
}
