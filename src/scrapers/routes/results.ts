import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HttpApp, HttpPlugin } from '#http'
import { DomainError } from '#kernel'
import {
  answerList,
  badParameter,
  type ListQuery,
  listParameters,
  parseList,
  parseOneOf,
} from '#paging'
import type { Run, Scraper } from '../records.ts'
import { type Fields, renderCsv, renderItem, renderNdjson } from '../results/formats.ts'
import type { Results } from '../results/results.ts'
import {
  forReaders,
  type RouteDeps,
  RunParams,
  runOf,
  ScraperParams,
  scraperOf,
  tags,
} from './shared.ts'

interface Deps extends RouteDeps {
  readonly results: Results
}

const CHANGES = ['new', 'changed', 'unchanged'] as const
const FORMATS = ['json', 'ndjson', 'csv'] as const
const FILTERS = ['run_id', 'change', 'url', 'fields', 'format', 'csv_safe']
const NONE_YET = { rows: [], total: 0, hasMore: false }

type Format = (typeof FORMATS)[number]

/** Scrapers contract §5. */
export function resultRoutes(deps: Deps): HttpPlugin {
  return (app) => {
    scraperResults(app, deps)
    runResults(app, deps)
  }
}

function scraperResults(app: HttpApp, deps: Deps): void {
  app.get(
    '/scrapers/:id/results',
    {
      config: forReaders,
      schema: {
        ...{
          tags,
          summary: 'Collected items',
          description:
            'Items of the latest run as JSON pages, CSV or NDJSON. `run_id` asks for another run or for all of them.',
          params: ScraperParams,
        },
        querystring: listParameters(FILTERS),
      },
    },
    async (request, reply) => {
      const scraper = await scraperOf(deps, request)
      const list = parseResultList(request, reply)
      const run = await deps.results.runOf(scraper, list.filter('run_id'))
      return answer(deps, { request, reply, scraper, run, list })
    },
  )
}

function runResults(app: HttpApp, deps: Deps): void {
  app.get(
    '/scrapers/:id/runs/:runId/results',
    {
      config: forReaders,
      schema: {
        ...{
          tags,
          summary: 'Items of one run',
          description:
            'The same as the results of the scraper, for one run only. `change` asks for items that are new or changed.',
          params: RunParams,
        },
        querystring: listParameters(FILTERS),
      },
    },
    async (request, reply) => {
      const { scraper, run } = await runOf(deps, request)
      const list = parseResultList(request, reply)
      return answer(deps, { request, reply, scraper, run, list })
    },
  )
}

function parseResultList(request: FastifyRequest, reply: FastifyReply): ListQuery<'id'> {
  return parseList(request, reply, { sorts: [], filters: FILTERS, maxPerPage: 1_000 })
}

interface Asked {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly scraper: Scraper
  /** Null: all runs; undefined: there is none yet. */
  readonly run: Run | null | undefined
  readonly list: ListQuery<'id'>
}

async function answer({ results, origin }: Deps, asked: Asked) {
  const { request, reply, scraper, run, list } = asked
  const format = formatOf(request, list)
  const fields = fieldsOf(list)
  const filter = {
    scraperId: scraper.id,
    runId: run?.id ?? null,
    change: parseOneOf('change', list.filter('change'), CHANGES),
    urlPrefix: list.filter('url'),
  }
  if (format !== 'json') {
    const { paging, order } = list
    const afterId = paging.strategy === 'keyset' ? paging.afterId : null
    const items = run === undefined ? none : await results.all(filter, { afterId, order })
    return download(
      reply,
      format,
      scraper,
      format === 'csv' ? renderCsv(items, fields, isSafe(list)) : renderNdjson(items, fields),
    )
  }
  const page = run === undefined ? NONE_YET : await results.page(filter, list)
  const body = answerList(request, reply, {
    ...{ origin: origin(request), paging: list.paging, page },
    render: (item) => renderItem(item, fields),
  })
  const meta = { ...body.meta, run_id: run?.id ?? null, run_status: run?.status ?? null }
  return { ...body, meta }
}

async function* none() {}

/** The parameter decides, then what the client accepts. */
function formatOf({ headers }: FastifyRequest, list: ListQuery<'id'>): Format {
  const named = parseOneOf('format', list.filter('format'), FORMATS)
  if (named !== undefined) return named
  const accept = headers.accept ?? '*/*'
  const found = ACCEPTED.find(({ types }) => types.some((type) => accept.includes(type)))
  if (found) return found.format
  const offered = 'application/json, application/x-ndjson and text/csv'
  throw new DomainError('not_acceptable', 'not_acceptable', `Results come as ${offered}`)
}

const ACCEPTED: readonly { readonly types: readonly string[]; readonly format: Format }[] = [
  { types: ['application/json', 'application/*'], format: 'json' },
  { types: ['application/x-ndjson', 'application/ndjson'], format: 'ndjson' },
  { types: ['text/csv', 'text/*'], format: 'csv' },
  { types: ['*/*'], format: 'json' },
]

function fieldsOf(list: ListQuery<'id'>): Fields {
  const text = list.filter('fields')
  if (text === undefined) return null
  const names = text.split(',').map((name) => name.trim())
  if (names.some((name) => name === '')) throw badParameter('fields', 'must name fields of data')
  return names
}

function isSafe(list: ListQuery<'id'>): boolean {
  return parseOneOf('csv_safe', list.filter('csv_safe'), ['true', 'false'] as const) !== 'false'
}

const TYPES = {
  ndjson: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8; header=present',
} as const

function download(
  reply: FastifyReply,
  format: Exclude<Format, 'json'>,
  { id }: Scraper,
  lines: AsyncIterable<string>,
) {
  return reply
    .type(TYPES[format])
    .header('content-disposition', `attachment; filename="scraper-${id}.${format}"`)
    .send(Readable.from(lines))
}
