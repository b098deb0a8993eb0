import type { Bus, JournalRecord, Log, Tx } from '#kernel'
import { decodeUsage } from './record.ts'
import { type MonthSum, type RollUp, rollUp } from './rollup.ts'
import { addToEndpoints, addToKeys, insertRecords, type JournalledRecord } from './rollup-store.ts'
import type { UsageTables } from './tables.ts'
import type { Thresholds } from './thresholds.ts'

/** Usage of these keys was stored; the message is the list of their ids. */
export const USAGE_TOPIC = 'access.usage'

interface Deps {
  readonly bus: Pick<Bus, 'publish'>
  readonly thresholds: Thresholds
  readonly log: Pick<Log, 'warn'>
}

/** So many ids of any length fit into one notice. */
const KEYS_PER_NOTICE = 350

/** Takes what the journal hands over: the records, and their sums in the same transaction. */
export function createIngest({ bus, thresholds, log }: Deps) {
  let hasUnannounced = true
  return { handle }

  /** A record that is handed over again changes nothing, and neither does one that is not ours. */
  async function handle(tx: Tx, given: readonly JournalRecord[]): Promise<void> {
    const records = given.flatMap(decode)
    const added = await insertRecords(tx.as<UsageTables>(), records)
    // Taken out when it is met, should a batch hold a record twice.
    const fresh = records.filter(({ id }) => added.delete(id))
    if (fresh.length === 0) return
    if (await addUp(tx, rollUp(fresh))) hasUnannounced = true
    tx.afterCommit(async () => {
      const keyIds = [...new Set(fresh.map(({ keyId }) => keyId))]
      await notify(keyIds)
      if (hasUnannounced) hasUnannounced = !(await thresholds.announce())
    })
  }

  /** The months come first: their rows are what keeps other nodes away from all the others. */
  async function addUp(tx: Tx, sums: RollUp): Promise<boolean> {
    const db = tx.as<UsageTables>()
    const costs = await addToKeys(db, 'access_usage_months', sums.months)
    await addToKeys(db, 'access_usage_days', sums.days)
    await addToKeys(db, 'access_usage_hours', sums.hours)
    await addToKeys(db, 'access_usage_minutes', sums.minutes)
    await addToEndpoints(db, 'access_usage_endpoint_hours', sums.endpointHours)
    await addToEndpoints(db, 'access_usage_endpoint_days', sums.endpointDays)
    return thresholds.note(tx, withCosts(sums.months, costs))
  }

  async function notify(keyIds: readonly number[]) {
    for (let at = 0; at < keyIds.length; at += KEYS_PER_NOTICE) {
      await bus.publish(USAGE_TOPIC, keyIds.slice(at, at + KEYS_PER_NOTICE))
    }
  }

  function decode({ id, data }: JournalRecord): JournalledRecord[] {
    const record = decodeUsage(data)
    if (record) return [{ ...record, id }]
    log.warn({ record: id }, 'the journal holds something that is no usage record')
    return []
  }
}

export type Ingest = ReturnType<typeof createIngest>

/** The months that grew, with what they come to now. */
function withCosts(
  months: readonly MonthSum[],
  costs: readonly { keyId: number; atMs: number; cost: number }[],
): MonthSum[] {
  const byMonth = new Map(costs.map(({ keyId, atMs, cost }) => [`${keyId} ${atMs}`, cost]))
  return months
    .filter((month) => month.cost > 0)
    .map((month) => ({ ...month, cost: byMonth.get(`${month.keyId} ${month.atMs}`) ?? 0 }))
}
