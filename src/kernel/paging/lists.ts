import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import { parseQuery, type Query, queryTextOf } from '../http/query.ts'
import { badParameter, parseOneOf } from './filters.ts'
import { reportUnknown } from './ignored-parameters.ts'
import { renderLinkHeader } from './link.ts'
import { type KeysetPaging, type OffsetPaging, parseIntegerId, parsePaging } from './parse.ts'
import { renderKeysetPage, renderOffsetPage } from './render.ts'

export interface ListRules<Sort extends string> {
  /** The fields a list can be sorted by. */
  readonly sorts: readonly Sort[]
  /** Names of the filters; whatever else is sent is ignored and reported. */
  readonly filters: readonly string[]
  readonly maxLimit?: number
  readonly maxPerPage?: number
  readonly defaultSize?: number
  /** What an offset page is sorted by when nothing is said; a keyset page always goes by id. */
  readonly defaultSort?: Sort
  readonly defaultOrder?: 'asc' | 'desc'
  /** `keyset` alone: the list cannot be counted cheaply. */
  readonly strategies?: readonly ('offset' | 'keyset')[]
}

/** The parameters of a list of records (REST conventions §4, §5). */
export interface ListQuery<Sort extends string = string, Id extends string | number = number> {
  readonly paging: OffsetPaging | KeysetPaging<Id>
  readonly sort: Sort | 'id'
  readonly order: 'asc' | 'desc'
  /** The value of a filter, undefined when it was not given. */
  filter(name: string): string | undefined
}

/** One page as the store found it; `total` is known for counted offset pages only. */
export interface FoundPage<Row> {
  readonly rows: readonly Row[]
  readonly total: number | null
  readonly hasMore: boolean
}

/** What every list understands beside its filters. */
const LIST_PARAMETERS = [
  'page',
  'per_page',
  'count',
  'after_id',
  'before_id',
  'limit',
  'sort',
  'order',
]

/** For the reference only: values are checked by `parseList`, which names them better. */
export function listParameters(filters: readonly string[]) {
  const names = [...LIST_PARAMETERS, ...filters]
  return Type.Object(
    Object.fromEntries(names.map((name) => [name, Type.Optional(Type.Unknown())])),
    { additionalProperties: true },
  )
}

/** Reads and checks them for integer ids, or throws a refusal that names the parameter. */
export function parseList<Sort extends string>(
  request: FastifyRequest,
  reply: FastifyReply,
  rules: ListRules<Sort>,
): ListQuery<Sort> {
  return parseListBy(parseIntegerId, request, reply, rules)
}

/** The same for a list whose ids are something else. */
export function parseListBy<Sort extends string, Id extends string | number>(
  parseId: (text: string) => Id | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
  rules: ListRules<Sort>,
): ListQuery<Sort, Id> {
  const { sorts, filters, maxLimit = 1_000, strategies = ['offset', 'keyset'] } = rules
  const query = parseQuery(queryTextOf(request))
  reportUnknown(request, reply, Object.keys(query), [...LIST_PARAMETERS, ...filters])
  const { maxPerPage, defaultSize } = rules
  const paging = parsePaging<Id>(query, {
    parseId,
    maxLimit,
    strategies,
    ...(maxPerPage === undefined ? {} : { maxPerPage }),
    ...(defaultSize === undefined ? {} : { defaultSize }),
  })
  if (paging.strategy === 'cursor') throw new Error('cursors are not offered here')
  const byId = paging.strategy === 'keyset'
  return {
    paging,
    sort:
      oneOf(query, 'sort', [...new Set([...sorts, 'id' as const])]) ??
      (byId ? 'id' : (rules.defaultSort ?? 'id')),
    order:
      oneOf(query, 'order', ['asc', 'desc'] as const) ??
      (byId ? 'asc' : (rules.defaultOrder ?? 'asc')),
    filter: (name) => single(query, name),
  }
}

/** The body of the list; sets `Link` and `X-Total-Count`. `origin` is our public one. */
export function answerList<Id extends string | number, Row extends { readonly id: Id }, Wire>(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: {
    readonly origin: string
    readonly paging: ListQuery<string, Id>['paging']
    readonly page: FoundPage<Row>
    readonly render: (row: Row) => Wire
  },
) {
  const { origin, paging, page, render } = answer
  const { rows, total, hasMore } = page
  const { meta, links } =
    paging.strategy === 'keyset'
      ? renderKeysetPage(paging, { ids: rows.map(({ id }) => id), hasMore })
      : renderOffsetPage(paging, total === null ? { hasMore } : { total })
  const link = renderLinkHeader(`${origin}${request.url}`, links)
  if (link !== undefined) reply.header('link', link)
  if (total !== null) reply.header('x-total-count', total)
  return { data: rows.map(render), meta }
}

function oneOf<Value extends string>(query: Query, name: string, values: readonly Value[]) {
  return parseOneOf(name, single(query, name), values)
}

function single(query: Query, name: string): string | undefined {
  const value = query[name]
  if (Array.isArray(value)) throw badParameter(name, 'must be given once')
  return value
}
