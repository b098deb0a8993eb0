import Type from 'typebox'
import { type HttpApp, type HttpPlugin, once } from '#http'
import { invalid, parseTime } from '#kernel'
import { answerList, listParameters, parseList, parseOneOf } from '#paging'
import type { Keys } from '../keys.ts'
import { renderIssuedKey, renderKey } from '../render.ts'
import { IssuedKey, Key, KeyChange, NewKey, Revocation, RotatedKey, Rotation } from '../schemas.ts'
import { KEY_SORTS } from '../store/keys.ts'
import type { RouteDeps } from './index.ts'
import { actorOf, dataOf, IdParams, idOf, listOf, noStore, parseIdFilter } from './shared.ts'

const FILTERS = ['user_id', 'plan_id', 'status', 'prefix']
const DEFAULT_GRACE_SECONDS = 86_400
// Work on one's own keys needs no more than `read` (access contract §1.2); `keys.ts` decides.
const config = { access: 'read' } as const
const idempotent = { ...config, idempotent: 'no-store' } as const
const tags = ['Keys']

interface Deps extends RouteDeps {
  readonly keys: Keys
}

export function keyRoutes(deps: Deps): HttpPlugin {
  return (app) => {
    collectionRoutes(app, deps)
    singleRoutes(app, deps)
    endRoutes(app, deps)
  }
}

function collectionRoutes(app: HttpApp, { keys, clock, origin }: Deps): void {
  app.post(
    '/keys',
    {
      config: idempotent,
      schema: {
        tags,
        summary: 'Issue a key',
        description:
          'Makes a key for a user and a plan. The answer shows the key itself, once: only its hash is stored.',
        body: NewKey,
        response: { 201: dataOf(IssuedKey) },
      },
    },
    async (request, reply) => {
      const { plan_id, user_id, name, access, expires_at } = request.body
      const expiresAtMs = parseExpiry(expires_at)
      const input = { planId: plan_id, userId: user_id, name, access, expiresAtMs }
      const issued = await once(request, (keep) => keys.issue(actorOf(request), input, keep))
      noStore(reply)
      reply.code(201).header('location', `/api/v1/keys/${issued.key.id}`)
      return { data: renderIssuedKey(issued, clock.now()) }
    },
  )

  app.get(
    '/keys',
    {
      config,
      schema: {
        tags,
        summary: 'List keys',
        description:
          'Pages of keys by user, plan or status, each with the beginning of the key and never the whole. Users without level admin see their own.',
        querystring: listParameters(FILTERS),
        response: { 200: listOf(Key) },
      },
    },
    async (request, reply) => {
      const list = parseList(request, reply, { sorts: KEY_SORTS, filters: FILTERS })
      const filter = {
        userId: parseIdFilter('user_id', list.filter('user_id')),
        planId: parseIdFilter('plan_id', list.filter('plan_id')),
        status: parseOneOf('status', list.filter('status'), ['active', 'revoked', 'expired']),
        prefix: list.filter('prefix'),
      }
      const page = await keys.list(actorOf(request), filter, list)
      const nowMs = clock.now()
      return answerList(request, reply, {
        origin: origin(request),
        paging: list.paging,
        page,
        render: (key) => renderKey(key, nowMs),
      })
    },
  )
}

function singleRoutes(app: HttpApp, { keys, clock }: Deps): void {
  app.get(
    '/keys/:id',
    {
      config,
      schema: {
        tags,
        summary: 'Read a key',
        description:
          'The record of one key without the key itself. It shows plan, level, state and when it ends.',
        params: IdParams,
        response: { 200: dataOf(Key) },
      },
    },
    async (request) => {
      const key = await keys.get(actorOf(request), idOf(request, 'key'))
      return { data: renderKey(key, clock.now()) }
    },
  )

  app.patch(
    '/keys/:id',
    {
      config,
      schema: {
        tags,
        summary: 'Change a key',
        description:
          'Changes name, plan, level or end of a key. It holds for the next request with that key.',
        params: IdParams,
        body: KeyChange,
        response: { 200: dataOf(Key) },
      },
    },
    async (request) => {
      const { name, plan_id, access, expires_at } = request.body
      const key = await keys.update(actorOf(request), idOf(request, 'key'), {
        name,
        planId: plan_id,
        access,
        expiresAtMs: parseExpiry(expires_at),
      })
      return { data: renderKey(key, clock.now()) }
    },
  )
}

function endRoutes(app: HttpApp, { keys, clock }: Deps): void {
  app.post(
    '/keys/:id/rotate',
    {
      config: idempotent,
      schema: {
        tags,
        summary: 'Rotate a key',
        description:
          'Issues a new key in the place of this one and shows it once. The old key works for `grace_seconds`, a day when absent, so that clients can switch.',
        params: IdParams,
        body: Rotation,
        response: { 201: dataOf(RotatedKey) },
      },
    },
    async (request, reply) => {
      const graceSeconds = request.body?.grace_seconds ?? DEFAULT_GRACE_SECONDS
      const id = idOf(request, 'key')
      const rotated = await once(request, (keep) =>
        keys.rotate(actorOf(request), id, graceSeconds, keep),
      )
      noStore(reply)
      reply.code(201)
      return { data: renderIssuedKey(rotated, clock.now()) }
    },
  )

  app.post(
    '/keys/:id/revoke',
    {
      config,
      schema: {
        tags,
        summary: 'Revoke a key',
        description:
          'Refuses the key from the next request on and ends its event streams. A revoked key stays in lists and cannot be used again.',
        params: IdParams,
        body: Revocation,
        response: { 200: dataOf(Key) },
      },
    },
    async (request) => {
      const reason = request.body?.reason ?? null
      const key = await keys.revoke(actorOf(request), idOf(request, 'key'), reason)
      return { data: renderKey(key, clock.now()) }
    },
  )

  app.delete(
    '/keys/:id',
    {
      config,
      schema: {
        tags,
        summary: 'Delete a key',
        description:
          'Revokes the key, which is refused from the next request on. Its record and its usage stay visible.',
        params: IdParams,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await keys.revoke(actorOf(request), idOf(request, 'key'), null)
      reply.code(204)
    },
  )
}

function parseExpiry(text: string | null | undefined): number | null | undefined {
  if (text === null || text === undefined) return text
  const ms = parseTime(text)
  if (ms !== undefined) return ms
  const message = 'expires_at must be a time with a time zone, such as 2030-01-31T12:00:00Z'
  throw invalid([{ path: ['expires_at'], rule: 'format', message }])
}
