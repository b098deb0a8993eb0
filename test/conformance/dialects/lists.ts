import type { Dice } from '../content-query/random.ts'
import { compare, fold, POOLS, type Thing, type Value } from './questions.ts'

type Field = 'title' | 'mood' | 'whole' | 'price' | 'day' | 'moment'

/** An operator of the CMS with as many values as it is given. */
export interface ListedCondition {
  readonly field: Field
  readonly operator: string
  readonly values: readonly Value[]
}

const ORDERED = ['$eq', '$ne', '$lt', '$lte', '$gt', '$gte', '$between']
const TEXTUAL = ['$eqi', '$nei', '$contains', '$notContains', '$startsWith', '$endsWith']
const FOLDED = ['$containsi', '$notContainsi', '$startsWithi', '$endsWithi']
const FIELDS: readonly Field[] = ['title', 'mood', 'whole', 'price', 'day', 'moment']
const TEXTS: readonly Field[] = ['title', 'mood']

/** Lists under operators of one value, and texts compared by their order (findings 4 and 8). */
export function randomListed(dice: Dice): readonly ListedCondition[] {
  return Array.from({ length: dice.below(2) + 1 }, () => {
    const field = dice.pick(FIELDS)
    const operator = dice.pick(
      TEXTS.includes(field) ? [...ORDERED, ...TEXTUAL, ...FOLDED] : ORDERED,
    )
    const count = operator === '$between' ? 2 : dice.below(3) + 1
    return {
      field,
      operator,
      values: Array.from({ length: count }, () => dice.pick(POOLS[field])),
    }
  })
}

export function pairsOf(conditions: readonly ListedCondition[]): string {
  const pairs = conditions.flatMap(({ field, operator, values }, at) =>
    values.map((value, n) => {
      const name = `filters[$and][${at}][${field}][${operator}][${n}]`
      return `${encodeURIComponent(name)}=${encodeURIComponent(value)}`
    }),
  )
  return pairs.join('&')
}

/** Any of the values; of an operator that negates, none of them. */
export function holdsListed(thing: Thing, condition: ListedCondition): boolean {
  const { operator, values } = condition
  const own = thing[condition.field]
  if (operator === '$between') {
    const [low = '', high = ''] = values
    return own !== null && compare(own, low) >= 0 && compare(own, high) <= 0
  }
  const positive = operator.replace('$ne', '$eq').replace('$notC', '$c')
  const isAny = own !== null && values.some((value) => isMet(positive, own, value))
  return positive === operator ? isAny : !isAny
}

function isMet(operator: string, own: string | number, value: Value): boolean {
  const isFolded = operator.endsWith('i')
  const name = isFolded ? operator.slice(0, -1) : operator
  const [text, part] = [own, value].map((each) => (isFolded ? fold(String(each)) : String(each)))
  switch (name) {
    case '$eq':
      return text === part
    case '$contains':
      return String(text).includes(String(part))
    case '$startsWith':
      return String(text).startsWith(String(part))
    case '$endsWith':
      return String(text).endsWith(String(part))
    case '$lt':
      return compare(own, value) < 0
    case '$lte':
      return compare(own, value) <= 0
    case '$gt':
      return compare(own, value) > 0
    default:
      return compare(own, value) >= 0
  }
}
