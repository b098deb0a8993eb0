import { isShown } from '../document.ts'
import type { Entry, Included, Part } from '../entry.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import { type ContentModel, type ContentType, isScalar } from '../model.ts'
import type { Include } from '../query/ast.ts'
import { includeOf, zoneInclude } from '../query/dialect/includes.ts'
import type { IndexedEntry } from './words.ts'

/** All that is loaded for a module: of what entries refer to only the ids. */
export function includesOf(model: ContentModel, type: ContentType): readonly Include[] {
  return type.attributes.filter(isShown).flatMap((attribute) => {
    if (isScalar(attribute)) return []
    if (attribute.type === 'dynamiczone') return [zoneInclude(model, attribute, () => [])]
    const depth = attribute.type === 'component' ? 'entries' : 'ids'
    return [includeOf(attribute.name, { depth })]
  })
}

export function toIndexedEntry(entry: Entry, isPublished: boolean): IndexedEntry {
  const values = entry.values()
  const name = values[entry.type.displayField ?? '']
  const related = [...entry.included].map(([field, included]) => [field, shown(included)] as const)
  return {
    id: entry.documentId,
    contentType: entry.type.singularName,
    name: typeof name === 'string' ? name : null,
    culture: entry.locale,
    isPublished,
    createDate: new Date(entry.createdAtMs).toISOString(),
    updateDate: new Date(entry.updatedAtMs).toISOString(),
    properties: { ...values, ...Object.fromEntries(related) },
  }
}

function shown(included: Included): JsonValue {
  switch (included.kind) {
    case 'ids':
      return included.ids.map(({ documentId }) => documentId)
    case 'part':
      return included.part && toObject(included.part)
    case 'parts':
    case 'zone':
      return included.parts.map(toObject)
    default:
      throw new Error(`modules are shown ids, and not a list of kind ${included.kind}`)
  }
}

function toObject(part: Part): JsonObject {
  return { component: part.component.uid, properties: part.values() }
}
