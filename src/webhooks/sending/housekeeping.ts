import type { Kysely } from 'kysely'
import type { Database } from '#db'
import type { Clock, Log } from '#kernel'
import type { SecretKeeper } from '../secrets.ts'
import {
  deleteDeliveries,
  deleteOldRest,
  eraseOldSecrets,
  findAllSealed,
  findOldDeliveries,
  isOver,
  replaceSealed,
} from '../store/housekeeping.ts'
import type { WebhooksTables } from '../tables.ts'
import type { DeliverySettings } from './settings.ts'

interface Deps {
  readonly db: Database
  readonly clock: Clock
  readonly log: Log
  readonly secrets: SecretKeeper
  /** The master key was changed: what the previous one sealed is sealed anew. */
  readonly hasPreviousKey: boolean
  settings(): Pick<DeliverySettings, 'retentionDays'>
}

const DAY_MS = 86_400_000
const BATCH = 200
const PURGE_EVERY_MS = 600_000

/** What time does to webhooks: old secrets go, old deliveries go. */
export function createHousekeeping({ db, clock, log, secrets, hasPreviousKey, settings }: Deps) {
  const reader: Kysely<WebhooksTables> = db.main.reader
  const writer: Kysely<WebhooksTables> = db.main.writer
  let purgedAtMs: number | undefined
  let isResealed = !hasPreviousKey
  return { turn }

  async function turn(signal: AbortSignal): Promise<void> {
    if (!isResealed) await resealAll(signal)
    await eraseOldSecrets(writer, clock.now())
    const nowMs = clock.now()
    if (purgedAtMs !== undefined && Math.abs(nowMs - purgedAtMs) < PURGE_EVERY_MS) return
    await purge(nowMs - settings().retentionDays * DAY_MS, signal)
    purgedAtMs = nowMs
  }

  async function resealAll(signal: AbortSignal) {
    let after = ''
    let count = 0
    for (;;) {
      if (signal.aborted) return
      const rows = await findAllSealed(reader, { after, limit: BATCH })
      for (const row of rows) count += (await resealOne(row)) ? 1 : 0
      after = rows.at(-1)?.id ?? after
      if (rows.length < BATCH) break
    }
    isResealed = true
    if (count > 0) log.info({ count }, 'webhook secrets are sealed with the current master key')
  }

  async function resealOne(row: { id: string; secret: string; secret_old: string | null }) {
    const { id, secret, secret_old: old } = row
    const isOld = secrets.needsReseal(secret) || (old !== null && secrets.needsReseal(old))
    if (!isOld) return false
    await replaceSealed(writer, row, {
      secret: secrets.reseal(id, secret),
      secret_old: old === null ? null : secrets.reseal(id, old),
    })
    return true
  }

  /** Open deliveries are never purged. */
  async function purge(beforeMs: number, signal: AbortSignal) {
    let after = ''
    for (;;) {
      if (signal.aborted) return
      const rows = await findOldDeliveries(reader, beforeMs, { after, limit: BATCH })
      const over = rows.filter(isOver)
      if (over.length > 0) {
        await db.main.transaction(undefined, (tx) =>
          deleteDeliveries(tx.as<WebhooksTables>(), over),
        )
      }
      after = rows.at(-1)?.id ?? after
      if (rows.length < BATCH) break
    }
    await deleteOldRest(writer, beforeMs)
  }
}
