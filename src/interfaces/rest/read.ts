import type { EntryPage } from '#content'
import { jsonList } from '#content-dialect'
import { type ContentQuery, type GivenPage, type PreparedEntries, typesOf } from '#content-query'
import { queryTextOf } from '#http-text'
import { notFound } from '#kernel'
import {
  createCursors,
  renderCursorPage,
  renderKeysetPage,
  renderLinkHeader,
  renderOffsetPage,
} from '#paging'
import type { RestDeps } from './deps.ts'
import {
  type Context,
  type Cursors,
  type ParsedList,
  type ParsedOne,
  parseList,
  parseOne,
} from './query/parse.ts'
import { renderRecord } from './render/entry.ts'
import {
  type Asked,
  addressed,
  answerRead,
  questionOf,
  reportIgnored,
  sendJson,
  sendRecord,
} from './request.ts'
import type { Address } from './target.ts'

interface ReadOne extends Omit<ParsedOne, 'query'> {
  readonly query: ContentQuery
  readonly typeNos: readonly number[]
  readonly isAlone: boolean
}

/** Lists and single records. */
export function createReading(deps: RestDeps) {
  const { content, parseFilters, origin } = deps
  const cursors = createCursors({ key: deps.cursorKey })
  const prepareList = content.entryTemplates<ParsedList>()
  const prepareOne = content.entryTemplates<ReadOne>()
  return { list, one }

  async function list(asked: Asked): Promise<Buffer> {
    const question = questionOf(asked, 'list', [], (context) => {
      const parsed = parseList(context, { cursors, parseFilters })
      reportIgnored(asked, parsed.known)
      return parsed
    })
    const prepared = prepareList(asked.viewer, question)
    reportIgnored(asked, prepared.read.known)
    const page = await content.readEntries(prepared)
    const text = sendPage(asked, prepared, page, { cursors, origin: origin(asked.request) })
    return answerRead(asked, { text, typeNos: prepared.read.typeNos })
  }

  async function one(asked: Asked, address: Address): Promise<Buffer> {
    const { kind, values, toQuery } = addressed(address)
    const question = questionOf(asked, kind, values, (context, slots, at): ReadOne => {
      const parsed = parseOne(context)
      reportIgnored(asked, parsed.known)
      const typeNos = typesOf(context.model, parsed.query)
      const query = toQuery(parsed.query, slots, at)
      return { ...parsed, query, typeNos, isAlone: !hasInclude(context) }
    })
    const prepared = prepareOne(asked.viewer, question)
    const { view, known, typeNos, isAlone } = prepared.read
    reportIgnored(asked, known)
    const [entry] = (await content.readEntries(prepared)).entries
    if (!entry) throw notFound()
    const text = sendRecord(asked.reply, entry, view, !isAlone)
    return answerRead(asked, { text, typeNos })
  }
}

export function hasInclude({ parameters }: Context): boolean {
  return (parameters.words('include') ?? []).length > 0
}

/** A page of records with everything that says where it is (contract §5). */
export function sendPage(
  { request, reply }: Asked,
  prepared: PreparedEntries<ParsedList>,
  page: EntryPage,
  { cursors, origin }: { cursors: Cursors; origin: string },
): string {
  const { read: parsed, values } = prepared
  const { meta, links } = renderMeta(prepared, page, cursors)
  const [path = ''] = request.url.split('?', 1)
  const link = renderLinkHeader(`${origin}${path}?${queryTextOf(request)}`, links)
  if (link !== undefined) reply.header('link', link)
  if (parsed.paging.of(values).strategy === 'offset' && page.total !== null) {
    reply.header('x-total-count', page.total)
  }
  const records = jsonList(page.entries, (entry) => renderRecord(entry, parsed.view))
  return sendJson(reply, `{"data":${records},"meta":${JSON.stringify(meta)}}`)
}

function renderMeta(
  { read, values }: PreparedEntries<ParsedList>,
  page: EntryPage,
  cursors: Cursors,
) {
  const { entries, total } = page
  const paging = read.paging.of(values)
  switch (paging.strategy) {
    case 'offset':
      return renderOffsetPage(paging, total === null ? { hasMore: page.hasMore } : { total })
    case 'keyset': {
      const hasMore = paging.beforeId === null ? page.hasMore : page.hasPrevious
      return renderKeysetPage(paging, { ids: entries.map(({ id }) => id), hasMore })
    }
    case 'cursor': {
      const { position, direction } = cursorIn(read.page.of(values))
      const binding = read.binding.of(values)
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

function cursorIn(page: GivenPage) {
  if (page.kind !== 'cursor') throw new Error('the query was not read as a cursor')
  return page
}
