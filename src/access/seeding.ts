import {
  type Counters,
  DomainError,
  limitsUnavailable,
  type Seed,
  type Store,
  type Tx,
} from '#kernel'
import { counterNames, MONTH } from './limits.ts'
import { nextMonth, startOf } from './usage/periods.ts'
import { holdMonths, type MonthCost, openEpochs } from './usage/rollup-store.ts'
import type { UsageTables } from './usage/tables.ts'

interface Deps {
  /** Where usage is. */
  readonly store: Pick<Store, 'transaction'>
  readonly counters: Counters
  /** Brings what this process has in its journal into the database. */
  drainUsage(): Promise<void>
}

interface Asked extends PromiseWithResolvers<void> {
  readonly keyId: number
  readonly atMs: number
}

const KEYS_AT_ONCE = 500

/**
 * Begins month counters from usage: of a key that is new in the month, and of one whose counter the
 * store has lost. All requests of a key wait for one seeding, and keys that come while another
 * seeding is under way are read together.
 */
export function createSeeding({ store, counters, drainUsage }: Deps) {
  const waiting = new Map<number, Asked>()
  const underWay = new Map<number, Asked>()
  let isRunning = false
  return { seed }

  /** `atMs`: the store's clock when the counter was missing. */
  function seed(keyId: number, atMs: number): Promise<void> {
    const pending = underWay.get(keyId) ?? waiting.get(keyId)
    if (pending) return pending.promise
    const asked = { ...Promise.withResolvers<void>(), keyId, atMs }
    waiting.set(keyId, asked)
    if (!isRunning) void run()
    return asked.promise
  }

  async function run() {
    isRunning = true
    while (waiting.size > 0) {
      for (const [keyId, asked] of waiting.entries().take(KEYS_AT_ONCE)) {
        waiting.delete(keyId)
        underWay.set(keyId, asked)
      }
      const batch = [...underWay.values()]
      try {
        await seedAll(batch)
        for (const { resolve } of batch) resolve()
      } catch (error) {
        const refusal = error instanceof DomainError ? error : limitsUnavailable(error)
        for (const { reject } of batch) reject(refusal)
      }
      underWay.clear()
    }
    isRunning = false
  }

  async function seedAll(batch: readonly Asked[]): Promise<void> {
    await drainUsage()
    // Should the month end meanwhile, the seeds serve no more and the next request asks again.
    const monthMs = startOf('month', Math.max(...batch.map(({ atMs }) => atMs)))
    const keyIds = batch.map(({ keyId }) => keyId)
    await store.transaction(undefined, (tx) => seedHeld(tx, keyIds, monthMs))
  }

  /**
   * The store is asked and told while the rows are held, the one wait for something else than SQL in
   * a transaction: two nodes that seed the same key must do so one after the other, else the
   * second would take back what the first has let count meanwhile.
   */
  async function seedHeld(tx: Tx, keyIds: readonly number[], monthMs: number): Promise<void> {
    const db = tx.as<UsageTables>()
    const months = await holdMonths(db, keyIds, monthMs)
    const answers = await Promise.all(months.map(({ keyId }) => look(keyId)))
    const isMissing = (_: MonthCost, at: number) => answers[at]?.missing != null
    const isLost = (month: MonthCost, at: number) => isMissing(month, at) && !answers[at]?.isAlone
    const lost = months.filter(isLost)
    // While the store is away the count goes on in its epoch: this node will bring what it counts.
    const unknownHere = months.filter((month, at) => isMissing(month, at) && !isLost(month, at))
    await openEpochs(db, lost)
    await counters.seed(lost.map((month) => toSeed(month, month.epoch + 1)))
    await counters.seed(
      unknownHere.map((month) => toSeed(month, month.epoch)),
      { onlyHere: true },
    )
  }

  function look(keyId: number) {
    const { month: name } = counterNames(keyId)
    return counters.add([{ name, window: MONTH, amount: 0, limit: null, seeded: true }])
  }
}

function toSeed({ keyId, atMs, cost }: MonthCost, epoch: number): Seed {
  const { month: name } = counterNames(keyId)
  return { name, window: MONTH, value: cost, epoch, endsAtMs: nextMonth(atMs) }
}
