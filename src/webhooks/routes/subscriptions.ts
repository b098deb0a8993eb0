import Type from 'typebox'
import { type HttpApp, type HttpPlugin, once } from '#http'
import { type Clock, isObject, renderTime } from '#kernel'
import {
  answerList,
  listParameters,
  parseAfter,
  parseFlag,
  parseListBy,
  parseUuidId,
} from '#paging'
import { createCheck, parseObject } from '../input.ts'
import { renderCreated, renderSubscription } from '../render.ts'
import * as schemas from '../schemas.ts'
import { verify } from '../sign.ts'
import { SUBSCRIPTION_SORTS } from '../store/subscriptions.ts'
import { parseNewSubscription, parseSubscriptionChange } from '../subscription-input.ts'
import type { Subscriptions } from '../subscriptions.ts'
import type { RouteDeps } from './index.ts'
import { CONSUMER, IdParams, noStore, unchecked } from './shared.ts'

const FILTERS = ['is_active', 'event', 'endpoint_url', 'created_after']
const NOTE = 'The previous secret stays valid until valid_until.'
const MAX_SIZE = 100
const tags = ['Webhooks']
const config = { access: 'read' } as const
const idempotent = { ...config, idempotent: true } as const
/** The values of a filter are compared as they were sent. */
const exactly = { exactNumbers: true } as const

interface Deps extends RouteDeps {
  readonly subscriptions: Subscriptions
  readonly clock: Clock
}

/** Webhooks contract §2; work on one's own subscriptions needs no more than `read`. */
export function subscriptionRoutes(deps: Deps): HttpPlugin {
  return (app) => {
    createRoute(app, deps)
    listRoute(app, deps)
    singleRoutes(app, deps)
    secretRoutes(app, deps)
  }
}

function createRoute(app: HttpApp, { subscriptions, callerOf }: Deps): void {
  app.post(
    '/subscriptions',
    {
      config: { ...idempotent, ...exactly },
      ...unchecked,
      schema: {
        tags,
        summary: 'Subscribe to events',
        description:
          'Deliveries go to `endpoint_url` for every event that is named or fits a pattern. The answer shows the secret that signs them, once.',
        body: schemas.NewSubscription,
        response: { 201: schemas.CreatedSubscription },
      },
    },
    async (request, reply) => {
      const { consumer } = await callerOf(request)
      const input = parseNewSubscription(request.body)
      const created = await once(request, (alongside) =>
        subscriptions.create(consumer.id, input, { alongside }),
      )
      noStore(reply)
      reply.code(201).header('location', `/webhooks/subscriptions/${created.id}`)
      return renderCreated(created)
    },
  )
}

function listRoute(app: HttpApp, { subscriptions, callerOf, origin }: Deps): void {
  app.get(
    '/subscriptions',
    {
      config,
      schema: {
        tags,
        summary: 'List subscriptions',
        description:
          'Pages of the subscriptions of the caller. Admins can act for another consumer.',
        querystring: listParameters([CONSUMER, ...FILTERS]),
        response: { 200: schemas.listOf(schemas.Subscription) },
      },
    },
    async (request, reply) => {
      const { consumer } = await callerOf(request)
      const list = parseListBy(parseUuidId, request, reply, {
        sorts: SUBSCRIPTION_SORTS,
        filters: [...FILTERS, CONSUMER],
        maxLimit: MAX_SIZE,
        defaultSort: 'created_at',
        defaultOrder: 'desc',
      })
      const filter = {
        isActive: parseFlag('is_active', list.filter('is_active')),
        event: list.filter('event'),
        endpointUrl: list.filter('endpoint_url'),
        createdFromMs: parseAfter('created_after', list.filter('created_after')),
      }
      return answerList(request, reply, {
        origin: origin(request),
        paging: list.paging,
        page: await subscriptions.list(consumer.id, filter, list),
        render: renderSubscription,
      })
    },
  )
}

