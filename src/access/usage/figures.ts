import type { Kysely } from 'kysely'
import type { Database } from '#db'
import type { Clock } from '#kernel'
import type { KeyCounts } from '../limits.ts'
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
  /** What the limits have counted at this moment. */
  countsOf(keyId: number): Promise<KeyCounts>
}

/** What one key used, in requests but for `month`, which is cost. */
interface Used {
  readonly minute: number
  readonly today: number
  readonly month: number
}

interface RolledUp {
  readonly days: ReadonlyMap<number, Totals>
  readonly used: ReadonlyMap<number, Used>
}

/** Of more keys nobody looks at each one: their roll-ups are at most two seconds behind. */
const FEW_KEYS = 50

/**
 * The dashboard. What consumes quota comes from the counters that the limits go by, so that figures
 * asked for after an answer agree with the headers of that answer; the rest comes from roll-ups.
 */
export function createFigures({ db, clock, countsOf }: Deps) {
  const reader: Kysely<UsageTables> = db.aux.reader
  return { figuresOf }

  async function figuresOf(scope: Scope): Promise<Figures> {
    const nowMs = clock.now()
    const monthMs = startOf('month', nowMs)
    const rolledUp = await rollUpsOf(scope, nowMs)
    const used = scope.keys.length <= FEW_KEYS ? await countedOf(scope, rolledUp) : rolledUp.used
    const today = sum(rolledUp.days.values())
    const active = scope.keys.filter((key) => isActive(key, nowMs))
    const monthOf = (key: KeyInfo) => used.get(key.id)?.month ?? 0
    return {
      today: added(used, ({ today }) => today),
      month: added(used, ({ month }) => month),
      monthLimit: total(active, ({ plan }) => plan.requestsPerMonth),
      avgResponseMs: meanMs(today),
      remaining: total(active, (key) => remainingOf(key.plan.requestsPerMonth, monthOf(key))),
      minute: added(used, ({ minute }) => minute),
      minuteLimit: total(active, ({ plan }) => plan.requestsPerMinute),
      rejectedToday: today.rejected,
      resetsAt: toIso(nextMonth(monthMs)),
    }
  }

  async function rollUpsOf(scope: Scope, nowMs: number): Promise<RolledUp> {
    const keyIds = keyIdsOf(scope)
    const [minutes, days, months] = await Promise.all([
      keyIds.length <= FEW_KEYS
        ? NO_TOTALS
        : findTotals(reader, 'minute', keyIds, startOf('minute', nowMs)),
      findTotals(reader, 'day', keyIds, startOf('day', nowMs)),
      findTotals(reader, 'month', keyIds, startOf('month', nowMs)),
    ])
    const used = new Map(
      keyIds.map((id) => [id, usedBy(minutes.get(id), days.get(id), months.get(id))]),
    )
    return { days, used }
  }

  /** One key after the other: all at once they would keep the limits waiting for the store. */
  async function countedOf(scope: Scope, { used }: RolledUp): Promise<Map<number, Used>> {
    const counted = new Map<number, Used>()
    for (const { id } of scope.keys) {
      const { minute, day, month } = await countsOf(id)
      const known = used.get(id) ?? NOTHING
      // The roll-ups know more where counting began late, and while a node counts by itself.
      const today = Math.max(day ?? 0, known.today)
      counted.set(id, { minute, today, month: Math.max(month ?? 0, known.month) })
    }
    return counted
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

function usedBy(minute: Totals = NONE, day: Totals = NONE, month: Totals = NONE): Used {
  return { minute: minute.requests + minute.rejected, today: day.requests, month: month.cost }
}

function added(used: ReadonlyMap<number, Used>, of: (each: Used) => number): number {
  let all = 0
  for (const each of used.values()) all += of(each)
  return all
}

function sum(totals: Iterable<Totals>): Totals {
  let all: Totals = NONE
  for (const each of totals) all = plus(all, each)
  return all
}

export const NONE: Totals = { requests: 0, errors: 0, rejected: 0, cost: 0, responseMs: 0 }
const NOTHING: Used = { minute: 0, today: 0, month: 0 }
const NO_TOTALS: ReadonlyMap<number, Totals> = new Map()
