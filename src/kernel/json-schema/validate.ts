import { isDeepStrictEqual } from 'node:util'
import { canonicalJson } from '../canonical-json.ts'
import type { Issue } from '../errors.ts'
import { isObject } from '../json.ts'
import { resolveReference } from './definition.ts'
import { FORMATS } from './formats.ts'
import { costOf, isFound } from './pattern.ts'

/** A schema that `checkSchema` found nothing wrong with. */
export type Node = Readonly<Record<string, unknown>> | boolean
type Path = readonly (string | number)[]
type Members = Readonly<Record<string, unknown>>

export interface Run {
  readonly root: Node
  readonly budget: Budget
  /** How many references led here. */
  readonly depth: number
}

/** Values are nested a hundred deep at most; whatever goes further goes round in a circle. */
const MAX_REFERENCES = 300

/** Counts what has been looked at; when it is spent nothing more is, and the result is void. */
export function createBudget(steps: number) {
  let left = steps
  return { take, spend, isSpent: () => left < 0 }

  function spend() {
    left = -1
  }

  /** False when there is nothing left. */
  function take(cost = 1): boolean {
    left -= cost
    return left >= 0
  }
}

export type Budget = ReturnType<typeof createBudget>

export function validate(run: Run, node: Node, value: unknown, at: Path): Issue[] {
  if (node === true || !run.budget.take()) return []
  if (node === false) return [issue(at, 'false', 'is not allowed')]
  return [
    ...general(node, value, at),
    ...(typeof value === 'number' ? numbers(node, value, at) : []),
    ...(typeof value === 'string' ? texts(run, node, value, at) : []),
    ...(Array.isArray(value) ? lists(run, node, value, at) : []),
    ...(isObject(value) ? objects(run, node, value, at) : []),
    ...combined(run, node, value, at),
  ]
}

function fits(run: Run, node: Node, value: unknown): boolean {
  return validate(run, node, value, []).length === 0
}

function general(node: Members, value: unknown, at: Path): Issue[] {
  const { type, enum: allowed, const: constant } = node
  const issues: Issue[] = []
  if (type !== undefined) {
    const types: unknown[] = Array.isArray(type) ? type : [type]
    if (!types.some((one) => isOfType(one, value))) {
      issues.push(issue(at, 'type', `must be of type ${types.join(' or ')}`))
    }
  }
  if (Array.isArray(allowed) && !allowed.some((one) => isDeepStrictEqual(one, value))) {
    issues.push(issue(at, 'enum', 'must be one of the allowed values'))
  }
  if (Object.hasOwn(node, 'const') && !isDeepStrictEqual(constant, value)) {
    issues.push(issue(at, 'const', 'must be the one allowed value'))
  }
  return issues
}

function isOfType(type: unknown, value: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isObject(value)
  return typeof value === type
}

function numbers(node: Members, value: number, at: Path): Issue[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = node
  return [
    ...when(isNumber(minimum) && value < minimum, at, 'minimum', `must be at least ${minimum}`),
    ...when(isNumber(maximum) && value > maximum, at, 'maximum', `must be at most ${maximum}`),
    ...when(
      isNumber(exclusiveMinimum) && value <= exclusiveMinimum,
      at,
      'exclusiveMinimum',
      `must be more than ${exclusiveMinimum}`,
    ),
    ...when(
      isNumber(exclusiveMaximum) && value >= exclusiveMaximum,
      at,
      'exclusiveMaximum',
      `must be less than ${exclusiveMaximum}`,
    ),
    ...when(
      isNumber(multipleOf) && !isMultiple(value, multipleOf),
      at,
      'multipleOf',
      `must be a multiple of ${multipleOf}`,
    ),
  ]
}

/** 0.3 is a multiple of 0.1, though not of the double that stands for it. */
function isMultiple(value: number, of: number): boolean {
  const times = value / of
  return Math.abs(times - Math.round(times)) <= Math.abs(times) * Number.EPSILON
}

function texts({ budget }: Run, node: Members, value: string, at: Path): Issue[] {
  const { minLength, maxLength, pattern, format } = node
  const isMeasured = isNumber(minLength) || isNumber(maxLength)
  const length = isMeasured ? [...value].length : 0
  const isAffordable = typeof pattern !== 'string' || budget.take(costOf(pattern, value.length))
  const check = typeof format === 'string' ? FORMATS.get(format) : undefined
  return [
    ...when(isNumber(minLength) && length < minLength, at, 'minLength', fewest(minLength)),
    ...when(isNumber(maxLength) && length > maxLength, at, 'maxLength', most(maxLength)),
    ...when(
      isAffordable && typeof pattern === 'string' && !isFound(pattern, value),
      at,
      'pattern',
      'does not match the pattern',
    ),
    ...when(check !== undefined && !check(value), at, 'format', `must be a ${format}`),
  ]
}

function fewest(count: unknown): string {
  return `must have at least ${count} characters`
}

function most(count: unknown): string {
  return `must have at most ${count} characters`
}

