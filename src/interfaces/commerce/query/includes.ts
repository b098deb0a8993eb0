import type { ContentType } from '#content'
import type { Include } from '#content-query'

const MOST = 1_000

/** Everything a product shows besides its own values: related entries by their ids, files whole. */
export function productIncludes(type: ContentType): readonly Include[] {
  return type.attributes.flatMap(({ name, type: kind }) => {
    if (kind === 'relation') return [includeOf(name, 'ids')]
    return kind === 'media' ? [includeOf(name, 'entries')] : []
  })
}

function includeOf(field: string, depth: Include['depth']): Include {
  return {
    ...{ field, depth, filter: null, sort: [], start: 0, limit: MOST, include: [] },
    named: false,
  }
}
