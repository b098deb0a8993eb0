import { AMOUNT_UNIT } from '../criteria.ts'
import { refused } from '../refusals.ts'
import type { GivenTotals } from './parse.ts'

interface Row {
  readonly quantity: number
  readonly rowTotal: number
}

/**
 * Price times quantity, both in ten-thousandths, as the result is. Before it is divided their product is larger
 * than what a number holds exactly.
 */
export function rowTotalOf(price: number, quantity: number): number {
  const unit = BigInt(AMOUNT_UNIT)
  return Number((BigInt(price) * BigInt(quantity) + unit / 2n) / unit)
}

/** What was not given is computed: grand = subtotal + shipping + tax − discount (commerce contract §7). */
export function totalsOf(given: GivenTotals, rows: readonly Row[]) {
  const subtotal = given.subtotal ?? sum(rows.map(({ rowTotal }) => rowTotal))
  const { shipping = 0, tax = 0, discount = 0 } = given
  // Clients of the dialect write a discount with either sign.
  const grand = given.grand ?? subtotal + shipping + tax - Math.abs(discount)
  const totals = {
    subtotal,
    shipping_amount: shipping,
    tax_amount: tax,
    discount_amount: discount,
    grand_total: grand,
    total_qty_ordered: sum(rows.map(({ quantity }) => quantity)),
  }
  refuseTooLarge([...Object.values(totals), ...rows.map(({ rowTotal }) => rowTotal)])
  return { ...totals, total_item_count: rows.length }
}

/** No column holds more, and no number is exact beyond. */
function refuseTooLarge(amounts: readonly number[]) {
  if (amounts.every(Number.isSafeInteger)) return
  throw refused({ message: 'The totals of the order are too large.' })
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((all, amount) => all + amount, 0)
}
