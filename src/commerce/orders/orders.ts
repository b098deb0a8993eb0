import type { Kysely } from 'kysely'
import type { Content } from '#content'
import { type Alongside, againAfterDeadlock, type Database, type Tx } from '#db'
import type { NewEvent } from '#events'
import { type Actor, type Clock, DomainError, renderTime } from '#kernel'
import { AMOUNT_UNIT, type Criteria } from '../criteria.ts'
import { PRODUCT } from '../products/product-type.ts'
import type { Products } from '../products/products.ts'
import type { Store } from '../products/stores.ts'
import { refused } from '../refusals.ts'
import {
  notAllowed,
  parseComment,
  parseOrder,
  parseOrderChange,
  parsePieces,
  statusFor,
} from './parse.ts'
import { placedOrder } from './place.ts'
import { isTooMuch, tooMuch } from './read-members.ts'
import { createStockMoves, isCounted } from './stock.ts'
import * as stored from './store.ts'
import type { DocumentKind, OrderState, OrdersTables } from './tables.ts'

/** An answer is made in memory; one order alone may have seven. */
const LARGEST_PAGE = 32 * 1024 * 1024

interface Deps {
  readonly db: Database
  readonly clock: Clock
  readonly content: Pick<Content, 'model' | 'entries'>
  readonly products: Pick<Products, 'find'>
  appendEvents(tx: Tx, events: readonly NewEvent[]): Promise<unknown>
}

/** The states that lead from one to the next, and never back (commerce contract §7). */
const COURSE: readonly OrderState[] = ['new', 'processing', 'complete', 'closed']

/** As the dialect writes it, names in snake_case; not checked yet. */
type Given = Readonly<Record<string, unknown>>
type Row = Omit<stored.Order, 'items' | 'comments'>
type Change = Partial<Pick<Row, 'state' | 'status' | 'held_state' | 'held_status'>>

/**
 * Orders and the stock they move (commerce contract §7). Each change is a transaction that holds the order and the
 * products whose stock it moves: of two that want the last piece exactly one gets it.
 */
