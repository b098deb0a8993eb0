import { type Attribute, type ContentModel, type FieldSet, wireKindOf } from '#content'
import { isObject } from '#kernel'
import type { JsonObject } from './document.ts'

/** A value of this wire as the store takes it; what is wrong with it the store will say. */
export function toStored(model: ContentModel, attribute: Attribute, value: unknown): unknown {
  switch (attribute.type) {
    case 'relation':
    case 'media':
      return value
    case 'component': {
      const component = model.findComponent(attribute.component)
      if (!component) return value
      return Array.isArray(value)
        ? value.map((each) => toPart(model, component, each))
        : toPart(model, component, value)
    }
    default: {
      const kind = wireKindOf(attribute)
      if (kind === 'markup') return isObject(value) ? toMarkup(value) : value
      return kind === 'link' && isObject(value) ? toLink(value) : value
    }
  }
}

/** `processed` and `summary` follow from the text. */
function toMarkup({ value, format }: JsonObject): unknown {
  if (value === null || value === undefined) return null
  return format === undefined || format === null ? value : { value, format }
}

const DOCUMENT = /^entity:([0-9a-f-]{36})$/i

function toLink({ uri, title, options }: JsonObject): unknown {
  const [, entry] = (typeof uri === 'string' ? DOCUMENT.exec(uri) : null) ?? []
  const attributes = isObject(options) ? options['attributes'] : undefined
  const target = isObject(attributes) ? attributes['target'] : undefined
  const where = entry === undefined ? { url: uri } : { entry }
  return { ...where, title: title ?? null, target: target ?? null }
}

function toPart(model: ContentModel, component: FieldSet, value: unknown): unknown {
  if (!isObject(value)) return value
  const members = Object.entries(value).map(([name, member]) => {
    const attribute = component.attribute.get(name)
    if (!attribute) return [name, member] as const
    const isLink = attribute.type === 'relation' || attribute.type === 'media'
    return [name, isLink ? toIds(member) : toStored(model, attribute, member)] as const
  })
  return Object.fromEntries(members)
}

/** Identifiers, or ids as they are. */
function toIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toIds)
  return isObject(value) && 'id' in value ? value['id'] : value
}
