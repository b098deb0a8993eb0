import { CATEGORIES } from '#commerce'
import type { ContentType } from '#content'
import type { Include } from '#content-query'
import type { Fields } from './fields.ts'

const MOST = 1_000

/** What a product shows besides its own values, as far as it is asked for: related entries by ids, files whole. */
export function productIncludes(type: ContentType, fields: Fields | null): readonly Include[] {
  return type.attributes.flatMap(({ name, type: kind }) => {
    if (kind === 'relation') return isRelationShown(name, fields) ? [includeOf(name, 'ids')] : []
    const isShown = kind === 'media' && (!fields || fields.has('media_gallery_entries'))
    return isShown ? [includeOf(name, 'entries')] : []
  })
}

function isRelationShown(name: string, fields: Fields | null): boolean {
  if (!fields) return true
  const isLinked = name === CATEGORIES && isPicked(fields, 'extension_attributes', 'category_links')
  const code = name === CATEGORIES ? 'category_ids' : name
  return isLinked || isPicked(fields, 'custom_attributes', code)
}

function isPicked(fields: Fields, member: string, name: string): boolean {
  const inner = fields.get(member)
  return inner !== undefined && (inner === null || inner.has(name))
}

function includeOf(field: string, depth: Include['depth']): Include {
  return {
    ...{ field, depth, filter: null, sort: [], start: 0, limit: MOST, include: [] },
    named: false,
  }
}
