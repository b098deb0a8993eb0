import Type from 'typebox'
import { type HttpApp, type HttpPlugin, once } from '#http'
import { hasAccess, notFound } from '#kernel'
import { answerList, listParameters, parseFlag, parseListBy } from '#paging'
import { parseEventTypeChange, parseNewEventType } from '../event-type-input.ts'
import type { EventTypes } from '../event-types.ts'
import { renderEventType } from '../render.ts'
import * as schemas from '../schemas.ts'
import type { RouteDeps } from './index.ts'
import { CONSUMER, NameParams, unchecked } from './shared.ts'

const ALL_TYPES = 500
const tags = ['Webhooks']
const config = { access: 'read' } as const

interface Deps extends RouteDeps {
  readonly eventTypes: EventTypes
}

/** Webhooks contract §3. */
export function eventTypeRoutes(deps: Deps): HttpPlugin {
  return (app) => {
    readRoutes(app, deps)
    changeRoutes(app, deps)
  }
}

function readRoutes(app: HttpApp, { eventTypes, callerOf, origin }: Deps): void {
  app.get(
    '/event-types',
    {
      config,
      schema: {
        tags,
        summary: 'List event types',
        description:
          'All active types of events, built-in ones and those of your own. Each has a description and an example.',
        querystring: listParameters([CONSUMER, 'include_inactive']),
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
    {
      config,
      schema: {
        tags,
        summary: 'Read an event type',
        description:
          'One type by name with its example and schema. Subscriptions name it in `events`.',
        params: NameParams,
        response: { 200: schemas.EventType },
      },
    },
    async (request) => {
      const { actor } = await callerOf(request)
      const type = await eventTypes.get(request.params.name)
      if (!type.isActive && !hasAccess(actor, 'admin')) throw notFound('event_type')
      return renderEventType(type)
    },
  )
}

function changeRoutes(app: HttpApp, { eventTypes }: Deps): void {
  app.post(
    '/event-types',
    {
      config: { access: 'admin', idempotent: true, exactNumbers: true },
      ...unchecked,
      schema: {
        tags,
        summary: 'Create an event type',
        description:
          'Declares a type of your own that can then be published. With `schema` payloads that do not fit it are refused.',
        body: schemas.NewEventType,
        response: { 201: schemas.EventType },
      },
    },
    async (request, reply) => {
      const input = parseNewEventType(request.body)
      const type = await once(request, (keep) => eventTypes.create(input, keep))
      reply.code(201).header('location', `/webhooks/event-types/${type.name}`)
      return renderEventType(type)
    },
  )

  app.patch(
    '/event-types/:name',
    {
      config: { access: 'admin', exactNumbers: true },
      ...unchecked,
      schema: {
        tags,
        summary: 'Change an event type',
        description:
          'Changes every member but the name. A type that is not active can be neither published nor subscribed to.',
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
      schema: {
        tags,
        summary: 'Delete an event type',
        description:
          'Removes a type of your own. Built-in types are refused with 409 and can be deactivated instead.',
        params: NameParams,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await eventTypes.remove(request.params.name)
      reply.code(204)
    },
  )
}

function parseName(text: string): string | undefined {
  return text === '' ? undefined : text
}
