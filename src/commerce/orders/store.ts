import { type Kysely, type Selectable, sql, type Updateable } from 'kysely'
import type { SqlDialect } from '#db'
import {
  type Criteria,
  type CriteriaColumn,
  type CriteriaColumns,
  orderOf,
  whereOf,
} from '../criteria.ts'
import type { DocumentKind, OrdersTables } from './tables.ts'

type Db = Kysely<OrdersTables>
type OrderRow = Selectable<OrdersTables['commerce_orders']>
export type ItemRow = Selectable<OrdersTables['commerce_order_items']>
export type CommentRow = Selectable<OrdersTables['commerce_order_comments']>
export type NewItemRow = Omit<ItemRow, 'id' | 'order_id'>

/** Amounts and quantities are in ten-thousandths. */
export interface Order extends OrderRow {
  readonly items: readonly ItemRow[]
  readonly comments: readonly CommentRow[]
}

export async function insertOrder(
  db: Db,
  order: Omit<OrderRow, 'id'>,
  items: readonly NewItemRow[],
): Promise<OrderRow> {
  const row = await db
    .insertInto('commerce_orders')
    .values(order)
    .returningAll()
    .executeTakeFirstOrThrow()
  await db
    .insertInto('commerce_order_items')
    .values(items.map((item) => ({ ...item, order_id: row.id })))
    .execute()
  return row
}

/** Held until the transaction ends. */
export async function lockOrder(
  db: Db,
  { rowLocks }: SqlDialect,
  id: number,
): Promise<OrderRow | undefined> {
  return db
    .selectFrom('commerce_orders')
    .selectAll()
    .where('id', '=', id)
    .$if(rowLocks, (query) => query.forUpdate())
    .executeTakeFirst()
}

export async function updateOrder(
  db: Db,
  id: number,
  change: Updateable<OrdersTables['commerce_orders']>,
) {
  await db.updateTable('commerce_orders').set(change).where('id', '=', id).execute()
}

export async function insertComment(db: Db, comment: Omit<CommentRow, 'id'>) {
  await db.insertInto('commerce_order_comments').values(comment).execute()
}

export async function insertDocument(
  db: Db,
  document: Omit<Selectable<OrdersTables['commerce_order_documents']>, 'id'>,
): Promise<number> {
  const { id } = await db
    .insertInto('commerce_order_documents')
    .values(document)
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export async function findDocuments(db: Db, orderId: number): Promise<ReadonlySet<DocumentKind>> {
  const rows = await db
    .selectFrom('commerce_order_documents')
    .select('kind')
    .where('order_id', '=', orderId)
    .execute()
  return new Set(rows.map(({ kind }) => kind))
}

export async function findItems(db: Db, orderIds: readonly number[]): Promise<ItemRow[]> {
  if (orderIds.length === 0) return []
  return db
    .selectFrom('commerce_order_items')
    .selectAll()
    .where('order_id', 'in', orderIds)
    .orderBy('id')
    .execute()
}

export async function findOrder(db: Db, id: number): Promise<Order | undefined> {
  const rows = await db.selectFrom('commerce_orders').selectAll().where('id', '=', id).execute()
  return (await withParts(db, rows))[0]
}

const TEXTS = [
  ...['state', 'status', 'customer_email', 'customer_firstname', 'customer_lastname'],
  'order_currency_code',
]
const AMOUNTS = [
  ...['subtotal', 'shipping_amount', 'tax_amount', 'discount_amount', 'grand_total'],
  'total_qty_ordered',
]
const COLUMNS: CriteriaColumns = new Map<string, CriteriaColumn>([
  ['entity_id', { column: 'id', kind: 'whole' }],
  // Digits that spell the same number, with zeros before them.
  ['increment_id', { column: 'id', kind: 'whole' }],
  ['total_item_count', { column: 'total_item_count', kind: 'whole' }],
  ...TEXTS.map((name) => [name, { column: name, kind: 'text' }] as const),
  ...AMOUNTS.map((name) => [name, { column: name, kind: 'amount' }] as const),
  ...['created_at', 'updated_at'].map((name) => [name, { column: name, kind: 'time' }] as const),
])

/** Which orders a page has, in its order. */
export async function findPage(db: Db, dialect: SqlDialect, criteria: Criteria) {
  const asked = db.selectFrom('commerce_orders').where(whereOf(criteria, COLUMNS, dialect))
  const { pageSize, currentPage } = criteria
  const [rows, { total }] = await Promise.all([
    asked
      .select('id')
      .orderBy(orderOf(criteria, COLUMNS, ['id']))
      .limit(pageSize)
      .offset((currentPage - 1) * pageSize)
      .execute(),
    asked.select(sql<number>`count(*)`.as('total')).executeTakeFirstOrThrow(),
  ])
  return { ids: rows.map(({ id }) => id), total }
}

/** The bytes of what clients may write at any length in these orders; nothing of it is read. */
export async function sizeOf(db: Db, ids: readonly number[]): Promise<number> {
  if (ids.length === 0) return 0
  const bytes = (column: string) => sql<string>`coalesce(sum(octet_length(${sql.ref(column)})), 0)`
  const sizes = await Promise.all(
    [
      db.selectFrom('commerce_orders').select(bytes('extra').as('size')).where('id', 'in', ids),
      db
        .selectFrom('commerce_order_items')
        .select(bytes('extra').as('size'))
        .where('order_id', 'in', ids),
      db
        .selectFrom('commerce_order_comments')
        .select(bytes('comment').as('size'))
        .where('order_id', 'in', ids),
    ].map((query) => query.executeTakeFirstOrThrow()),
  )
  return sizes.reduce((sum, { size }) => sum + Number(size), 0)
}

/** In the order of their ids as given. */
export async function findOrders(db: Db, ids: readonly number[]): Promise<Order[]> {
  if (ids.length === 0) return []
  const rows = await db.selectFrom('commerce_orders').selectAll().where('id', 'in', ids).execute()
  const byId = new Map((await withParts(db, rows)).map((order) => [order.id, order]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

async function withParts(db: Db, rows: readonly OrderRow[]): Promise<Order[]> {
  const ids = rows.map(({ id }) => id)
  if (ids.length === 0) return []
  const [items, comments] = await Promise.all([
    findItems(db, ids),
    db
      .selectFrom('commerce_order_comments')
      .selectAll()
      .where('order_id', 'in', ids)
      .orderBy('id')
      .execute(),
  ])
  const itemsOf = Map.groupBy(items, (item) => item.order_id)
  const commentsOf = Map.groupBy(comments, (comment) => comment.order_id)
  return rows.map((row) => ({
    ...row,
    items: itemsOf.get(row.id) ?? [],
    comments: commentsOf.get(row.id) ?? [],
  }))
}
