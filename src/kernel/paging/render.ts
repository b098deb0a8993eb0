import type { CursorPosition } from './cursor.ts'
import type { PageLinks } from './link.ts'
import type { CursorPaging, KeysetPaging, OffsetPaging } from './parse.ts'

/** What an answer tells about its page; `links` go into `renderLinkHeader`. */
export interface RenderedPage<Meta> {
  readonly meta: Meta
  readonly links: PageLinks
}

export type OffsetMeta =
  | { page: number; per_page: number; total: number; total_pages: number }
  | { page: number; per_page: number; has_more: boolean }

export interface CursorMeta {
  per_page: number
  has_more: boolean
  next_cursor: string | null
  prev_cursor: string | null
  total?: number
}

export interface KeysetMeta<Id> {
  limit: number
  after_id: Id | null
  next_after_id: Id | null
  /** In walking direction: after `before_id` it tells of earlier records. */
  has_more: boolean
}

/**
 * The page out of rows that were fetched in walking order, one more than it holds. A backward walk
 * finds the nearest row first, so its rows are turned round.
 */
export function cutPage<Row>(found: readonly Row[], size: number, backwards = false) {
  const rows = found.slice(0, size)
  return { rows: backwards ? rows.reverse() : rows, hasMore: found.length > size }
}

export function renderOffsetPage(
  { page, perPage }: OffsetPaging,
  found: { total: number } | { hasMore: boolean },
): RenderedPage<OffsetMeta> {
  const size = { per_page: perPage }
  const first = { page: 1, ...size }
  if (!('total' in found)) {
    const meta = { page, per_page: perPage, has_more: found.hasMore }
    const next = found.hasMore ? { next: { page: page + 1, ...size } } : {}
    return { meta, links: { first, ...before(page - 1), ...next } }
  }
  const { total } = found
  const pages = Math.ceil(total / perPage)
  const next = page < pages ? { next: { page: page + 1, ...size } } : {}
  const last = { page: Math.max(1, pages), ...size }
  return {
    meta: { page, per_page: perPage, total, total_pages: pages },
    // From far behind the end `prev` leads back to the last page, not to another empty one.
    links: { first, ...before(Math.min(page - 1, last.page)), ...next, last },
  }

  function before(previous: number): PageLinks {
    return previous >= 1 ? { prev: { page: previous, ...size } } : {}
  }
}

export interface FoundByCursor<Row> {
  readonly rows: readonly Row[]
  /** In walking direction. */
  readonly hasMore: boolean
  /** The opened cursor; null on the first page. */
  readonly position: CursorPosition | null
  readonly cursorOf: (row: Row, direction: CursorPosition['direction']) => string
  readonly total?: number
}

export function renderCursorPage<Row>(
  { perPage }: CursorPaging,
  { rows, hasMore, position, cursorOf, total }: FoundByCursor<Row>,
): RenderedPage<CursorMeta> {
  const [firstRow, lastRow] = [rows[0], rows.at(-1)]
  const backwards = position?.direction === 'prev'
  // Whoever walks backwards came from a later page, whoever has a cursor from an earlier one.
  const isLast = !backwards && !hasMore
  const isFirst = backwards ? !hasMore : position === null
  const next = lastRow === undefined || isLast ? null : cursorOf(lastRow, 'next')
  const prev = firstRow === undefined || isFirst ? null : cursorOf(firstRow, 'prev')
  const size = { per_page: perPage }
  return {
    meta: {
      per_page: perPage,
      has_more: next !== null,
      next_cursor: next,
      prev_cursor: prev,
      ...(total === undefined ? {} : { total }),
    },
    links: {
      first: { cursor: '', ...size },
      ...(prev === null ? {} : { prev: { cursor: prev, ...size } }),
      ...(next === null ? {} : { next: { cursor: next, ...size } }),
    },
  }
}

export interface FoundByKeyset<Id> {
  /** Of the page's records, in the order of the list. */
  readonly ids: readonly Id[]
  /** In walking direction. */
  readonly hasMore: boolean
}

export function renderKeysetPage<Id extends string | number>(
  { limit, afterId, beforeId }: KeysetPaging<Id>,
  { ids, hasMore }: FoundByKeyset<Id>,
): RenderedPage<KeysetMeta<Id>> {
  const [firstId, lastId] = [ids[0], ids.at(-1)]
  const backwards = beforeId !== null
  const isFirst = backwards ? !hasMore : afterId === null
  const next = lastId === undefined || !(backwards || hasMore) ? null : lastId
  const prev = firstId === undefined || isFirst ? null : firstId
  return {
    meta: { limit, after_id: afterId, next_after_id: next, has_more: hasMore },
    links: {
      first: { limit },
      ...(prev === null ? {} : { prev: { before_id: prev, limit } }),
      ...(next === null ? {} : { next: { after_id: next, limit } }),
    },
  }
}