export function createOrders({ db, clock, content, products, appendEvents }: Deps) {
  const reader: Kysely<OrdersTables> = db.main.reader
  const stock = createStockMoves(content.entries)
  return { create, change, cancel, hold, unhold, comment, document, get, list }

  /** Returns the order's id. */
  async function create(
    actor: Actor,
    store: Store,
    given: Given,
    alongside?: Alongside<unknown>,
  ): Promise<number> {
    const order = parseOrder(given)
    const skus = [...new Set(order.items.map(({ sku }) => sku))]
    const { type, bySku } = await sold(store, skus)
    const { row, items, moves } = placedOrder(order, bySku, clock.now())
    return transaction(async (tx) => {
      await stock.take(tx, actor, type, moves)
      const placed = await stored.insertOrder(tx.as<OrdersTables>(), row, items)
      await appendEvents(tx, [eventOf('order.created', placed)])
      await alongside?.(tx, placed.id)
      return placed.id
    })
  }

  /** As buyers see them; products that are not published as their editors do. */
  async function sold(store: Store, skus: readonly string[]) {
    const [drafted, live] = await Promise.all([
      products.find(store, skus),
      products.find(store, skus, 'live'),
    ])
    return { type: drafted.type, bySku: new Map([...drafted.bySku, ...live.bySku]) }
  }

  async function change(actor: Actor, id: number, given: Given): Promise<void> {
    const asked = parseOrderChange(given)
    await changing(id, async (tx, order) => {
      const { state = order.state, customer, others } = asked
      const isMoved = state !== order.state
      const moving = isMoved ? await movedBy(tx, actor, order, state) : {}
      const extra = JSON.stringify({ ...JSON.parse(order.extra), ...others })
      // Small changes must not make it grow without bounds either.
      if (isTooMuch(extra)) throw refused(tooMuch())
      await stored.updateOrder(tx.as<OrdersTables>(), id, { ...customer, extra })
      return { ...moving, ...(asked.status ? { status: asked.status } : {}) }
    })
  }

  /** A change that says another state is what the call for that state is, and refused where that is. */
  async function movedBy(tx: Tx, actor: Actor, order: Row, state: OrderState): Promise<Change> {
    if (state === 'canceled') return canceled(tx, actor, order)
    if (state === 'holded') return held(order)
    if (order.state === 'holded' && state === order.held_state) return released(order)
    const from = COURSE.indexOf(order.state)
    const isForward = from >= 0 && from < COURSE.indexOf(state)
    if (!isForward) throw notAllowed(`moved to "${state}"`, order.state)
    return moved(state)
  }

  async function cancel(actor: Actor, id: number): Promise<void> {
    await changing(id, (tx, order) => canceled(tx, actor, order))
  }

  async function canceled(tx: Tx, actor: Actor, order: Row): Promise<Change> {
    const documents = await stored.findDocuments(tx.as<OrdersTables>(), order.id)
    const isOpen = order.state === 'new' || order.state === 'processing'
    if (!isOpen || documents.size > 0) throw notAllowed('canceled', order.state)
    await giveBack(tx, actor, order)
    return moved('canceled')
  }

  async function hold(id: number): Promise<void> {
    await changing(id, async (_, order) => held(order))
  }

  async function unhold(id: number): Promise<void> {
    await changing(id, async (_, order) => released(order))
  }

  async function comment(id: number, given: Given, alongside?: Alongside<unknown>): Promise<true> {
    const { comment, status } = parseComment(given)
    await changing(id, async (tx, order) => {
      const said = { comment, status: status ?? order.status, created_at: clock.now() }
      await stored.insertComment(tx.as<OrdersTables>(), { order_id: id, ...said })
      await alongside?.(tx, true)
      return { status: said.status }
    })
    return true
  }

  /** Invoices or ships the order; returns the id of the invoice or shipment. Both make it complete. */
  async function document(
    id: number,
    kind: DocumentKind,
    given: Given,
    alongside?: Alongside<unknown>,
  ): Promise<number> {
    const pieces = parsePieces(given)
    let documentId = 0
    await changing(id, async (tx, order) => {
      const trx = tx.as<OrdersTables>()
      const before = await stored.findDocuments(trx, id)
      const isOpen = order.state === 'new' || order.state === 'processing'
      if (!isOpen || before.has(kind)) {
        throw notAllowed(kind === 'invoice' ? 'invoiced' : 'shipped', order.state)
      }
      if (pieces.size > 0) refusePart(pieces, await stored.findItems(trx, [id]))
      documentId = await stored.insertDocument(trx, { order_id: id, kind, created_at: clock.now() })
      await alongside?.(tx, documentId)
      return moved(before.size > 0 ? 'complete' : 'processing')
    })
    return documentId
  }

  async function get(id: number): Promise<stored.Order> {
    const order = await stored.findOrder(reader, id)
    if (!order) throw unknownOrder(id)
    return order
  }

  async function list(criteria: Criteria) {
    const { ids, total } = await stored.findPage(reader, db.dialect, criteria)
    if ((await stored.sizeOf(reader, ids)) > LARGEST_PAGE) {
      throw refused({
        message: 'These orders are too long for one answer; ask for a smaller pageSize.',
      })
    }
    return { orders: await stored.findOrders(reader, ids), total }
  }

  /** Holds the order, writes what becomes of it, and tells when its state or status is another. */
  function changing(id: number, work: (tx: Tx, order: Row) => Promise<Change>): Promise<void> {
    return transaction(async (tx) => {
      const trx = tx.as<OrdersTables>()
      const order = await stored.lockOrder(trx, db.dialect, id)
      if (!order) throw unknownOrder(id)
      const change = await work(tx, order)
      await stored.updateOrder(trx, id, { ...change, updated_at: clock.now() })
      const after = { ...order, ...change }
      const isTold = after.state !== order.state || after.status !== order.status
      if (isTold) await appendEvents(tx, [eventOf('order.updated', after)])
    })
  }

  async function giveBack(tx: Tx, actor: Actor, { id, created_at: placedAtMs }: Row) {
    const items = await stored.findItems(tx.as<OrdersTables>(), [id])
    const moves = items.flatMap(({ product_id: productId, stock_taken: pieces }) =>
      productId === null || pieces === 0 ? [] : [{ productId, pieces }],
    )
    const type = content.model().findType(PRODUCT)
    // Whoever removed the products, or their stock, must still be able to cancel.
    if (moves.length === 0 || !type || !isCounted(type)) return
    // A type of that name that was made since numbers its products anew: they are others.
    if (type.createdAtMs > placedAtMs) return
    await stock.giveBack(tx, actor, type, moves)
  }

  function transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return againAfterDeadlock(db.dialect, () => db.main.transaction(undefined, work))
  }
}

export type Orders = ReturnType<typeof createOrders>

function held({ state, status }: Row): Change {
  if (state !== 'new' && state !== 'processing') throw notAllowed('held', state)
  return { ...moved('holded'), held_state: state, held_status: status }
}

function released(order: Row): Change {
  if (order.state !== 'holded') throw notAllowed('released', order.state)
  const state = order.held_state ?? 'new'
  const status = order.held_status ?? statusFor(state)
  return { state, status, held_state: null, held_status: null }
}

/** Nothing is kept of what was invoiced and shipped of an item: a part would count as the whole. */
function refusePart(pieces: ReadonlyMap<number, number>, items: readonly stored.ItemRow[]) {
  const isWhole = items.every((item) => pieces.get(item.id) === item.qty_ordered)
  if (isWhole && pieces.size === items.length) return
  const message =
    'Orders are invoiced and shipped whole: "items" names all of their pieces, or is left out.'
  throw refused({ message })
}

function moved(state: OrderState): Change {
  return { state, status: statusFor(state) }
}

/** Doc 1 §6: exactly these four. */
function eventOf(type: 'order.created' | 'order.updated', order: Row): NewEvent {
  const { id, status } = order
  const total = order.grand_total / AMOUNT_UNIT
  return { type, payload: { id, status, total, created_at: renderTime(order.created_at) } }
}

function unknownOrder(id: number): DomainError {
  const message = `There is no order ${id}.`
  return new DomainError('not_found', 'order_not_found', message)
}
