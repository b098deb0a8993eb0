import type { Generated } from 'kysely'

export const ORDER_STATES = [
  'new',
  'processing',
  'complete',
  'closed',
  'canceled',
  'holded',
] as const
export type OrderState = (typeof ORDER_STATES)[number]

/** Amounts and quantities are in ten-thousandths. */
export interface OrdersTables {
  commerce_orders: {
    id: Generated<number>
    state: OrderState
    status: string
    customer_email: string | null
    customer_firstname: string | null
    customer_lastname: string | null
    order_currency_code: string | null
    subtotal: number
    shipping_amount: number
    tax_amount: number
    discount_amount: number
    grand_total: number
    total_qty_ordered: number
    total_item_count: number
    extra: string
    held_state: OrderState | null
    held_status: string | null
    created_at: number
    updated_at: number
  }
  commerce_order_items: {
    id: Generated<number>
    order_id: number
    sku: string
    name: string
    product_id: number | null
    qty_ordered: number
    price: number
    row_total: number
    stock_taken: number
    extra: string
  }
  commerce_order_comments: {
    id: Generated<number>
    order_id: number
    comment: string
    status: string
    created_at: number
  }
  commerce_order_documents: {
    id: Generated<number>
    order_id: number
    kind: DocumentKind
    created_at: number
  }
}

export type DocumentKind = 'invoice' | 'shipment'
