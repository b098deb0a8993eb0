import { isShown } from '#content'
import { type Attribute, type ContentType, type FieldSet, isScalar, isToMany } from '#content-model'
import { badParameter } from '#paging'
import type { Context, Version } from './parse.ts'

/** Attributes that answers may show or name. */
export function visibleAttributes({ attributes }: FieldSet): Attribute[] {
  return attributes.filter(isShown)
}

/** To-one relations and single media are shown as `<name>_id`. */
export function isReference(attribute: Attribute): boolean {
  return (attribute.type === 'relation' || attribute.type === 'media') && !isToMany(attribute)
}

const SCHEDULE = ['publish_at', 'unpublish_at', 'schedule_error']

/** Everything a record can have beside its attributes, as the wire names it (contract §2.1). */
function systemMembers(type: ContentType, version: Version): string[] {
  return [
    'id',
    ...(version === 2 ? ['entry_id'] : []),
    'document_id',
    ...(type.draftAndPublish ? ['status', 'published_at', ...SCHEDULE] : []),
    ...(type.localized ? ['locale'] : []),
    ...['path', 'tree_parent_id', 'sort_order', 'is_root', 'external_id'],
    ...['created_at', 'updated_at'],
  ]
}

function attributeMembers(type: FieldSet): string[] {
  return visibleAttributes(type).flatMap((attribute) => {
    if (isScalar(attribute) || !isReference(attribute)) return [attribute.name]
    return [`${attribute.name}_id`, attribute.name]
  })
}

/** The members to return, null for all of them; `id` comes always. */
export function parseFields({ type, version, parameters }: Context): ReadonlySet<string> | null {
  const names = parameters.words('fields') ?? []
  if (names.length === 0) return null
  const known = new Set([...systemMembers(type, version), ...attributeMembers(type)])
  const unknown = names.find((name) => !known.has(name))?.slice(0, 200)
  if (unknown === undefined) return new Set([...names, 'id'])
  throw badParameter('fields', `names ${unknown}, which is no member of this record`)
}
