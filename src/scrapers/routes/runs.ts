import Type from 'typebox'
import type { HttpApp, HttpPlugin } from '#http'
import {
  answerList,
  badParameter,
  listParameters,
  parseAfter,
  parseList,
  parseOneOf,
} from '#paging'
import type { Progress } from '../progress.ts'
import { renderLine, renderRun } from '../render.ts'
import * as schemas from '../schemas.ts'
import {
  forReaders,
  forWriters,
  type RouteDeps,
  RunParams,
  runOf,
  ScraperParams,
  scraperOf,
  tags,
} from './shared.ts'

interface Deps extends RouteDeps {
  readonly progress: Progress
}

const STATUSES = ['pending', 'running', 'completed', 'failed', 'stopped'] as const
const TRIGGERS = ['manual', 'schedule'] as const
const LEVELS = ['info', 'warn', 'error'] as const
const MAX_WAIT_SECONDS = 60

export function runRoutes(deps: Deps): HttpPlugin {
  return (app) => {
    historyRoutes(app, deps)
    detailRoutes(app, deps)
  }
}

function historyRoutes(app: HttpApp, deps: Deps): void {
  const { runs, origin } = deps
  const filters = ['status', 'trigger', 'created_after']
  app.get(
    '/scrapers/:id/runs',
    {
      config: forReaders,
      schema: {
        ...{
          tags,
          summary: 'List runs, newest first',
          description:
            'Pages of runs with their state and counts. They are filtered by status, trigger and time.',
          params: ScraperParams,
        },
        ...{ querystring: listParameters(filters), response: { 200: schemas.listOf(schemas.Run) } },
      },
    },
    async (request, reply) => {
      const scraper = await scraperOf(deps, request)
      const list = parseList(request, reply, { sorts: [], filters, defaultOrder: 'desc' })
      const filter = {
        scraperId: scraper.id,
        status: parseOneOf('status', list.filter('status'), STATUSES),
        trigger: parseOneOf('trigger', list.filter('trigger'), TRIGGERS),
        createdFromMs: parseAfter('created_after', list.filter('created_after')),
      }
      const page = await runs.list(filter, list)
      const { paging } = list
      return answerList(request, reply, {
        ...{ origin: origin(request), paging, page, render: renderRun },
      })
    },
  )

  app.get(
    '/scrapers/:id/runs/:runId',
    {
      config: forReaders,
      schema: {
        ...{
          tags,
          summary: 'Read a run, or wait for its end',
          description:
            'State, counts and times of a run. With `wait` the answer comes when the run is over or the seconds have passed.',
          params: RunParams,
        },
        querystring: Type.Object(
          { wait: Type.Optional(Type.Unknown()) },
          { additionalProperties: true },
        ),
        response: { 200: schemas.Run },
      },
    },
    async (request) => {
      const { scraper, run } = await runOf(deps, request)
      return renderRun(await runs.waitFor(scraper, run, parseWait(request.query.wait)))
    },
  )

  app.delete(
    '/scrapers/:id/runs/:runId',
    {
      config: forWriters,
      schema: {
        ...{
          tags,
          summary: 'Delete a run with its results',
          description:
            'Removes a run that is over with its items; one that is under way is refused with 409 `run_active`. Entries that were made from its items stay.',
          params: RunParams,
        },
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { run } = await runOf(deps, request)
      await runs.remove(run)
      return reply.code(204).send(null)
    },
  )
}

function detailRoutes(app: HttpApp, deps: Deps): void {
  const { runs, progress, origin } = deps
  app.get(
    '/scrapers/:id/runs/:runId/log',
    {
      config: forReaders,
      schema: {
        ...{
          tags,
          summary: 'What a run did, line by line',
          description:
            'Lines of the log in their order, by `after_id` and `limit`. `level` leaves out the others.',
          params: RunParams,
        },
        ...{ querystring: listParameters(['level']) },
        response: { 200: schemas.listOf(schemas.Line) },
      },
    },
    async (request, reply) => {
      const { run } = await runOf(deps, request)
      const list = parseList(request, reply, {
        ...{ sorts: [], filters: ['level'], strategies: ['keyset'] },
      })
      const level = parseOneOf('level', list.filter('level'), LEVELS)
      const page = await runs.findLog(run, level, list)
      const { paging } = list
      return answerList(request, reply, {
        ...{ origin: origin(request), paging, page, render: renderLine },
      })
    },
  )

  app.get(
    '/scrapers/:id/runs/:runId/events',
    {
      config: { ...forReaders, ticket: true, compress: false, etag: false },
      schema: {
        ...{
          tags,
          summary: 'Progress of a run as server-sent events',
          description: 'Sends what the run does while it goes on. The stream ends with the run.',
          params: RunParams,
        },
        querystring: Type.Object(
          { last_event_id: Type.Optional(Type.Unknown()) },
          { additionalProperties: true },
        ),
      },
    },
    async (request, reply) => {
      const { run } = await runOf(deps, request)
      const given = request.headers['last-event-id'] ?? request.query.last_event_id
      if (Array.isArray(given)) throw badParameter('last_event_id', 'must be given once')
      return progress.open(request, reply, run, parseLastId(given))
    },
  )
}

/** Only ids that we gave continue a stream; anything else begins it anew. */
function parseLastId(value: unknown): number {
  return typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : 0
}

function parseWait(value: unknown): number {
  if (value === undefined) return 0
  const seconds = typeof value === 'string' && /^\d{1,3}$/.test(value) ? Number(value) : Number.NaN
  if (!(seconds <= MAX_WAIT_SECONDS)) throw badParameter('wait', `must be 0 to ${MAX_WAIT_SECONDS}`)
  return seconds
}
