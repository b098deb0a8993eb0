import type { Kysely } from 'kysely'
import type { Event, Ids, SqlDialect } from '#kernel'
import type { Lane } from '../records.ts'
import { insertDeliveries, insertMessages, newDelivery } from '../store/deliveries.ts'
import { earlier, lockLanes } from '../store/lanes.ts'
import type { Trigger, WebhooksTables } from '../tables.ts'

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
 * so numbers have no gaps, and a subscription that was deactivated just now gets nothing.
 */
export async function hand(context: Context, handed: readonly Handed[]): Promise<void> {
  const { trx, dialect, ids, nowMs, trigger = 'scheduled' } = context
  if (handed.length === 0) return
  const asked = [...new Set(handed.map(({ subscriptionId }) => subscriptionId))]
  const lanes = await lockLanes(trx, dialect, asked)
  const active = new Map(
    lanes.filter(({ isActive }) => isActive).map((lane) => [lane.subscriptionId, lane]),
  )
  const given = new Map<string, number>()
  const events = new Map<string, Event>()
  const rows = handed.flatMap(({ event, subscriptionId }) => {
    const lane = active.get(subscriptionId)
    if (!lane || (trigger === 'scheduled' && isTooEarly(event, lane))) return []
    const count = (given.get(subscriptionId) ?? 0) + 1
    given.set(subscriptionId, count)
    events.set(event.id, event)
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
    return [newDelivery(delivery, nowMs)]
  })
  await countUp(trx, given, nowMs)
  await insertMessages(trx, [...events.values()].map(toMessage))
  await insertDeliveries(trx, rows)
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

function toMessage({ id, type, payload, occurredAtMs }: Event) {
  return { id, type, data: JSON.stringify(payload), occurredAtMs }
}
