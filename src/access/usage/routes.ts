import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type HttpApp, publicOrigin } from '#http'
import { parseIntegerId, parseKeyset, renderKeysetPage, renderLinkHeader } from '#paging'
import { actorOf } from '../routes/shared.ts'
import type { Endpoints } from './endpoints.ts'
import { type EverybodyDeps, everybodyRoutes } from './everybody-routes.ts'
import type { FiguresOf } from './figures.ts'
import { parseMonth } from './instant.ts'
import type { Invoices } from './invoice.ts'
import { toIso } from './periods.ts'
import type { StoredRecord } from './record-store.ts'
import type { Records } from './records.ts'
import { csv, type ExportFormat, ndjson, renderRecord } from './render.ts'
import { live, onlyKnown, rangeOf } from './requests.ts'
import type { RecordsQuery } from './schemas.ts'
import * as schemas from './schemas.ts'
import type { ScopeQuery, Scopes } from './scope.ts'
import type { Series } from './series.ts'
import type { UsageStreams } from './stream.ts'

interface Deps extends EverybodyDeps {
  readonly scopes: Scopes
  readonly figuresOf: FiguresOf
  readonly seriesOf: Series['seriesOf']
  readonly endpointsOf: Endpoints['endpointsOf']
  readonly invoiceOf: Invoices['invoiceOf']
  readonly records: Records
  readonly streams: UsageStreams
  /** Under which clients see the API; absent: as they addressed it. */
  readonly publicUrl?: string | undefined
}

const MAX_LIMIT = 1_000
const TAGS = ['Usage']
/** Access contract §4.5: an exhausted customer must be able to see why. */
const FREE = { access: 'read', counted: false } as const

/** The usage part of `/api/v1`. */
export function usageRoutes(app: HttpApp, deps: Deps): void {
  figuresRoute(app, deps)
  seriesRoute(app, deps)
  endpointsRoute(app, deps)
  recordsRoute(app, deps)
  invoiceRoute(app, deps)
  streamRoute(app, deps)
  everybodyRoutes(app, deps)
}

function figuresRoute(app: HttpApp, deps: Deps): void {
  app.get('/usage', {
    config: FREE,
    preHandler: onlyKnown(schemas.figuresQuery),
    schema: {
      summary: 'Dashboard figures',
      description:
        'Requests of today and this month, what is left of the limit, and how long answers took on average. `scope` asks for a plan or the whole installation, which needs level admin.',
      tags: TAGS,
      querystring: schemas.figuresQuery,
      response: { 200: schemas.figuresBody },
    },
    handler: async (request, reply) => {
      const scope = await deps.scopes.resolveWide(actorOf(request), request.query)
      return live(reply).send({ data: await deps.figuresOf(scope) })
    },
  })
}

function seriesRoute(app: HttpApp, deps: Deps): void {
  app.get('/usage/series', {
    config: FREE,
    preHandler: onlyKnown(schemas.seriesQuery),
    schema: {
      summary: 'Requests over time',
      description:
        'Requests, errors and refusals in steps of minutes, hours or days. Steps without requests are in it with zeros.',
      tags: TAGS,
      querystring: schemas.seriesQuery,
      response: { 200: schemas.seriesBody },
    },
    handler: async (request, reply) => {
      const { interval } = request.query
      const scope = await deps.scopes.resolveWide(actorOf(request), request.query)
      const { range, points } = await deps.seriesOf(scope, { interval, ...rangeOf(request.query) })
      const meta = { interval, from: toIso(range.fromMs), to: toIso(range.toMs) }
      return live(reply).send({ data: points, meta })
    },
  })
}

function endpointsRoute(app: HttpApp, deps: Deps): void {
  app.get('/usage/endpoints', {
    config: FREE,
    preHandler: onlyKnown(schemas.endpointsQuery),
    schema: {
      summary: 'Requests by endpoint, most used first',
      description:
        'Requests, errors and times for each endpoint of the period. An endpoint is a method and a path with its parameters named.',
      tags: TAGS,
      querystring: schemas.endpointsQuery,
      response: { 200: schemas.endpointsBody },
    },
    handler: async (request, reply) => {
      const scope = await deps.scopes.resolveWide(actorOf(request), request.query)
      const { range, endpoints } = await deps.endpointsOf(scope, rangeOf(request.query))
      const meta = { from: toIso(range.fromMs), to: toIso(range.toMs) }
      return live(reply).send({ data: endpoints, meta })
    },
  })
}

