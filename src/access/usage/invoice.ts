import type { Kysely } from 'kysely'
import type { Database } from '#db'
import { type Clock, DomainError } from '#kernel'
import { badParameter } from './instant.ts'
import { type BilledTime, billMonth } from './invoice-lines.ts'
import { isActiveWithin, type KeyInfo, type KeyLookup } from './key-info.ts'
import { nextMonth, startOf, toIso } from './periods.ts'
import type { Scope } from './scope.ts'
import { findSeries, findTotals } from './store.ts'
import type { UsageTables } from './tables.ts'

interface Invoice {
  readonly month: string
  readonly currency: string
  readonly lines: InvoiceLine[]
  /** As the figure `month`: what the requests cost together. */
  readonly requests: number
  readonly total: number
  /** The month is not over. */
  readonly estimated: boolean
}

interface InvoiceLine {
  readonly key_id: number
  readonly plan_id: number
  readonly plan: string
  readonly from: string
  /** Not included. */
  readonly to: string
  readonly days: number
  readonly amount: number
}

interface Deps {
  readonly db: Pick<Database, 'aux'>
  readonly clock: Clock
  readonly keys: Pick<KeyLookup, 'findFormerPlans' | 'findFormerPrices'>
}

interface Asked {
  /** The first instant of the month; the current month when absent. */
  readonly monthMs?: number | undefined
  /** Only what is paid in this currency. */
  readonly currency?: string | undefined
}

interface KeyTime extends BilledTime {
  readonly keyId: number
}

const DEFAULT_CURRENCY = 'USD'

/** What a month costs by the plans that the keys had in it; a plan is paid by the whole month. */
export function createInvoices({ db, clock, keys }: Deps) {
  const reader: Kysely<UsageTables> = db.aux.reader
  return { invoiceOf, billedOf, requestsIn }

  async function invoiceOf(scope: Scope, { monthMs: given, currency: asked }: Asked) {
    const nowMs = clock.now()
    const monthMs = given ?? startOf('month', nowMs)
    if (monthMs > nowMs) throw badParameter('month', 'must not be in the future')
    const endMs = nextMonth(monthMs)
    const { times: all, totals } = await billedOf(scope.keys, monthMs)
    const currency = asked ?? currencyOf(all)
    const times = all.filter(({ plan }) => plan.currency === currency)
    const cents = times.reduce((sum, time) => sum + time.cents, 0)
    const invoice: Invoice = {
      month: toIso(monthMs).slice(0, 7),
      currency,
      lines: times.map(lineOf),
      requests: [...totals.values()].reduce((sum, { cost }) => sum + cost, 0),
      total: cents / 100,
      estimated: nowMs < endMs,
    }
    return invoice
  }

  /** What these keys are paid for in the month, and what they used in it. */
  async function billedOf(some: readonly KeyInfo[], monthMs: number) {
    const endMs = nextMonth(monthMs)
    const ids = some.map(({ id }) => id)
    const totals = await findTotals(reader, 'month', ids, monthMs)
    // A key that expired and was prolonged later shows by what it was served that it was paid for.
    const billed = some.filter(
      (key) => isActiveWithin(key, monthMs, endMs) || (totals.get(key.id)?.requests ?? 0) > 0,
    )
    return { times: await timesOf(billed, monthMs, endMs), totals }
  }

  /** What these times of one key were served; by days when the key is paid for in several currencies. */
  async function requestsIn(times: readonly KeyTime[], all: readonly KeyTime[], total: number) {
    if (all.length === times.length) return total
    const sums = times.map(async ({ keyId, fromMs, toMs }) => {
      const days = await findSeries(reader, 'day', [keyId], { fromMs, toMs })
      return [...days.values()].reduce((sum, { cost }) => sum + cost, 0)
    })
    return (await Promise.all(sums)).reduce((sum, served) => sum + served, 0)
  }

  async function timesOf(billed: readonly KeyInfo[], fromMs: number, toMs: number) {
    const ids = billed.map(({ id }) => id)
    const former = Map.groupBy(await keys.findFormerPlans(ids, fromMs), ({ keyId }) => keyId)
    const formerPlans = [...former.values()].flat().map(({ plan }) => plan)
    const plans = [...billed.map(({ plan }) => plan), ...formerPlans]
    const planIds = [...new Set(plans.map(({ id }) => id))]
    const prices = await keys.findFormerPrices(planIds, fromMs)
    return billed.flatMap((key): KeyTime[] => {
      const past = { plans: former.get(key.id) ?? [], prices }
      return billMonth(key, past, fromMs, toMs).map((time) => ({ ...time, keyId: key.id }))
    })
  }
}

export type Invoices = ReturnType<typeof createInvoices>

function lineOf({ keyId, plan, fromMs, toMs, days, cents }: KeyTime): InvoiceLine {
  return {
    key_id: keyId,
    plan_id: plan.id,
    plan: plan.name,
    from: toIso(fromMs),
    to: toIso(toMs),
    days,
    amount: cents / 100,
  }
}

function currencyOf(times: readonly KeyTime[]): string {
  const currencies = [...new Set(times.map(({ plan }) => plan.currency))]
  const [currency = DEFAULT_CURRENCY] = currencies
  if (currencies.length < 2) return currency
  const message = `The plans have several currencies (${currencies.join(', ')}): ask for one of them with currency=${currency}`
  throw new DomainError('unprocessable', 'several_currencies', message)
}
