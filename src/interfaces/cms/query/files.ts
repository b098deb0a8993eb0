import { type FilesQuery, parseFilter } from '#content'
import { badPaging } from '../refusals.ts'
import { isRaw, parseBrackets, type Raw, toText } from './brackets.ts'
import { parseLimit, parsePaging, parseStart, toPageChoice } from './paging.ts'
import { parseSort } from './sort.ts'

const DEFAULT_SIZE = 25

/** Of the list of files: `pagination[…]`, or `start` and `limit` at the top. */
export function parseFilesQuery(text: string): FilesQuery {
  const raw = parseBrackets(text)
  return {
    filter: parseFilter(raw['filters'] || undefined, ['filters']),
    search: toText(raw, '_q') ?? '',
    sort: parseSort(raw['sort'], ['sort']),
    ...parsePiece(raw),
  }
}

function parsePiece(raw: Raw): { start: number; limit: number } {
  const { pagination, start, limit } = raw
  if (start === undefined && limit === undefined) {
    const choice = toPageChoice(parsePaging({ pagination }, []))
    if (choice.kind === 'offset') return { start: choice.start, limit: choice.limit }
  }
  if (isRaw(pagination)) throw badPaging(['pagination'], 'pagination cannot be combined with start')
  return {
    start: parseStart(start, 'start'),
    limit: parseLimit(limit, 'limit', DEFAULT_SIZE),
  }
}
