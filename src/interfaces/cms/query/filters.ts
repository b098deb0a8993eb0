import type { Filter } from '#content'
import { type At, badQuery, nameOf } from '../refusals.ts'

export type ParseFilters = (raw: unknown, at: At) => Filter | null

/** Contract §4.1: through relations, media and components. */
const MAX_DEPTH = 5

export function parseFilter(
  { parseFilters }: { readonly parseFilters: ParseFilters },
  raw: unknown,
  at: At,
): Filter | null {
  const filter = raw === undefined || raw === '' ? null : parseFilters(raw, at)
  if (filter && depthOf(filter) > MAX_DEPTH) {
    throw badQuery(at, `${nameOf(at)} may go through ${MAX_DEPTH} relations`)
  }
  return filter
}

function depthOf(filter: Filter): number {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return Math.max(0, ...filter.of.map(depthOf))
    case 'not':
      return depthOf(filter.of)
    case 'some':
      return 1 + depthOf(filter.of)
    default:
      return 0
  }
}
