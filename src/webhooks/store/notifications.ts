import type { Insertable, Kysely, Selectable } from 'kysely'
import { type FoundPage, findPage, type ListQuery } from '#paging'
import type { Notification } from '../records.ts'
import type { WebhooksTables } from '../tables.ts'

type Db = Kysely<WebhooksTables>
export type NotificationRow = Selectable<WebhooksTables['webhooks_notifications']>

export async function insertNotification(
  db: Db,
  row: Insertable<WebhooksTables['webhooks_notifications']>,
): Promise<void> {
  await db.insertInto('webhooks_notifications').values(row).execute()
}

export async function findNotifications(
  db: Db,
  consumerId: string,
  list: ListQuery<string, string>,
): Promise<FoundPage<Notification>> {
  const filtered = db.selectFrom('webhooks_notifications').where('consumer_id', '=', consumerId)
  const page = await findPage(filtered, (query) => query.selectAll(), list, {
    created_at: 'id',
    id: 'id',
  })
  return { ...page, rows: page.rows.map(toNotification) }
}

export async function findMailsDue(
  db: Db,
  { nowMs, limit }: { readonly nowMs: number; readonly limit: number },
): Promise<NotificationRow[]> {
  return db
    .selectFrom('webhooks_notifications')
    .selectAll()
    .where('email_due_at', '<=', nowMs)
    .orderBy('email_due_at')
    .limit(limit)
    .execute()
}

export async function saveMail(
  db: Db,
  id: string,
  change: Partial<Pick<NotificationRow, 'email_status' | 'email_due_at' | 'email_tries'>>,
): Promise<void> {
  await db.updateTable('webhooks_notifications').set(change).where('id', '=', id).execute()
}

/** False when there is no such notification of this consumer. */
export async function markRead(
  db: Db,
  consumerId: string,
  id: string,
  nowMs: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('webhooks_notifications')
    .set(({ fn, val }) => ({ read_at: fn.coalesce('read_at', val(nowMs)) }))
    .where('id', '=', id)
    .where('consumer_id', '=', consumerId)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

function toNotification(row: NotificationRow): Notification {
  return {
    id: row.id,
    type: row.type,
    subscriptionId: row.subscription_id,
    message: row.message,
    createdAtMs: row.created_at,
    readAtMs: row.read_at,
    emailStatus: row.email_status,
  }
}
