import type { Kysely } from 'kysely'
import type { Database } from '#db'
import type { Clock } from '#kernel'
import type { BulksTables } from './tables.ts'

interface Deps {
  readonly db: Database
  readonly clock: Clock
}

const DAY_MS = 86_400_000
/** Commerce contract §5.3. */
const KEPT_MS = 30 * DAY_MS
/** No request takes as long to bring its operations. */
const ARRIVING_MS = 3_600_000
/** Keeps the writer of SQLite for a few milliseconds. */
const ROWS_AT_ONCE = 250

/** Removes bulks after their time, and what requests left that ended before they were accepted. */
export function createCleaning({ db, clock }: Deps) {
  const reader: Kysely<BulksTables> = db.main.reader
  const writer: Kysely<BulksTables> = db.main.writer
  return { turn }

  /** One bulk; true when there may be more. */
  async function turn(signal: AbortSignal): Promise<boolean> {
    const no = await findPast(clock.now())
    if (no === undefined) return false
    while (!signal.aborted && (await removeOperations(no)) === ROWS_AT_ONCE);
    if (signal.aborted) return false
    await writer.deleteFrom('commerce_bulks').where('no', '=', no).execute()
    return true
  }

  async function findPast(nowMs: number): Promise<number | undefined> {
    const row = await reader
      .selectFrom('commerce_bulks')
      .select('no')
      .where(({ or, and, eb }) =>
        or([
          and([eb('started_at', '<', nowMs - KEPT_MS), eb('completed_at', 'is not', null)]),
          and([eb('started_at', '<', nowMs - ARRIVING_MS), eb('accepted_at', 'is', null)]),
        ]),
      )
      .orderBy('started_at')
      .executeTakeFirst()
    return row?.no
  }

  async function removeOperations(no: number): Promise<number> {
    const { numDeletedRows } = await writer
      .deleteFrom('commerce_operations')
      .where('bulk_no', '=', no)
      .where('id', 'in', (e) =>
        e
          .selectFrom('commerce_operations')
          .select('id')
          .where('bulk_no', '=', no)
          .orderBy('id')
          .limit(ROWS_AT_ONCE),
      )
      .executeTakeFirst()
    return Number(numDeletedRows)
  }
}
