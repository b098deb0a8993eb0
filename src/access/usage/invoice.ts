import type { Kysely } from 'kysely'
import { type Clock, type Database, DomainError } from '#kernel'
import { badParameter } from './instant.ts'
import type { KeyInfo } from './key-info.ts'
import { DAY_MS, nextMonth, startOf, toIso } from './periods.ts'
import { keyIdsOf, type Scope } from './scope.ts'
import { findTotals } from './store.ts'
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

export interface InvoiceLine {
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
}

const DEFAULT_CURRENCY = 'USD'

/** What a month costs by the plans the keys have now; a plan is paid by the whole month. */
export function createInvoices({ db, clock }: Deps) {
  const reader: Kysely<UsageTables> = db.aux.reader
  return { invoiceOf }

  async function invoiceOf(scope: Scope, monthMs = startOf('month', clock.now())) {
    const nowMs = clock.now()
    if (monthMs > nowMs) throw badParameter('month', 'must not be in the future')
    const endMs = nextMonth(monthMs)
    const totals = await findTotals(reader, 'month', keyIdsOf(scope), monthMs)
    // A revoked key is paid for as long as it was used: what it was served shows that it existed.
    const billed = scope.keys.filter(
      (key) => key.createdAtMs < endMs && (key.status === 'active' || totals.has(key.id)),
    )
    const cents = billed.reduce((sum, key) => sum + key.plan.priceCents, 0)
    const invoice: Invoice = {
      month: toIso(monthMs).slice(0, 7),
      currency: currencyOf(billed),
      lines: billed.map((key) => lineOf(key, monthMs, endMs)),
      requests: [...totals.values()].reduce((sum, { cost }) => sum + cost, 0),
      total: cents / 100,
      estimated: nowMs < endMs,
    }
    return invoice
  }
}

export type Invoices = ReturnType<typeof createInvoices>

function lineOf({ id, plan }: KeyInfo, fromMs: number, toMs: number): InvoiceLine {
  return {
    key_id: id,
    plan_id: plan.id,
    plan: plan.name,
    from: toIso(fromMs),
    to: toIso(toMs),
    days: (toMs - fromMs) / DAY_MS,
    amount: plan.priceCents / 100,
  }
}

function currencyOf(keys: readonly KeyInfo[]): string {
  const currencies = new Set(keys.map(({ plan }) => plan.currency))
  if (currencies.size > 1) {
    const message = `The plans have several currencies (${[...currencies].join(', ')}): ask for one key with key_id`
    throw new DomainError('unprocessable', 'several_currencies', message)
  }
  const [currency = DEFAULT_CURRENCY] = currencies
  return currency
}
