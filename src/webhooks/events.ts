import type { Kysely } from 'kysely'
import type { Alongside, Database, Tx } from '#db'
import type { Event, EventReader, NewEvent } from '#events'
import { createPayloadSchemas } from '#json-schema'
import { type Clock, DomainError, type Issue, isObject, notFound } from '#kernel'
import { audienceOf } from './audience.ts'
import type { EventTypes } from './event-types.ts'
import { type Body, type Check, createCheck, parseObject, parseTimeField } from './input.ts'
import { type Consumer, isReserved } from './records.ts'
import { reservedName, schemaViolated } from './refusals.ts'
import { countByEvent, noCounts, type StatusCounts } from './store/deliveries.ts'
import type { WebhooksTables } from './tables.ts'
import { parseEventId } from './wire-ids.ts'

interface Deps {
  readonly db: Database
  readonly clock: Clock
  readonly events: EventReader
  readonly eventTypes: EventTypes
  /** Writes them in the given transaction and says when. */
  recordEvents(tx: Tx, events: readonly NewEvent[]): Promise<RecordedEvent[]>
  settings(): { readonly maxPayloadBytes: number }
}

export interface Publication {
  readonly eventType: string
  readonly payload: Readonly<Record<string, unknown>>
  /** Null: for everybody who may see the type. */
  readonly consumerId: string | null
  readonly occurredAtMs: number | null
}

export interface RecordedEvent {
  readonly id: string
  readonly createdAtMs: number
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
  const payloadSchemas = createPayloadSchemas()
  return { publish, list, get }

  /**
   * All of them are stored when this resolves, or none; their deliveries follow. `pathOf` says where
   * in the request a payload was, for what is wrong with it.
   */
  async function publish(
    publications: readonly Publication[],
    pathOf: (at: number) => Issue['path'],
    alongside?: Alongside<RecordedEvent[]>,
  ): Promise<RecordedEvent[]> {
    const types = [...new Set(publications.map(({ eventType }) => eventType))]
    const reserved = types.find(isReserved)
    if (reserved !== undefined) throw reservedName(reserved)
    requireSizes(publications)
    await eventTypes.requireNamed(types)
    await requireFitting(publications, types, pathOf)
    const fresh = publications.map(toNewEvent)
    return db.main.write(async (tx) => {
      const recorded = await deps.recordEvents(tx, fresh)
      await alongside?.(tx, recorded)
      return () => recorded
    })
  }

  function requireSizes(publications: readonly Publication[]) {
    const max = settings().maxPayloadBytes
    if (publications.every(({ payload }) => bytesOf(payload) <= max)) return
    const message = `A payload has more than ${max} bytes`
    throw new DomainError('too_large', 'payload_too_large', message)
  }

  async function requireFitting(
    publications: readonly Publication[],
    types: readonly string[],
    pathOf: (at: number) => Issue['path'],
  ) {
    const schemas = await eventTypes.schemas(types)
    if (schemas.size === 0) return
    const problemsOf = payloadSchemas.createCheck()
    const issues = publications.flatMap(({ eventType, payload }, at) => {
      const schema = schemas.get(eventType)
      const found = schema === undefined ? [] : problemsOf(schema, payload)
      return found.map(({ path, rule, message }) => {
        const whole = [...pathOf(at), ...path]
        return { path: whole, rule, message: `${whole.join('.')} ${message}` }
      })
    })
    if (issues.length > 0) throw schemaViolated(issues)
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

const MAX_BATCH = 1_000

function toNewEvent({ eventType, payload, consumerId, occurredAtMs }: Publication): NewEvent {
  return {
    type: eventType,
    payload,
    owner: consumerId,
    exclusive: consumerId !== null,
    live: payload['live'] === true,
    ...(occurredAtMs === null ? {} : { occurredAtMs }),
  }
}

function bytesOf(payload: Publication['payload']): number {
  return Buffer.byteLength(JSON.stringify(payload))
}

export function parsePublication(given: unknown): Publication {
  const body = parseObject(given)
  const check = createCheck()
  const publication = parseOne(check, body, '')
  check.done()
  return publication
}

/** `{"events":[…]}`; what is wrong is named by its place in the list. */
export function parseBatch(given: unknown): readonly Publication[] {
  const { events } = parseObject(given)
  const check = createCheck()
  const list: readonly unknown[] = Array.isArray(events) ? events : []
  if (events === undefined) check.refuse('events', 'required', 'is required')
  else if (!Array.isArray(events)) check.refuse('events', 'type', 'must be a list')
  else if (list.length === 0) check.refuse('events', 'length', 'must not be empty')
  else if (list.length > MAX_BATCH) {
    check.refuse('events', 'length', `must have at most ${MAX_BATCH} items`)
  }
  check.done()
  const publications = list.flatMap((one, at) => {
    if (isObject(one)) return [parseOne(check, one, `events.${at}.`)]
    check.refuse(`events.${at}`, 'type', 'must be an object')
    return []
  })
  check.done()
  return publications
}

function parseOne(check: Check, body: Body, at: string): Publication {
  const { event_type: eventType, payload, consumer_id: consumerId } = body
  if (eventType === undefined) check.refuse(`${at}event_type`, 'required', 'is required')
  else if (typeof eventType !== 'string') {
    check.refuse(`${at}event_type`, 'type', 'must be a string')
  }
  if (payload === undefined) check.refuse(`${at}payload`, 'required', 'is required')
  else if (!isObject(payload)) check.refuse(`${at}payload`, 'type', 'must be an object')
  const isNamed = consumerId !== undefined && consumerId !== null
  if (isNamed && typeof consumerId !== 'string') {
    check.refuse(`${at}consumer_id`, 'type', 'must be a string or null')
  }
  const occurredAtMs = parseTimeField(check, body, 'occurred_at', at)
  return {
    eventType: typeof eventType === 'string' ? eventType : '',
    payload: isObject(payload) ? payload : {},
    consumerId: typeof consumerId === 'string' ? consumerId : null,
    occurredAtMs: occurredAtMs ?? null,
  }
}
