import type { Insertable, Kysely, Selectable } from 'kysely'
import type { Database, Log, NewEvent, Tx } from '#kernel'
import type { KeyInfo, KeyLookup } from './key-info.ts'
import { toIso } from './periods.ts'
import type { MonthSum } from './rollup.ts'
import type { StreamEvents } from './stream-events.ts'
import type { ThresholdRow, UsageTables } from './tables.ts'

interface Deps {
  readonly db: Database
  readonly keys: Pick<KeyLookup, 'findKey'>
  readonly streamEvents: Pick<StreamEvents, 'append'>
  appendEvent(tx: Tx, event: NewEvent): Promise<unknown>
  readonly log: Pick<Log, 'error'>
}

const PERCENTS = [80, 90, 100]
const AT_ONCE = 100

/**
 * Tells once per key and month that 80, 90 and 100 % are used. What was crossed is remembered with
 * the roll-up that crossed it; telling it follows in a transaction of the main store and is repeated
 * until it happened, also by the next start.
 */
export function createThresholds({ db, keys, streamEvents, appendEvent, log }: Deps) {
  const writer: Kysely<UsageTables> = db.aux.writer
  return { note, announce }

  /** In the transaction of the roll-up; true when something is to be announced after it. */
  async function note(tx: Tx, months: readonly MonthSum[]): Promise<boolean> {
    const crossed = months.flatMap(thresholdsOf)
    if (crossed.length === 0) return false
    const fresh = await tx
      .as<UsageTables>()
      .insertInto('access_usage_thresholds')
      .values(crossed)
      .onConflict((conflict) => conflict.columns(['api_key_id', 'month_at', 'percent']).doNothing())
      .returning('percent')
      .execute()
    return fresh.length > 0
  }

  /** Failures are logged and not thrown: the rows still wait. False when some do. */
  async function announce(): Promise<boolean> {
    try {
      for (;;) {
        const waiting = await findWaiting()
        for (const row of waiting) await announceOne(row)
        if (waiting.length < AT_ONCE) return true
      }
    } catch (error) {
      log.error({ err: error }, 'a usage threshold could not be announced yet')
      return false
    }
  }

  async function findWaiting(): Promise<Selectable<ThresholdRow>[]> {
    return writer
      .selectFrom('access_usage_thresholds')
      .selectAll()
      .where('announced', '=', 0)
      .orderBy('id')
      .limit(AT_ONCE)
      .execute()
  }

  async function announceOne(row: Selectable<ThresholdRow>) {
    const key = await keys.findKey(row.api_key_id)
    if (key) await tell(key, row)
    await writer
      .updateTable('access_usage_thresholds')
      .set({ announced: 1 })
      .where('id', '=', row.id)
      .execute()
  }

  /** Another node may do the same at this moment, or this one did before it was killed. */
  async function tell(key: KeyInfo, row: Selectable<ThresholdRow>) {
    const data = {
      key_id: row.api_key_id,
      window: 'month',
      percent: row.percent,
      used: row.used,
      limit: row.month_limit,
      at: toIso(row.crossed_at),
    }
    const once = `threshold:${row.api_key_id}:${row.month_at}:${row.percent}`
    const event = { event: 'threshold', keyId: key.id, userId: key.userId, data, once } as const
    await db.main.transaction(undefined, async (tx) => {
      if (!(await streamEvents.append(tx, event))) return
      await appendEvent(tx, {
        type: 'usage.threshold',
        payload: data,
        owner: key.consumerId,
        occurredAtMs: row.crossed_at,
      })
    })
  }
}

export type Thresholds = ReturnType<typeof createThresholds>

type NewThreshold = Insertable<ThresholdRow>

function thresholdsOf(month: MonthSum): NewThreshold[] {
  const { keyId, atMs, cost, monthLimit, latestMs } = month
  if (monthLimit === null || monthLimit === 0) return []
  return PERCENTS.filter((percent) => cost * 100 >= monthLimit * percent).map((percent) => ({
    api_key_id: keyId,
    month_at: atMs,
    percent,
    used: cost,
    month_limit: monthLimit,
    crossed_at: latestMs,
    announced: 0,
  }))
}
