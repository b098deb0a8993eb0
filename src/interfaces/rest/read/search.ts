import type { FastifyReply, FastifyRequest } from 'fastify'
import { keyRequired } from '#access'
import { viewerOf } from '#content'
import { urlNameOf } from '#content-dialect'
import type { ContentModel, ContentType } from '#content-model'
import { type CopyState, parseTerms, requireMay, type SearchHit, spelled } from '#content-query'
import { queryTextOf } from '#http-text'
import { type AccessLevel, renderTime } from '#kernel'
import {
  badParameter,
  parseIntegerId,
  parsePaging,
  renderLinkHeader,
  renderOffsetPage,
  reportUnknown,
} from '#paging'
import type { RestDeps } from '../deps.ts'
import { type Parameters, refuseFilters, splitQuery } from '../query/parameters.ts'

type Deps = Pick<RestDeps, 'content' | 'origin'>

const KNOWN = ['q', 'types', 'status', 'locale', 'page', 'per_page', 'count']
const MOST_TERMS = 10
const STATES: ReadonlyMap<string, CopyState> = new Map([
  ['published', 'live'],
  ['all', 'working'],
])

/** Entries of all types by words (contract §10). */
export function createWordSearch({ content, origin }: Deps) {
  return { list }

  async function list(request: FastifyRequest, reply: FastifyReply) {
    const { actor } = request
    if (!actor) throw keyRequired()
    const split = splitQuery(queryTextOf(request), true)
    refuseFilters(split)
    const parameters = split.read()
    reportUnknown(request, reply, split.names, KNOWN)
    const model = content.model()
    const paging = offsetOf(parameters)
    const state = parseState(parameters)
    const query = {
      ...{
        terms: parseText(parameters),
        types: parseTypes(parameters, model, actor.access),
        state,
      },
      locale: parseLanguage(parameters, model),
      ...{ start: (paging.page - 1) * paging.perPage, limit: paging.perPage, count: paging.count },
    }
    const found = await content.search(viewerOf(request), query)
    const { total, hasMore, isCapped, incomplete } = found
    const { meta, links } = renderOffsetPage(paging, total === null ? { hasMore } : { total })
    const [path = ''] = request.url.split('?', 1)
    const link = renderLinkHeader(`${origin(request)}${path}?${queryTextOf(request)}`, links)
    if (link !== undefined) reply.header('link', link)
    if (total !== null) reply.header('x-total-count', total)
    return {
      data: found.hits.map((hit) => renderHit(hit, state)),
      meta: {
        ...meta,
        ...(total === null ? {} : { total_is_capped: isCapped }),
        ...(incomplete.length === 0 ? {} : { indexing: incomplete.map(urlNameOf) }),
      },
    }
  }
}

function offsetOf(parameters: Parameters) {
  const given = ['page', 'per_page', 'count'].map((name) => [name, parameters.text(name)] as const)
  const query = Object.fromEntries(given.filter(([, text]) => text !== undefined))
  const paging = parsePaging(query, { parseId: parseIntegerId, strategies: ['offset'] })
  if (paging.strategy !== 'offset') throw new Error('a search is paged by offset')
  return paging
}

function parseText(parameters: Parameters) {
  const terms = parseTerms(parameters.text('q') ?? '')
  if (terms.length === 0) throw badParameter('q', 'must have a word to search for')
  if (terms.length > MOST_TERMS) {
    throw badParameter('q', `must have at most ${MOST_TERMS} words and phrases`)
  }
  return terms
}

function parseTypes(
  parameters: Parameters,
  model: ContentModel,
  level: AccessLevel,
): readonly ContentType[] {
  const names = parameters.words('types')
  if (names === undefined) return model.types
  if (names.length === 0) throw badParameter('types', 'names no content type')
  return names.map((name) => {
    const type = model.findType(name)
    if (!type) {
      throw badParameter('types', `names ${name.slice(0, 100)}, which is no content type`)
    }
    requireMay(level, type, 'read')
    return type
  })
}

function parseState(parameters: Parameters): CopyState {
  const state = STATES.get(parameters.text('status') ?? 'published')
  if (state) return state
  throw badParameter('status', `must be one of ${[...STATES.keys()].join(', ')}`)
}

function parseLanguage(parameters: Parameters, model: ContentModel): string | null {
  const given = parameters.text('locale') || undefined
  if (given === undefined) return model.defaultLocale
  return given.toLowerCase() === 'all' ? null : spelled(model, given)
}

function renderHit({ entry, highlights }: SearchHit, state: CopyState) {
  const { type, id, documentId, path, locale } = entry
  const name = urlNameOf(type)
  const title = type.displayField === null ? null : entry.values()[type.displayField]
  const status = state === 'live' ? 'published' : entry.status
  return {
    type: type.singularName,
    id,
    document_id: documentId,
    title: title ?? null,
    ...(type.draftAndPublish ? { status } : {}),
    ...(type.localized ? { locale } : {}),
    path,
    url: type.kind === 'singleType' ? `/api/v1/${name}` : `/api/v1/${name}/${id}`,
    updated_at: renderTime(entry.updatedAtMs),
    highlights,
  }
}
