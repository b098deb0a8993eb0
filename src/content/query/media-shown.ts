import type { ContentModel, FieldSet } from '../model.ts'
import type { Viewer } from '../viewer.ts'
import type { Condition } from './resolved.ts'

/**
 * Content model §9: for callers without a key, media that no live copy of a public type refers to do
 * not exist. Private attributes do not count: nobody sees what they refer to.
 */
export function mediaShownTo({ level }: Viewer, model: ContentModel): readonly Condition[] {
  if (level !== null) return []
  const by = model.types
    .filter((type) => type.publicRead)
    .map((type) => ({ type, attributeNos: mediaOf(model, type) }))
    .filter(({ attributeNos }) => attributeNos.length > 0)
  return [{ kind: 'referred', by }]
}

/** Of the type and of the components inside it, however deep. */
function mediaOf(model: ContentModel, set: FieldSet, seen = new Set<FieldSet>()): number[] {
  if (seen.has(set)) return []
  seen.add(set)
  return set.attributes
    .filter((attribute) => !attribute.private)
    .flatMap((attribute) => {
      if (attribute.type === 'media') return [attribute.no]
      if (attribute.type !== 'component') return []
      const component = model.findComponent(attribute.component)
      return component ? mediaOf(model, component, seen) : []
    })
}