function singleRoutes(app: HttpApp, { subscriptions, callerOf }: Deps): void {
  app.get(
    '/subscriptions/:id',
    {
      config,
      schema: {
        tags,
        summary: 'Read a subscription',
        description:
          'One subscription with its state and settings, without its secret. Values of headers that are credentials are masked.',
        params: IdParams,
        response: { 200: schemas.Subscription },
      },
    },
    async (request) => {
      const { consumer } = await callerOf(request)
      return renderSubscription(await subscriptions.get(consumer.id, request.params.id))
    },
  )

  app.patch(
    '/subscriptions/:id',
    {
      config: { ...config, ...exactly },
      ...unchecked,
      schema: {
        tags,
        summary: 'Change a subscription',
        description:
          'Changes the members that are sent and leaves the others. What is sent back masked stays as it is stored.',
        params: IdParams,
        body: schemas.SubscriptionChange,
        response: { 200: schemas.Subscription },
      },
    },
    async (request) => {
      const { consumer } = await callerOf(request)
      const { id } = request.params
      // Another one's is not found, whatever is asked for.
      await subscriptions.get(consumer.id, id)
      const change = parseSubscriptionChange(request.body)
      return renderSubscription(await subscriptions.update(consumer.id, id, change))
    },
  )

  app.delete(
    '/subscriptions/:id',
    {
      config,
      schema: {
        tags,
        summary: 'Delete a subscription',
        description:
          'Ends the subscription; open deliveries are cancelled. Every later call on its id is answered with 404.',
        params: IdParams,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { consumer } = await callerOf(request)
      await subscriptions.remove(consumer.id, request.params.id)
      reply.code(204)
    },
  )
}

function secretRoutes(app: HttpApp, { subscriptions, clock, callerOf }: Deps): void {
  app.post(
    '/subscriptions/:id/rotate-secret',
    {
      config: idempotent,
      schema: {
        tags,
        summary: 'Rotate the secret of a subscription',
        description:
          'Makes a new secret and shows it once. The old one signs beside it for ten minutes, so that receivers can switch.',
        params: IdParams,
        response: { 200: schemas.Rotation },
      },
    },
    async (request, reply) => {
      const { consumer } = await callerOf(request)
      const { secret, validUntilMs } = await once(request, (keep) =>
        subscriptions.rotateSecret(consumer.id, request.params.id, keep),
      )
      noStore(reply)
      return { secret, valid_until: renderTime(validUntilMs), note: NOTE }
    },
  )

  app.post(
    '/subscriptions/:id/verify',
    {
      config: idempotent,
      ...unchecked,
      schema: {
        tags,
        summary: 'Verify a signature',
        description:
          'Tells whether headers and body that a receiver got were signed by this subscription, and by which secret. It helps to find mistakes in receivers.',
        params: IdParams,
        body: schemas.Verification,
        response: { 200: schemas.Verdict },
      },
    },
    async (request) => {
      const { consumer } = await callerOf(request)
      const secrets = await subscriptions.openSecrets(consumer.id, request.params.id)
      return verify(parsePresented(request.body), secrets, clock.now())
    },
  )
}

function parsePresented(given: unknown) {
  const { headers, body } = parseObject(given)
  const check = createCheck()
  if (!isObject(headers)) check.refuse('headers', 'type', 'must be an object')
  if (typeof body !== 'string') check.refuse('body', 'type', 'must be a string')
  check.done()
  const named = new Map(
    Object.entries(isObject(headers) ? headers : {}).map(([name, value]) => [
      name.toLowerCase(),
      value,
    ]),
  )
  const text = (name: string) => {
    const value = named.get(name)
    return typeof value === 'string' ? value : undefined
  }
  return {
    id: text('webhook-id'),
    timestamp: text('webhook-timestamp'),
    signature: text('webhook-signature'),
    body: String(body),
  }
}
