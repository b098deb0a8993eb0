import Type from 'typebox'
import { type HttpApp, type HttpPlugin, once } from '#http'
import { answerList, listParameters, parseAfter, parseList, parseOneOf } from '#paging'
import type { Preview } from '../preview/preview.ts'
import { renderScraper, renderStatus } from '../render.ts'
import * as schemas from '../schemas.ts'
import { SCRAPER_SORTS } from '../store/scrapers.ts'
import {
  actorOf,
  forReaders,
  forWriters,
  type RouteDeps,
  ScraperParams,
  scraperOf,
  tags,
  unchecked,
} from './shared.ts'

interface Deps extends RouteDeps {
  readonly preview: Preview
}

const FILTERS = ['status', 'name', 'created_after']
const STATUSES = ['idle', 'running', 'completed', 'failed', 'stopped'] as const

/** Doc 1 §4.1. */
export function scraperRoutes(deps: Deps): HttpPlugin {
  return (app) => {
    collectionRoutes(app, deps)
    singleRoutes(app, deps)
    runningRoutes(app, deps)
  }
}

function collectionRoutes(app: HttpApp, { scrapers, preview, origin }: Deps): void {
  app.post(
    '/scrapers',
    {
      ...unchecked,
      config: { ...forWriters, idempotent: true },
      schema: {
        ...{
          tags,
          summary: 'Create a scraper',
          description:
            'A scraper needs a name and a URL; everything else has a polite default. With `schedule` it runs by cron.',
          body: schemas.NewScraper,
        },
        response: { 201: schemas.Scraper },
      },
    },
    async (request, reply) => {
      const scraper = await once(request, (keep) =>
        scrapers.create(actorOf(request), request.body, keep),
      )
      reply.code(201).header('location', `/api/v1/scrapers/${scraper.id}`)
      return renderScraper(scraper)
    },
  )

  app.get(
    '/scrapers',
    {
      config: forReaders,
      schema: {
        ...{
          tags,
          summary: 'List scrapers',
          description:
            'Pages of scrapers with the state of their latest runs. They can be filtered by status and name.',
          querystring: listParameters(FILTERS),
        },
        response: { 200: schemas.listOf(schemas.Scraper) },
      },
    },
    async (request, reply) => {
      const list = parseList(request, reply, { sorts: SCRAPER_SORTS, filters: FILTERS })
      const filter = {
        status: parseOneOf('status', list.filter('status'), STATUSES),
        name: list.filter('name'),
        createdFromMs: parseAfter('created_after', list.filter('created_after')),
      }
      const page = await scrapers.list(actorOf(request), filter, list)
      const { paging } = list
      return answerList(request, reply, {
        ...{ origin: origin(request), paging, page, render: renderScraper },
      })
    },
  )

  app.post(
    '/scrapers/preview',
    {
      ...unchecked,
      config: forWriters,
      schema: {
        ...{
          tags,
          summary: 'Fetch one page and show what would be collected',
          description:
            'Takes a scraper that need not be stored, fetches its URL and answers with the items and links found there. Nothing is stored.',
        },
        ...{ body: schemas.PreviewedScraper, response: { 200: schemas.Scraper } },
      },
    },
    async (request, reply) => {
      const actor = actorOf(request)
      const definition = scrapers.checkDefinition(actor, withName(request.body))
      const leaving = new AbortController()
      reply.raw.once('close', () => leaving.abort())
      return preview.show(actor.userId, definition, leaving.signal)
    },
  )
}

/** A preview stores nothing, so what it would be called does not matter. */
function withName(body: unknown): unknown {
  return typeof body === 'object' && body !== null ? { name: 'preview', ...body } : body
}

function singleRoutes(app: HttpApp, deps: Deps): void {
  const { scrapers, runs } = deps
  app.get(
    '/scrapers/:id',
    {
      config: forReaders,
      schema: {
        ...{
          tags,
          summary: 'Read a scraper',
          description:
            'The whole definition of a scraper, defaults included. `next_run_at` says when its schedule starts it.',
          params: ScraperParams,
        },
        response: { 200: schemas.Scraper },
      },
    },
    async (request) => renderScraper(await scraperOf(deps, request)),
  )

  app.patch(
    '/scrapers/:id',
    {
      ...unchecked,
      config: forWriters,
      schema: {
        ...{
          tags,
          summary: 'Change a scraper',
          description:
            'Changes the members that are sent; null resets one to its default. A run that is under way goes on as it began, but for its rate.',
          params: ScraperParams,
        },
        ...{ body: schemas.ScraperChange, response: { 200: schemas.Scraper } },
      },
    },
    async (request) => {
      const { id } = await scraperOf(deps, request)
      return renderScraper(await scrapers.change(actorOf(request), id, request.body))
    },
  )

  app.delete(
    '/scrapers/:id',
    {
      config: forWriters,
      schema: {
        ...{
          tags,
          summary: 'Delete a scraper with its runs',
          description:
            'Removes the scraper with its runs and their items. Entries that were made from items stay.',
          params: ScraperParams,
        },
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const scraper = await scraperOf(deps, request)
      await runs.endLive(scraper)
      await scrapers.remove(scraper)
      return reply.code(204).send(null)
    },
  )
}

function runningRoutes(app: HttpApp, deps: Deps): void {
  const { runs } = deps
  app.post(
    '/scrapers/:id/run',
    {
      ...unchecked,
      config: { ...forWriters, idempotent: true },
      schema: {
        ...{
          tags,
          summary: 'Start a run',
          description:
            'Starts a run beside the schedule and answers at once. While one is under way the answer is 409.',
          params: ScraperParams,
        },
        response: { 201: schemas.Started },
      },
    },
    async (request, reply) => {
      const scraper = await scraperOf(deps, request)
      const run = await once(request, (keep) => runs.start(scraper, keep))
      reply.code(201).header('location', `/api/v1/scrapers/${run.scraperId}/runs/${run.id}`)
      return { run_id: run.id, status: 'started' } as const
    },
  )

  app.post(
    '/scrapers/:id/stop',
    {
      ...unchecked,
      config: forWriters,
      schema: {
        ...{
          tags,
          summary: 'Stop the live run',
          description: 'Ends the run that is under way. What it has collected is kept.',
          params: ScraperParams,
        },
        response: { 200: schemas.Stopped, 202: schemas.Stopped },
      },
    },
    async (request, reply) => {
      const { runId, isOver } = await runs.stop(await scraperOf(deps, request))
      reply.code(isOver ? 200 : 202)
      return { run_id: runId, status: isOver ? 'stopped' : 'stopping' } as const
    },
  )

  app.get(
    '/scrapers/:id/status',
    {
      config: forReaders,
      schema: {
        ...{
          tags,
          summary: 'Status of the latest run',
          description:
            'Tells whether a run is under way, how far it is and how the last one ended. Runs themselves are read under `/runs`.',
          params: ScraperParams,
        },
        response: { 200: schemas.Status },
      },
    },
    async (request) => {
      const scraper = await scraperOf(deps, request)
      return renderStatus(scraper, await runs.latest(scraper))
    },
  )
}
