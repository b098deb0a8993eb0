import type { Insertable, Kysely, Selectable } from 'kysely'
import type { Database, Tx } from '#db'
import type { NewEvent } from '#events'
import type { Log } from '#kernel'
import type { KeyInfo, KeyLookup } from './key-info.ts'
import { startOf, toIso } from './periods.ts'
import type { UsageRecord } from './record.ts'
import type { MonthCost } from './rollup-store.ts'
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
  async function note(
    tx: Tx,
    months: readonly MonthCost[],
    records: readonly UsageRecord[],
  ): Promise<boolean> {
    const latest = latestOf(records)
    const crossed = months.flatMap((month) => crossedBy(month, latest.get(nameOf(month))))
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

/** What a month is compared with: the limit that its latest request was decided by. */
function latestOf(records: readonly UsageRecord[]): Map<string, UsageRecord> {
  const latest = new Map<string, UsageRecord>()
  for (const record of records) {
    if (record.cost === 0) continue
    const name = nameOf({ keyId: record.keyId, atMs: startOf('month', record.atMs) })
    const before = latest.get(name)
    // Threads write files of their own, so a batch is not in the order of time.
    if (!before || before.atMs <= record.atMs) latest.set(name, record)
  }
  return latest
}

function nameOf({ keyId, atMs }: Pick<MonthCost, 'keyId' | 'atMs'>): string {
  return `${keyId} ${atMs}`
}

function crossedBy({ keyId, atMs, cost }: MonthCost, latest: UsageRecord | undefined) {
  const limit = latest?.monthLimit
  if (!latest || !limit) return []
  const crossed = PERCENTS.filter((percent) => cost * 100 >= limit * percent)
  return crossed.map(
    (percent): NewThreshold => ({
      api_key_id: keyId,
      month_at: atMs,
      percent,
      used: cost,
      month_limit: limit,
      crossed_at: latest.atMs,
      announced: 0,
    }),
  )
}
