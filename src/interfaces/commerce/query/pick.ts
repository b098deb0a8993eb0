import { refused, wrongType } from '#commerce'
import { fold } from '#content-dialect'
import { meaningOf, type PlainCondition } from './conditions.ts'
import type { Criteria, CriteriaFilter } from './criteria.ts'

type Item = Readonly<Record<string, unknown>>

/** The page that criteria ask for of a short list that is at hand, whole. */
export function pick<Of extends Item>(items: readonly Of[], criteria: Criteria) {
  const { groups, sorts, pageSize, currentPage } = criteria
  const known = new Set(items.flatMap((item) => Object.keys(item)))
  for (const { field } of [...groups.flat(), ...sorts]) {
    if (items.length > 0 && !known.has(field)) throw unknown(field)
  }
  for (const filter of groups.flat()) {
    const isCounted = ({ [filter.field]: value }: Item) =>
      typeof value === 'number' || typeof value === 'boolean'
    if (items.some(isCounted)) refuseNoNumbers(filter)
  }
  const found = items.filter((item) => groups.every((any) => any.some((one) => holds(item, one))))
  for (const { field, direction } of sorts.toReversed()) {
    const sign = direction === 'ASC' ? 1 : -1
    found.sort((one, other) => sign * order(one[field], other[field]))
  }
  const start = (currentPage - 1) * pageSize
  return { items: found.slice(start, start + pageSize), total: found.length }
}

function holds(item: Item, { field, condition, values }: CriteriaFilter): boolean {
  const { plain, isNegated } = meaningOf(condition)
  return isMet(item[field], plain, values) !== isNegated
}

function isMet(value: unknown, condition: PlainCondition, values: readonly string[]): boolean {
  const [first = ''] = values
  switch (condition) {
    case 'missing':
      return value === null || value === undefined
    case 'in':
      return values.some((each) => order(value, each) === 0)
    case 'member':
      return String(value).split(',').includes(first)
    case 'like':
      return isLike(fold(String(value)), fold(first))
    case 'eq':
      return order(value, first) === 0
    case 'gt':
      return order(value, first) > 0
    case 'gte':
      return order(value, first) >= 0
    case 'lt':
      return order(value, first) < 0
    case 'lte':
      return order(value, first) <= 0
  }
}

/** Numbers and flags as such, texts by their characters. */
function order(value: unknown, other: unknown): number {
  if (typeof value === 'number' || typeof value === 'boolean') {
    return Number(value) - numberOf(other)
  }
  const [one, two] = [String(value ?? ''), String(other ?? '')]
  return one < two ? -1 : one > two ? 1 : 0
}

/** `%` any text, `_` one character; each character is looked at no more often than there are in the pattern. */
function isLike(text: string, pattern: string): boolean {
  let [at, next, star, resume] = [0, 0, -1, 0]
  while (at < text.length) {
    if (pattern[next] === '%') {
      star = next++
      resume = at
    } else if (pattern[next] === '_' || pattern[next] === text[at]) {
      next++
      at++
    } else if (star >= 0) {
      next = star + 1
      at = ++resume
    } else return false
  }
  while (pattern[next] === '%') next++
  return next === pattern.length
}

const OF_NUMBERS: readonly PlainCondition[] = ['eq', 'gt', 'gte', 'lt', 'lte', 'in']

/** As lists of products do: what is no number is compared with none. */
function refuseNoNumbers({ field, condition, values }: CriteriaFilter) {
  if (!OF_NUMBERS.includes(meaningOf(condition).plain)) return
  const wrong = values.find((text) => text.trim() === '' || Number.isNaN(numberOf(text)))
  if (wrong !== undefined) throw refused(wrongType(field, wrong, 'a number'))
}

function numberOf(given: unknown): number {
  return given === 'true' ? 1 : given === 'false' ? 0 : Number(given)
}

function unknown(fieldName: string) {
  const message = 'This list cannot be filtered or sorted by "%fieldName".'
  return refused({ message, parameters: { fieldName } })
}
