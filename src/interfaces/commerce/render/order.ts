import { AMOUNT_UNIT, type Order } from '#commerce'
import { renderWireTime } from './times.ts'

type Item = Order['items'][number]
type Comment = Order['comments'][number]

/** An order with all its members (contract §7); what was given besides comes first, so that it replaces nothing. */
export function renderOrder(order: Order) {
  return {
    billing_address: null,
    payment: null,
    extension_attributes: {},
    ...JSON.parse(order.extra),
    entity_id: order.id,
    increment_id: String(order.id).padStart(9, '0'),
    state: order.state,
    status: order.status,
    customer_email: order.customer_email,
    customer_firstname: order.customer_firstname,
    customer_lastname: order.customer_lastname,
    order_currency_code: order.order_currency_code,
    subtotal: order.subtotal / AMOUNT_UNIT,
    shipping_amount: order.shipping_amount / AMOUNT_UNIT,
    tax_amount: order.tax_amount / AMOUNT_UNIT,
    discount_amount: order.discount_amount / AMOUNT_UNIT,
    grand_total: order.grand_total / AMOUNT_UNIT,
    total_qty_ordered: order.total_qty_ordered / AMOUNT_UNIT,
    total_item_count: order.total_item_count,
    created_at: renderWireTime(order.created_at),
    updated_at: renderWireTime(order.updated_at),
    items: order.items.map(renderItem),
    status_histories: order.comments.map(renderComment),
  }
}

function renderItem(item: Item) {
  return {
    ...JSON.parse(item.extra),
    item_id: item.id,
    order_id: item.order_id,
    sku: item.sku,
    name: item.name,
    product_id: item.product_id,
    qty_ordered: item.qty_ordered / AMOUNT_UNIT,
    price: item.price / AMOUNT_UNIT,
    row_total: item.row_total / AMOUNT_UNIT,
  }
}

function renderComment({ id, order_id, comment, status, created_at }: Comment) {
  return {
    entity_id: id,
    parent_id: order_id,
    comment,
    status,
    created_at: renderWireTime(created_at),
  }
}
