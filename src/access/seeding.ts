import {
  type Counters,
  DomainError,
  limitsUnavailable,
  type Seed,
  type Store,
  type Tx,
} from '#kernel'
import { createBatches } from './batches.ts'
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

interface Asked {
  readonly keyId: number
  /** The store's clock when the counter was missing. */
  readonly atMs: number
}

const KEYS_AT_ONCE = 500

/**
 * Begins month counters from usage: of a key that is new in the month, and of one whose counter the
 * store has lost. All requests of a key wait for one seeding, and keys that come while another
 * seeding is under way are read together.
 */
export function createSeeding({ store, counters, drainUsage }: Deps) {
  const batches = createBatches(KEYS_AT_ONCE, seedAll)
  const pending = new Map<number, Promise<void>>()
  return { seed }

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
    await drainUsage()
    // Should the month end meanwhile, the seeds serve no more and the next request asks again.
    const monthMs = startOf('month', Math.max(...batch.map(({ atMs }) => atMs)))
    const keyIds = batch.map(({ keyId }) => keyId)
    await store.transaction(undefined, (tx) => seedHeld(tx, keyIds, monthMs))
    return () => {}
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

function refuse(error: unknown): never {
  throw error instanceof DomainError ? error : limitsUnavailable(error)
}

function toSeed({ keyId, atMs, cost }: MonthCost, epoch: number): Seed {
  const { month: name } = counterNames(keyId)
  return { name, window: MONTH, value: cost, epoch, endsAtMs: nextMonth(atMs) }
}
