import {
  type Attribute,
  type ContentModel,
  type FieldSet,
  isScalar,
  type WireKind,
  wireKindOf,
} from '#content'
import { mapParts } from '#content-dialect'
import { isObject } from '#kernel'
import { isLinking } from '../target/names.ts'
import type { JsonObject } from './document.ts'

/** A value of this wire as the store takes it; what is wrong with it the store will say. */
export function toStored(model: ContentModel, attribute: Attribute, value: unknown): unknown {
  if (attribute.type === 'component') {
    return mapParts(model, attribute, value, (component, part) => toPart(model, component, part))
  }
  const toForm = isScalar(attribute) ? FORMS[wireKindOf(attribute)] : undefined
  return toForm && isObject(value) ? toForm(value) : value
}

/** What is written otherwise on this wire, as an object. */
const FORMS: { readonly [kind in WireKind]?: (value: JsonObject) => unknown } = {
  markup: toMarkup,
  link: toLink,
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

function toPart(model: ContentModel, component: FieldSet, part: JsonObject): unknown {
  const members = Object.entries(part).map(([name, member]) => {
    const attribute = component.attribute.get(name)
    if (!attribute) return [name, member] as const
    return [
      name,
      isLinking(attribute) ? toIds(member) : toStored(model, attribute, member),
    ] as const
  })
  return Object.fromEntries(members)
}

/** Identifiers, or ids as they are. */
function toIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toIds)
  return isObject(value) && 'id' in value ? value['id'] : value
}
