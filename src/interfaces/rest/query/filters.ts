import { isShown, wireKindOf } from '#content'
import { type CompareOperator, compare, targetIn } from '#content-dialect'
import {
  type Attribute,
  type ContentModel,
  type ContentType,
  isScalar,
  isToMany,
} from '#content-model'
import { type Filter, type Operand, Slot, toSlot } from '#content-query'
import { parseDate, parseMoment, renderTime } from '#kernel'
import { badParameter } from '#paging'
import type { Context } from './parse.ts'

type ParseValue = (value: Operand<string>) => Filter
type Found = Map<string, ParseValue>

/** Parameters with a meaning of their own; attributes of these names need `filters[...]`. */
export const LIST_PARAMETERS = [
  ...['q', 'sort', 'order', 'include', 'fields', 'locale', 'fallback_locale'],
  ...['page', 'per_page', 'count', 'cursor', 'after_id', 'before_id', 'limit'],
]

/** Names of the wire for what queries call otherwise. */
const TIMES = ['created', 'updated', 'published']
export const TIME_NAMES = new Map(TIMES.map((verb) => [`${verb}_at`, `${verb}At`]))
const ID_NAMES = new Map([
  ['document_id', 'documentId'],
  ['external_id', 'externalId'],
])

/** The filters among the plain parameters, and the names that were understood. */
export function parsePlainFilters({ model, type, parameters }: Context): {
  filters: Filter[]
  known: string[]
} {
  const understood = collect(model, type)
  const known = Object.keys(parameters.plain).filter((name) => understood.has(name))
  const filters = known.flatMap((name) => {
    return understood.get(name)?.(parameters.value(name) ?? '') ?? []
  })
  return { filters, known }
}

/** `filters[created_at]` is written as answers show it; the language knows `createdAt`. */
export function withQueryNames(raw: unknown): unknown {
  if (Array.isArray(raw)) return raw.map(withQueryNames)
  if (typeof raw !== 'object' || raw === null || raw instanceof Slot) return raw
  const members = Object.entries(raw).map(([name, value]) => {
    return [ID_NAMES.get(name) ?? TIME_NAMES.get(name) ?? name, withQueryNames(value)]
  })
  return Object.fromEntries(members)
}

/** What comes later wins, so the order is from the loosest name to the firmest. */
function collect(model: ContentModel, type: ContentType): Found {
  const visible = type.attributes.filter(isShown)
  const found: Found = new Map()
  for (const attribute of visible.toReversed()) addMembership(found, model, attribute)
  for (const attribute of visible) addEquality(found, attribute)
  for (const [name, field] of [['id', 'id'], ...ID_NAMES, ['path', 'path']] as const) {
    found.set(name, comparing(name, field, 'eq'))
  }
  for (const verb of type.draftAndPublish ? TIMES : TIMES.slice(0, 2)) addTimes(found, verb)
  for (const name of LIST_PARAMETERS) found.delete(name)
  if (type.draftAndPublish) found.delete('status')
  return found
}

/** `category_id=4`: by the singular name of what a to-many relation leads to. */
function addMembership(found: Found, model: ContentModel, attribute: Attribute): void {
  if (attribute.type !== 'relation' || !isToMany(attribute)) return
  const target = model.findType(attribute.target)
  if (!target) return
  const parameter = `${target.singularName.replaceAll('-', '_')}_id`
  found.set(parameter, related(parameter, attribute.name))
}

function addEquality(found: Found, attribute: Attribute): void {
  const { name, type } = attribute
  if (type === 'relation' && !isToMany(attribute)) {
    found.set(`${name}_id`, related(`${name}_id`, name))
  } else if (isScalar(attribute)) {
    const isWords = wireKindOf(attribute) === 'words'
    found.set(name, comparing(name, name, isWords ? 'contains' : 'eq'))
  }
}

function comparing(parameter: string, field: string, operator: CompareOperator): ParseValue {
  return (value) => compare(field, operator, value, { at: parameter })
}

function related(parameter: string, field: string): ParseValue {
  const at = [parameter]
  return (value) => {
    const given = toSlot(value)
    if (given.look((text) => text === '')) return { kind: 'missing', field, at }
    const target = targetIn(given, { kind: 'default' })
    if (!target) throw badParameter(parameter, 'must be an integer or a document id')
    const of =
      'id' in target
        ? compare('id', 'eq', target.id, { at: parameter })
        : compare('documentId', 'eq', target.documentId, { at: parameter })
    return { kind: 'some', field, at, of }
  }
}

/** A time: strictly later. A date: from its first instant on, so that midnight belongs to it. */
function addTimes(found: Found, verb: string): void {
  const field = `${verb}At`
  found.set(`${verb}_after`, (value) => {
    const instant = instantOf(`${verb}_after`, value)
    const operator = instant.look(({ isDate }) => isDate) ? 'gte' : 'gt'
    return compare(field, operator, instant.map(textOf), { at: `${verb}_after` })
  })
  found.set(`${verb}_before`, (value) => {
    const instant = instantOf(`${verb}_before`, value)
    return compare(field, 'lt', instant.map(textOf), { at: `${verb}_before` })
  })
}

interface Instant {
  readonly ms: number
  readonly isDate: boolean
}

function textOf({ ms }: Instant): string {
  return renderTime(ms)
}

function instantOf(parameter: string, value: Operand<string>): Slot<Instant> {
  const instant = toSlot(value).map((text) => {
    const dateMs = parseDate(text)
    const ms = dateMs ?? parseMoment(text)
    if (ms === undefined)
      throw badParameter(parameter, 'must be a date, a time or epoch milliseconds')
    return { ms, isDate: dateMs !== undefined }
  })
  instant.look(({ ms }) => Number.isFinite(ms))
  return instant
}
