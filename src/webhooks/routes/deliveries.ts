import { type HttpApp, type HttpPlugin, once } from '#http'
import { hasAccess, invalid } from '#kernel'
import {
  answerList,
  badParameter,
  listParameters,
  parseAfter,
  parseBefore,
  parseFlag,
  parseListBy,
  parseUuidId,
} from '#paging'
import type { Deliveries } from '../deliveries.ts'
import { parseOptionalObject } from '../input.ts'
import { renderDelivery, renderReplay, renderShown, renderStats } from '../render.ts'
import { parseReplay, type Replays } from '../replays.ts'
import * as schemas from '../schemas.ts'
import type { Subscriptions } from '../subscriptions.ts'
import type { DeliveryStatus } from '../tables.ts'
import { parseEventId } from '../wire-ids.ts'
import type { RouteDeps } from './index.ts'
import { CONSUMER, DeliveryParams, IdParams, ReplayParams, unchecked } from './shared.ts'

const FILTERS = ['status', 'event_type', 'created_after', 'created_before', 'is_test', 'include']
const STATUSES: readonly DeliveryStatus[] = ['pending', 'succeeded', 'failed', 'held', 'cancelled']
const MAX_SIZE = 100
const tags = ['Webhooks']
const config = { access: 'read' } as const
const idempotent = { ...config, idempotent: true } as const

interface Deps extends RouteDeps {
  readonly subscriptions: Pick<Subscriptions, 'get'>
  readonly deliveries: Deliveries
  readonly replays: Replays
}

/** Webhooks contract §2.7 and §6. */
export function deliveryRoutes(deps: Deps): HttpPlugin {
  return (app) => {
    testRoute(app, deps)
    listRoute(app, deps)
    listAllRoute(app, deps)
    singleRoutes(app, deps)
    replayRoutes(app, deps)
  }
}

function testRoute(app: HttpApp, { subscriptions, deliveries, callerOf }: Deps): void {
  app.post(
    '/subscriptions/:id/test',
    {
      config: idempotent,
      ...unchecked,
      schema: {
        tags,
        summary: 'Send a test',
        description:
          'Queues a signed test delivery to the endpoint. It has no number in the sequence of the subscription.',
        params: IdParams,
        body: schemas.TestRequest,
        querystring: listParameters([CONSUMER, 'wait']),
      },
    },
    async (request, reply) => {
      const { consumer } = await callerOf(request)
      const { id, timeoutSeconds } = await subscriptions.get(consumer.id, request.params.id)
      const eventType = parseTestType(request.body)
      const waits = parseFlag('wait', textOf(request.query, 'wait')) ?? false
      const queued = await once(request, (keep) =>
        deliveries.test(consumer.id, id, eventType, keep),
      )
      if (waits) {
        await deliveries.waitFor(id, queued.deliveryId, timeoutSeconds * 1000 + 1000)
        return renderShown(await deliveries.get(consumer.id, id, queued.deliveryId))
      }
      reply.code(202)
      return {
        delivery_id: queued.deliveryId,
        event_type: queued.eventType,
        status: 'pending',
        test_sent: true,
      }
    },
  )
}

function listRoute(app: HttpApp, { subscriptions, deliveries, callerOf, origin }: Deps): void {
  app.get(
    '/subscriptions/:id/deliveries',
    {
      config,
      schema: {
        tags,
        summary: 'List deliveries of a subscription',
        description:
          'Pages of deliveries, newest first, by state or event. Each shows how many attempts were made.',
        params: IdParams,
        querystring: listParameters([CONSUMER, ...FILTERS]),
        response: { 200: schemas.listOf(schemas.Delivery) },
      },
    },
    async (request, reply) => {
      const { consumer } = await callerOf(request)
      const { id } = await subscriptions.get(consumer.id, request.params.id)
      const list = parseListBy(parseUuidId, request, reply, {
        sorts: ['created_at'],
        filters: [...FILTERS, CONSUMER],
        maxLimit: MAX_SIZE,
        defaultSort: 'created_at',
        defaultOrder: 'desc',
      })
      const include = parseInclude(list.filter('include'))
      const page = await deliveries.list(consumer.id, id, filterOf(list.filter), list)
      const answer = answerList(request, reply, {
        origin: origin(request),
        paging: list.paging,
        page,
        render: renderDelivery,
      })
      if (!include.attempts && !include.payload) return answer
      const shown = await deliveries.withDetails(page.rows)
      return { ...answer, data: shown.map((one) => renderShown(one, include)) }
    },
  )
}

/** Keyset paging alone: counting the deliveries of a consumer would read all of them. */
function listAllRoute(app: HttpApp, { deliveries, callerOf, origin }: Deps): void {
  app.get(
    '/deliveries',
    {
      config,
      schema: {
        tags,
        summary: 'List deliveries of all subscriptions',
        description:
          'Pages of deliveries of all subscriptions of the caller. `event_id` shows where one event went.',
        querystring: listParameters([CONSUMER, 'event_id', ...FILTERS]),
        response: { 200: schemas.listOf(schemas.Delivery) },
      },
    },
    async (request, reply) => {
      const { actor, consumer, isActing } = await callerOf(request)
      const list = parseListBy(parseUuidId, request, reply, {
        sorts: ['created_at'],
        filters: ['event_id', ...FILTERS, CONSUMER],
        maxLimit: MAX_SIZE,
        strategies: ['keyset'],
        defaultSort: 'created_at',
        defaultOrder: 'desc',
      })
      const include = parseInclude(list.filter('include'))
      const filter = { ...filterOf(list.filter), eventId: parseEvent(list.filter('event_id')) }
      const isEverybodys = hasAccess(actor, 'admin') && !isActing
      const page = await deliveries.listOf(isEverybodys ? null : consumer.id, filter, list)
      const answer = answerList(request, reply, {
        origin: origin(request),
        paging: list.paging,
        page,
        render: renderDelivery,
      })
      if (!include.attempts && !include.payload) return answer
      const shown = await deliveries.withDetails(page.rows)
      return { ...answer, data: shown.map((one) => renderShown(one, include)) }
    },
  )
}

