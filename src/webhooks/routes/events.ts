import Type from 'typebox'
import {
  answerList,
  badParameter,
  DomainError,
  type HttpPlugin,
  hasAccess,
  isUuid,
  notFound,
  parseListBy,
  renderTime,
} from '#kernel'
import { parseEventTypeChange, parseNewEventType } from '../event-type-input.ts'
import type { EventTypes } from '../event-types.ts'
import { type Events, parsePublication } from '../events.ts'
import type { Consumer } from '../records.ts'
import { renderEvent, renderEventType } from '../render.ts'
import * as schemas from '../schemas.ts'
import type { LiveFeed } from '../stream.ts'
import { parseEventId, renderEventId } from '../wire-ids.ts'
import type { RouteDeps } from './index.ts'
import {
  type Caller,
  CONSUMER,
  IdParams,
  listParameters,
  NameParams,
  parseAfter,
  parseBefore,
  parseFlag,
  unchecked,
} from './shared.ts'

const FILTERS = ['event_type', 'created_after', 'created_before']
const ALL_TYPES = 500
const MAX_SIZE = 100
const tags = ['Webhooks']
const config = { access: 'read' } as const

interface Deps extends RouteDeps {
  readonly events: Events
  readonly eventTypes: EventTypes
  readonly feed: LiveFeed
  findConsumer(id: string): Promise<Consumer | undefined>
}

