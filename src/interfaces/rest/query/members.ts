import {
  type Attribute,
  type ContentType,
  type FieldSet,
  isScalar,
  isShown,
  isToMany,
} from '#content'
import type { Version } from './context.ts'

/** Attributes that answers may show or name. */
export function visibleAttributes({ attributes }: FieldSet): Attribute[] {
  return attributes.filter(isShown)
}

/** To-one relations and single media are shown as `<name>_id`. */
export function isReference(attribute: Attribute): boolean {
  return (attribute.type === 'relation' || attribute.type === 'media') && !isToMany(attribute)
}

/** Everything a record can have beside its attributes, as the wire names it (contract §2.1). */
export function systemMembers(type: ContentType, version: Version): string[] {
  return [
    'id',
    ...(version === 2 ? ['entry_id'] : []),
    'document_id',
    ...(type.draftAndPublish ? ['status', 'published_at'] : []),
    ...(type.localized ? ['locale'] : []),
    ...['path', 'tree_parent_id', 'sort_order', 'is_root', 'external_id'],
    ...['created_at', 'updated_at'],
  ]
}

export function attributeMembers(type: FieldSet): string[] {
  return visibleAttributes(type).flatMap((attribute) => {
    if (isScalar(attribute) || !isReference(attribute)) return [attribute.name]
    return [`${attribute.name}_id`, attribute.name]
  })
}
