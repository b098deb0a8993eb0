import {
  type Attribute,
  type ContentModel,
  type ContentType,
  componentsIn,
  type FieldSet,
} from '../model.ts'
import { may } from '../permissions.ts'
import type { Viewer } from '../viewer.ts'
import { groupOf } from './resolve-filter.ts'
import type { Condition } from './resolved.ts'

/**
 * Content model §9: for callers without a key, media that no live copy of a type they may read refers to do
 * not exist; for others those do not to which only types refer that they may not read. Private attributes do not
 * count: nobody sees what they refer to. Where a dialect shows unused files without a key, too, those that only
 * something hidden refers to stay hidden with it.
 */
export function mediaShownTo(
  { level, seesUnusedFiles = false }: Viewer,
  model: ContentModel,
): readonly Condition[] {
  const by = mediaReferences(level, model)
  const shown: Condition = { kind: 'referred', by: by.shown, live: true }
  if (level === null && !seesUnusedFiles) return [shown]
  if (by.hidden.length === 0) return []
  const hidden: Condition = { kind: 'referred', by: by.hidden, live: false }
  return [groupOf('or', [shown, { kind: 'not', of: hidden }])]
}

/** Which attributes show files to a caller, and by which of them files are hidden with what refers to them. */
export function mediaReferences(
  level: Viewer['level'],
  model: ContentModel,
): { readonly shown: Referring; readonly hidden: Referring } {
  const isSeen = (type: ContentType) => may(level, type, 'read')
  const isShown = (type: ContentType, attribute: Attribute) => isSeen(type) && !attribute.private
  const isHidden = level === null ? negated(isShown) : (type: ContentType) => !isSeen(type)
  return { shown: referring(model, isShown), hidden: referring(model, isHidden) }
}

type IsMeant = (type: ContentType, attribute: Attribute) => boolean

function negated(isMeant: IsMeant): IsMeant {
  return (type, attribute) => !isMeant(type, attribute)
}

export type Referring = Extract<Condition, { kind: 'referred' }>['by']

/** The types with those of their media attributes that are meant. */
function referring(model: ContentModel, isMeant: IsMeant): Referring {
  return model.types
    .map((type) => ({ type, attributeNos: mediaOf(model, type, (each) => isMeant(type, each)) }))
    .filter(({ attributeNos }) => attributeNos.length > 0)
}

/** Of the type and of the components inside it, however deep. */
function mediaOf(
  model: ContentModel,
  set: FieldSet,
  isMeant: (attribute: Attribute) => boolean,
  seen = new Set<FieldSet>(),
): number[] {
  if (seen.has(set)) return []
  seen.add(set)
  return set.attributes.flatMap((attribute) => {
    if (attribute.type === 'media') return isMeant(attribute) ? [attribute.no] : []
    return componentsIn(model, attribute).flatMap((each) => mediaOf(model, each, isMeant, seen))
  })
}
