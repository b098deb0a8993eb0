import type { Database, Store } from '#db'
import type { Clock } from '#kernel'
import { kept } from './kept.ts'
import { DAY_MS } from './periods.ts'
import type { UsageTables } from './tables.ts'

interface Deps {
  readonly db: Pick<Database, 'main' | 'aux'>
  readonly clock: Clock
  /** `usage.retention_days` */
  retentionDays(): number
}

/** Small enough that no other writer waits for long. */
const BATCH = 500
/** Longer than any month: what was announced in one must be known as long as it lasts. */
const NOTED_MS = 62 * DAY_MS

/** Deletes what is no longer kept; days, months and with them invoices are kept for ever. */
export function createUsageRetention({ db, clock, retentionDays }: Deps) {
  return { run }

  /** Works in small portions until nothing is left to delete; returns how much was deleted. */
  async function run(signal?: AbortSignal): Promise<number> {
    const nowMs = clock.now()
    const { minute, hour } = kept(nowMs)
    const steps = [
      () => deleteOlder(db.aux, 'access_usage_records', 'created_at', recordsMs(nowMs)),
      () => deletePeriods('access_usage_sums', 'minute', minute),
      () => deletePeriods('access_usage_sums', 'hour', hour),
      () => deletePeriods('access_usage_endpoint_sums', 'hour', hour),
      () => deleteOlder(db.aux, 'access_usage_thresholds', 'crossed_at', nowMs - NOTED_MS),
      () => deleteOlder(db.main, 'access_stream_events', 'at', nowMs - NOTED_MS),
    ]
    let deleted = 0
    for (const step of steps) {
      let count = BATCH
      while (count >= BATCH && !signal?.aborted) {
        count = await step()
        deleted += count
      }
    }
    return deleted
  }

  function recordsMs(nowMs: number): number {
    return nowMs - retentionDays() * DAY_MS
  }

  async function deleteOlder(store: Store, table: string, age: string, beforeMs: number) {
    const oldest = store.writer
      .selectFrom(table)
      .select('id')
      .where(age, '<', beforeMs)
      .orderBy(age)
      .limit(BATCH)
    const { numDeletedRows } = await store.writer
      .deleteFrom(table)
      .where('id', 'in', oldest)
      .executeTakeFirstOrThrow()
    return Number(numDeletedRows)
  }

  /** Finds a portion by its age, then deletes it by ranges of keys: one for each period in it. */
  async function deletePeriods(
    table: 'access_usage_sums' | 'access_usage_endpoint_sums',
    period: 'minute' | 'hour',
    beforeMs: number,
  ): Promise<number> {
    return db.aux.transaction(undefined, async (tx) => {
      const trx = tx.as<UsageTables>()
      const oldest = await trx
        .selectFrom(table)
        .select(['at', 'api_key_id'])
        .where('period', '=', period)
        .where('at', '<', beforeMs)
        .orderBy('at')
        .orderBy('api_key_id')
        .limit(BATCH)
        .execute()
      for (const [at, rows] of Map.groupBy(oldest, (row) => row.at)) {
        await trx
          .deleteFrom(table)
          .where('period', '=', period)
          .where('at', '=', at)
          .where('api_key_id', '>=', rows[0]?.api_key_id ?? 0)
          .where('api_key_id', '<=', rows.at(-1)?.api_key_id ?? 0)
          .execute()
      }
      return oldest.length
    })
  }
}
