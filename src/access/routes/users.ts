import Type from 'typebox'
import { type HttpApp, type HttpPlugin, once } from '#http'
import {
  answerList,
  badParameter,
  listParameters,
  parseAfter,
  parseList,
  parseOneOf,
} from '#paging'
import { renderUser } from '../render.ts'
import { NewUser, User, UserChange } from '../schemas.ts'
import { USER_SORTS } from '../store/users.ts'
import type { Users } from '../users.ts'
import type { RouteDeps } from './index.ts'
import { dataOf, IdParams, idOf, listOf } from './shared.ts'

const FILTERS = ['status', 'email', 'created_after', 'q']
const MAX_SEARCH = 200
const config = { access: 'admin' } as const
const tags = ['Users']

interface Deps extends RouteDeps {
  readonly users: Users
}

export function userRoutes(deps: Deps): HttpPlugin {
  return (app) => {
    collectionRoutes(app, deps)
    singleRoutes(app, deps)
  }
}

function collectionRoutes(app: HttpApp, { users, origin }: Deps): void {
  app.post(
    '/users',
    {
      config: { ...config, idempotent: true },
      schema: {
        tags,
        summary: 'Create a user',
        description:
          'A user owns keys and can sign in when a password is set. Only admins create users; the e-mail address must be new.',
        body: NewUser,
        response: { 201: dataOf(User) },
      },
    },
    async (request, reply) => {
      const user = await once(request, (keep) => users.create(request.body, keep))
      reply.code(201).header('location', `/api/v1/users/${user.id}`)
      return { data: renderUser(user) }
    },
  )

  app.get(
    '/users',
    {
      config,
      schema: {
        tags,
        summary: 'List users',
        description:
          'Pages of users by status, e-mail or time of creation; `q` searches e-mail and name. Passwords are never shown.',
        querystring: listParameters(FILTERS),
        response: { 200: listOf(User) },
      },
    },
    async (request, reply) => {
      const list = parseList(request, reply, { sorts: USER_SORTS, filters: FILTERS })
      const filter = {
        status: parseOneOf('status', list.filter('status'), ['active', 'disabled']),
        email: list.filter('email'),
        createdFromMs: parseAfter('created_after', list.filter('created_after')),
        search: parseSearch(list.filter('q')),
      }
      const page = await users.list(filter, list)
      return answerList(request, reply, {
        origin: origin(request),
        paging: list.paging,
        page,
        render: renderUser,
      })
    },
  )
}

function singleRoutes(app: HttpApp, { users }: Deps): void {
  app.get(
    '/users/:id',
    {
      config,
      schema: {
        tags,
        summary: 'Read a user',
        description:
          'The record of one user. Keys of the user are listed under `/api/v1/keys?user_id=`.',
        params: IdParams,
        response: { 200: dataOf(User) },
      },
    },
    async (request) => ({ data: renderUser(await users.get(idOf(request, 'user'))) }),
  )

  app.patch(
    '/users/:id',
    {
      config,
      schema: {
        tags,
        summary: 'Change a user',
        description:
          'Changes the members that are sent and leaves the others. Disabling a user refuses all keys of that user from the next request on.',
        params: IdParams,
        body: UserChange,
        response: { 200: dataOf(User) },
      },
    },
    async (request) => ({
      data: renderUser(await users.update(idOf(request, 'user'), request.body)),
    }),
  )

  app.delete(
    '/users/:id',
    {
      config,
      schema: {
        tags,
        summary: 'Delete a user',
        description:
          'Revokes the keys and tokens of the user and disables the subscriptions. Usage records stay, so that figures of past months do not change.',
        params: IdParams,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await users.remove(idOf(request, 'user'))
      reply.code(204)
    },
  )
}

function parseSearch(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined
  if (text.length > MAX_SEARCH)
    throw badParameter('q', `must have at most ${MAX_SEARCH} characters`)
  return text
}
