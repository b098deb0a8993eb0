import type { Cells, Tx } from '#db'
import type { Freshness } from '../../../src/content/freshness.ts'
import { type Carrier, type Outcome, resolveValue, type WritePlan } from './plan.ts'

interface Deps {
  readonly carrier: Carrier
  readonly freshness: Pick<Freshness, 'touch'>
}

export interface Written {
  /** As a page would show them; nothing is read back. */
  readonly rows: readonly Cells[]
  readonly returned: readonly (readonly Cells[])[]
  /** How often the plan was made. */
  readonly attempts: number
}

const ATTEMPTS = 3
/** More would hold up other writers for longer than 20 ms. */
const MOST_ENTRIES = 100

/** A transaction that is over, for what only waits for its commit. */
const COMMITTED: Tx = { as: refuse, savepoint: refuse, afterCommit: (work) => void work() }

function refuse(): never {
  throw new Error('the transaction is over')
}

/**
 * Writes of one process. A plan is made from what readers show, so it may be out of date when it
 * arrives; then it is made again, and after three times while nobody else writes.
 */
export function createWriteUnit({ carrier, freshness }: Deps) {
  return { write }

  async function write(makePlan: () => Promise<WritePlan>): Promise<Written> {
    for (let attempts = 1; attempts <= ATTEMPTS; attempts++) {
      const plan = limited(await makePlan())
      const outcome = await carrier.carry(plan)
      if (outcome.kind !== 'stale') return finish(plan, outcome, attempts)
    }
    return carrier.alone(async (carry) => {
      const plan = limited(await makePlan())
      return finish(plan, await carry(plan), ATTEMPTS + 1)
    })
  }

  /** Kept answers are unfit before whoever wrote hears of the commit: a read after it sees it. */
  function finish(plan: WritePlan, outcome: Outcome, attempts: number): Written {
    if (outcome.kind === 'failed') throw new Error(outcome.message)
    if (outcome.kind === 'stale') throw new Error('a guard failed although nobody else wrote')
    freshness.touch(COMMITTED, plan.touches)
    const rows = plan.rows.map((row) => row.map((value) => resolveValue(value, outcome)))
    return { rows, returned: outcome.returned, attempts }
  }
}

function limited(plan: WritePlan): WritePlan {
  if (plan.rows.length <= MOST_ENTRIES) return plan
  throw new Error(`a plan holds at most ${MOST_ENTRIES} entries`)
}
