import { type HttpApp, type HttpPlugin, once } from '#http'
import { DomainError, hasAccess, isUuid, notFound, renderTime } from '#kernel'
import { answerList, listParameters, parseAfter, parseBefore, parseListBy } from '#paging'
import {
  type Events,
  type Publication,
  parseBatch,
  parsePublication,
  type RecordedEvent,
} from '../events.ts'
import type { Consumer } from '../records.ts'
import { renderEvent } from '../render.ts'
import * as schemas from '../schemas.ts'
import { parseEventId, renderEventId } from '../wire-ids.ts'
import type { RouteDeps } from './index.ts'
import { type Caller, CONSUMER, IdParams, unchecked } from './shared.ts'

const FILTERS = ['event_type', 'created_after', 'created_before']
const MAX_SIZE = 100
const tags = ['Webhooks']
const config = { access: 'read' } as const
const publishing = { access: 'write', idempotent: true, exactNumbers: true } as const

interface Deps extends RouteDeps {
  readonly events: Events
  findConsumer(id: string): Promise<Consumer | undefined>
}

/** Webhooks contract §4. */
export function eventRoutes(deps: Deps): HttpPlugin {
  return (app) => {
    publishRoute(app, deps)
    batchRoute(app, deps)
    listRoute(app, deps)
    singleRoute(app, deps)
  }
}

function publishRoute(app: HttpApp, deps: Deps): void {
  const { events, callerOf } = deps
  app.post(
    '/events',
    {
      config: publishing,
      ...unchecked,
      schema: {
        tags,
        summary: 'Publish an event',
        description:
          'Stores the event and delivers it to every subscription that may see it. With an `Idempotency-Key` a repetition publishes nothing twice.',
        body: schemas.Publication,
        response: { 201: schemas.PublishedEvent },
      },
    },
    async (request, reply) => {
      const caller = await callerOf(request)
      const publication = parsePublication(request.body)
      const consumerId = await addressee(deps, caller, publication.consumerId)
      const addressed = [{ ...publication, consumerId }]
      const [recorded] = await once(request, (keep) =>
        events.publish(addressed, () => ['payload'], keep),
      )
      if (!recorded) throw new Error('the event was not recorded')
      const answer = renderRecorded(recorded, publication)
      reply.code(201).header('location', `/webhooks/events/${answer.id}`)
      return answer
    },
  )
}

/** All of them or none; each is addressed as it would be alone. */
function batchRoute(app: HttpApp, deps: Deps): void {
  const { events, callerOf } = deps
  app.post(
    '/events/batch',
    {
      config: publishing,
      ...unchecked,
      schema: {
        tags,
        summary: 'Publish many events',
        description:
          'Publishes up to 1,000 events in their order, all or none. The answer has their ids.',
        body: schemas.Batch,
        response: { 201: schemas.PublishedBatch },
      },
    },
    async (request, reply) => {
      const caller = await callerOf(request)
      const publications = parseBatch(request.body)
      const addressees = await addresseesOf(deps, caller, publications)
      const addressed = publications.map((one) => ({
        ...one,
        consumerId: addressees.get(one.consumerId) ?? null,
      }))
      const recorded = await once(request, (keep) =>
        events.publish(addressed, (at) => ['events', at, 'payload'], keep),
      )
      reply.code(201)
      return {
        data: recorded.map((one, at) => renderRecorded(one, addressed[at])),
        meta: { total: recorded.length },
      }
    },
  )
}

/** Each consumer that is named is looked up once. */
async function addresseesOf(deps: Deps, caller: Caller, publications: readonly Publication[]) {
  const found = new Map<string | null, string | null>()
  for (const { consumerId } of publications) {
    if (!found.has(consumerId)) found.set(consumerId, await addressee(deps, caller, consumerId))
  }
  return found
}

function renderRecorded(
  { id, createdAtMs }: RecordedEvent,
  publication: Pick<Publication, 'eventType'> | undefined,
) {
  return {
    id: renderEventId(id),
    event_type: publication?.eventType ?? '',
    created_at: renderTime(createdAtMs),
  }
}

/** Whose event it is: the caller's own below `admin`, else whose they say, or everybody's. */
async function addressee(
  { findConsumer }: Deps,
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

function listRoute(app: HttpApp, { events, callerOf, origin }: Deps): void {
  app.get(
    '/events',
    {
      config,
      schema: {
        tags,
        summary: 'List events',
        description:
          'Pages of events that the caller may see, by type and time. They are kept for `webhooks.retention_days`.',
        querystring: listParameters([CONSUMER, ...FILTERS]),
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
      const found = await events.list(consumer, filterOf(filter), {
        beyondId: beyond === null ? null : (parseEventId(beyond) ?? null),
        order: upwards ? 'asc' : 'desc',
        limit: limit + 1,
      })
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
}

function filterOf(filter: (name: string) => string | undefined) {
  return {
    eventType: filter('event_type'),
    createdFromMs: parseAfter('created_after', filter('created_after')),
    createdBeforeMs: parseBefore('created_before', filter('created_before')),
  }
}

function singleRoute(app: HttpApp, { events, callerOf }: Deps): void {
  app.get(
    '/events/:id',
    {
      config,
      schema: {
        tags,
        summary: 'Read an event',
        description:
          'One event with its payload. Its deliveries are listed under `/webhooks/deliveries?event_id=`.',
        params: IdParams,
        response: { 200: schemas.Event },
      },
    },
    async (request) => {
      const { consumer } = await callerOf(request)
      return renderEvent(await events.get(consumer, request.params.id))
    },
  )
}

function parseWireId(text: string): string | undefined {
  return parseEventId(text) === undefined ? undefined : text
}