function lists(run: Run, node: Members, value: readonly unknown[], at: Path): Issue[] {
  const { minItems, maxItems, uniqueItems, items, prefixItems } = node
  const first: unknown[] = Array.isArray(prefixItems) ? prefixItems : []
  return [
    ...when(isNumber(minItems) && value.length < minItems, at, 'minItems', 'has too few items'),
    ...when(isNumber(maxItems) && value.length > maxItems, at, 'maxItems', 'has too many items'),
    ...when(uniqueItems === true && hasDoubles(run, value), at, 'uniqueItems', 'repeats an item'),
    ...value.flatMap((item, index) => {
      const node = index < first.length ? first[index] : items
      return isNode(node) ? validate(run, node, item, [...at, index]) : []
    }),
    ...containing(run, node, value, at),
  ]
}

/** By their text, so that a long list is read once and not once for each item. */
function hasDoubles({ budget }: Run, value: readonly unknown[]): boolean {
  if (!budget.take(value.length)) return false
  return new Set(value.map((item) => canonicalJson(item))).size < value.length
}

function containing(run: Run, node: Members, value: readonly unknown[], at: Path): Issue[] {
  const { contains, minContains, maxContains } = node
  if (!isNode(contains)) return []
  const found = value.filter((item) => fits(run, contains, item)).length
  const fewest = isNumber(minContains) ? minContains : 1
  const isWrong = found < fewest || (isNumber(maxContains) && found > maxContains)
  return when(isWrong, at, 'contains', 'has too few or too many items of the wanted kind')
}

function objects(run: Run, node: Members, value: Members, at: Path): Issue[] {
  const { minProperties, maxProperties, required, dependentRequired, dependentSchemas } = node
  const entries = Object.entries(value)
  const few = isNumber(minProperties) && entries.length < minProperties
  const many = isNumber(maxProperties) && entries.length > maxProperties
  return [
    ...when(few, at, 'minProperties', 'has too few members'),
    ...when(many, at, 'maxProperties', 'has too many members'),
    ...missing(required, value, at),
    ...entriesOf(dependentRequired).flatMap(([name, others]) =>
      Object.hasOwn(value, name) ? missing(others, value, at) : [],
    ),
    ...entriesOf(dependentSchemas).flatMap(([name, other]) =>
      Object.hasOwn(value, name) && isNode(other) ? validate(run, other, value, at) : [],
    ),
    ...entries.flatMap(([name, member]) => memberIssues(run, node, name, member, at)),
  ]
}

function memberIssues(run: Run, node: Members, name: string, member: unknown, at: Path): Issue[] {
  const { properties, patternProperties, additionalProperties, propertyNames } = node
  const inner = [...at, name]
  const own = isObject(properties) && Object.hasOwn(properties, name) ? [properties[name]] : []
  const matching = entriesOf(patternProperties).flatMap(([pattern, one]) =>
    run.budget.take(1 + costOf(pattern, name.length)) && isFound(pattern, name) ? [one] : [],
  )
  const found = [...own, ...matching]
  const nodes = found.length > 0 ? found : [additionalProperties]
  const isNameWrong = isNode(propertyNames) && !fits(run, propertyNames, name)
  return [
    ...when(isNameWrong, inner, 'propertyNames', 'has a name that is not allowed'),
    ...nodes.flatMap((one) => (isNode(one) ? validate(run, one, member, inner) : [])),
  ]
}

function missing(required: unknown, value: Members, at: Path): Issue[] {
  const names: unknown[] = Array.isArray(required) ? required : []
  return names.flatMap((name) =>
    typeof name === 'string' && !Object.hasOwn(value, name)
      ? [issue([...at, name], 'required', 'is required')]
      : [],
  )
}

function combined(run: Run, node: Members, value: unknown, at: Path): Issue[] {
  const { allOf, anyOf, oneOf, not, if: condition, $ref } = node
  const one = nodesOf(oneOf).filter((each) => fits(run, each, value)).length
  return [
    ...nodesOf(allOf).flatMap((each) => validate(run, each, value, at)),
    ...when(
      anyOf !== undefined && !nodesOf(anyOf).some((each) => fits(run, each, value)),
      at,
      'anyOf',
      'fits none of the allowed forms',
    ),
    ...when(oneOf !== undefined && one !== 1, at, 'oneOf', 'must fit exactly one of the forms'),
    ...when(isNode(not) && fits(run, not, value), at, 'not', 'has a form that is not allowed'),
    ...(isNode(condition) ? branch(run, node, condition, value, at) : []),
    ...(typeof $ref === 'string' ? referred(run, $ref, value, at) : []),
  ]
}

function branch(run: Run, node: Members, condition: Node, value: unknown, at: Path): Issue[] {
  const taken = fits(run, condition, value) ? node['then'] : node['else']
  return isNode(taken) ? validate(run, taken, value, at) : []
}

function referred(run: Run, pointer: string, value: unknown, at: Path): Issue[] {
  const target = resolveReference(run.root, pointer)
  if (!isNode(target)) return []
  if (run.depth < MAX_REFERENCES)
    return validate({ ...run, depth: run.depth + 1 }, target, value, at)
  run.budget.spend()
  return []
}

function nodesOf(value: unknown): Node[] {
  return Array.isArray(value) ? value.filter(isNode) : []
}

function entriesOf(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : []
}

function when(isWrong: boolean, at: Path, rule: string, message: string): Issue[] {
  return isWrong ? [issue(at, rule, message)] : []
}

/** `message` completes the sentence that starts with the path. */
function issue(at: Path, rule: string, message: string): Issue {
  return { path: at, rule, message }
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number'
}

function isNode(value: unknown): value is Node {
  return typeof value === 'boolean' || isObject(value)
}
