export const PRODUCTS = '/api/v1/products'

export interface Product {
  readonly id: number
  readonly document_id: string
  readonly sku: string
  readonly name: string
  readonly price: number | string | null
  readonly stock: number | null
  readonly status?: string
}

export interface Order {
  readonly entity_id: number
  readonly increment_id: string
  readonly state: string
  readonly status: string
  readonly customer_email: string | null
  readonly order_currency_code: string | null
  readonly grand_total: number
  readonly created_at: string
  readonly items: readonly {
    readonly item_id: number
    readonly sku: string
    readonly name: string
    readonly qty_ordered: number
    readonly price: number
    readonly row_total: number
  }[]
}
