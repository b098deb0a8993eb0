import { AMOUNT_UNIT } from '../criteria.ts'
import { refused, wrongType } from '../refusals.ts'
import { createMembers, type Members, refuseFaults } from './read-members.ts'
import { ORDER_STATES, type OrderState } from './tables.ts'

type Given = Readonly<Record<string, unknown>>

export interface NewItem {
  readonly sku: string
  /** Null: the product's. */
  readonly name: string | null
  readonly quantity: number
  /** Undefined: the product's. */
  readonly price: number | undefined
  readonly rowTotal: number | undefined
  readonly extra: string
}

export interface NewOrder {
  readonly state: OrderState
  readonly status: string
  readonly customer: Customer
  readonly currency: string | null
  readonly totals: GivenTotals
  readonly items: readonly NewItem[]
  readonly extra: string
}

interface Customer {
  readonly customer_email: string | null
  readonly customer_firstname: string | null
  readonly customer_lastname: string | null
}

/** What is undefined is computed. */
export interface GivenTotals {
  readonly subtotal: number | undefined
  readonly shipping: number | undefined
  readonly tax: number | undefined
  readonly discount: number | undefined
  readonly grand: number | undefined
}

/** Only what was sent. */
interface OrderChange {
  readonly state?: OrderState
  readonly status?: string
  readonly customer: Partial<Customer>
  /** Addresses and members that the order itself does not know. */
  readonly others: Readonly<Record<string, unknown>>
}

/** Each holds the writer of SQLite for some milliseconds. */
const MOST_ITEMS = 100
const LONGEST_SKU = 64
/** They follow from the rest, and come back with whoever sends what was read. */
const DERIVED = [
  ...['entity_id', 'increment_id', 'created_at', 'updated_at', 'total_qty_ordered'],
  ...['total_item_count', 'status_histories'],
]
const ITEM_DERIVED = ['item_id', 'order_id', 'product_id']
const CUSTOMER = ['customer_email', 'customer_firstname', 'customer_lastname'] as const

/** Names in snake_case. */
export function parseOrder(given: Given): NewOrder {
  const read = createMembers(given)
  const items = read.list('items').map((item, at) => parseItem(item, at, read))
  if (items.length === 0) {
    read.faults.push({
      message: '"%fieldName" needs at least one item.',
      parameters: { fieldName: 'items' },
    })
  }
  if (items.length > MOST_ITEMS) {
    read.faults.push(wrongType('items', items.length, `a list of at most ${MOST_ITEMS}`))
  }
  const state = stateOf(read) ?? 'new'
  if (state === 'canceled' || state === 'holded') {
    read.faults.push(wrongType('state', state, 'new, processing, complete or closed'))
  }
  const order = {
    state,
    status: statusOf(read) ?? statusFor(state),
    customer: {
      customer_email: emailOf(read),
      customer_firstname: read.text('customer_firstname'),
      customer_lastname: read.text('customer_lastname'),
    },
    currency: read.text('order_currency_code'),
    totals: {
      subtotal: read.amount('subtotal'),
      shipping: read.amount('shipping_amount'),
      tax: read.amount('tax_amount'),
      discount: read.amount('discount_amount'),
      grand: read.amount('grand_total'),
    },
    items,
    extra: read.rest(DERIVED),
  }
  refuseFaults(read.faults)
  return order
}

function parseItem(given: Given, at: number, order: Members): NewItem {
  const read = createMembers(given, `items[${at}].`)
  const sku = read.needText('sku')
  if (sku.length > LONGEST_SKU) {
    read.faults.push(
      wrongType(`items[${at}].sku`, sku, `a text of at most ${LONGEST_SKU} characters`),
    )
  }
  const quantity = read.amount('qty_ordered') ?? 0
  if (quantity <= 0 && read.faults.length === 0) {
    const parameters = { fieldName: `items[${at}].qty_ordered` }
    read.faults.push({ message: '"%fieldName" must be above 0.', parameters })
  }
  const price = read.amount('price')
  if (price !== undefined && price < 0) {
    const parameters = { fieldName: `items[${at}].price` }
    read.faults.push({ message: '"%fieldName" must not be below 0.', parameters })
  }
  const name = read.text('name')
  const rowTotal = read.amount('row_total')
  const extra = read.rest(ITEM_DERIVED)
  order.faults.push(...read.faults)
  return { sku, name, quantity, price, rowTotal, extra }
}

/** Totals and items of an order that exists stay as they are (commerce contract §7). */
const FIXED = [
  ...['items', 'subtotal', 'shipping_amount', 'tax_amount', 'discount_amount', 'grand_total'],
  'order_currency_code',
]

export function parseOrderChange(given: Given): OrderChange {
  const read = createMembers(given)
  const state = stateOf(read)
  const status = statusOf(read)
  const customer: Partial<Record<keyof Customer, string | null>> = {}
  for (const name of CUSTOMER) {
    if (Object.hasOwn(given, name)) {
      customer[name] = name === 'customer_email' ? emailOf(read) : read.text(name)
    }
  }
  const others: Given = JSON.parse(read.rest([...DERIVED, ...FIXED]))
  refuseFaults(read.faults)
  return { ...(state ? { state } : {}), ...(status ? { status } : {}), customer, others }
}

interface NewComment {
  readonly comment: string
  readonly status: string | undefined
}

export function parseComment(given: Given): NewComment {
  const read = createMembers(given)
  const comment = read.needText('comment')
  const status = statusOf(read)
  refuseFaults(read.faults)
  return { comment, status }
}

/** How many of each item, by its id, an invoice or a shipment is of; empty when it does not say. */
export function parsePieces(given: Given): ReadonlyMap<number, number> {
  const read = createMembers(given)
  const pieces = new Map<number, number>()
  for (const [at, item] of read.list('items').entries()) {
    const part = createMembers(item, `items[${at}].`)
    const id = (part.amount('order_item_id') ?? 0) / AMOUNT_UNIT
    pieces.set(id, (pieces.get(id) ?? 0) + (part.amount('qty') ?? 0))
    read.faults.push(...part.faults)
  }
  refuseFaults(read.faults)
  return pieces
}

/** The status that belongs to a state, until somebody says another. */
export function statusFor(state: OrderState): string {
  return state === 'new' ? 'pending' : state
}

function stateOf(read: Members): OrderState | undefined {
  const given = read.text('state')
  if (given === null) return undefined
  const state = ORDER_STATES.find((each) => each === given)
  if (!state) read.faults.push(wrongType('state', given, `one of ${ORDER_STATES.join(', ')}`))
  return state
}

const STATUS = /^[a-z][a-z0-9_]{0,31}$/

function statusOf(read: Members): string | undefined {
  const given = read.text('status')
  if (given === null) return undefined
  if (!STATUS.test(given)) {
    read.faults.push(wrongType('status', given, 'a code of at most 32 small letters, digits and _'))
  }
  return given
}

function emailOf(read: Members): string | null {
  const given = read.text('customer_email')
  if (given !== null && !/^[^\s@]+@[^\s@]+$/.test(given)) {
    read.faults.push(wrongType('customer_email', given, 'an e-mail address'))
  }
  return given
}

/** A call that the state of the order does not allow. */
export function notAllowed(what: string, state: OrderState) {
  const message = `The order cannot be ${what}: its state is "%state".`
  return refused({ message, parameters: { state } }, 'invalid', 'order_state')
}
