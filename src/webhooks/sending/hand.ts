import type { Kysely } from 'kysely'
import type { Event, Ids, SqlDialect } from '#kernel'
import type { Message } from '../body.ts'
import type { Lane } from '../records.ts'
import { insertDeliveries, insertMessages, newDelivery } from '../store/deliveries.ts'
import { earlier, lockLanes } from '../store/lanes.ts'
import type { Trigger, WebhooksTables } from '../tables.ts'
import type { Due, NewDue } from './types.ts'

export interface Handed {
  readonly event: Event
  readonly subscriptionId: string
}

interface Context {
  readonly trx: Kysely<WebhooksTables>
  readonly dialect: SqlDialect
  readonly ids: Ids
  readonly nowMs: number
  readonly trigger?: Trigger
}

/**
 * Makes the deliveries, each with the next sequence number of its subscription. The lanes are locked,
 * so numbers have no gaps, and a subscription that was deactivated just now gets nothing. What it
 * returns is there once the transaction is committed.
 */
export async function hand(context: Context, handed: readonly Handed[]): Promise<NewDue[]> {
  const { trx, dialect, ids, nowMs, trigger = 'scheduled' } = context
  if (handed.length === 0) return []
  const asked = [...new Set(handed.map(({ subscriptionId }) => subscriptionId))]
  const lanes = await lockLanes(trx, dialect, asked)
  const active = new Map(
    lanes.filter(({ isActive }) => isActive).map((lane) => [lane.subscriptionId, lane]),
  )
  const given = new Map<string, number>()
  const messages = new Map<string, Message>()
  const made: NewDue[] = []
  const rows = handed.flatMap(({ event, subscriptionId }) => {
    const lane = active.get(subscriptionId)
    if (!lane || (trigger === 'scheduled' && isTooEarly(event, lane))) return []
    const count = (given.get(subscriptionId) ?? 0) + 1
    given.set(subscriptionId, count)
    const message = messages.get(event.id) ?? toMessage(event)
    messages.set(event.id, message)
    const delivery = {
      id: ids.uuid(),
      subscription_id: subscriptionId,
      message_id: event.id,
      event_type: event.type,
      event_at: event.createdAtMs,
      epoch: lane.epoch,
      sequence: lane.lastSequence + count,
      next_trigger: trigger,
    }
    made.push({ subscriptionId, due: toNewDue(delivery, nowMs), message })
    return [newDelivery(delivery, nowMs)]
  })
  await countUp(trx, given, nowMs)
  await insertMessages(trx, [...messages.values()])
  await insertDeliveries(trx, rows)
  return made
}

/** What happened while a subscription was inactive, or not there, is fetched by a replay only. */
export function isTooEarly(
  { createdAtMs }: Pick<Event, 'createdAtMs'>,
  { activeSinceMs }: Pick<Lane, 'activeSinceMs'>,
): boolean {
  return createdAtMs < activeSinceMs
}

/** One statement for all lanes that got equally many. */
async function countUp(
  trx: Kysely<WebhooksTables>,
  given: ReadonlyMap<Lane['subscriptionId'], number>,
  nowMs: number,
) {
  const groups = Map.groupBy(given, ([, count]) => count)
  for (const [count, group] of groups) {
    await trx
      .updateTable('webhooks_lanes')
      .set((e) => ({ last_sequence: e('last_sequence', '+', count), due_at: earlier(nowMs) }))
      .where(
        'subscription_id',
        'in',
        group.map(([id]) => id),
      )
      .execute()
  }
}

function toNewDue(
  row: Pick<
    WebhooksTables['webhooks_deliveries'],
    'id' | 'message_id' | 'sequence' | 'next_trigger' | 'epoch'
  >,
  nowMs: number,
): Due {
  return {
    id: row.id,
    messageId: row.message_id,
    sequence: row.sequence,
    trigger: row.next_trigger,
    status: 'pending',
    attemptCount: 0,
    tries: 0,
    nextAttemptAtMs: nowMs,
    epoch: row.epoch,
  }
}

function toMessage({ id, type, payload, occurredAtMs }: Event): Message {
  return { id, type, data: JSON.stringify(payload), occurredAtMs }
}
