import Type, { type Static } from 'typebox'
import type { HttpApp, HttpPlugin } from '#http'
import { renderTime } from '#kernel'
import { answerList, listParameters, parseList } from '#paging'
import { VIEW_SORTS, type View } from '../store/views.ts'
import type { Views } from '../views.ts'
import type { RouteDeps } from './index.ts'
import { actorOf, dataOf, IdParams, idOf, listOf } from './shared.ts'

interface Deps extends RouteDeps {
  readonly views: Views
}

const config = { access: 'write' } as const
/** Of a query, which is handed back as it came. */
const writing = { ...config, exactNumbers: true } as const
const tags = ['Views']
const CLOSED = { additionalProperties: false } as const
const Area = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'What is listed, such as `content/articles`',
})
const Name = Type.String({ minLength: 1, maxLength: 200 })
const Query = Type.Record(Type.String({ maxLength: 200 }), Type.Unknown(), {
  description: 'Filters, columns and order, in whatever form the page that shows them wants',
})

const NewView = Type.Object(
  { area: Area, name: Name, query: Query, shared: Type.Optional(Type.Boolean()) },
  CLOSED,
)
const ViewChange = Type.Partial(NewView, CLOSED)
const ViewRecord = Type.Object({
  id: Type.Integer(),
  user_id: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'The owner; null once that user is deleted',
  }),
  area: Type.String(),
  name: Type.String(),
  query: Query,
  shared: Type.Boolean(),
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time' }),
})

/** Saved views under `/api/v1` (console contract §4). */
export function viewRoutes(deps: Deps): HttpPlugin {
  return (app) => {
    collectionRoutes(app, deps)
    singleRoutes(app, deps)
  }
}

function collectionRoutes(app: HttpApp, { views, origin }: Deps): void {
  app.get(
    '/views',
    {
      config,
      schema: {
        tags,
        summary: 'List saved views',
        description:
          'Your own views and those that others share, by area. A view is a list as somebody wants to see it again.',
        querystring: listParameters(['area']),
        response: { 200: listOf(ViewRecord) },
      },
    },
    async (request, reply) => {
      const list = parseList(request, reply, { sorts: VIEW_SORTS, filters: ['area'] })
      return answerList(request, reply, {
        origin: origin(request),
        paging: list.paging,
        page: await views.list(actorOf(request), list.filter('area'), list),
        render: renderView,
      })
    },
  )

  app.post(
    '/views',
    {
      config: writing,
      schema: {
        tags,
        summary: 'Save a view',
        description:
          'Keeps a view under your name; with `shared` everybody who may write sees it. A user has at most 200.',
        body: NewView,
        response: { 201: dataOf(ViewRecord) },
      },
    },
    async (request, reply) => {
      const { shared = false, ...rest } = request.body
      const view = await views.create(actorOf(request), { ...rest, isShared: shared })
      reply.code(201).header('location', `/api/v1/views/${view.id}`)
      return { data: renderView(view) }
    },
  )
}

function singleRoutes(app: HttpApp, { views }: Deps): void {
  app.get(
    '/views/:id',
    {
      config,
      schema: {
        tags,
        summary: 'Read a saved view',
        description: 'One view by its id. What is not shared is found by its owner alone.',
        params: IdParams,
        response: { 200: dataOf(ViewRecord) },
      },
    },
    async (request) => ({
      data: renderView(await views.get(actorOf(request), idOf(request, 'view'))),
    }),
  )

  app.patch(
    '/views/:id',
    {
      config: writing,
      schema: {
        tags,
        summary: 'Change a saved view',
        description:
          'Changes the members that are sent. A shared view is changed by its owner or an admin.',
        params: IdParams,
        body: ViewChange,
        response: { 200: dataOf(ViewRecord) },
      },
    },
    async (request) => {
      const view = await views.update(
        actorOf(request),
        idOf(request, 'view'),
        toChange(request.body),
      )
      return { data: renderView(view) }
    },
  )

  app.delete(
    '/views/:id',
    {
      config,
      schema: {
        tags,
        summary: 'Delete a saved view',
        description:
          'Removes the view for everybody who saw it. A shared view is deleted by its owner or an admin.',
        params: IdParams,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await views.remove(actorOf(request), idOf(request, 'view'))
      reply.code(204)
    },
  )
}

function toChange({ shared, area, name, query }: Static<typeof ViewChange>) {
  return {
    ...(area === undefined ? {} : { area }),
    ...(name === undefined ? {} : { name }),
    ...(query === undefined ? {} : { query }),
    ...(shared === undefined ? {} : { isShared: shared }),
  }
}

function renderView(view: View) {
  return {
    id: view.id,
    user_id: view.userId,
    area: view.area,
    name: view.name,
    query: view.query,
    shared: view.isShared,
    created_at: renderTime(view.createdAtMs),
    updated_at: renderTime(view.updatedAtMs),
  }
}
