import type { ContentQuery, PageChoice } from '#content'
import {
  type CursorBinding,
  type createCursors,
  type Paging,
  parsePaging as parseHousePaging,
  parseIntegerId,
} from '#kernel'
import type { Context, Version } from './context.ts'
import type { Sorting } from './sort.ts'

export type Cursors = ReturnType<typeof createCursors>

const STRATEGIES = {
  1: ['offset', 'cursor', 'keyset'],
  // Version 2 pages by cursor unless told otherwise (contract §7).
  2: ['cursor', 'offset', 'keyset'],
} as const satisfies Record<Version, readonly Paging['strategy'][]>

export function parsePaging({ version, parameters }: Context): Paging {
  return parseHousePaging(parameters.plain, {
    parseId: parseIntegerId,
    strategies: STRATEGIES[version],
  })
}

/** A cursor belongs to one list in one order: what decides about either is part of it. */
export function bindingOf(
  resource: string,
  { sort, order }: Sorting,
  query: Pick<ContentQuery, 'state' | 'status' | 'locale' | 'filter' | 'search'>,
): CursorBinding {
  const { state, status, locale, filter, search } = query
  return { resource, sort, order, filters: { state, status, locale, filter, search } }
}

export function toPageChoice(
  paging: Paging,
  open: (cursor: string) => ReturnType<Cursors['decode']>,
): PageChoice {
  switch (paging.strategy) {
    case 'offset': {
      const { page, perPage, count } = paging
      return { kind: 'offset', start: (page - 1) * perPage, limit: perPage, count }
    }
    case 'keyset': {
      const { afterId, beforeId, limit } = paging
      return { kind: 'keyset', after: afterId, before: beforeId, limit }
    }
    case 'cursor': {
      const { cursor, perPage: limit, count } = paging
      if (cursor === null)
        return { kind: 'cursor', position: null, direction: 'next', limit, count }
      const { direction, values } = open(cursor)
      return { kind: 'cursor', position: values, direction, limit, count }
    }
  }
}
