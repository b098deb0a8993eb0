import { type WireKind, wireKindOf } from '#content'
import { COMPONENT_MEMBER, mapParts } from '#content-dialect'
import { type Attribute, type FieldSet, isScalar } from '#content-model'
import { isObject } from '#kernel'
import type { Catalogue } from '../target/catalogue.ts'
import { isLinking } from '../target/names.ts'
import { type JsonObject, typeFault } from './document.ts'

type Path = readonly (string | number)[]

/** What values are read with. */
interface Reading {
  readonly catalogue: Catalogue
  /** Notes a member that would have no effect. */
  refuse(at: Path, message: string, rule?: string): void
}

/** A value of this wire as the store takes it; what is wrong with it besides, the store will say. */
export function toStored(to: Reading, attribute: Attribute, value: unknown, at: Path): unknown {
  if (attribute.type === 'component') {
    return mapParts(to.catalogue.model, attribute, value, (component, part, index) =>
      toPart(to, component, part, [...at, ...index]),
    )
  }
  if (attribute.type === 'dynamiczone') {
    const blocks = Array.isArray(value) ? value.map(toZonePart) : value
    return mapParts(to.catalogue.model, attribute, blocks, (component, part, index) =>
      toPart(to, component, part, [...at, ...index, 'attributes']),
    )
  }
  const form = isScalar(attribute) ? FORMS[wireKindOf(attribute)] : undefined
  if (!form || !isObject(value)) return value
  for (const name of Object.keys(value)) {
    if (!form.members.includes(name)) {
      to.refuse([...at, name], `${attribute.name} has no member ${name.slice(0, 100)}`)
    }
  }
  return form.read(value, (name, message) => to.refuse([...at, name], message))
}

/** A block of a zone as answers show it; its members stand beside its kind in the store. */
function toZonePart(block: unknown): unknown {
  if (!isObject(block)) return block
  const { type, attributes, ...rest } = block
  return { ...rest, ...(isObject(attributes) ? attributes : {}), [COMPONENT_MEMBER]: type }
}

/** What is said of formatted text; `processed` and `summary` are shown, too. */
const MARKUP: Form = { members: ['value', 'format', 'processed', 'summary'], read: toMarkup }

/** A value that is an object on this wire, and what it may consist of. */
interface Form {
  readonly members: readonly string[]
  read(value: JsonObject, refuse: Refuse): unknown
}

type Refuse = (name: string, message: string) => void

/** What is written otherwise on this wire, as an object. */
const FORMS: { readonly [kind in WireKind]?: Form } = {
  markup: MARKUP,
  blocks: MARKUP,
  link: { members: ['uri', 'title', 'options'], read: toLink },
}

/** `processed` follows from the text; a summary is shown as null, and taken as nothing else. */
function toMarkup({ value, format, summary }: JsonObject, refuse: Refuse): unknown {
  if (value === undefined) refuse('value', 'value is missing: null would clear the text')
  if (summary) refuse('summary', 'Texts have no summary here; give it a field of its own')
  if (value === null || value === undefined) return null
  return format === undefined || format === null ? value : { value, format }
}

const DOCUMENT = /^entity:([0-9a-f-]{36})$/i

function toLink({ uri, title, options }: JsonObject, refuse: Refuse): unknown {
  const [, entry] = (typeof uri === 'string' ? DOCUMENT.exec(uri) : null) ?? []
  const where = entry === undefined ? { url: uri } : { entry }
  return { ...where, title: title ?? null, target: targetIn(options, refuse) }
}

/** `options.attributes.target`: the one option of a link that is kept. */
function targetIn(options: unknown, refuse: Refuse): unknown {
  if (!isObject(options)) {
    const isNone = options === undefined || options === null || isEmptyList(options)
    if (!isNone) refuse('options', 'The options of a link are an object')
    return null
  }
  const { attributes, ...others } = options
  const given = isObject(attributes) ? attributes : {}
  const { target, ...more } = given
  if (Object.keys(others).length + Object.keys(more).length > 0) {
    refuse('options', 'Of the options of a link only attributes.target is kept')
  }
  return target ?? null
}

/** As PHP writes an object without members. */
function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

function toPart(to: Reading, component: FieldSet, part: JsonObject, at: Path): unknown {
  const members = Object.entries(part).map(([name, member]) => {
    const attribute = component.attribute.get(name)
    if (!attribute) return [name, member] as const
    return [
      name,
      isLinking(attribute)
        ? toIds(to, attribute, member, [...at, name])
        : toStored(to, attribute, member, [...at, name]),
    ] as const
  })
  return Object.fromEntries(members)
}

/** Identifiers, or ids as they are. */
function toIds(to: Reading, attribute: Attribute, value: unknown, at: Path): unknown {
  if (Array.isArray(value)) return value.map((each, no) => toIds(to, attribute, each, [...at, no]))
  if (!isObject(value) || !('id' in value)) return value
  const { type, id } = value
  const fault = typeof type === 'string' ? typeFault(to.catalogue, attribute, type) : undefined
  if (fault) to.refuse([...at, 'type'], `${attribute.name} ${fault}`, 'wrong_target_type')
  return id
}
