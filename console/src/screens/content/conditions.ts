import type { Attribute, ContentType } from '../../api/content.ts'

/** One line of the filter bar: `title contains harbour`. */
export interface Condition {
  readonly field: string
  readonly operator: string
  readonly value: string
}

const WORDS: Readonly<Record<string, string>> = {
  $eq: 'is',
  $ne: 'is not',
  $containsi: 'contains',
  $notContainsi: 'does not contain',
  $startsWithi: 'begins with',
  $endsWithi: 'ends with',
  $lt: 'is less than',
  $lte: 'is at most',
  $gt: 'is more than',
  $gte: 'is at least',
  $in: 'is one of',
  $null: 'is empty',
  $notNull: 'is not empty',
}
const TIME_WORDS: Readonly<Record<string, string>> = {
  $lt: 'is before',
  $lte: 'is at or before',
  $gt: 'is after',
  $gte: 'is at or after',
}
const EMPTINESS = ['$null', '$notNull']
const ORDER = ['$lt', '$lte', '$gt', '$gte']
const TEXT = ['$containsi', '$notContainsi', '$eq', '$ne', '$startsWithi', '$endsWithi', '$in']
const TIMES = ['date', 'datetime', 'time']
const NUMBERS = ['integer', 'biginteger', 'float', 'decimal']
/** Of these all that can be asked is whether there is a value. */
const NOT_COMPARED = ['json', 'tags', 'link']
const SYSTEM: Readonly<Record<string, Attribute>> = {
  id: { type: 'integer' },
  created_at: { type: 'datetime' },
  updated_at: { type: 'datetime' },
}
/** The filter language has its own names for them. */
const FILTER_NAMES: Readonly<Record<string, string>> = {
  created_at: 'createdAt',
  updated_at: 'updatedAt',
}

/** What can be filtered by, attributes first. */
export function filterFields(type: ContentType): Record<string, Attribute> {
  const own = Object.entries(type.attributes).filter(
    ([, { type: kind, private: isPrivate }]) =>
      !isPrivate && !['password', 'component', 'dynamiczone', 'media'].includes(kind),
  )
  return { ...Object.fromEntries(own), ...SYSTEM }
}

export function operatorsOf(attribute: Attribute): string[] {
  const { type, format } = attribute
  if (NOT_COMPARED.includes(type) || format === 'blocks') return EMPTINESS
  if (type === 'boolean') return ['$eq', ...EMPTINESS]
  if (type === 'enumeration') return ['$eq', '$ne', '$in', ...EMPTINESS]
  if (type === 'relation') return ['$eq', ...EMPTINESS]
  if (TIMES.includes(type)) return [...ORDER, '$eq', ...EMPTINESS]
  if (NUMBERS.includes(type)) return ['$eq', '$ne', ...ORDER, '$in', ...EMPTINESS]
  return [...TEXT, ...EMPTINESS]
}

export function wordOf(operator: string, attribute: Attribute | undefined): string {
  const isTime = attribute && TIMES.includes(attribute.type)
  return (isTime && TIME_WORDS[operator]) || WORDS[operator] || operator
}

export function needsValue(operator: string): boolean {
  return !EMPTINESS.includes(operator)
}

/** In the language of the API: `filters[title][$containsi]=harbour`. */
export function toFilters(type: ContentType, conditions: readonly Condition[]): [string, string][] {
  return conditions.flatMap(({ field, operator, value }, index): [string, string][] => {
    const isRelation = type.attributes[field]?.type === 'relation'
    const name = FILTER_NAMES[field] ?? field
    const path = isRelation ? `[${name}][id]` : `[${name}]`
    const prefix = `filters[$and][${index}]${path}[${operator}]`
    if (!needsValue(operator)) return [[prefix, 'true']]
    if (operator !== '$in') return [[prefix, value]]
    return value.split(',').map((each, at) => [`${prefix}[${at}]`, each.trim()])
  })
}

/** As it stands in the URL of the screen. */
export function parseConditions(text: string | undefined): Condition[] {
  if (!text) return []
  try {
    const parsed: unknown = JSON.parse(text)
    return Array.isArray(parsed) ? parsed.filter(isTriple).map(toCondition) : []
  } catch {
    return []
  }
}

export function renderConditions(conditions: readonly Condition[]): string | undefined {
  if (conditions.length === 0) return undefined
  return JSON.stringify(conditions.map(({ field, operator, value }) => [field, operator, value]))
}

function isTriple(value: unknown): value is [string, string, string] {
  return (
    Array.isArray(value) && value.length === 3 && value.every((each) => typeof each === 'string')
  )
}

function toCondition([field, operator, value]: [string, string, string]): Condition {
  return { field, operator, value }
}