function parseEvent(text: string | undefined): string | undefined {
  const id = text === undefined ? undefined : parseEventId(text)
  if (text === undefined || id !== undefined) return id
  throw badParameter('event_id', 'must be the id of an event, such as evt_0197…')
}

function singleRoutes(app: HttpApp, { deliveries, callerOf }: Deps): void {
  app.get(
    '/subscriptions/:id/deliveries/:delivery_id',
    {
      config,
      schema: {
        tags,
        summary: 'Read a delivery',
        description:
          'One delivery with each attempt, its request and its answer. It tells why an attempt failed.',
        params: DeliveryParams,
        response: { 200: schemas.Delivery },
      },
    },
    async (request) => {
      const { consumer } = await callerOf(request)
      const { id, delivery_id: deliveryId } = request.params
      return renderShown(await deliveries.get(consumer.id, id, deliveryId))
    },
  )

  app.post(
    '/subscriptions/:id/deliveries/:delivery_id/resend',
    {
      config: idempotent,
      schema: {
        tags,
        summary: 'Send a delivery again',
        description:
          'Makes one attempt now, whatever became of the earlier ones, also on inactive subscriptions. Id and body stay the same, so that receivers recognise it.',
        params: DeliveryParams,
        response: { 202: schemas.Delivery },
      },
    },
    async (request, reply) => {
      const { consumer } = await callerOf(request)
      const { id, delivery_id: deliveryId } = request.params
      await once(request, (keep) => deliveries.resend(consumer.id, id, deliveryId, keep))
      reply.code(202)
      return renderShown(await deliveries.get(consumer.id, id, deliveryId))
    },
  )

  app.get(
    '/subscriptions/:id/stats',
    {
      config,
      schema: {
        tags,
        summary: 'Figures of a subscription',
        description:
          'Counts of deliveries by state and the times that the endpoint took. They cover the last 24 hours.',
        params: IdParams,
        response: { 200: schemas.Stats },
      },
    },
    async (request) => {
      const { consumer } = await callerOf(request)
      return renderStats(await deliveries.stats(consumer.id, request.params.id))
    },
  )
}

function replayRoutes(app: HttpApp, { subscriptions, replays, callerOf }: Deps): void {
  app.post(
    '/subscriptions/:id/replay',
    {
      config: idempotent,
      ...unchecked,
      schema: {
        tags,
        summary: 'Replay a window',
        description:
          'Delivers failed, missed or all events of a window again, as `scope` says. It is accepted at once and goes on in the background.',
        params: IdParams,
        body: schemas.ReplayRequest,
        response: { 202: schemas.Anything },
      },
    },
    async (request, reply) => {
      const { consumer } = await callerOf(request)
      const { id } = await subscriptions.get(consumer.id, request.params.id)
      const asked = parseReplay(request.body)
      const started = await once(request, (keep) => replays.start(consumer, id, asked, keep))
      reply.code(202)
      return started
    },
  )

  app.get(
    '/subscriptions/:id/replays/:replay_id',
    {
      config,
      schema: {
        tags,
        summary: 'Read a replay',
        description:
          'Tells how many deliveries a replay has found. Its `status` says whether it is over.',
        params: ReplayParams,
        response: { 200: schemas.Anything },
      },
    },
    async (request) => {
      const { consumer } = await callerOf(request)
      const { id, replay_id: replayId } = request.params
      return renderReplay(await replays.get(consumer.id, id, replayId))
    },
  )
}

function filterOf(filter: (name: string) => string | undefined) {
  return {
    status: parseStatus(filter('status')),
    eventType: filter('event_type'),
    createdFromMs: parseAfter('created_after', filter('created_after')),
    createdBeforeMs: parseBefore('created_before', filter('created_before')),
    isTest: parseFlag('is_test', filter('is_test')),
  }
}

function parseStatus(text: string | undefined): DeliveryStatus | undefined {
  if (text === undefined) return undefined
  const found = STATUSES.find((status) => status === text)
  if (!found) throw badParameter('status', `must be one of ${STATUSES.join(', ')}`)
  return found
}

function parseInclude(text: string | undefined) {
  const names = text === undefined || text === '' ? [] : text.split(',')
  const unknown = names.filter((name) => name !== 'attempts' && name !== 'payload')
  if (unknown.length > 0) throw badParameter('include', 'may name attempts and payload')
  return { attempts: names.includes('attempts'), payload: names.includes('payload') }
}

function parseTestType(given: unknown): string | undefined {
  const { event_type: eventType } = parseOptionalObject(given)
  if (eventType === undefined || eventType === null) return undefined
  if (typeof eventType === 'string') return eventType
  const message = 'event_type must be a string'
  throw invalid([{ path: ['event_type'], rule: 'type', message }])
}

function textOf(query: unknown, name: string): string | undefined {
  if (typeof query !== 'object' || query === null) return undefined
  const value: unknown = Reflect.get(query, name)
  if (value === undefined || typeof value === 'string') return value
  throw badParameter(name, 'must be given once')
}
