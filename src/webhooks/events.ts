import type { Kysely } from 'kysely'
import {
  type Clock,
  type Database,
  DomainError,
  type Event,
  type EventReader,
  type NewEvent,
  notFound,
  type Tx,
} from '#kernel'
import { audienceOf } from './audience.ts'
import type { EventTypes } from './event-types.ts'
import { createCheck, isObject, parseObject, parseTimeField } from './input.ts'
import type { Consumer } from './records.ts'
import { countByEvent, noCounts, type StatusCounts } from './store/deliveries.ts'
import type { WebhooksTables } from './tables.ts'
import { parseEventId } from './wire-ids.ts'

interface Deps {
  readonly db: Database
  readonly clock: Clock
  readonly events: EventReader
  readonly eventTypes: EventTypes
  /** Writes it in the given transaction and says when. */
  recordEvent(tx: Tx, event: NewEvent): Promise<{ id: string; createdAtMs: number }>
  settings(): { readonly maxPayloadBytes: number }
}

export interface Publication {
  readonly eventType: string
  readonly payload: Readonly<Record<string, unknown>>
  /** Null: for everybody who may see the type. */
  readonly consumerId: string | null
  readonly occurredAtMs: number | null
}

export interface CountedEvent {
  readonly event: Event
  readonly deliveries: StatusCounts
}

export interface EventFilter {
  readonly eventType?: string | undefined
  readonly createdFromMs?: number | undefined
  readonly createdBeforeMs?: number | undefined
}

interface Walk {
  readonly beyondId: string | null
  readonly order: 'asc' | 'desc'
  readonly limit: number
}

/** Webhooks contract §4. */
export function createEvents(deps: Deps) {
  const { db, events, eventTypes, settings } = deps
  const reader: Kysely<WebhooksTables> = db.main.reader
  return { publish, list, get }

  /** It is stored when this resolves; its deliveries follow. */
  async function publish(publication: Publication) {
    const { eventType, payload, consumerId, occurredAtMs } = publication
    requireSize(payload)
    await eventTypes.requireActive([eventType])
    return db.main.transaction(undefined, (tx) =>
      deps.recordEvent(tx, {
        type: eventType,
        payload,
        owner: consumerId,
        exclusive: consumerId !== null,
        live: payload['live'] === true,
        ...(occurredAtMs === null ? {} : { occurredAtMs }),
      }),
    )
  }

  function requireSize(payload: Publication['payload']) {
    const max = settings().maxPayloadBytes
    if (Buffer.byteLength(JSON.stringify(payload)) <= max) return
    const message = `The payload has more than ${max} bytes`
    throw new DomainError('too_large', 'payload_too_large', message)
  }

  async function list(consumer: Consumer, filter: EventFilter, walk: Walk) {
    const { eventType, ...times } = filter
    const audience = audienceOf(consumer, await eventTypes.visibilities())
    const found = await events.listEvents({
      audience,
      ...times,
      ...walk,
      types: eventType === undefined ? undefined : [eventType],
    })
    return counted(consumer, found)
  }

  async function get(consumer: Consumer, wireId: string): Promise<CountedEvent> {
    const id = parseEventId(wireId)
    const audience = audienceOf(consumer, await eventTypes.visibilities())
    const event = id === undefined ? undefined : await events.findVisible(id, audience)
    const [found] = event ? await counted(consumer, [event]) : []
    if (!found) throw notFound('event')
    return found
  }

  async function counted(consumer: Consumer, found: readonly Event[]): Promise<CountedEvent[]> {
    const counts = await countByEvent(
      reader,
      consumer.id,
      found.map(({ id }) => id),
    )
    return found.map((event) => ({ event, deliveries: counts.get(event.id) ?? noCounts() }))
  }
}

export type Events = ReturnType<typeof createEvents>

export function parsePublication(given: unknown): Publication {
  const body = parseObject(given)
  const check = createCheck()
  const { event_type: eventType, payload, consumer_id: consumerId } = body
  if (eventType === undefined) check.refuse('event_type', 'required', 'is required')
  else if (typeof eventType !== 'string') check.refuse('event_type', 'type', 'must be a string')
  if (payload === undefined) check.refuse('payload', 'required', 'is required')
  else if (!isObject(payload)) check.refuse('payload', 'type', 'must be an object')
  const isNamed = consumerId !== undefined && consumerId !== null
  if (isNamed && typeof consumerId !== 'string') {
    check.refuse('consumer_id', 'type', 'must be a string or null')
  }
  const occurredAtMs = parseTimeField(check, body, 'occurred_at')
  check.done()
  return {
    eventType: String(eventType),
    payload: isObject(payload) ? payload : {},
    consumerId: typeof consumerId === 'string' ? consumerId : null,
    occurredAtMs: occurredAtMs ?? null,
  }
}
