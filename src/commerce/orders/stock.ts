import type { Content, Entry } from '#content'
import { type ContentType, isAdjustable } from '#content-model'
import type { Tx } from '#db'
import { type Actor, DomainError, isObject } from '#kernel'
import { AMOUNT_UNIT } from '../criteria.ts'
import { STOCK_ITEM, STOCK_MEMBERS } from '../products/product-type.ts'
import { refused } from '../refusals.ts'

export interface StockMove {
  readonly sku: string
  readonly productId: number
  readonly pieces: number
  /** More may be sold than there are. */
  readonly isBackordered: boolean
}

/** How many pieces an item takes out of stock; undefined when the stock of its product is not managed. */
export function moveOf(
  sku: string,
  quantity: number,
  product: Entry | undefined,
): StockMove | undefined {
  if (!product) return undefined
  const stored = product.values()[STOCK_ITEM]
  const item = isObject(stored) ? stored : {}
  if (item['manage_stock'] === false) return undefined
  if (quantity % AMOUNT_UNIT !== 0) {
    const message =
      '"qty_ordered" of "%sku" must be a whole number: its stock is counted in pieces.'
    throw refused({ message, parameters: { sku } })
  }
  const isBackordered = Number(item['backorders'] ?? 0) > 0
  return { sku, productId: product.id, pieces: quantity / AMOUNT_UNIT, isBackordered }
}

/** Moves stock within the transaction of an order, one product after the other in one order for all orders. */
export function createStockMoves(entries: Pick<Content['entries'], 'adjust'>) {
  return { take, giveBack }

  async function take(tx: Tx, actor: Actor, type: ContentType, moves: readonly StockMove[]) {
    for (const { sku, productId, pieces, isBackordered } of sorted(moves)) {
      const by = isBackordered ? { by: -pieces } : { by: -pieces, floor: 0 }
      try {
        await entries.adjust(actor, type, { id: productId }, STOCK_MEMBERS.qty, by, { tx })
      } catch (error) {
        throw isBelowFloor(error) ? notEnough(sku) : error
      }
    }
  }

  /** What was deleted since needs none. */
  async function giveBack(
    tx: Tx,
    actor: Actor,
    type: ContentType,
    moves: readonly Pick<StockMove, 'productId' | 'pieces'>[],
  ) {
    for (const { productId, pieces } of sorted(moves)) {
      try {
        await entries.adjust(
          actor,
          type,
          { id: productId },
          STOCK_MEMBERS.qty,
          { by: pieces },
          { tx },
        )
      } catch (error) {
        if (!(error instanceof DomainError && error.kind === 'not_found')) throw error
      }
    }
  }
}

/** Whether products of this type have a stock that can be moved. */
export function isCounted({ attribute }: ContentType): boolean {
  return isAdjustable(attribute.get(STOCK_MEMBERS.qty))
}

/** So that two orders never wait for each other. */
function sorted<Move extends Pick<StockMove, 'productId'>>(moves: readonly Move[]): Move[] {
  return moves.toSorted((a, b) => a.productId - b.productId)
}

function isBelowFloor(error: unknown): boolean {
  return error instanceof DomainError && error.issues.some(({ rule }) => rule === 'min')
}

function notEnough(sku: string): DomainError {
  const message = 'There is not enough of "%sku" in stock.'
  return refused({ message, parameters: { sku } }, 'invalid', 'not_enough_stock')
}
