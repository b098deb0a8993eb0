import type { Kysely } from 'kysely'
import type { SqlDialect, Tx } from '#db'
import type { Event } from '#events'
import type { Ids } from '#kernel'
import { type Message, messageIdOf } from '../body.ts'
import type { Lane } from '../records.ts'
import { insertMessages, newDelivery } from '../store/deliveries.ts'
import type { Due } from '../store/due.ts'
import { countUp, guardLanes, lockLanes } from '../store/lanes.ts'
import { createRepeatedInsert } from '../store/repeated-insert.ts'
import type { Trigger, WebhooksTables } from '../tables.ts'

/** An event that a subscription is to get. */
export interface Recipient {
  readonly event: Event
  readonly subscriptionId: string
  /** The data of the event with its entry, as text, for a subscription that gets it. */
  readonly withEntry?: string | null
}

/** A delivery that was committed just now, with all that is needed to send it. */
export interface NewDue {
  readonly subscriptionId: string
  readonly due: Due
  readonly message: Message
}

interface Deps {
  readonly dialect: SqlDialect
  readonly ids: Ids
}

interface Circumstances {
  readonly nowMs: number
  readonly trigger?: Trigger
}

type Db = Kysely<WebhooksTables>
type DeliveryRow = WebhooksTables['webhooks_deliveries']

/** Makes deliveries of events. */
export function createDeliveryMaker({ dialect, ids }: Deps) {
  const insertDeliveries = createRepeatedInsert(deliveriesInsert)
  return createDeliveries

  /**
   * Each gets the next sequence number of its subscription. The lanes are locked or guarded, so numbers
   * have no gaps, and a subscription that was deactivated just now gets nothing. What it returns is there
   * once the transaction or plan is committed.
   */
  async function createDeliveries(
    tx: Tx,
    recipients: readonly Recipient[],
    { nowMs, trigger = 'scheduled' }: Circumstances,
  ): Promise<NewDue[]> {
    if (recipients.length === 0) return []
    const trx = tx.as<WebhooksTables>()
    const lanes = await lockActive(tx, recipients)
    const given = new Map<string, number>()
    const messages = new Map<string, Message>()
    const made: NewDue[] = []
    const rows = recipients.flatMap(({ event, subscriptionId, withEntry = null }) => {
      const lane = lanes.get(subscriptionId)
      if (!lane || (trigger === 'scheduled' && isTooEarly(event, lane))) return []
      const count = (given.get(subscriptionId) ?? 0) + 1
      given.set(subscriptionId, count)
      const messageId = messageIdOf(event.id, withEntry !== null)
      const message = messages.get(messageId) ?? toMessage(event, messageId, withEntry)
      messages.set(messageId, message)
      const sequence = lane.lastSequence + count
      const isWithEntry = withEntry !== null
      const row = toRow(event, lane, { id: ids.uuid(), sequence, isWithEntry, trigger, nowMs })
      made.push({ subscriptionId, due: toNewDue(row, nowMs), message })
      return [row]
    })
    await countAll(trx, given, nowMs)
    await insertMessages(trx, [...messages.values()])
    await insertDeliveries(trx, rows)
    return made
  }

  async function lockActive(tx: Tx, recipients: readonly Recipient[]): Promise<Map<string, Lane>> {
    const asked = new Set(recipients.map(({ subscriptionId }) => subscriptionId))
    const lanes = await lockLanes(tx, dialect, [...asked])
    guardLanes(tx, dialect, lanes, { sequences: true })
    return new Map(lanes.flatMap((lane) => (lane.isActive ? [[lane.subscriptionId, lane]] : [])))
  }
}

function deliveriesInsert(trx: Db, rows: readonly DeliveryRow[]) {
  return trx.insertInto('webhooks_deliveries').values(rows)
}

function toRow(
  event: Event,
  { subscriptionId, consumerId, epoch }: Lane,
  {
    id,
    sequence,
    isWithEntry,
    trigger,
    nowMs,
  }: {
    readonly id: string
    readonly sequence: number
    readonly isWithEntry: boolean
    readonly trigger: Trigger
  } & Circumstances,
) {
  return newDelivery(
    {
      id,
      subscription_id: subscriptionId,
      consumer_id: consumerId,
      message_id: event.id,
      with_entry: isWithEntry ? 1 : 0,
      event_type: event.type,
      event_at: event.createdAtMs,
      epoch,
      sequence,
      next_trigger: trigger,
    },
    nowMs,
  )
}

/** What happened while a subscription was inactive, or not there, is fetched by a replay only. */
export function isTooEarly(
  { createdAtMs }: Pick<Event, 'createdAtMs'>,
  { activeSinceMs }: Pick<Lane, 'activeSinceMs'>,
): boolean {
  return createdAtMs < activeSinceMs
}

/** One statement for all lanes that got equally many. */
async function countAll(trx: Db, given: ReadonlyMap<string, number>, nowMs: number) {
  const groups = Map.groupBy(given, ([, count]) => count)
  for (const [count, group] of groups) {
    const ids = group.map(([id]) => id)
    await countUp(trx, ids, { count, nowMs })
  }
}

function toNewDue(
  row: Pick<DeliveryRow, 'id' | 'message_id' | 'with_entry'> &
    Pick<DeliveryRow, 'sequence' | 'next_trigger' | 'epoch'>,
  nowMs: number,
): Due {
  return {
    id: row.id,
    messageId: messageIdOf(row.message_id, row.with_entry === 1),
    sequence: row.sequence,
    trigger: row.next_trigger,
    status: 'pending',
    attemptCount: 0,
    tries: 0,
    nextAttemptAtMs: nowMs,
    epoch: row.epoch,
  }
}

function toMessage(
  { type, payload, occurredAtMs }: Event,
  id: string,
  text: string | null,
): Message {
  return { id, type, data: text ?? JSON.stringify(payload), occurredAtMs }
}
