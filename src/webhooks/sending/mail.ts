import type { Kysely } from 'kysely'
import type { Database } from '#db'
import { backoffMs } from '#jobs'
import { type Clock, type Log, type Random, sendMail } from '#kernel'
import type { Consumer } from '../records.ts'
import { findMailsDue, type NotificationRow, saveMail } from '../store/notifications.ts'
import type { WebhooksTables } from '../tables.ts'
import type { DeliverySettings } from './settings.ts'

interface Deps {
  readonly db: Database
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  settings(): Pick<DeliverySettings, 'smtpUrl' | 'smtpSender'>
  findConsumer(id: string): Promise<Consumer | undefined>
}

const AT_ONCE = 10
const TRIED_FOR_MS = 86_400_000
const PAUSES = { firstMs: 60_000, maxMs: 3_600_000 }

/** Notifications that also go by e-mail, tried for a day (webhooks contract §9.2). */
export function createMails({ db, clock, random, log, settings, findConsumer }: Deps) {
  const reader: Kysely<WebhooksTables> = db.main.reader
  const writer: Kysely<WebhooksTables> = db.main.writer
  return { turn }

  async function turn(): Promise<boolean> {
    const due = await findMailsDue(reader, { nowMs: clock.now(), limit: AT_ONCE })
    for (const row of due) await deliver(row)
    return due.length === AT_ONCE
  }

  async function deliver(row: NotificationRow) {
    try {
      await send(row)
      await saveMail(writer, row.id, { email_status: 'sent', email_due_at: null })
      log.info({ notification: row.id }, 'a notification was mailed')
    } catch (error) {
      log.warn({ err: error, notification: row.id }, 'a notification could not be mailed')
      await postpone(row)
    }
  }

  async function send(row: NotificationRow) {
    const { smtpUrl, smtpSender } = settings()
    const consumer = await findConsumer(row.consumer_id)
    if (smtpUrl === undefined || !consumer?.email) throw new Error('no mail server or no address')
    await sendMail(
      { url: smtpUrl, sender: smtpSender },
      {
        to: consumer.email,
        subject: 'A webhook subscription was disabled',
        text: `${row.message}\n\nSubscription: ${row.subscription_id}\n`,
        messageId: `<${row.id}@entrepot>`,
      },
    )
  }

  async function postpone(row: NotificationRow) {
    const tries = row.email_tries + 1
    const nextMs = clock.now() + backoffMs(tries, PAUSES, random)
    const isOver = nextMs > row.created_at + TRIED_FOR_MS
    await saveMail(writer, row.id, {
      email_tries: tries,
      email_status: isOver ? 'failed' : 'queued',
      email_due_at: isOver ? null : nextMs,
    })
  }
}