function recordsRoute(app: HttpApp, deps: Deps): void {
  app.get('/usage/records', {
    config: FREE,
    preHandler: onlyKnown(schemas.recordsQuery),
    schema: {
      summary: 'Usage records, newest first',
      description:
        'One record for each request that was answered, with time, endpoint, status and duration. Every answer a client received leaves one, also when the process is killed.',
      tags: TAGS,
      querystring: schemas.recordsQuery,
      response: { 200: { content: schemas.recordsContent } },
    },
    handler: async (request, reply) => {
      const format = formatOf(request, request.query)
      const scope = await scopeOf(deps, request, request.query)
      const filter = { ...rangeOf(request.query), ...filterOf(request.query) }
      const paging = parseKeyset(request.query, { parseId: parseIntegerId, maxLimit: MAX_LIMIT })
      if (format) {
        const all = deps.records.allOf(scope, filter, paging.afterId)
        return download(reply, format, all)
      }
      const { rows, hasMore } = await deps.records.pageOf(scope, filter, paging)
      const page = renderKeysetPage(paging, { ids: rows.map((row) => row.id), hasMore })
      const link = renderLinkHeader(urlOf(deps, request), page.links)
      if (link) reply.header('link', link)
      return live(reply).send({ data: rows.map(renderRecord), meta: page.meta })
    },
  })
}

function invoiceRoute(app: HttpApp, deps: Deps): void {
  app.get('/usage/invoice', {
    config: FREE,
    preHandler: onlyKnown(schemas.invoiceQuery),
    schema: {
      summary: 'What a month costs',
      description:
        'The price of the month for a user, by the day where the plan was changed. It is made from usage records and can be asked for at any time.',
      tags: TAGS,
      querystring: schemas.invoiceQuery,
      response: { 200: schemas.invoiceBody },
    },
    handler: async (request, reply) => {
      const { month, currency } = request.query
      const monthMs = month === undefined ? undefined : parseMonth('month', month)
      const scope = await scopeOf(deps, request, request.query)
      return live(reply).send({ data: await deps.invoiceOf(scope, { monthMs, currency }) })
    },
  })
}

function streamRoute(app: HttpApp, deps: Deps): void {
  app.get('/usage/stream', {
    config: { ...FREE, ticket: true, compress: false, etag: false },
    preHandler: onlyKnown(schemas.streamQuery),
    schema: {
      summary: 'Live figures as server-sent events',
      description:
        'Sends the figures of the dashboard whenever they change. The last event before the server closes the stream is `end` with the reason.',
      tags: TAGS,
      querystring: schemas.streamQuery,
    },
    handler: async (request, reply) => {
      const scope = await scopeOf(deps, request, request.query)
      const header = request.headers['last-event-id']
      const lastEventId = typeof header === 'string' ? header : request.query.last_event_id
      return deps.streams.open(request, reply, { actor: actorOf(request), scope, lastEventId })
    },
  })
}

function scopeOf({ scopes }: Deps, request: FastifyRequest, query: ScopeQuery) {
  return scopes.resolve(actorOf(request), query)
}

function urlOf({ publicUrl }: Deps, request: FastifyRequest): URL {
  return new URL(request.originalUrl, publicOrigin(request, publicUrl))
}

function filterOf({ status_code, endpoint }: RecordsQuery) {
  return { statusCode: status_code, endpoint }
}

/** The parameter decides, then what the client accepts; undefined: a page of JSON. */
function formatOf({ headers }: FastifyRequest, query: RecordsQuery): ExportFormat | undefined {
  const accepted =
    query.format ?? ACCEPTED.find(({ type }) => headers.accept?.includes(type))?.format
  if (accepted === 'csv') return csv(query.csv_safe)
  return accepted === 'ndjson' ? ndjson : undefined
}

const ACCEPTED = [
  { type: 'application/json', format: 'json' },
  { type: 'application/x-ndjson', format: 'ndjson' },
  { type: 'text/csv', format: 'csv' },
] as const

function download(reply: FastifyReply, format: ExportFormat, all: AsyncIterable<StoredRecord>) {
  return live(reply)
    .type(format.type)
    .header('content-disposition', `attachment; filename="${format.fileName}"`)
    .send(Readable.from(format.render(all)))
}
