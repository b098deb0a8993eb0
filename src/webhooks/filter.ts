import { isObject, isRawNumber } from '#kernel'
import type { Check } from './input.ts'

/** Conditions on the data of an event; all of them must hold (decision 63). */
export type Filter = readonly Condition[]

interface Condition {
  /** `customer.address.city`; a number names an item of a list. */
  readonly path: string
  readonly op: Operator
  readonly value: unknown
}

type Scalar = string | number | bigint | boolean | null
type Test = (found: unknown, value: unknown) => boolean
type Operator = keyof typeof TESTS

const MAX_CONDITIONS = 20
const MAX_PATH = 200
const MAX_SEGMENTS = 10
const MAX_TEXT = 1_000
const MAX_ITEMS = 100
/** Dispatch reads the filters of hundreds of subscriptions at once. */
const MAX_LENGTH = 16_384

/** What is absent is `undefined`, which equals nothing and is neither less nor more. */
const TESTS = {
  eq: isEqual,
  ne: (found, value) => !isEqual(found, value),
  in: isOneOf,
  nin: (found, value) => !isOneOf(found, value),
  gt: (found, value) => order(found, value) === 1,
  gte: (found, value) => (order(found, value) ?? -1) >= 0,
  lt: (found, value) => order(found, value) === -1,
  lte: (found, value) => (order(found, value) ?? 1) <= 0,
  exists: (found, value) => (found !== undefined) === value,
  contains,
  starts_with: (found, value) =>
    typeof found === 'string' && typeof value === 'string' && found.startsWith(value),
} satisfies Record<string, Test>

const OPERATORS = new Map<string, Test>(Object.entries(TESTS))

export function passes(filter: Filter, data: unknown): boolean {
  return filter.every(({ path, op, value }) => TESTS[op](valueAt(data, path), value))
}

function valueAt(data: unknown, path: string): unknown {
  let found = data
  for (const name of path.split('.')) {
    if (!hasMember(found, name)) return undefined
    found = Reflect.get(found, name)
  }
  return found
}

/** As JSON has members: not the length of a list, nor what a number is made of here. */
function hasMember(value: unknown, name: string): value is object {
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return false
  return Object.hasOwn(value, name) && (!Array.isArray(value) || /^\d+$/.test(name))
}

/** Numbers as exactly as they were sent: an integer that no double holds is compared as one. */
function toScalar(value: unknown): Scalar | undefined {
  if (isRawNumber(value)) {
    return /^-?\d+$/.test(value.rawJSON) ? BigInt(value.rawJSON) : Number(value.rawJSON)
  }
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  return typeof value === 'number' ? value : undefined
}

function isNumeric(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint'
}

/** Undefined when the two cannot be compared: of different kinds, or neither numbers nor texts. */
function order(found: unknown, value: unknown): -1 | 0 | 1 | undefined {
  const [a, b] = [toScalar(found), toScalar(value)]
  if (isNumeric(a) && isNumeric(b)) return a < b ? -1 : a > b ? 1 : 0
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : a > b ? 1 : 0
  return undefined
}

function isEqual(found: unknown, value: unknown): boolean {
  const [a, b] = [toScalar(found), toScalar(value)]
  if (a === undefined || b === undefined) return false
  return a === b || order(found, value) === 0
}

function isOneOf(found: unknown, values: unknown): boolean {
  return Array.isArray(values) && values.some((value) => isEqual(found, value))
}

/** A text in a text, or an item of a list. */
function contains(found: unknown, value: unknown): boolean {
  if (typeof found === 'string') return typeof value === 'string' && found.includes(value)
  return Array.isArray(found) && found.some((item) => isEqual(item, value))
}

/** Null: no filter. An empty list would say the same and is stored so. */
export function parseFilter(check: Check, given: unknown): Filter | null | undefined {
  if (given === undefined || given === null) return given
  if (!Array.isArray(given)) return check.refuse('filter', 'type', 'must be a list of conditions')
  if (given.length > MAX_CONDITIONS) {
    return check.refuse('filter', 'length', `must have at most ${MAX_CONDITIONS} conditions`)
  }
  if (JSON.stringify(given).length > MAX_LENGTH) {
    return check.refuse('filter', 'length', `must have at most ${MAX_LENGTH} characters as JSON`)
  }
  const conditions = given.flatMap((one: unknown, at) => parseCondition(check, one, `filter.${at}`))
  return conditions.length > 0 ? conditions : null
}

function parseCondition(check: Check, given: unknown, at: string): Condition[] {
  if (!isObject(given)) {
    check.refuse(at, 'type', 'must be an object with path, op and value')
    return []
  }
  for (const name of Object.keys(given)) {
    if (name !== 'path' && name !== 'op' && name !== 'value') {
      check.refuse(at, 'unknown', `has the unknown member ${JSON.stringify(name.slice(0, 64))}`)
    }
  }
  const path = parsePath(check, given['path'], `${at}.path`)
  const op = parseOperator(check, given['op'], `${at}.op`)
  if (path === undefined || op === undefined) return []
  const problem = problemOfValue(op, given['value'])
  if (problem !== null) check.refuse(`${at}.value`, 'type', problem)
  return problem === null ? [{ path, op, value: given['value'] }] : []
}

function parsePath(check: Check, value: unknown, at: string): string | undefined {
  const segments = typeof value === 'string' ? value.split('.') : []
  const isPath =
    typeof value === 'string' &&
    value.length <= MAX_PATH &&
    segments.length <= MAX_SEGMENTS &&
    segments.every((segment) => segment !== '')
  if (isPath) return value
  const limits = `${MAX_SEGMENTS} names, ${MAX_PATH} characters`
  return check.refuse(at, 'format', `must name a member of the data, such as a.b (${limits})`)
}

function parseOperator(check: Check, value: unknown, at: string): Operator | undefined {
  if (isOperator(value)) return value
  return check.refuse(at, 'enum', `must be one of ${[...OPERATORS.keys()].join(', ')}`)
}

function isOperator(value: unknown): value is Operator {
  return typeof value === 'string' && OPERATORS.has(value)
}

function problemOfValue(op: Operator, value: unknown): string | null {
  switch (op) {
    case 'exists':
      return typeof value === 'boolean' ? null : 'must be true or false'
    case 'in':
    case 'nin':
      return isList(value) ? null : `must be a list of 1 to ${MAX_ITEMS} texts, numbers, booleans`
    case 'starts_with':
      return isText(value) ? null : `must be text of at most ${MAX_TEXT} characters`
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return isText(value) || isNumeric(toScalar(value)) ? null : 'must be a number or text'
    default:
      return isPlain(value) ? null : 'must be text, a number, a boolean or null'
  }
}

function isList(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= MAX_ITEMS &&
    value.every((item) => isPlain(item))
  )
}

function isPlain(value: unknown): boolean {
  if (typeof value === 'string') return isText(value)
  return toScalar(value) !== undefined
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.length <= MAX_TEXT
}
