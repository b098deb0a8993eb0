import type { Clock } from '#kernel'
import { badParameter } from './instant.ts'
import type { Invoices } from './invoice.ts'
import type { KeyLookup } from './key-info.ts'
import { nextMonth, startOf, toIso } from './periods.ts'

interface Deps {
  readonly clock: Clock
  readonly keys: KeyLookup
  readonly invoices: Pick<Invoices, 'billedOf' | 'requestsIn'>
}

/** What one user owes for a month in one currency. */
export interface Bill {
  readonly userId: number
  readonly user: string | null
  readonly currency: string
  readonly keys: number
  readonly requests: number
  readonly cents: number
}

/** The invoices of all users, read together: each by itself would take three questions. */
export function createBills({ clock, keys, invoices }: Deps) {
  return { billsOf }

  async function billsOf(given: number | undefined) {
    const nowMs = clock.now()
    const monthMs = given ?? startOf('month', nowMs)
    if (monthMs > nowMs) throw badParameter('month', 'must not be in the future')
    const all = await keys.findAllKeys()
    const { times, totals } = await invoices.billedOf(all, monthMs)
    const userOf = new Map(all.map((key) => [key.id, key.userId]))
    const groups = Map.groupBy(times, ({ keyId, plan }) => `${userOf.get(keyId)} ${plan.currency}`)
    const timesOf = Map.groupBy(times, ({ keyId }) => keyId)
    const bills: Omit<Bill, 'user'>[] = []
    for (const some of groups.values()) {
      const [first] = some
      const byKey = Map.groupBy(some, ({ keyId }) => keyId)
      let requests = 0
      for (const [id, own] of byKey) {
        const total = totals.get(id)?.cost ?? 0
        requests += await invoices.requestsIn(own, timesOf.get(id) ?? own, total)
      }
      bills.push({
        userId: userOf.get(first?.keyId ?? 0) ?? 0,
        currency: first?.plan.currency ?? '',
        keys: byKey.size,
        requests,
        cents: some.reduce((sum, { cents }) => sum + cents, 0),
      })
    }
    const names = await keys.findNames('user', [...new Set(bills.map(({ userId }) => userId))])
    return {
      month: toIso(monthMs).slice(0, 7),
      estimated: nowMs < nextMonth(monthMs),
      bills: bills
        .map((bill): Bill => ({ ...bill, user: names.get(bill.userId) ?? null }))
        .sort((a, b) => b.cents - a.cents || a.userId - b.userId),
    }
  }
}

export type Bills = ReturnType<typeof createBills>
