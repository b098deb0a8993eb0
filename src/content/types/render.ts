import { renderTime } from '#kernel'
import type { JsonValue } from '../json.ts'
import type { Attribute, Component, ContentType, RelationAttribute } from '../model.ts'
import type { Permissions } from '../permissions.ts'

type Rendered = Record<string, unknown>

/** The definition as `PUT` takes it, so that what was read can be sent back. */
export function renderType(type: ContentType) {
  const { uid, uuid, kind, singularName, pluralName, displayName, description } = type
  const { draftAndPublish, localized, publicRead, displayField, entityType, bundle } = type
  return {
    ...{ uid, uuid, kind, singularName, pluralName, displayName, description },
    ...{ draftAndPublish, localized, publicRead, displayField, entityType, bundle },
    permissions: renderPermissions(type.permissions),
    attributes: renderAttributes(type.attributes),
    createdAt: renderTime(type.createdAtMs),
    updatedAt: renderTime(type.updatedAtMs),
    ...(type.changing ? { changing: [...type.changing.members] } : {}),
  }
}

function renderPermissions(permissions: Permissions) {
  return {
    public: [...permissions.public],
    read: [...permissions.read],
    write: [...permissions.write],
  }
}

export function renderComponent(component: Component) {
  const { uid, category, name, displayName, description, attributes } = component
  return { uid, category, name, displayName, description, attributes: renderAttributes(attributes) }
}

export function renderAttributes(attributes: readonly Attribute[]): Rendered {
  return Object.fromEntries(attributes.map((each) => [each.name, renderAttribute(each)]))
}

const DEFAULTS: Readonly<Record<string, JsonValue>> = {
  required: false,
  unique: false,
  private: false,
  searchable: true,
  localized: true,
  unversioned: false,
  multiple: false,
  repeatable: false,
}

/** Without what is so by default. */
export function renderAttribute(attribute: Attribute): Rendered {
  const { no: _no, name: _name, type, ...options } = attribute
  if (attribute.type === 'relation') return { type, ...renderRelation(attribute) }
  return { type, ...withoutDefaults(options) }
}

function renderRelation(attribute: RelationAttribute): Rendered {
  const { no, name, type, relation, target, side, linkNo, inverse, ...options } = attribute
  const end = side === 'owning' ? 'inversedBy' : 'mappedBy'
  const other = inverse === null ? {} : { [end]: inverse }
  return { relation, target, ...other, ...withoutDefaults(options) }
}

function withoutDefaults(options: object): Rendered {
  const members = Object.entries(options).filter(
    ([member, value]) => value !== DEFAULTS[member] && !isAllMedia(member, value),
  )
  return Object.fromEntries(members)
}

function isAllMedia(member: string, value: unknown): boolean {
  return member === 'allowedTypes' && Array.isArray(value) && value.length === 4
}
