import type { Entry } from '#content'
import { AMOUNT_UNIT } from '../criteria.ts'
import { refused } from '../refusals.ts'
import type { NewItem, NewOrder } from './parse.ts'
import { moveOf, type StockMove } from './stock.ts'
import type { NewItemRow } from './store.ts'
import { rowTotalOf, totalsOf } from './totals.ts'

/** An order as it is stored, and what it takes out of stock. */
export function placedOrder(order: NewOrder, products: ReadonlyMap<string, Entry>, nowMs: number) {
  const placed = order.items.map((item) => placedItem(item, products.get(item.sku)))
  const rows = placed.map(({ row }) => row)
  const totals = totalsOf(
    order.totals,
    rows.map((row) => ({ quantity: row.qty_ordered, rowTotal: row.row_total })),
  )
  return {
    row: {
      ...{ state: order.state, status: order.status, ...order.customer, ...totals },
      ...{ order_currency_code: order.currency, extra: order.extra },
      ...{ held_state: null, held_status: null, created_at: nowMs, updated_at: nowMs },
    },
    items: rows,
    moves: togetherBySku(placed.flatMap(({ move }) => move ?? [])),
  }
}

function placedItem(item: NewItem, product: Entry | undefined) {
  const { sku, quantity, extra } = item
  const values = product?.values()
  const price = item.price ?? priceOf(values?.['price'])
  if (price === undefined) {
    const message = 'The item "%sku" needs a price: there is no product that has one.'
    throw refused({ message, parameters: { sku } })
  }
  const move = moveOf(sku, quantity, product)
  const row: NewItemRow = {
    ...{ sku, name: item.name ?? String(values?.['name'] ?? sku), price, extra },
    ...{ product_id: product?.id ?? null, qty_ordered: quantity },
    row_total: item.rowTotal ?? rowTotalOf(price, quantity),
    stock_taken: move?.pieces ?? 0,
  }
  return { row, move }
}

function priceOf(value: unknown): number | undefined {
  if (value === null || value === undefined) return undefined
  return Math.round(Number(value) * AMOUNT_UNIT)
}

/** A product that is in several items is moved once, so that there is enough for all of them or none. */
function togetherBySku(moves: readonly StockMove[]): StockMove[] {
  const together = new Map<number, StockMove>()
  for (const move of moves) {
    const before = together.get(move.productId)
    together.set(move.productId, { ...move, pieces: move.pieces + (before?.pieces ?? 0) })
  }
  return [...together.values()]
}
