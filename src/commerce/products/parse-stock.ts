import type { JsonValue } from '#content'
import { STOCK_MEMBERS } from './product-type.ts'
import type { ValueReader } from './values.ts'

/** What a `stock_item` changes: attributes of the product, and members that are kept as they are. */
export interface StockChange {
  readonly values: Readonly<Record<string, unknown>>
  readonly others: Readonly<Record<string, JsonValue>>
}

const FLAGS = new Set(['manage_stock', 'use_config_manage_stock', 'is_qty_decimal'])
const NUMBERS = new Set(['min_qty', 'min_sale_qty', 'max_sale_qty', 'backorders'])
/** They follow from the product and come back with whoever sends what was read. */
const DERIVED = new Set(['item_id', 'product_id', 'stock_id', 'product_sku', 'stock_status'])

/** Contract §4.4: a quantity alone decides whether the product is in stock. */
export function parseStockItem(
  given: Readonly<Record<string, unknown>>,
  read: ValueReader,
): StockChange {
  const values: Record<string, unknown> = {}
  const others: Record<string, JsonValue> = {}
  for (const [name, value] of Object.entries(given)) {
    if (value === null || value === undefined || DERIVED.has(name)) continue
    if (name === 'qty') values[STOCK_MEMBERS.qty] = read.whole(name, value)
    else if (name === 'is_in_stock') values[name] = read.flag(name, value)
    else if (FLAGS.has(name)) others[name] = read.flag(name, value) ?? null
    else if (NUMBERS.has(name)) others[name] = read.number(name, value) ?? null
    else others[name] = JSON.parse(JSON.stringify(value))
  }
  const quantity = values[STOCK_MEMBERS.qty]
  if (typeof quantity === 'number' && quantity < 0) {
    read.faults.push({
      message: '"%fieldName" must not be below 0.',
      parameters: { fieldName: 'qty' },
    })
  }
  if (typeof quantity === 'number' && values['is_in_stock'] === undefined) {
    values['is_in_stock'] = quantity > 0
  }
  return { values, others }
}
