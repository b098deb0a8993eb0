import { refused } from '#commerce'
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
      return patternOf(first).test(fold(String(value)))
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
    const given = other === 'true' ? 1 : other === 'false' ? 0 : Number(other)
    return Number(value) - given
  }
  const [one, two] = [String(value ?? ''), String(other ?? '')]
  return one < two ? -1 : one > two ? 1 : 0
}

function patternOf(like: string): RegExp {
  const escaped = fold(like).replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`^${escaped.replaceAll('%', '.*').replaceAll('_', '.')}$`, 's')
}

function unknown(fieldName: string) {
  const message = 'This list cannot be filtered or sorted by "%fieldName".'
  return refused({ message, parameters: { fieldName } })
}
