import type { Kysely } from 'kysely'
import type { AnyTables, SqlDialect } from '#db'

type Db = Kysely<AnyTables>
type Types = SqlDialect['types']

/** Orders with their items, comments, invoices and shipments (commerce contract §7); amounts in ten-thousandths. */
export async function up(db: Db, { types }: SqlDialect): Promise<void> {
  await createOrders(db, types)
  await createItems(db, types)
  await db.schema
    .createTable('commerce_order_comments')
    .addColumn('id', types.serial)
    .addColumn('order_id', types.bigint, (column) => column.notNull())
    .addColumn('comment', types.text, (column) => column.notNull())
    .addColumn('status', types.text, (column) => column.notNull())
    .addColumn('created_at', types.bigint, (column) => column.notNull())
    .execute()
  await index(db, 'commerce_order_comments', 'of_order', ['order_id', 'id'])
  await db.schema
    .createTable('commerce_order_documents')
    .addColumn('id', types.serial)
    .addColumn('order_id', types.bigint, (column) => column.notNull())
    // `invoice` or `shipment`, one of each for an order.
    .addColumn('kind', types.text, (column) => column.notNull())
    .addColumn('created_at', types.bigint, (column) => column.notNull())
    .addUniqueConstraint('commerce_order_documents_once', ['order_id', 'kind'])
    .execute()
}

async function createOrders(db: Db, types: Types) {
  const amounts = [
    ...['subtotal', 'shipping_amount', 'tax_amount', 'discount_amount', 'grand_total'],
    'total_qty_ordered',
  ]
  const texts = [
    ...['customer_email', 'customer_firstname', 'customer_lastname', 'order_currency_code'],
    // Where an order that is held goes back to.
    ...['held_state', 'held_status'],
  ]
  let table = db.schema
    .createTable('commerce_orders')
    .addColumn('id', types.serial)
    .addColumn('state', types.text, (column) => column.notNull())
    .addColumn('status', types.text, (column) => column.notNull())
    .addColumn('total_item_count', 'integer', (column) => column.notNull())
    // Addresses, payment and whatever else was given, as JSON.
    .addColumn('extra', types.text, (column) => column.notNull())
    .addColumn('created_at', types.bigint, (column) => column.notNull())
    .addColumn('updated_at', types.bigint, (column) => column.notNull())
  for (const name of texts) table = table.addColumn(name, types.text)
  for (const name of amounts)
    table = table.addColumn(name, types.bigint, (column) => column.notNull())
  await table.execute()
  await index(db, 'commerce_orders', 'status', ['status', 'id'])
  await index(db, 'commerce_orders', 'created', ['created_at', 'id'])
  await index(db, 'commerce_orders', 'updated', ['updated_at', 'id'])
  await index(db, 'commerce_orders', 'customer', ['customer_email', 'id'])
}

async function createItems(db: Db, types: Types) {
  await db.schema
    .createTable('commerce_order_items')
    .addColumn('id', types.serial)
    .addColumn('order_id', types.bigint, (column) => column.notNull())
    .addColumn('sku', types.text, (column) => column.notNull())
    .addColumn('name', types.text, (column) => column.notNull())
    .addColumn('product_id', types.bigint)
    .addColumn('qty_ordered', types.bigint, (column) => column.notNull())
    .addColumn('price', types.bigint, (column) => column.notNull())
    .addColumn('row_total', types.bigint, (column) => column.notNull())
    // How many pieces the order took out of stock, to be given back.
    .addColumn('stock_taken', types.bigint, (column) => column.notNull())
    .addColumn('extra', types.text, (column) => column.notNull())
    .execute()
  await index(db, 'commerce_order_items', 'of_order', ['order_id', 'id'])
}

async function index(db: Db, table: string, name: string, columns: string[]) {
  await db.schema.createIndex(`${table}_${name}`).on(table).columns(columns).execute()
}
