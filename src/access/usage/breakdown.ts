import type { Kysely } from 'kysely'
import type { Database } from '#db'
import type { Clock } from '#kernel'
import { meanMs } from './figures.ts'
import type { KeyInfo, KeyLookup } from './key-info.ts'
import type { Totals } from './rollup.ts'
import { rangeOf } from './series.ts'
import { findTotalsIn, plus } from './store.ts'
import type { UsageTables } from './tables.ts'

interface Deps {
  readonly db: Pick<Database, 'aux'>
  readonly clock: Clock
  readonly keys: KeyLookup
}

type BrokenDownBy = 'key' | 'user' | 'plan'

interface Asked {
  readonly by: BrokenDownBy
  readonly limit: number
  readonly fromMs: number | undefined
  readonly toMs: number | undefined
}

/** Who used how much; it reads sums of days only. */
export function createBreakdown({ db, clock, keys }: Deps) {
  const reader: Kysely<UsageTables> = db.aux.reader
  return { breakdownOf }

  async function breakdownOf({ by, limit, ...asked }: Asked) {
    const range = rangeOf({ interval: 'day', ...asked }, clock.now())
    const used = await findTotalsIn(reader, 'day', range)
    const groups = new Map<number, Totals>()
    for (const key of await keys.findAllKeys()) {
      const totals = used.get(key.id)
      const id = idOf(key, by)
      if (totals) groups.set(id, plus(groups.get(id), totals))
    }
    const sorted = [...groups].sort(([a, x], [b, y]) => y.requests - x.requests || a - b)
    const shown = sorted.slice(0, limit)
    const names = await keys.findNames(
      by,
      shown.map(([id]) => id),
    )
    const rows = shown.map(([id, totals]) => {
      const { requests, errors, rejected } = totals
      const name = names.get(id) ?? null
      return { id, name, requests, errors, rejected, avgResponseMs: meanMs(totals) }
    })
    return { range, rows, total: sorted.length }
  }
}

export type Breakdown = ReturnType<typeof createBreakdown>

function idOf({ id, userId, plan }: KeyInfo, by: BrokenDownBy): number {
  if (by === 'key') return id
  return by === 'user' ? userId : plan.id
}
