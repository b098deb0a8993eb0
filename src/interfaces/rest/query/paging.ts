import { parsedOnce } from '#content-dialect'
import { type ContentQuery, type GivenPage, type Operand, Slot, toSlot } from '#content-query'
import {
  type CursorBinding,
  type createCursors,
  type Paging,
  parsePaging as parseHousePaging,
  parseIntegerId,
} from '#paging'
import type { Context, Version } from './parse.ts'
import type { Sorting } from './sort.ts'

export type Cursors = ReturnType<typeof createCursors>

const STRATEGIES = {
  1: ['offset', 'cursor', 'keyset'],
  // Version 2 pages by cursor unless told otherwise (contract §7).
  2: ['cursor', 'offset', 'keyset'],
} as const satisfies Record<Version, readonly Paging['strategy'][]>

const PARAMETERS = [
  ...['page', 'per_page', 'count', 'cursor', 'after_id', 'before_id', 'limit', 'sort'],
]

export function parsePaging({ version, parameters }: Context): Slot<Paging> {
  const given = Object.entries(parameters.plain).filter(([name]) => PARAMETERS.includes(name))
  const rules = { parseId: parseIntegerId, strategies: STRATEGIES[version] }
  return parsedOnce(Object.fromEntries(given), (query) => parseHousePaging(query, rules))
}

/** A cursor belongs to one list in one order: what decides about either is part of it. */
export function bindingOf(
  resource: Operand<string>,
  { sort, order }: Sorting,
  query: Pick<ContentQuery, 'state' | 'status' | 'locale' | 'filter' | 'search'>,
): Slot<CursorBinding> {
  const { state, status, locale, filter, search } = query
  const asked = Slot.within({ state, status, locale, filter, search })
  return asked.with(toSlot(resource), (filters, of) => ({ resource: of, sort, order, filters }))
}

export function parsePage(
  paging: Slot<Paging>,
  binding: Slot<CursorBinding>,
  cursors: Cursors,
): Slot<GivenPage> {
  if (!paging.look(hasCursor)) return paging.map((own) => toPage(own, noCursor))
  return paging
    .with(binding, (own, bound) => toPage(own, (cursor) => cursors.decode(cursor, bound)))
    .once()
}

function hasCursor(paging: Paging): boolean {
  return paging.strategy === 'cursor' && paging.cursor !== null
}

function noCursor(): never {
  throw new Error('there is no cursor to open')
}

function toPage(
  paging: Paging,
  open: (cursor: string) => ReturnType<Cursors['decode']>,
): GivenPage {
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
