import type { Attribute, ContentType } from '#content'
import type { IndexField } from '../deps.ts'
import { type Delivered, findProperty } from '../target/delivered.ts'

/** What a name in `filter` or `sort` means, before the type of the item is known. */
export type KnownField =
  | { readonly kind: 'member'; readonly name: MemberName }
  | { readonly kind: 'property'; readonly name: string }
  /** A registered field reads a property or a member, in a way of its own. */
  | { readonly kind: 'indexed'; readonly field: IndexField; readonly source: Source }

export type MemberName =
  | 'contentType'
  | 'name'
  | 'createDate'
  | 'updateDate'
  | 'id'
  | 'level'
  | 'sortOrder'

type Source = Exclude<KnownField, { kind: 'indexed' }>

const MEMBERS: readonly MemberName[] = [
  ...(['contentType', 'name', 'createDate', 'updateDate', 'id', 'level', 'sortOrder'] as const),
]
const BY_NAME = new Map(MEMBERS.map((name) => [name.toLowerCase(), name]))
const PROPERTY = 'properties.'

/** Undefined when no delivered type has such a field. */
export function findKnown(delivered: Delivered, written: string): KnownField | undefined {
  const found = findSource(written)
  if (found?.kind === 'member') return found
  if (found) return delivered.types.some((type) => has(type, found.name)) ? found : undefined
  const wanted = written.toLowerCase()
  const field = delivered.indexFields.find((each) => each.FieldName.toLowerCase() === wanted)
  const source = field && findSource(field.Source)
  return source && { kind: 'indexed', field, source }
}

function findSource(written: string): Source | undefined {
  const name = written.toLowerCase()
  const member = BY_NAME.get(name)
  if (member) return { kind: 'member', name: member }
  return name.startsWith(PROPERTY)
    ? { kind: 'property', name: written.slice(PROPERTY.length) }
    : undefined
}

function has(type: ContentType, name: string): boolean {
  return findProperty(type, name) !== undefined
}

/** The property of a type; undefined where the field is no property or the type has none. */
export function attributeOf(type: ContentType, field: KnownField): Attribute | undefined {
  const source = field.kind === 'indexed' ? field.source : field
  return source.kind === 'property' ? findProperty(type, source.name) : undefined
}

export function memberOf(field: KnownField): MemberName | undefined {
  const source = field.kind === 'indexed' ? field.source : field
  return source.kind === 'member' ? source.name : undefined
}
