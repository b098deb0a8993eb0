import {
  type Attribute,
  type ContentModel,
  type ContentType,
  isScalar,
  isShown,
  isToMany,
  wireKindOf,
} from '#content'
import { type Filter, type Operand, Slot, toSlot } from '#content-query'
import { isUuid, parseDate, parseTime, renderTime } from '#kernel'
import { badParameter, parseIntegerId } from '#paging'
import type { Context } from './context.ts'

type ParseValue = (value: Operand<string>) => Filter

/** Parameters with a meaning of their own; attributes of these names need `filters[...]`. */
export const LIST_PARAMETERS = [
  ...['q', 'sort', 'order', 'include', 'fields', 'locale', 'fallback_locale'],
  ...['page', 'per_page', 'count', 'cursor', 'after_id', 'before_id', 'limit'],
]

/** Names of the wire for what queries call otherwise. */
const SYSTEM_NAMES = new Map([
  ['id', 'id'],
  ['document_id', 'documentId'],
  ['external_id', 'externalId'],
  ['path', 'path'],
])
const ALIASES = new Map([
  ['document_id', 'documentId'],
  ['external_id', 'externalId'],
  ['created_at', 'createdAt'],
  ['updated_at', 'updatedAt'],
  ['published_at', 'publishedAt'],
])

/** The filters among the plain parameters, and the names that were understood. */
export function parsePlainFilters({ model, type, parameters }: Context): {
  filters: Filter[]
  known: string[]
} {
  const understood = collect(model, type)
  const filters: Filter[] = []
  const known: string[] = []
  for (const name of Object.keys(parameters.plain)) {
    const parse = understood.get(name)
    if (!parse) continue
    known.push(name)
    filters.push(parse(parameters.value(name) ?? ''))
  }
  return { filters, known }
}

/** `filters[created_at]` is written as answers show it; the language knows `createdAt`. */
export function withQueryNames(raw: unknown): unknown {
  if (Array.isArray(raw)) return raw.map(withQueryNames)
  if (typeof raw !== 'object' || raw === null || raw instanceof Slot) return raw
  const entries = Object.entries(raw)
  return Object.fromEntries(
    entries.map(([name, value]) => [ALIASES.get(name) ?? name, withQueryNames(value)]),
  )
}

/** What comes later wins, so the order is from the loosest name to the firmest. */
function collect(model: ContentModel, type: ContentType): Map<string, ParseValue> {
  const visible = type.attributes.filter(isShown)
  const found = new Map<string, ParseValue>()
  for (const attribute of visible.toReversed()) addMembership(found, model, attribute)
  for (const attribute of visible) addEquality(found, attribute)
  for (const [name, field] of SYSTEM_NAMES) found.set(name, equals(name, field))
  addTimes(found, type)
  for (const name of LIST_PARAMETERS) found.delete(name)
  if (type.draftAndPublish) found.delete('status')
  return found
}

/** `category_id=4`: by the singular name of what a to-many relation leads to. */
function addMembership(
  found: Map<string, ParseValue>,
  model: ContentModel,
  attribute: Attribute,
): void {
  if (attribute.type !== 'relation' || !isToMany(attribute)) return
  const target = model.findType(attribute.target)
  if (!target) return
  const parameter = `${target.singularName.replaceAll('-', '_')}_id`
  found.set(parameter, related(parameter, attribute.name))
}

function addEquality(found: Map<string, ParseValue>, attribute: Attribute): void {
  const { name, type } = attribute
  if (type === 'relation' && !isToMany(attribute)) {
    found.set(`${name}_id`, related(`${name}_id`, name))
  } else if (isScalar(attribute)) {
    found.set(name, wireKindOf(attribute) === 'words' ? contains(name) : equals(name, name))
  }
}

function equals(parameter: string, field: string): ParseValue {
  return (value) => ({
    ...{ kind: 'compare', field, operator: 'eq', fold: false },
    ...{ values: [value], at: [parameter] },
  })
}

function contains(name: string): ParseValue {
  return (value) => ({
    ...{ kind: 'compare', field: name, operator: 'contains', fold: false },
    ...{ values: [value], at: [name] },
  })
}

function related(parameter: string, field: string): ParseValue {
  const at = [parameter]
  return (value) => {
    const given = toSlot(value)
    if (given.look((text) => text === '')) return { kind: 'missing', field, at }
    return { kind: 'some', field, at, of: sameRecord(parameter, given) }
  }
}

function sameRecord(parameter: string, given: Slot<string>): Filter {
  const shared = { kind: 'compare', operator: 'eq', fold: false, at: [parameter] } as const
  if (given.look(isUuid)) {
    return { ...shared, field: 'documentId', values: [given.map((text) => text.toLowerCase())] }
  }
  const id = given.map((text) => parseIntegerId(text) ?? null)
  if (id.look((found) => found === null)) {
    throw badParameter(parameter, 'must be an integer or a document id')
  }
  return { ...shared, field: 'id', values: [id] }
}

function addTimes(found: Map<string, ParseValue>, type: ContentType): void {
  for (const verb of ['created', 'updated', ...(type.draftAndPublish ? ['published'] : [])]) {
    found.set(`${verb}_after`, later(`${verb}_after`, `${verb}At`))
    found.set(`${verb}_before`, earlier(`${verb}_before`, `${verb}At`))
  }
}

/** A time: strictly later. A date: from its first instant on, so that midnight belongs to it. */
function later(parameter: string, field: string): ParseValue {
  return (value) => {
    const instant = instantOf(parameter, value)
    return compareTime(
      parameter,
      field,
      instant.look(({ isDate }) => isDate) ? 'gte' : 'gt',
      instant,
    )
  }
}

function earlier(parameter: string, field: string): ParseValue {
  return (value) => compareTime(parameter, field, 'lt', instantOf(parameter, value))
}

function compareTime(
  parameter: string,
  field: string,
  operator: 'gt' | 'gte' | 'lt',
  instant: Slot<Instant>,
): Filter {
  const values = [instant.map(({ ms }) => renderTime(ms))]
  return { kind: 'compare', field, operator, fold: false, values, at: [parameter] }
}

interface Instant {
  readonly ms: number
  readonly isDate: boolean
}

function instantOf(parameter: string, value: Operand<string>): Slot<Instant> {
  const instant = toSlot(value).map((text) => {
    const dateMs = parseDate(text)
    const ms = dateMs ?? parseTime(text)
    if (ms === undefined) throw badParameter(parameter, 'must be a date or a time with a time zone')
    return { ms, isDate: dateMs !== undefined }
  })
  instant.look(({ ms }) => Number.isFinite(ms))
  return instant
}
