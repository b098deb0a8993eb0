import type { Filter, Scalar } from './ast.ts'
import { type At, createIssues, type Issues } from './issues.ts'
import { LISTS, OPERATORS, type Operation } from './operators.ts'
import { type Operand, Slot, toSlot } from './slot.ts'

/**
 * The operator language of CMS REST §4.1, which `/api/v1` and GraphQL share: plain objects such as a
 * query string parser makes, `{ author: { name: { $eqi: 'ada' } } }`. Names are checked by `resolve`.
 */

type Raw = Readonly<Record<string, unknown>>

const FALSE: readonly unknown[] = [false, 0, 'false', 'f', '0', '', null]
const FIELD = /^[A-Za-z][A-Za-z0-9_]*$/
const INDEX = /^\d+$/
const MAX_RELATIONS = 5
/** Objects in objects, whatever they mean: as deep as query strings are parsed. */
const MAX_NESTING = 20
/** Nobody writes as many; a body or a variable can hold them. */
const MAX_CONDITIONS = 1_000

interface Position {
  readonly at: At
  /** Relations entered so far. */
  readonly depth: number
  readonly issues: Issues
  /** Comparisons of the whole filter so far. */
  readonly conditions: { count: number }
}

/** Null when nothing is asked; refuses with every fault, each with the caller's own path. */
export function parseFilter(raw: unknown, at: At): Filter | null {
  const issues = createIssues()
  const conditions = { count: 0 }
  const filter = raw === undefined ? null : parseGroup(raw, { at, depth: 0, issues, conditions })
  if (conditions.count > MAX_CONDITIONS) {
    const message = `has ${conditions.count} conditions, the limit is ${MAX_CONDITIONS}`
    issues.add(at, 'too_many', `${nameOf(at)} ${message}`)
  }
  issues.refuse()
  return filter
}

function parseGroup(raw: unknown, position: Position): Filter | null {
  if (!isObject(raw)) return refuse(position, 'malformed', 'must be an object of fields')
  if (position.at.length > MAX_NESTING) return refuse(position, 'too_deep', 'is nested too deeply')
  return all(
    Object.entries(raw).map(([name, value]) => parseMember(name, value, within(position, name))),
  )
}

function parseMember(name: string, value: unknown, position: Position): Filter | null {
  if (value === undefined) return null
  switch (name) {
    case '$and':
      return all(parseEach(value, position, parseGroup))
    case '$or':
      return any(parseEach(value, position, parseGroup))
    case '$not':
      return negate(parseGroup(value, position))
  }
  if (FIELD.test(name)) return parseField(name, value, position)
  if (name.startsWith('$')) return refuse(position, 'unknown_operator', 'is not a known operator')
  return refuse(position, 'unknown_field', 'is not a field')
}

function parseField(field: string, value: unknown, position: Position): Filter | null {
  if (isScalar(value)) return compare(field, ['eq', false], [value], position)
  const list = toList(value)
  if (list) return compareAll(field, ['in', false], list, position)
  if (!isObject(value)) return refuse(position, 'malformed', 'must be a value or an object')
  if (position.at.length > MAX_NESTING) return refuse(position, 'too_deep', 'is nested too deeply')
  return namesFields(value)
    ? parseRelated(field, value, position)
    : parseOperators(field, value, position)
}

/** What is asked of the related entry must hold for one and the same of them. */
function parseRelated(field: string, value: Raw, position: Position): Filter | null {
  if (position.depth >= MAX_RELATIONS) {
    return refuse(position, 'too_deep', `goes through more than ${MAX_RELATIONS} relations`)
  }
  const inner = { ...position, depth: position.depth + 1 }
  const isOwn = ([name]: readonly [string, unknown]) => isComparison(name)
  const own = Object.fromEntries(Object.entries(value).filter(isOwn))
  const rest = Object.fromEntries(Object.entries(value).filter((entry) => !isOwn(entry)))
  const of = parseGroup(rest, inner)
  return all([of && behind(field, of, position.at), parseOperators(field, own, position)])
}

/**
 * What some related entry fulfils. That its id is missing is asked of the relation itself: no entry lacks one,
 * so that `author.id` is null where there is no author.
 */
function behind(field: string, of: Filter, at: At): Filter {
  if (isNoId(of)) return { kind: 'missing', field, at }
  if (of.kind === 'not' && asksForNoId(of.of)) return { kind: 'not', of: behind(field, of.of, at) }
  if ((of.kind === 'and' || of.kind === 'or') && asksForNoId(of)) {
    const own = of.of.filter(asksForNoId).map((each) => behind(field, each, at))
    const rest = combine(
      of.kind,
      of.of.filter((each) => !asksForNoId(each)),
    )
    return { kind: of.kind, of: rest ? [...own, behind(field, rest, at)] : own }
  }
  return { kind: 'some', field, of, at }
}

function isNoId(filter: Filter): boolean {
  if (filter.kind === 'missing') return isIdName(filter.field)
  if (filter.kind !== 'compare' || filter.operator !== 'eq') return false
  return isIdName(filter.field) && filter.values.length === 1 && filter.values[0] === null
}

function isIdName(field: string): boolean {
  return field === 'id' || field === 'documentId'
}

/** Anywhere inside, without entering further relations. */
function asksForNoId(filter: Filter): boolean {
  if (filter.kind === 'and' || filter.kind === 'or') return filter.of.some(asksForNoId)
  return filter.kind === 'not' ? asksForNoId(filter.of) : isNoId(filter)
}

function parseOperators(field: string, value: Raw, position: Position): Filter | null {
  return all(
    Object.entries(value).map(([name, operand]) =>
      parseOperator(field, name, operand, within(position, name)),
    ),
  )
}

