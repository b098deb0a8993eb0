import type { Attribute, Attributes, ComponentType, ContentType, Entry } from '../../api/content.ts'
import type { MediaFile } from '../../api/media.ts'
import {
  Excerpt,
  isLinked,
  type Linked,
  linkChanges,
  linkedOf,
  toLinked,
} from '../../api/references.ts'
import { isHidden, textOf } from '../../parts/fields/field.ts'
import { isOfParts, KIND, kindOfPart, mapParts, partsOf } from '../../parts/fields/part-values.ts'
import { slugOf } from '../../parts/fields/uid.tsx'
import { NotJson } from '../../parts/not-json.ts'
import { ownOf } from '../../parts/own.ts'

export type Values = Readonly<Record<string, unknown>>

/** The definitions that a form is made from. */
export interface Model {
  readonly types: readonly ContentType[]
  readonly components: readonly ComponentType[]
}

const NUMBERS = ['integer', 'float', 'decimal']
/** Parts inside of parts; a zone may offer what it is itself a part of. */
const DEEPEST = 8

/** Everything the form shows that an answer leaves out unless it is asked for. */
export function includesOf(model: Model, attributes: Attributes): string[] {
  return includesOfAll(model, [attributes], 1)
}

/** Of all parts that may stand in one place: the API takes a path that any of them knows. */
function includesOfAll(model: Model, sets: readonly Attributes[], depth: number): string[] {
  const shown = sets.flatMap((set) => Object.entries(set)).filter(([, own]) => !own.private)
  const byName = Map.groupBy(shown, ([name]) => name)
  return [...byName].flatMap(([name, all]) => {
    const isReference = all.some(([, { type }]) => type === 'relation' || type === 'media')
    const parts = new Set(all.flatMap(([, own]) => partsOf(model.components, own)))
    if (parts.size === 0 || depth === DEEPEST) return isReference ? [name] : []
    const inner = includesOfAll(
      model,
      [...parts].map((part) => part.attributes),
      depth + 1,
    )
    return [...(isReference ? [name] : []), ...inner.map((path) => `${name}.${path}`)]
  })
}

/** A record as the form holds it: references with what people call them. */
export function toForm(model: Model, attributes: Attributes, record: Values): Values {
  const values = Object.entries(attributes).flatMap(([name, attribute]) => {
    // What no answer shows is not empty: sent as such, a save would erase it.
    if (!Object.hasOwn(record, name)) return []
    const value = toFormValue(model, attribute, record[name])
    const isExcerpt = record[`${name}_truncated`] === true && isLinked(value)
    return [[name, isExcerpt ? new Excerpt(value) : value]]
  })
  return Object.fromEntries(values)
}

function toFormValue(model: Model, attribute: Attribute, value: unknown): unknown {
  if (attribute.type === 'relation') return toLinkedList(model, attribute, value)
  if (attribute.type === 'media') return toFiles(value)
  if (!isOfParts(attribute)) return value
  return mapParts(value, (part) => partToForm(model, attribute, part))
}

/** What the API takes for one value. */
export function toBodyValue(model: Model, attribute: Attribute, value: unknown): unknown {
  if (attribute.type === 'relation' || attribute.type === 'media') return toIds(attribute, value)
  if (isOfParts(attribute)) return mapParts(value, (part) => partToBody(model, attribute, part))
  if (NUMBERS.includes(attribute.type) && typeof value === 'string') {
    return value.trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : value
  }
  return value
}

/** The members that differ from what was loaded, as they are to be sent. */
export function changesOf(
  model: Model,
  attributes: Attributes,
  before: Values,
  after: Values,
): Record<string, unknown> {
  const changed = Object.entries(attributes).flatMap(([name, attribute]) => {
    const value = ownOf(after, name)
    if (value === undefined) return []
    const own = toBodyValue(model, attribute, value)
    const known = ownOf(before, name)
    // What was hidden is not known to be empty already.
    const isKnown = known !== undefined || !isHidden(attribute)
    const old = isKnown ? toBodyValue(model, attribute, known ?? null) : undefined
    return JSON.stringify(own) === JSON.stringify(old) ? [] : [[name, own]]
  })
  return Object.fromEntries(changed)
}

/** As they are sent: an address that was only derived is left to the server, which makes it unique. */
export function toBody(attributes: Attributes, values: Values, changes: Values): Values {
  const sent = Object.entries(changes).map(([name, value]) => {
    const { type, targetField } = ownOf(attributes, name) ?? {}
    const isDerived =
      type === 'uid' && targetField && value === slugOf(textOf(ownOf(values, targetField)))
    return [name, isDerived ? '' : value]
  })
  return Object.fromEntries(sent)
}

/** For people: what stands in a field, in one text. */
export function describe(value: unknown): string {
  if (value === null || value === undefined || value === '') return '–'
  if (value instanceof Excerpt) return `${describe(value.shown)}, …`
  if (isLinked(value)) return value.map(({ label }) => label).join(', ') || '–'
  if (value instanceof NotJson) return value.text
  return typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value)
}

function partToForm(model: Model, attribute: Attribute, part: Values): Values {
  const kind = kindOfPart(model.components, attribute, part)
  return { ...idOf(part), ...(kind ? toForm(model, kind.attributes, part) : part) }
}

function partToBody(model: Model, attribute: Attribute, part: Values): Values {
  const attributes = kindOfPart(model.components, attribute, part)?.attributes ?? {}
  const values = Object.entries(attributes)
    .filter(([name]) => ownOf(part, name) !== undefined)
    .map(([name, own]) => [name, toBodyValue(model, own, part[name])])
  return { ...idOf(part), ...Object.fromEntries(values) }
}

/** Which block it is; new ones have no id. */
function idOf(part: Values): Values {
  const kind = part[KIND] === undefined ? {} : { [KIND]: part[KIND] }
  return part['id'] === undefined ? kind : { ...kind, id: part['id'] }
}

function toLinkedList(model: Model, attribute: Attribute, value: unknown): Linked[] {
  const target = model.types.find(({ singularName, uid }) =>
    [singularName, uid].includes(attribute.target ?? ''),
  )
  return listOf<Entry>(value).map((entry) => toLinked(target, entry))
}

function toFiles(value: unknown): Linked[] {
  return listOf<MediaFile>(value).map((file) => ({
    id: file.id,
    label: file.name ?? file.alternative_text ?? file.url,
    file,
  }))
}

function listOf<Item>(value: unknown): Item[] {
  if (value === null || value === undefined) return []
  return (Array.isArray(value) ? value : [value]) as Item[]
}

function toIds({ type, relation, multiple }: Attribute, value: unknown): unknown {
  // Files are only ever sent as a whole list, so one that is not known whole is not sent.
  if (value instanceof Excerpt) return type === 'media' ? undefined : linkChanges(value)
  const ids = linkedOf(value).map(({ id }) => id)
  const isMany = multiple || relation === 'oneToMany' || relation === 'manyToMany'
  return isMany ? ids : (ids[0] ?? null)
}
