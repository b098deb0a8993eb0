import type { EntryPage } from '#content'
import { jsonList } from '#content-dialect'
import type { GivenPage, PreparedEntries } from '#content-query'
import { queryTextOf } from '#http-text'
import { renderCursorPage, renderKeysetPage, renderLinkHeader, renderOffsetPage } from '#paging'
import type { Cursors, ParsedList } from '../query/parse.ts'
import { renderRecord } from '../render/entry.ts'
import type { Asked } from '../request.ts'
import { sendJson } from '../routes/sending.ts'

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