/** Webhooks contract §3, §4 and §11. */
export function eventRoutes(deps: Deps): HttpPlugin {
  const { events, eventTypes, feed, callerOf, origin, findConsumer } = deps
  return (app) => {
    app.get(
      '/event-types',
      {
        config,
        schema: {
          tags,
          querystring: listParameters(['include_inactive']),
          response: { 200: schemas.listOf(schemas.EventType) },
        },
      },
      async (request, reply) => {
        const { actor } = await callerOf(request)
        const list = parseListBy(parseName, request, reply, {
          sorts: ['name'],
          filters: ['include_inactive', CONSUMER],
          maxPerPage: ALL_TYPES,
          defaultSize: ALL_TYPES,
          maxLimit: ALL_TYPES,
          defaultSort: 'name',
        })
        const wanted = parseFlag('include_inactive', list.filter('include_inactive')) ?? false
        const includeInactive = wanted && hasAccess(actor, 'admin')
        return answerList(request, reply, {
          origin: origin(request),
          paging: list.paging,
          page: await eventTypes.list({ includeInactive }, list),
          render: renderEventType,
        })
      },
    )

    app.get(
      '/event-types/:name',
      { config, schema: { tags, params: NameParams, response: { 200: schemas.EventType } } },
      async (request) => {
        const { actor } = await callerOf(request)
        const type = await eventTypes.get(request.params.name)
        if (!type.isActive && !hasAccess(actor, 'admin')) throw notFound('event_type')
        return renderEventType(type)
      },
    )

    app.post(
      '/event-types',
      {
        config: { access: 'admin', idempotent: true },
        ...unchecked,
        schema: { tags, body: schemas.NewEventType, response: { 201: schemas.EventType } },
      },
      async (request, reply) => {
        const type = await eventTypes.create(parseNewEventType(request.body))
        reply.code(201).header('location', `/webhooks/event-types/${type.name}`)
        return renderEventType(type)
      },
    )

    app.patch(
      '/event-types/:name',
      {
        config: { access: 'admin' },
        ...unchecked,
        schema: {
          tags,
          params: NameParams,
          body: Type.Partial(schemas.NewEventType),
          response: { 200: schemas.EventType },
        },
      },
      async (request) => {
        const { name } = request.params
        await eventTypes.get(name)
        return renderEventType(await eventTypes.update(name, parseEventTypeChange(request.body)))
      },
    )

    app.delete(
      '/event-types/:name',
      {
        config: { access: 'admin' },
        schema: { tags, params: NameParams, response: { 204: Type.Null() } },
      },
      async (request, reply) => {
        await eventTypes.remove(request.params.name)
        reply.code(204)
      },
    )

    app.post(
      '/events',
      {
        config: { access: 'write', idempotent: true },
        ...unchecked,
        schema: { tags, body: schemas.Publication, response: { 201: schemas.PublishedEvent } },
      },
      async (request, reply) => {
        const caller = await callerOf(request)
        const publication = parsePublication(request.body)
        const consumerId = await addressee(caller, publication.consumerId)
        const { id, createdAtMs } = await events.publish({ ...publication, consumerId })
        const wireId = renderEventId(id)
        reply.code(201).header('location', `/webhooks/events/${wireId}`)
        return {
          id: wireId,
          event_type: publication.eventType,
          created_at: renderTime(createdAtMs),
        }
      },
    )

    app.get(
      '/events',
      {
        config,
        schema: {
          tags,
          querystring: listParameters(FILTERS),
          response: { 200: schemas.listOf(schemas.Event) },
        },
      },
      async (request, reply) => {
        const { consumer } = await callerOf(request)
        const { paging, order, filter } = parseListBy(parseWireId, request, reply, {
          sorts: [],
          filters: [...FILTERS, CONSUMER],
          maxLimit: MAX_SIZE,
          strategies: ['keyset'],
        })
        if (paging.strategy !== 'keyset') throw new Error('events are walked by id')
        const { afterId, beforeId, limit } = paging
        const upwards = (order === 'asc') === (beforeId === null)
        const beyond = afterId ?? beforeId
        const found = await events.list(
          consumer,
          {
            eventType: filter('event_type'),
            createdFromMs: parseAfter('created_after', filter('created_after')),
            createdBeforeMs: parseBefore('created_before', filter('created_before')),
          },
          {
            beyondId: beyond === null ? null : (parseEventId(beyond) ?? null),
            order: upwards ? 'asc' : 'desc',
            limit: limit + 1,
          },
        )
        const rows = found.slice(0, limit)
        if (beforeId !== null) rows.reverse()
        return answerList(request, reply, {
          origin: origin(request),
          paging,
          page: {
            rows: rows.map((one) => ({ ...one, id: renderEventId(one.event.id) })),
            total: null,
            hasMore: found.length > limit,
          },
          render: renderEvent,
        })
      },
    )

    app.get(
      '/events/:id',
      { config, schema: { tags, params: IdParams, response: { 200: schemas.Event } } },
      async (request) => {
        const { consumer } = await callerOf(request)
        return renderEvent(await events.get(consumer, request.params.id))
      },
    )

    app.get(
      '/stream',
      {
        config: { ...config, ticket: true, compress: false, etag: false },
        schema: {
          tags,
          querystring: Type.Object(
            { events: Type.Optional(Type.Unknown()), last_event_id: Type.Optional(Type.Unknown()) },
            { additionalProperties: true },
          ),
        },
      },
      async (request, reply) => {
        const { actor, consumer } = await callerOf(request)
        const types = parseTypes(request.query.events)
        const header = request.headers['last-event-id']
        const asked = request.query.last_event_id
        const lastEventId = header ?? asked
        return feed.open(request, reply, {
          actor,
          consumer,
          types,
          lastEventId: typeof lastEventId === 'string' ? lastEventId : undefined,
        })
      },
    )
  }

  /** Whose event it is: the caller's own below `admin`, else whose they say, or everybody's. */
  async function addressee(
    { actor, consumer, isActing }: Caller,
    asked: string | null,
  ): Promise<string | null> {
    if (!hasAccess(actor, 'admin')) {
      if (asked === null || asked.toLowerCase() === consumer.id) return consumer.id
      throw new DomainError('forbidden', 'forbidden', 'Only admins can publish for others')
    }
    if (asked === null) return isActing ? consumer.id : null
    const found = isUuid(asked) ? await findConsumer(asked.toLowerCase()) : undefined
    if (!found) throw notFound('consumer')
    return found.id
  }
}

function parseName(text: string): string | undefined {
  return text === '' ? undefined : text
}

function parseWireId(text: string): string | undefined {
  return parseEventId(text) === undefined ? undefined : text
}

/** Null: all of them. */
function parseTypes(value: unknown): readonly string[] | null {
  if (value === undefined) return null
  const texts = Array.isArray(value) ? value : [value]
  const names = texts.flatMap((text) => String(text).split(',')).filter((name) => name !== '')
  if (names.length === 0) throw badParameter('events', 'must name event types')
  return names.includes('*') ? null : [...new Set(names)]
}
