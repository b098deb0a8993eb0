import type { Kysely } from 'kysely'
import type { Ids } from '#kernel'
import { ALWAYS, TEST_EVENT } from './records.ts'
import { insertDeliveries, insertMessages, newDelivery } from './store/deliveries.ts'
import { wakeLanes } from './store/lanes.ts'
import type { WebhooksTables } from './tables.ts'

interface Test {
  readonly subscriptionId: string
  readonly consumerId: string
  /** Absent: the test event. */
  readonly type?: string
  readonly data?: unknown
}

/** One attempt that is never repeated and takes no sequence number; returns the delivery's id. */
export async function queueTest(
  trx: Kysely<WebhooksTables>,
  { ids, nowMs }: { readonly ids: Ids; readonly nowMs: number },
  { subscriptionId, consumerId, type = TEST_EVENT, data }: Test,
): Promise<string> {
  const messageId = ids.uuid()
  const sent = data ?? { subscription_id: subscriptionId, message: 'Test event' }
  await insertMessages(trx, [
    { id: messageId, type, data: JSON.stringify(sent), occurredAtMs: nowMs },
  ])
  const id = ids.uuid()
  const delivery = newDelivery(
    {
      id,
      subscription_id: subscriptionId,
      consumer_id: consumerId,
      message_id: messageId,
      event_type: type,
      event_at: nowMs,
      epoch: ALWAYS,
      is_test: 1,
      next_trigger: 'test',
    },
    nowMs,
  )
  await insertDeliveries(trx, [delivery])
  await wakeLanes(trx, [subscriptionId], nowMs)
  return id
}
