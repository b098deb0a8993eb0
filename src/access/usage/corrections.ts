import type { Clock, Log } from '#kernel'
import { startOf } from './periods.ts'
import type { UsageRecord } from './record.ts'
import type { MonthCost } from './rollup-store.ts'

interface Deps {
  readonly clock: Pick<Clock, 'now'>
  readonly log: Pick<Log, 'warn'>
  /** False, or a refusal: the counter could not be told yet. */
  correctMonth(keyId: number, difference: number, epoch: number): Promise<boolean>
}

/** What the month counter of a key lacks since its epoch began. */
interface Lack {
  readonly month: MonthCost
  amount: number
}

const RETRY_MS = 1_000

/**
 * Adds to month counters what their seeds do not hold. A request that was counted under an earlier
 * epoch and is stored only now was in flight or in a journal when the counter was seeded, on
 * whichever node: the seed did not hold it, and the counter that did is gone.
 */
export function createCorrections({ clock, log, correctMonth }: Deps) {
  let waiting: Lack[] = []
  let timer: NodeJS.Timeout | undefined
  return { bring, stop: () => clearTimeout(timer) }

  /** After the commit: the epochs of `months` are those at which the records were added. */
  async function bring(months: readonly MonthCost[], stored: readonly UsageRecord[]) {
    waiting.push(...lacking(months, stored))
    await bringAll()
  }

  async function bringAll() {
    const all = waiting
    waiting = []
    const nowMonth = startOf('month', clock.now())
    for (const lack of all) {
      if (lack.month.atMs !== nowMonth) continue
      if (!(await isBrought(lack))) waiting.push(lack)
    }
    if (waiting.length === 0) return
    clearTimeout(timer)
    timer = setTimeout(() => void bringAll(), RETRY_MS).unref()
  }

  async function isBrought({ month: { keyId, epoch }, amount }: Lack): Promise<boolean> {
    try {
      return await correctMonth(keyId, amount, epoch)
    } catch (err) {
      log.warn({ err, api_key_id: keyId, amount }, 'a month counter waits for what it lacks')
      return false
    }
  }
}

export type Corrections = ReturnType<typeof createCorrections>

function lacking(months: readonly MonthCost[], stored: readonly UsageRecord[]): Iterable<Lack> {
  const byName = new Map(months.map((month) => [nameOf(month.keyId, month.atMs), month]))
  const lacks = new Map<string, Lack>()
  for (const { keyId, atMs, cost, epoch } of stored) {
    const name = nameOf(keyId, startOf('month', atMs))
    const month = byName.get(name)
    if (!month || cost === 0 || epoch === null || epoch >= month.epoch) continue
    const lack = lacks.get(name) ?? { month, amount: 0 }
    lacks.set(name, lack)
    lack.amount += cost
  }
  return lacks.values()
}

function nameOf(keyId: number, monthMs: number): string {
  return `${keyId} ${monthMs}`
}
