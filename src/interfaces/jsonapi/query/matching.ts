import type { Operator } from './conditions.ts'

type Value = string | number | boolean | null

/** The operators on a value that is known already: of accounts, types and constants. */
export function matches(value: Value, operator: Operator, values: readonly string[]): boolean {
  const [first = '', second = ''] = values
  switch (operator) {
    case 'IS NULL':
      return value === null
    case 'IS NOT NULL':
      return value !== null
    case '<>':
      return !isSame(value, first)
    case 'NOT IN':
      return !values.some((each) => isSame(value, each))
    case 'NOT BETWEEN':
      return !isBetween(value, first, second)
    default:
      return value !== null && matchesPresent(value, operator, first, second, values)
  }
}

function matchesPresent(
  value: Exclude<Value, null>,
  operator: Exclude<Operator, 'IS NULL' | 'IS NOT NULL' | '<>' | 'NOT IN' | 'NOT BETWEEN'>,
  first: string,
  second: string,
  values: readonly string[],
): boolean {
  switch (operator) {
    case '=':
      return isSame(value, first)
    case 'IN':
      return values.some((each) => isSame(value, each))
    case '>':
      return order(value, first) > 0
    case '>=':
      return order(value, first) >= 0
    case '<':
      return order(value, first) < 0
    case '<=':
      return order(value, first) <= 0
    case 'BETWEEN':
      return isBetween(value, first, second)
    case 'STARTS_WITH':
      return fold(value).startsWith(fold(first))
    case 'CONTAINS':
      return fold(value).includes(fold(first))
    case 'ENDS_WITH':
      return fold(value).endsWith(fold(first))
  }
}

function isSame(value: Value, text: string): boolean {
  if (value === null) return false
  if (typeof value === 'boolean') return value ? isTrue(text) : /^(?:0|false)$/i.test(text)
  if (typeof value === 'number') return value === Number(text)
  return fold(value) === fold(text)
}

function isTrue(text: string): boolean {
  return /^(?:1|true)$/i.test(text)
}

function isBetween(value: Value, first: string, second: string): boolean {
  return value !== null && order(value, first) >= 0 && order(value, second) <= 0
}

function order(value: Exclude<Value, null>, text: string): number {
  if (typeof value === 'number') return value - Number(text)
  const [own, other] = [fold(value), fold(text)]
  return own < other ? -1 : own > other ? 1 : 0
}

/** As the store folds text (content model §10.3). */
export function fold(value: Exclude<Value, null>): string {
  return String(value).normalize('NFC').toLowerCase().replaceAll('ς', 'σ')
}
