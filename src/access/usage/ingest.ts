import type { Bus } from '#bus'
import type { Tx } from '#db'
import type { JournalRecord } from '#journal'
import type { Log } from '#kernel'
import type { Corrections } from './corrections.ts'
import { decodeUsage } from './record.ts'
import { rollUp } from './rollup.ts'
import { addEndpointSums, addSums, insertRecords, type JournalledRecord } from './rollup-store.ts'
import type { UsageTables } from './tables.ts'
import type { Thresholds } from './thresholds.ts'

/** Usage of these keys was stored; the message is the list of their ids. */
export const USAGE_TOPIC = 'access.usage'

interface Deps {
  readonly bus: Pick<Bus, 'publish'>
  readonly thresholds: Thresholds
  readonly corrections: Pick<Corrections, 'bring'>
  readonly log: Pick<Log, 'warn'>
}

/** So many ids of any length fit into one notice. */
const KEYS_PER_NOTICE = 350

/** Takes what the journal hands over: the records, and their sums in the same transaction. */
export function createIngest({ bus, thresholds, corrections, log }: Deps) {
  let hasUnannounced = true
  return { handle }

  /** A record that is handed over again changes nothing, and neither does one that is not ours. */
  async function handle(tx: Tx, given: readonly JournalRecord[]): Promise<void> {
    const records = given.flatMap(decode)
    const db = tx.as<UsageTables>()
    const added = await insertRecords(db, records)
    // Taken out when it is met, should a batch hold a record twice.
    const fresh = records.filter(({ id }) => added.delete(id))
    if (fresh.length === 0) return
    const { sums, endpointSums } = rollUp(fresh)
    const months = await addSums(db, sums)
    await addEndpointSums(db, endpointSums)
    if (await thresholds.note(tx, months, fresh)) hasUnannounced = true
    tx.afterCommit(() => corrections.bring(months, fresh))
    tx.afterCommit(async () => {
      const keyIds = [...new Set(fresh.map(({ keyId }) => keyId))]
      await notify(keyIds)
      if (hasUnannounced) hasUnannounced = !(await thresholds.announce())
    })
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
