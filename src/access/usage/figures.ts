import type { Kysely } from 'kysely'
import type { Clock, Database } from '#kernel'
import { isActive, type KeyInfo } from './key-info.ts'
import { nextMonth, startOf, toIso } from './periods.ts'
import type { Totals } from './rollup.ts'
import { keyIdsOf, type Scope } from './scope.ts'
import { findTotals, plus } from './store.ts'
import type { UsageTables } from './tables.ts'

/** Doc 2 §2.4 and access contract §7, as they are on the wire. */
export interface Figures {
  readonly today: number
  readonly month: number
  readonly monthLimit: number | null
  readonly avgResponseMs: number
  readonly remaining: number | null
  readonly minute: number
  readonly minuteLimit: number | null
  readonly rejectedToday: number
  readonly resetsAt: string
}

interface Deps {
  readonly db: Pick<Database, 'aux'>
  readonly clock: Clock
  /** The key's minute as the limits count it at this moment. */
  minuteCount(keyId: number): Promise<number>
}

/** Asking the counters for each of them would cost more than it tells. */
const FEW_KEYS = 20

/** The dashboard: two rows of roll-ups per key, however many records there are. */
export function createFigures({ db, clock, minuteCount }: Deps) {
  const reader: Kysely<UsageTables> = db.aux.reader
  return { figuresOf }

  async function figuresOf(scope: Scope): Promise<Figures> {
    const nowMs = clock.now()
    const keyIds = keyIdsOf(scope)
    const monthMs = startOf('month', nowMs)
    const [days, months] = await Promise.all([
      findTotals(reader, 'day', keyIds, startOf('day', nowMs)),
      findTotals(reader, 'month', keyIds, monthMs),
    ])
    const today = sum(days.values())
    const active = scope.keys.filter((key) => isActive(key, nowMs))
    const cost = (key: KeyInfo) => months.get(key.id)?.cost ?? 0
    return {
      today: today.requests,
      month: sum(months.values()).cost,
      monthLimit: total(active, ({ plan }) => plan.requestsPerMonth),
      avgResponseMs: meanMs(today),
      remaining: total(active, (key) => remainingOf(key.plan.requestsPerMonth, cost(key))),
      minute: await minutesOf(active, days),
      minuteLimit: total(active, ({ plan }) => plan.requestsPerMinute),
      rejectedToday: today.rejected,
      resetsAt: toIso(nextMonth(monthMs)),
    }
  }

  async function minutesOf(keys: readonly KeyInfo[], days: ReadonlyMap<number, Totals>) {
    const asked = keys.length <= FEW_KEYS ? keys : keys.filter((key) => days.has(key.id))
    const counts = await Promise.all(asked.map((key) => minuteCount(key.id)))
    return counts.reduce((all, count) => all + count, 0)
  }
}

export type FiguresOf = ReturnType<typeof createFigures>['figuresOf']

/** Rounded; 0 when nothing was served. */
export function meanMs({ requests, responseMs }: Totals): number {
  return requests === 0 ? 0 : Math.round(responseMs / requests)
}

/** Unlimited as soon as one key is. */
function total(keys: readonly KeyInfo[], of: (key: KeyInfo) => number | null): number | null {
  let all = 0
  for (const key of keys) {
    const value = of(key)
    if (value === null) return null
    all += value
  }
  return all
}

function remainingOf(limit: number | null, used: number): number | null {
  return limit === null ? null : Math.max(0, limit - used)
}

function sum(totals: Iterable<Totals>): Totals {
  let all: Totals = NONE
  for (const each of totals) all = plus(all, each)
  return all
}

export const NONE: Totals = { requests: 0, errors: 0, rejected: 0, cost: 0, responseMs: 0 }
