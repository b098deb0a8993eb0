import type { ContentQuery, Entry, EntryPage, LocaleChoice } from '#content'
import {
  notFound,
  renderCursorPage,
  renderKeysetPage,
  renderLinkHeader,
  renderOffsetPage,
} from '#kernel'
import type { RestContent } from '../deps.ts'
import { parseLocale } from '../query/locale.ts'
import type { Cursors, ParsedList } from '../query.ts'
import { renderRecord } from '../render.ts'
import { sendJson } from './answer.ts'
import { type Asked, targetOf } from './request.ts'
import type { Address } from './resource.ts'

type OneQuery = Omit<ContentQuery, 'page' | 'sort' | 'search'>

/** Looks entries up by what a path says. */
export function createFinder(content: RestContent) {
  return { find, get, current }

  async function find(asked: Asked, address: Address, query: OneQuery): Promise<Entry | undefined> {
    if (address.kind !== 'single') {
      return content.findOne(asked.viewer, query, targetOf(address, query.locale))
    }
    const page = { kind: 'offset', start: 0, limit: 1, count: false } as const
    const found = await content.find(asked.viewer, { ...query, search: '', sort: [], page })
    return found.entries[0]
  }

  async function get(asked: Asked, address: Address, query: OneQuery): Promise<Entry> {
    const entry = await find(asked, address, query)
    if (!entry) throw notFound()
    return entry
  }

  /** The working copy alone, for what is decided before a change. */
  function current(asked: Asked, address: Address): Promise<Entry | undefined> {
    const { type } = asked.resource
    const locale: LocaleChoice = parseLocale(asked.context)
    return find(asked, address, { type, state: 'working', locale, filter: null, include: [] })
  }
}

/** A page of records with everything that says where it is (contract §5). */
export function sendPage(
  { request, reply }: Asked,
  parsed: ParsedList,
  page: EntryPage,
  { cursors, origin }: { cursors: Cursors; origin: string },
): string {
  const { meta, links } = renderMeta(parsed, page, cursors)
  const link = renderLinkHeader(`${origin}${request.url}`, links)
  if (link !== undefined) reply.header('link', link)
  if (parsed.paging.strategy === 'offset' && page.total !== null) {
    reply.header('x-total-count', page.total)
  }
  const records = page.entries.map((entry) => renderRecord(entry, parsed.view))
  return sendJson(reply, `{"data":[${records.join(',')}],"meta":${JSON.stringify(meta)}}`)
}

function renderMeta({ paging, query, binding }: ParsedList, page: EntryPage, cursors: Cursors) {
  const { entries, total } = page
  switch (paging.strategy) {
    case 'offset':
      return renderOffsetPage(paging, total === null ? { hasMore: page.hasMore } : { total })
    case 'keyset': {
      const hasMore = paging.beforeId === null ? page.hasMore : page.hasPrevious
      return renderKeysetPage(paging, { ids: entries.map(({ id }) => id), hasMore })
    }
    case 'cursor': {
      const { position, direction } = cursorOf(query)
      return renderCursorPage(paging, {
        rows: entries,
        hasMore: direction === 'prev' ? page.hasPrevious : page.hasMore,
        position: position && { direction, values: position },
        cursorOf: (entry, towards) =>
          cursors.encode({ direction: towards, values: page.positionOf(entry) }, binding),
        ...(total === null ? {} : { total }),
      })
    }
  }
}

function cursorOf({ page }: ContentQuery) {
  if (page.kind !== 'cursor') throw new Error('the query was not read as a cursor')
  return page
}