function parseOperator(
  field: string,
  name: string,
  operand: unknown,
  position: Position,
): Filter | null {
  if (operand === undefined) return null
  const again = (value: unknown, inner: Position) => parseField(field, value, inner)
  switch (name) {
    case '$and':
      return all(parseEach(operand, position, again))
    case '$or':
      return any(parseEach(operand, position, again))
    case '$not':
      return negate(again(operand, position))
    case '$null':
    case '$notNull':
      return parseNull(field, name === '$null', operand, position)
  }
  const operation = OPERATORS.get(name)
  if (!operation) return refuse(position, 'unknown_operator', 'is not a known operator')
  const [operator] = operation
  const list = toList(operand)
  if (!list) return compareAll(field, operation, [operand], position)
  if (LISTS.has(operator)) return compareAll(field, operation, list, position)
  return compareAny(field, operation, list, position)
}

/** A list under an operator of one value means any of them, and under its negation none of them. */
function compareAny(
  field: string,
  [operator, fold]: Operation,
  list: readonly unknown[],
  position: Position,
): Filter | null {
  if (operator === 'eq') return compareAll(field, ['in', fold], list, position)
  if (operator === 'ne') return compareAll(field, ['notIn', fold], list, position)
  const isNegated = operator === 'notContains'
  const operation: Operation = [isNegated ? 'contains' : operator, fold]
  const each = list.map((value, at) => compareAll(field, operation, [value], within(position, at)))
  const any: Filter = { kind: 'or', of: each.filter((filter) => filter !== null) }
  return isNegated ? { kind: 'not', of: any } : any
}

function parseNull(field: string, isAsked: boolean, operand: unknown, position: Position): Filter {
  position.conditions.count++
  const missing: Filter = { kind: 'missing', field, at: position.at }
  const isFalse = isScalar(operand) && toSlot(operand).look((value) => FALSE.includes(value))
  return isAsked === isFalse ? { kind: 'not', of: missing } : missing
}

function compareAll(
  field: string,
  operation: Operation,
  operands: readonly unknown[],
  position: Position,
): Filter | null {
  const values = operands.filter(isScalar)
  if (values.length < operands.length) return refuse(position, 'malformed', 'must be a plain value')
  return compare(field, operation, values, position)
}

function compare(
  field: string,
  [operator, fold]: Operation,
  values: readonly Operand<Scalar>[],
  { at, conditions }: Position,
): Filter {
  conditions.count++
  return { kind: 'compare', field, operator, fold, values, at }
}

function parseEach(
  raw: unknown,
  position: Position,
  parse: (value: unknown, position: Position) => Filter | null,
): (Filter | null)[] {
  return (toList(raw) ?? [raw]).map((item, index) => {
    const inner = within(position, index)
    const group = toList(item)
    // A list inside the list is a group of its own, joined by and; one of plain values is `$in`.
    if (!group || group.every(isScalar) || inner.at.length > MAX_NESTING) return parse(item, inner)
    return all(parseEach(item, inner, parse))
  })
}

/** Parsers of query strings make objects of lists with a high index. */
function toList(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value.filter((item) => item !== undefined)
  if (!isObject(value)) return undefined
  const names = Object.keys(value)
  return names.length > 0 && names.every((name) => INDEX.test(name))
    ? Object.values(value)
    : undefined
}

/** A relation is meant, not a value: somewhere inside, without entering fields, one is named. */
function namesFields(value: unknown, nesting = 0): boolean {
  if (nesting > MAX_NESTING) return false
  const list = toList(value)
  if (list) return list.some((item) => namesFields(item, nesting + 1))
  if (!isObject(value)) return false
  return Object.entries(value).some(
    ([name, inner]) => !name.startsWith('$') || (isLogic(name) && namesFields(inner, nesting + 1)),
  )
}

function isLogic(name: string): boolean {
  return name === '$and' || name === '$or' || name === '$not'
}

function isComparison(name: string): boolean {
  return OPERATORS.has(name) || name === '$null' || name === '$notNull'
}

/** Slots stand for texts of the query. */
function isScalar(value: unknown): value is Operand<Scalar> {
  if (value instanceof Slot || value === null) return true
  return ['string', 'number', 'boolean'].includes(typeof value)
}

function isObject(value: unknown): value is Raw {
  if (value instanceof Slot || Array.isArray(value)) return false
  return typeof value === 'object' && value !== null
}

function within(position: Position, name: string | number): Position {
  return { ...position, at: [...position.at, name] }
}

/** Empty objects ask nothing and are dropped, also inside others. */
function all(filters: readonly (Filter | null)[]): Filter | null {
  return combine('and', filters)
}

function any(filters: readonly (Filter | null)[]): Filter | null {
  return combine('or', filters)
}

function combine(kind: 'and' | 'or', filters: readonly (Filter | null)[]): Filter | null {
  const of = filters.filter((filter) => filter !== null)
  const [first] = of
  if (!first) return null
  return of.length === 1 ? first : { kind, of }
}

function negate(filter: Filter | null): Filter | null {
  return filter && { kind: 'not', of: filter }
}

function refuse(
  { at, issues }: Position,
  rule: 'unknown_operator' | 'unknown_field' | 'malformed' | 'too_deep',
  message: string,
): null {
  issues.add(at, rule, `${nameOf(at)} ${message}`)
  return null
}

/** As the caller wrote it: `filters[author][name]`. */
function nameOf([first = '', ...rest]: At): string {
  return `${first}${rest.map((name) => `[${name}]`).join('')}`
}
