import type { Kysely } from 'kysely'
import type { Bus } from '#bus'
import { type Counters, limitsUnavailable, type Seed } from '#counters'
import type { Store, Tx } from '#db'
import { DomainError, type Log } from '#kernel'
import { createBatches } from '../batches.ts'
import { counterNames, DAY, MONTH } from '../limits.ts'
import { DAY_MS, nextMonth, startOf } from './periods.ts'
import { holdMonths, type MonthCost, openEpochs } from './rollup-store.ts'
import { findTotals } from './store.ts'
import type { UsageTables } from './tables.ts'

interface Deps {
  /** Where usage is. */
  readonly store: Pick<Store, 'transaction' | 'reader'>
  readonly counters: Counters
  readonly bus: Pick<Bus, 'publish' | 'subscribe'>
  readonly log: Pick<Log, 'warn'>
  /** Brings what this process has in its journal into the database. */
  drainUsage(): Promise<void>
}

interface Asked {
  readonly keyId: number
  /** The store's clock when the counter was missing. */
  readonly atMs: number
}

const KEYS_AT_ONCE = 500
/** Month counters were lost: what is in a journal is missing in their seeds. */
const LOST_TOPIC = 'access.lost-counters'

/**
 * Begins month counters from usage: of a key that is new in the month, and of one whose counter the
 * store has lost. All requests of a key wait for one seeding, and keys that come while another
 * seeding is under way are read together. After a loss all nodes drain at once, because the records
 * in their journals bring to the counters what the seeds do not hold (corrections.ts).
 */
export function createSeeding({ store, counters, bus, log, drainUsage }: Deps) {
  const batches = createBatches(KEYS_AT_ONCE, seedAll)
  const pending = new Map<number, Promise<void>>()
  const close = bus.subscribe(LOST_TOPIC, () => {
    drainUsage().catch((err) => log.warn({ err }, 'lost month counters wait for the next drain'))
  })
  return { seed, close }

  /** `atMs`: the store's clock when the counter was missing. */
  function seed(keyId: number, atMs: number): Promise<void> {
    const running = pending.get(keyId)
    if (running) return running
    const started = batches
      .ask({ keyId, atMs })
      .catch(refuse)
      .finally(() => pending.delete(keyId))
    pending.set(keyId, started)
    return started
  }

  async function seedAll(batch: readonly Asked[]) {
    // Should the month end meanwhile, the seeds serve no more and the next request asks again.
    const atMs = Math.max(...batch.map((asked) => asked.atMs))
    const keyIds = batch.map(({ keyId }) => keyId)
    try {
      await drainUsage()
      const lost = await store.transaction(undefined, (tx) => seedHeld(tx, keyIds, atMs))
      if (lost.some(({ epoch }) => epoch > 0)) await bus.publish(LOST_TOPIC, null)
    } catch (error) {
      if (!(error instanceof DomainError && error.code === 'moving')) throw error
      await seedAsStored(keyIds, atMs)
    }
    return () => {}
  }

  /** While nothing can be written reading goes on, by what was stored before; the next start seeds anew. */
  async function seedAsStored(keyIds: readonly number[], atMs: number) {
    const db: Kysely<UsageTables> = store.reader
    const monthMs = startOf('month', atMs)
    const stored = await findTotals(db, 'month', keyIds, monthMs)
    const months = keyIds.map((keyId) => {
      return { keyId, atMs: monthMs, cost: stored.get(keyId)?.cost ?? 0, epoch: 0 }
    })
    await counters.seed(await daysOf(db, months, atMs))
    await counters.seed(months.map((month) => toSeed(month, month.epoch + 1)))
  }

  /**
   * Answers which counters were missing in the store, with the epochs they had.
   *
   * The store is asked and told while the rows are held, the one wait for something else than SQL in
   * a transaction: two nodes that seed the same key must do so one after the other, else the
   * second would take back what the first has let count meanwhile.
   */
  async function seedHeld(tx: Tx, keyIds: readonly number[], atMs: number) {
    const db = tx.as<UsageTables>()
    const months = await holdMonths(db, keyIds, startOf('month', atMs))
    const answers = await Promise.all(months.map(({ keyId }) => look(keyId)))
    const isMissing = (_: MonthCost, at: number) => answers[at]?.missing != null
    const isLost = (month: MonthCost, at: number) => isMissing(month, at) && !answers[at]?.isAlone
    const lost = months.filter(isLost)
    // While the store is away the count goes on in its epoch: this node will bring what it counts.
    const unknownHere = months.filter((month, at) => isMissing(month, at) && !isLost(month, at))
    await openEpochs(db, lost)
    // What lost the month lost the day too. The day first: with the month counting begins.
    await counters.seed(await daysOf(db, lost, atMs))
    await counters.seed(lost.map((month) => toSeed(month, month.epoch + 1)))
    await counters.seed(
      unknownHere.map((month) => toSeed(month, month.epoch)),
      { onlyHere: true },
    )
    return lost
  }

  /** Requests served today, of keys that were served any. */
  async function daysOf(
    db: Kysely<UsageTables>,
    months: readonly MonthCost[],
    atMs: number,
  ): Promise<Seed[]> {
    const dayMs = startOf('day', atMs)
    const days = await findTotals(
      db,
      'day',
      months.map(({ keyId }) => keyId),
      dayMs,
    )
    return months.flatMap(({ keyId, epoch }) => {
      const value = days.get(keyId)?.requests ?? 0
      const { day: name } = counterNames(keyId)
      const endsAtMs = dayMs + DAY_MS
      return value === 0 ? [] : [{ name, window: DAY, value, epoch: epoch + 1, endsAtMs }]
    })
  }

  function look(keyId: number) {
    const { month: name } = counterNames(keyId)
    return counters.add([{ name, window: MONTH, amount: 0, limit: null, seeded: true }])
  }
}

function refuse(error: unknown): never {
  throw error instanceof DomainError ? error : limitsUnavailable(error)
}

function toSeed({ keyId, atMs, cost }: MonthCost, epoch: number): Seed {
  const { month: name } = counterNames(keyId)
  return { name, window: MONTH, value: cost, epoch, endsAtMs: nextMonth(atMs) }
}
