import { CATEGORIES } from '#commerce'
import { includeOf } from '#content-dialect'
import type { ContentModel, ContentType } from '#content-model'
import type { Include } from '#content-query'
import type { Fields } from './fields.ts'

/** Components in components in … are loaded to this depth. */
const DEEPEST = 5

/** What a product shows besides its own values, as far as it is asked for: related entries by ids, files whole. */
export function productIncludes(
  model: ContentModel,
  type: ContentType,
  fields: Fields | null,
): readonly Include[] {
  return type.attributes.flatMap((attribute) => {
    const { name, private: isPrivate } = attribute
    if (isPrivate) return []
    if (attribute.type === 'relation') {
      return isRelationShown(name, fields) ? [includeOf(name, { depth: 'ids' })] : []
    }
    if (attribute.type === 'component') {
      return isPicked(fields, 'custom_attributes', name)
        ? [partsOf(model, name, attribute.component)]
        : []
    }
    const isShown = attribute.type === 'media' && (!fields || fields.has('media_gallery_entries'))
    return isShown ? [includeOf(name)] : []
  })
}

/** With the ids of what the components refer to, so that they can be sent back as they are. */
function partsOf(model: ContentModel, field: string, uid: string, depth = 1): Include {
  const attributes = model.findComponent(uid)?.attributes ?? []
  const include = attributes.flatMap((attribute): Include[] => {
    const { name } = attribute
    if (attribute.private) return []
    if (attribute.type === 'component') {
      return depth < DEEPEST ? [partsOf(model, name, attribute.component, depth + 1)] : []
    }
    const isLink = attribute.type === 'relation' || attribute.type === 'media'
    return isLink ? [includeOf(name, { depth: 'ids' })] : []
  })
  return includeOf(field, { include })
}

function isRelationShown(name: string, fields: Fields | null): boolean {
  const isLinked = name === CATEGORIES && isPicked(fields, 'extension_attributes', 'category_links')
  const code = name === CATEGORIES ? 'category_ids' : name
  return isLinked || isPicked(fields, 'custom_attributes', code)
}

function isPicked(fields: Fields | null, member: string, name: string): boolean {
  const inner = fields ? fields.get(member) : null
  return inner !== undefined && (inner === null || inner.has(name))
}
