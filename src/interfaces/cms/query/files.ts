import { type FilesQuery, parseFilter, Slot } from '#content-query'
import { isRaw, type Raw, toValue } from './brackets.ts'
import { parseLimit, parsePaging, parseStart, toPage } from './paging.ts'
import { badPaging } from './refusals.ts'
import { parseSort } from './sort.ts'

const DEFAULT_SIZE = 25

/** Of the list of files: `pagination[…]`, or `start` and `limit` at the top. */
export function parseFilesQuery(raw: Raw): FilesQuery {
  const { pagination, start, limit } = raw
  const filter = parseFilter(raw['filters'] || undefined, ['filters'])
  const search = toValue(raw, '_q') ?? ''
  const sort = parseSort(raw['sort'], ['sort'])
  const piece = Slot.within({ pagination, start, limit })
    .map((given) => parsePiece(Object(given)))
    .once()
  piece.look((found) => found !== undefined)
  return {
    ...{ filter, search, sort },
    page: {
      kind: 'offset',
      start: piece.map((found) => found.start),
      limit: piece.map((found) => found.limit),
      count: false,
    },
  }
}

function parsePiece(raw: Raw): { start: number; limit: number } {
  const { pagination, start, limit } = raw
  if (start === undefined && limit === undefined) {
    const choice = toPage(parsePaging({ pagination }, []))
    if (choice.kind === 'offset') return { start: choice.start, limit: choice.limit }
  }
  if (isRaw(pagination)) throw badPaging(['pagination'], 'pagination cannot be combined with start')
  return {
    start: parseStart(start, 'start'),
    limit: parseLimit(limit, 'limit', DEFAULT_SIZE),
  }
}
