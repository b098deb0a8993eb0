import type { FastifyRequest } from 'fastify'
import Type, { type Static } from 'typebox'
import { actorOf } from '#access'
import { type HttpApp, type HttpPlugin, once } from '#http'
import { notFound, renderTime } from '#kernel'
import { answerList, listParameters, parseIntegerId, parseList } from '#paging'
import {
  INTEGRATION_SORTS,
  type Integration,
  type Integrations,
  type IssuedIntegration,
} from './integrations.ts'

interface Deps {
  readonly integrations: Integrations
  /** Where clients see us, for absolute URLs. */
  origin(request: FastifyRequest): string
}

const Level = Type.Union([Type.Literal('read'), Type.Literal('write'), Type.Literal('admin')])
const Shown = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  access_level: Level,
  status: Type.Literal('active'),
  user_id: Type.Integer(),
  api_key_id: Type.Integer(),
  consumer_key: Type.String(),
  created_at: Type.String({ format: 'date-time' }),
})
const Issued = Type.Interface([Shown], {
  consumer_secret: Type.String(),
  access_token: Type.String(),
  access_token_secret: Type.String(),
})
const New = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 255 }),
    access_level: Type.Optional(Level),
    plan_id: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
  },
  { additionalProperties: false },
)
const params = Type.Object({ id: Type.String() })
const config = { access: 'admin' } as const
const idempotent = { ...config, idempotent: 'no-store' } as const
const tags = ['Integrations']
const one = { 200: Type.Object({ data: Shown }) }
const issued = { 201: Type.Object({ data: Issued }) }

/** `/api/v1/integrations` (commerce contract §3.4). */
export function integrationRoutes({ integrations, origin }: Deps): HttpPlugin {
  return (app: HttpApp) => {
    app.post(
      '/integrations',
      {
        config: idempotent,
        schema: {
          tags,
          summary: 'Create an integration',
          description:
            'Makes the four values that requests of commerce integrations are signed with (OAuth 1.0a). They are shown once.',
          body: New,
          response: issued,
        },
      },
      async (request, reply) => {
        const { name, access_level: access = 'write', plan_id: planId } = request.body
        const input = { name, access, planId }
        const made = await once(request, (keep) =>
          integrations.create(actorOf(request), input, keep),
        )
        reply.header('cache-control', 'no-store')
        reply.code(201).header('location', `/api/v1/integrations/${made.integration.id}`)
        return { data: renderIssued(made) }
      },
    )

    app.get(
      '/integrations',
      {
        config,
        schema: {
          tags,
          summary: 'List integrations',
          description: 'Pages of integrations without their secrets. Only admins see them.',
          querystring: listParameters([]),
          response: {
            200: Type.Object({
              data: Type.Array(Shown),
              meta: Type.Object({}, { additionalProperties: true }),
            }),
          },
        },
      },
      async (request, reply) => {
        const list = parseList(request, reply, { sorts: INTEGRATION_SORTS, filters: [] })
        return answerList(request, reply, {
          origin: origin(request),
          paging: list.paging,
          page: await integrations.list(list),
          render,
        })
      },
    )

    app.get(
      '/integrations/:id',
      {
        config,
        schema: {
          tags,
          summary: 'Read an integration',
          description:
            'One integration without its secrets. It shows level, state and when it was made.',
          params,
          response: one,
        },
      },
      async (request) => ({ data: render(await integrations.get(idOf(request))) }),
    )

    app.post(
      '/integrations/:id/regenerate',
      {
        config: idempotent,
        schema: {
          tags,
          summary: 'Regenerate the credentials of an integration',
          description:
            'Gives the integration four new values and shows them once. The old ones are refused from then on.',
          params,
          response: issued,
        },
      },
      async (request, reply) => {
        const made = await once(request, (keep) => integrations.regenerate(idOf(request), keep))
        reply.code(201).header('cache-control', 'no-store')
        return { data: renderIssued(made) }
      },
    )

    app.delete(
      '/integrations/:id',
      {
        config,
        schema: {
          tags,
          summary: 'Delete an integration',
          description:
            'Revokes the credentials of the integration at once. Products and orders stay.',
          params,
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        await integrations.remove(actorOf(request), idOf(request))
        reply.code(204)
      },
    )
  }
}

function idOf({ params: { id } }: { params: { id: string } }): number {
  const number = parseIntegerId(id)
  if (number === undefined) throw notFound('integration')
  return number
}

function render(integration: Integration): Static<typeof Shown> {
  return {
    id: integration.id,
    name: integration.name,
    access_level: integration.access,
    status: 'active',
    user_id: integration.userId,
    api_key_id: integration.keyId,
    consumer_key: integration.consumerKey,
    created_at: renderTime(integration.createdAtMs),
  }
}

function renderIssued({ integration, ...secrets }: IssuedIntegration): Static<typeof Issued> {
  return {
    ...render(integration),
    consumer_secret: secrets.consumerSecret,
    access_token: secrets.accessToken,
    access_token_secret: secrets.tokenSecret,
  }
}
