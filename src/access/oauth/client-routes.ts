import type { FastifyRequest } from 'fastify'
import Type, { type Static } from 'typebox'
import { type HttpApp, type HttpPlugin, once } from '#http'
import { notFound, renderTime, renderTimeOrNull } from '#kernel'
import { answerList, listParameters, parseIntegerId, parseList } from '#paging'
import { actorOf, dataOf, IdParams, listOf, noStore, parseIdFilter } from '../routes/shared.ts'
import type { ClientRef, Clients, IssuedSecret } from './clients.ts'
import type { Client } from './records.ts'
import * as schemas from './schemas.ts'
import { isClientId } from './secrets.ts'
import { CLIENT_SORTS } from './store.ts'

interface Deps {
  readonly clients: Clients
  /** Where clients see us, for absolute URLs. */
  origin(request: FastifyRequest): string
}

const FILTERS = ['user_id']
const config = { access: 'admin' } as const
const idempotent = { ...config, idempotent: 'no-store' } as const
const tags = ['OAuth clients']
const one = { 200: dataOf(schemas.Client) }
const issued = { 201: dataOf(schemas.IssuedClient) }

/** `/api/v1/oauth/clients` (access contract §5). */
export function clientRoutes(deps: Deps): HttpPlugin {
  return (app) => {
    collectionRoutes(app, deps)
    singleRoutes(app, deps)
  }
}

function collectionRoutes(app: HttpApp, { clients, origin }: Deps): void {
  app.post(
    '/oauth/clients',
    {
      config: idempotent,
      schema: {
        tags,
        summary: 'Create an OAuth client',
        description:
          'Makes a client for OAuth 2.0 with the scopes it may ask for. The answer shows its secret, once.',
        body: schemas.NewClient,
        response: issued,
      },
    },
    async (request, reply) => {
      const { name, plan_id, user_id, scopes = ['read'] } = request.body
      const input = { name, planId: plan_id, userId: user_id, scopes }
      const created = await once(request, (keep) => clients.create(actorOf(request), input, keep))
      noStore(reply)
      reply.code(201).header('location', `/api/v1/oauth/clients/${created.client.id}`)
      return { data: renderIssued(created) }
    },
  )

  app.get(
    '/oauth/clients',
    {
      config,
      schema: {
        tags,
        summary: 'List OAuth clients',
        description: 'Pages of OAuth clients without their secrets. Only admins see them.',
        querystring: listParameters(FILTERS),
        response: { 200: listOf(schemas.Client) },
      },
    },
    async (request, reply) => {
      const list = parseList(request, reply, { sorts: CLIENT_SORTS, filters: FILTERS })
      const userId = parseIdFilter('user_id', list.filter('user_id'))
      return answerList(request, reply, {
        origin: origin(request),
        paging: list.paging,
        page: await clients.list({ userId }, list),
        render: renderClient,
      })
    },
  )
}

function singleRoutes(app: HttpApp, { clients }: Deps): void {
  app.get(
    '/oauth/clients/:id',
    {
      config,
      schema: {
        tags,
        summary: 'Read an OAuth client',
        description:
          'The record of one client without its secret. It shows which scopes and plan it has.',
        params: IdParams,
        response: one,
      },
    },
    async (request) => ({ data: renderClient(await clients.get(refOf(request))) }),
  )

  app.patch(
    '/oauth/clients/:id',
    {
      config,
      schema: {
        tags,
        summary: 'Change an OAuth client',
        description:
          'Changes the members that are sent and leaves the others. A new secret is had by rotating it.',
        params: IdParams,
        body: schemas.ClientChange,
        response: one,
      },
    },
    async (request) => {
      const { name, plan_id, scopes, disabled } = request.body
      const input = { name, planId: plan_id, scopes, isDisabled: disabled }
      return { data: renderClient(await clients.update(actorOf(request), refOf(request), input)) }
    },
  )

  app.post(
    '/oauth/clients/:id/rotate-secret',
    {
      config: idempotent,
      schema: {
        tags,
        summary: 'Rotate the secret of an OAuth client',
        description: 'Gives the client a new secret. It is shown in this answer and never again.',
        params: IdParams,
        response: issued,
      },
    },
    async (request, reply) => {
      const rotated = await once(request, (keep) => clients.rotateSecret(refOf(request), keep))
      noStore(reply)
      reply.code(201)
      return { data: renderIssued(rotated) }
    },
  )

  app.delete(
    '/oauth/clients/:id',
    {
      config,
      schema: {
        tags,
        summary: 'Delete an OAuth client',
        description: 'Removes the client, which gets no more tokens. Its usage records stay.',
        params: IdParams,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await clients.remove(actorOf(request), refOf(request))
      reply.code(204)
    },
  )
}

/** A client is found by its number and by its `client_id`, which is what its users have at hand. */
function refOf({ params: { id } }: { params: { id: string } }): ClientRef {
  const ref = isClientId(id) ? id : parseIntegerId(id)
  if (ref === undefined) throw notFound('client')
  return ref
}

function renderClient(client: Client): Static<typeof schemas.Client> {
  return {
    id: client.id,
    client_id: client.clientId,
    name: client.name,
    user_id: client.userId,
    plan_id: client.planId,
    api_key_id: client.keyId,
    scopes: [...client.scopes],
    disabled: client.isDisabled,
    secret_rotated_at: renderTimeOrNull(client.secretRotatedAtMs),
    created_at: renderTime(client.createdAtMs),
    updated_at: renderTime(client.updatedAtMs),
  }
}

function renderIssued({ client, secret }: IssuedSecret) {
  return { ...renderClient(client), client_secret: secret }
}
