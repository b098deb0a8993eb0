import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import { type HttpApp, type HttpPlugin, once } from '#http'
import { isObject, notFound, renderTime } from '#kernel'
import { answerList, listParameters, parseIntegerId, parseList } from '#paging'
import { createCheck } from '../input.ts'
import type { Registrations } from '../registrations.ts'
import { renderRegistration } from '../render.ts'
import * as schemas from '../schemas.ts'
import { parseEvents, parseUrl, type SubscriptionInput } from '../subscription-input.ts'
import type { RouteDeps } from './index.ts'
import { CONSUMER, IdParams, noStore, unchecked } from './shared.ts'

const tags = ['Scrapers']
const config = { access: 'read' } as const

interface Deps extends RouteDeps {
  readonly registrations: Registrations
}

/** Area A: `/api/v1/webhooks` (Doc 1 §4.1, webhooks contract §12). */
export function registrationRoutes(deps: Deps): HttpPlugin {
  return (app) => {
    createRoute(app, deps)
    otherRoutes(app, deps)
  }
}

function createRoute(app: HttpApp, { registrations, callerOf }: Deps): void {
  app.post(
    '/',
    {
      config: { ...config, idempotent: true },
      ...unchecked,
      schema: {
        tags,
        summary: 'Register an endpoint for runs',
        description:
          'Tells an endpoint of runs of scrapers. It is a subscription too, and deleting either deletes both.',
        body: Type.Unknown({ description: '{ url, events }, or a list of events' }),
        querystring: listParameters([CONSUMER, 'url', 'events']),
        response: { 201: schemas.Anything },
      },
    },
    async (request, reply) => {
      const { consumer } = await callerOf(request)
      const input = parseRegistration(request)
      const created = await once(request, (keep) => registrations.create(consumer.id, input, keep))
      noStore(reply)
      reply.code(201).header('location', `/api/v1/webhooks/${created.number}`)
      return {
        id: created.number,
        url: created.endpointUrl,
        events: created.events,
        secret: created.secret,
        is_active: true,
        subscription_id: created.id,
        created_at: renderTime(created.createdAtMs),
      }
    },
  )
}

function otherRoutes(app: HttpApp, { registrations, callerOf, origin }: Deps): void {
  app.get(
    '/',
    {
      config,
      schema: {
        tags,
        summary: 'List registered endpoints',
        description: 'Pages of the endpoints that are told of runs. Their secrets are not shown.',
        querystring: listParameters([CONSUMER]),
        response: { 200: schemas.listOf(schemas.Anything) },
      },
    },
    async (request, reply) => {
      const { consumer } = await callerOf(request)
      const list = parseList(request, reply, { sorts: [], filters: [CONSUMER], maxLimit: 100 })
      return answerList(request, reply, {
        origin: origin(request),
        paging: list.paging,
        page: await registrations.list(consumer.id, list),
        render: renderRegistration,
      })
    },
  )

  app.get(
    '/:id',
    {
      config,
      schema: {
        tags,
        summary: 'Read a registered endpoint',
        description: 'One registration without its secret. The endpoint is that of a subscription.',
        params: IdParams,
        response: { 200: schemas.Anything },
      },
    },
    async (request) => {
      const { consumer } = await callerOf(request)
      return renderRegistration(await registrations.get(consumer.id, idOf(request.params.id)))
    },
  )

  app.delete(
    '/:id',
    {
      config,
      schema: {
        tags,
        summary: 'Remove a registered endpoint',
        description:
          'Ends the registration and its subscription. What waits for it is not sent any more.',
        params: IdParams,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { consumer } = await callerOf(request)
      await registrations.remove(consumer.id, idOf(request.params.id))
      reply.code(204)
    },
  )
}

/** From the body, the query, or the URL in the query with a list as body; the body wins. */
function parseRegistration({ body, query }: FastifyRequest): SubscriptionInput {
  const inQuery: Readonly<Record<string, unknown>> = isObject(query) ? query : {}
  const inBody = Array.isArray(body) ? { events: body } : isObject(body) ? body : {}
  const check = createCheck()
  const url = inBody['url'] ?? inQuery['url']
  const events = inBody['events'] ?? listOf(inQuery['events'])
  if (url === undefined) check.refuse('url', 'required', 'is required')
  if (events === undefined) check.refuse('events', 'required', 'is required')
  const endpointUrl = parseUrl(check, 'url', url)
  const names = parseEvents(check, events)
  check.done()
  return { endpointUrl: endpointUrl ?? '', events: names ?? [] }
}

/** Repeated or separated by commas. */
function listOf(value: unknown): readonly string[] | undefined {
  if (value === undefined) return undefined
  const texts = Array.isArray(value) ? value : [value]
  return texts.flatMap((text) => String(text).split(',')).filter((name) => name !== '')
}

function idOf(text: string): number {
  const id = parseIntegerId(text)
  if (id === undefined) throw notFound('webhook')
  return id
}
