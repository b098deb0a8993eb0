import type { BilledPlan, FormerPlan, FormerPrice } from './key-info.ts'
import { DAY_MS, startOf } from './periods.ts'

/** Consecutive days of a month in which a key had the same plan at the same price. */
export interface BilledTime {
  readonly plan: BilledPlan
  readonly fromMs: number
  /** Not included. */
  readonly toMs: number
  readonly days: number
  readonly cents: number
}

interface Billed {
  readonly plan: BilledPlan
  readonly createdAtMs: number
}

interface Past {
  /** Of this key, oldest first. */
  readonly plans: readonly FormerPlan[]
  /** Of all its plans, oldest first. */
  readonly prices: readonly FormerPrice[]
}

/**
 * What one key costs in a month, by UTC day: the day of a change belongs to what was chosen last on
 * it. A plan is paid by the whole month, so the days before a key existed are those of its first plan.
 */
export function billMonth(key: Billed, past: Past, fromMs: number, toMs: number): BilledTime[] {
  const createdMs = startOf('day', key.createdAtMs)
  const times: Omit<BilledTime, 'cents'>[] = []
  for (let dayMs = fromMs; dayMs < toMs; dayMs += DAY_MS) {
    const plan = planOn(key, past, Math.max(dayMs, createdMs))
    const last = times.at(-1)
    if (last && isSame(last.plan, plan)) {
      times[times.length - 1] = { ...last, toMs: dayMs + DAY_MS, days: last.days + 1 }
    } else times.push({ plan, fromMs: dayMs, toMs: dayMs + DAY_MS, days: 1 })
  }
  return withCents(times, (toMs - fromMs) / DAY_MS)
}

/** As it was when the day ended. */
function planOn({ plan: present }: Billed, { plans, prices }: Past, dayMs: number): BilledPlan {
  const endMs = dayMs + DAY_MS
  const plan = plans.find(({ untilMs }) => untilMs >= endMs)?.plan ?? present
  const price = prices.find(({ planId, untilMs }) => planId === plan.id && untilMs >= endMs)
  if (!price) return plan
  return { ...plan, priceCents: price.priceCents, currency: price.currency }
}

function isSame(a: BilledPlan, b: BilledPlan): boolean {
  return a.id === b.id && a.priceCents === b.priceCents && a.currency === b.currency
}

/** Each line is rounded so that the lines of a currency up to it are, and all of them add up. */
function withCents(times: readonly Omit<BilledTime, 'cents'>[], daysOfMonth: number) {
  const sums = new Map<string, number>()
  return times.map((time) => {
    const { currency, priceCents } = time.plan
    const before = sums.get(currency) ?? 0
    const sum = before + priceCents * time.days
    sums.set(currency, sum)
    return { ...time, cents: Math.round(sum / daysOfMonth) - Math.round(before / daysOfMonth) }
  })
}
