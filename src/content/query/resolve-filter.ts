import { wordsOf } from '#db'
import { isUuid } from '#kernel'
import { fold } from '../fold.ts'
import type { ContentModel, ContentType } from '../model.ts'
import type { Viewer } from '../viewer.ts'
import type { CompareOperator, Filter, Scalar } from './ast.ts'
import type { At, Issues } from './issues.ts'
import type { Column } from './names/column.ts'
import { type Field, findField, type Scope, type Step, scopeOf } from './names/fields.ts'
import { IDENTITY, MEMBERSHIP, PARTIAL } from './operators.ts'
import type { Condition, PositiveOperator } from './resolved.ts'
import { requireRead, requireWrite } from './rights.ts'
import { Slot, toSlot } from './slot.ts'
import { following } from './sql/compare.ts'

/** What every part of a query is resolved with. */
export interface Resolving {
  readonly model: ContentModel
  readonly viewer: Viewer
  readonly issues: Issues
  /** Of lists over several types: relations to types that do not exist for the caller hold nothing. */
  exists?(type: ContentType): boolean
}

type Compare = Extract<Filter, { kind: 'compare' }>
type Missing = Extract<Filter, { kind: 'missing' }>
type Some = Extract<Filter, { kind: 'some' }>

/** JSON:API allows most; dialects with lower limits check their own. */
export const DEEPEST_PATH = 6
/** Of what was refused: the refusal is thrown before anything is asked. */
export const NOTHING: Condition = { kind: 'or', of: [] }

/** Checks every name and how each value is converted; what is wrong goes to `issues`. */
export function resolveFilter(to: Resolving, scope: Scope, filter: Filter, depth = 0): Condition {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return groupOf(
        filter.kind,
        filter.of.map((each) => resolveFilter(to, scope, each, depth)),
      )
    case 'not':
      return { kind: 'not', of: resolveFilter(to, scope, filter.of, depth) }
    case 'compare':
      return resolveCompare(to, scope, filter)
    case 'missing':
      return resolveMissing(to, scope, filter)
    case 'some':
      return resolveSome(to, scope, filter, depth)
    case 'placed':
      return scope.kind === 'entry' ? placedAt(filter) : NOTHING
  }
}

/** A group of one is that one, whatever dialect has written it. */
export function groupOf(kind: 'and' | 'or', of: readonly Condition[]): Condition {
  const [only] = of
  return only && of.length === 1 ? only : { kind, of }
}

function placedAt({ kind, axis, of }: Extract<Filter, { kind: 'placed' }>): Condition {
  return { kind, axis, of: 'collection' in of ? of : { documentId: toSlot(of.documentId) } }
}

function resolveMissing(to: Resolving, scope: Scope, filter: Missing): Condition {
  const field = lookUp(to, scope, filter)
  if (!field) return NOTHING
  return missing(to, field)
}

function missing(to: Resolving, field: KnownField): Condition {
  if (field.kind !== 'step') return { kind: 'missing', column: field.column }
  if (isHidden(to, field.step)) return { kind: 'not', of: NOTHING }
  mayEnter(to, field.step)
  return { kind: 'not', of: { kind: 'some', step: field.step, of: null } }
}

function resolveSome(to: Resolving, scope: Scope, filter: Some, depth: number): Condition {
  const field = lookUp(to, scope, filter)
  if (!field) return NOTHING
  if (field.kind === 'author') return resolveAuthor(to, scope, filter, depth)
  if (field.kind !== 'step') {
    to.issues.add(atOf(filter), 'unknown_relation', `${filter.field} has no fields of its own`)
    return NOTHING
  }
  if (depth >= DEEPEST_PATH) {
    to.issues.add(atOf(filter), 'too_deep', `Filters may go through ${DEEPEST_PATH} relations`)
    return NOTHING
  }
  if (isHidden(to, field.step)) return NOTHING
  mayEnter(to, field.step)
  const of = resolveFilter(to, scopeOf(field.step), filter.of, depth + 1)
  return { kind: 'some', step: field.step, of }
}

/** An account is asked for by its id alone: what it is called is none of the store's business. */
function resolveAuthor(to: Resolving, scope: Scope, filter: Some, depth: number): Condition {
  const { field, at } = filter
  const exists: Filter = { kind: 'not', of: { kind: 'missing', field, ...(at && { at }) } }
  const of = renamed(filter.of)
  if (!of) {
    const message = `${field} can be filtered by the id of an account alone, as in ${field}.id; accounts and their ids are listed by GET /api/v1/users`
    to.issues.add(atOf(filter), 'unknown_field', message)
    return NOTHING
  }
  return resolveFilter(to, scope, { kind: 'and', of: [exists, of] }, depth + 1)

  function renamed(inner: Filter): Filter | undefined {
    switch (inner.kind) {
      case 'compare':
      case 'missing':
        return inner.field === 'id' ? { ...inner, field } : undefined
      case 'not': {
        const negated = renamed(inner.of)
        return negated && { kind: 'not', of: negated }
      }
      case 'and':
      case 'or': {
        const all = inner.of.map(renamed).filter((each) => each !== undefined)
        return all.length < inner.of.length ? undefined : { kind: inner.kind, of: all }
      }
      default:
        return undefined
    }
  }
}

export function isHidden({ exists }: Resolving, step: Step): boolean {
  return step.kind === 'relation' && exists !== undefined && !exists(step.target)
}

/** What can be named in a query leads nowhere the caller may not read. */
export function mayEnter({ viewer }: Resolving, step: Step): void {
  if (step.kind === 'relation') requireRead(viewer, step.target)
}

function resolveCompare(to: Resolving, scope: Scope, filter: Compare): Condition {
  const field = lookUp(to, scope, filter)
  if (!field) return NOTHING
  const { positive, negated } = split(filter.operator)
  const condition = comparison(to, field, filter, positive)
  return negated ? { kind: 'not', of: condition } : condition
}

function comparison(
  to: Resolving,
  field: KnownField,
  filter: Compare,
  operator: PositiveOperator,
): Condition {
  if (filter.list) return oneOfList(to, field, filter, filter.list)
  if (operator !== 'in' && filter.values.length !== (operator === 'between' ? 2 : 1)) {
    return refuseValue(to, filter, operator === 'between' ? 'needs two values' : 'needs one value')
  }
  const values: Value[] = []
  for (const slot of filter.values.map(toSlot)) {
    if (!slot.look((value) => value === null)) values.push(slot.map((value) => value ?? ''))
  }
  const asked = values.length < filter.values.length ? [missing(to, field)] : []
  if (asked.length > 0 && operator !== 'eq' && operator !== 'in') {
    return refuseValue(to, filter, 'must be a value')
  }
  if (values.length > 0 || operator === 'in')
    asked.push(compareTo(to, field, filter, operator, values))
  return groupOf('or', asked)
}

type Value = Slot<Exclude<Scalar, null>>

/** Dialects ask so for values that they have checked themselves: what can be none is left out. */
function oneOfList(
  to: Resolving,
  field: KnownField,
  filter: Compare,
  list: Slot<readonly string[]>,
): Condition {
  if (field.kind !== 'column') return notComparable(to, filter)
  const { column } = field
  const values = list.map((all) =>
    all.map((value) => column.parse(value)).flatMap((found) => (found.ok ? [found.value] : [])),
  )
  return { kind: 'compare', column, operator: 'in', fold: filter.fold, values: [values] }
}

function compareTo(
  to: Resolving,
  field: KnownField,
  filter: Compare,
  operator: PositiveOperator,
  values: readonly Value[],
): Condition {
  switch (field.kind) {
    case 'column':
    case 'author':
      return compareColumn(to, field.column, filter, operator, values)
    case 'tags':
      return compareTags(to, field, filter, operator, values)
    case 'step':
      return compareIds(to, field.step, filter, operator, values)
    case 'kept':
      return notComparable(to, filter)
  }
}

function compareColumn(
  to: Resolving,
  column: Column,
  filter: Compare,
  operator: PositiveOperator,
  values: readonly Value[],
): Condition {
  if (!column.textual && PARTIAL.has(operator)) return notComparable(to, filter)
  const parsed: Slot[] = []
  for (const value of values) {
    const result = value.map((given) => column.parse(given))
    const fault = result.look((found) => (found.ok ? null : found.message))
    if (fault !== null) return refuseValue(to, filter, fault)
    parsed.push(result.map((found) => (found.ok ? found.value : null)))
  }
  const [first = toSlot<unknown>('')] = parsed
  if (operator === 'word') return hasWords(column, first)
  if (column.rare && operator === 'eq') {
    return flagged(
      column.rare,
      first.look((value) => value === 1),
    )
  }
  const { fold: isFold } = filter
  const as = operatorFor(operator, first, isFold && column.fold !== null)
  if (as === 'present') return { kind: 'not', of: { kind: 'missing', column } }
  const own = as === 'in' ? [Slot.list(parsed)] : parsed
  return { kind: 'compare', column, operator: as, fold: isFold, values: own }
}

/** Where the value itself decides what is compared. */
function operatorFor(operator: PositiveOperator, value: Slot, isFold: boolean) {
  if (operator !== 'startsWith' && operator !== 'endsWith') return operator
  const isEmpty = value.look((text) => text === '')
  if (isEmpty) return 'present'
  const isEndless =
    operator === 'startsWith' &&
    value.look((text) => following(isFold ? fold(String(text)) : String(text)) === undefined)
  return isEndless ? 'gte' : operator
}

/** All of them; a text without words is found nowhere. */
function hasWords(column: Column, text: Slot): Condition {
  const words = text.map((value) => wordsOf(fold(String(value))))
  const count = words.look(({ length }) => length)
  const compare = { kind: 'compare', column, operator: 'word', fold: true } as const
  const of = Array.from({ length: count }, (_, at) => words.map((all) => all[at]))
  return count === 0
    ? NOTHING
    : groupOf(
        'and',
        of.map((word) => ({ ...compare, values: [word] })),
      )
}

function flagged(rare: NonNullable<Column['rare']>, isSet: boolean): Condition {
  return isSet ? { kind: 'not', of: { kind: 'rare', rare } } : { kind: 'rare', rare }
}

function compareTags(
  to: Resolving,
  { attribute }: Extract<Field, { kind: 'tags' }>,
  filter: Compare,
  operator: PositiveOperator,
  values: readonly Value[],
): Condition {
  if (!MEMBERSHIP.has(operator)) return notComparable(to, filter)
  const list = Slot.list(values.map((value) => value.map(String)))
  return { kind: 'tagged', attribute, fold: filter.fold, list }
}

/** `filters[author]=3` compares the id of what the field refers to; a UUID is a documentId. */
function compareIds(
  to: Resolving,
  step: Step,
  filter: Compare,
  operator: PositiveOperator,
  values: readonly Value[],
): Condition {
  if (!IDENTITY.has(operator)) return notComparable(to, filter)
  if (isHidden(to, step)) return NOTHING
  mayEnter(to, step)
  const isDocument = (value: unknown) => typeof value === 'string' && isUuid(value)
  const { documents = [], ids = [] } = Object.groupBy(values, (value) =>
    value.look(isDocument) ? 'documents' : 'ids',
  )
  // In whatever case, as wherever an entry is named.
  const uuids = documents.map((value) => value.map((own) => String(own).toLowerCase()))
  const of = [
    ...(ids.length > 0 ? [idCondition(to, step, 'id', filter, ids)] : []),
    ...(uuids.length > 0 ? [idCondition(to, step, 'documentId', filter, uuids)] : []),
  ]
  return { kind: 'some', step, of: groupOf('or', of) }
}

function idCondition(
  to: Resolving,
  step: Step,
  name: 'id' | 'documentId',
  filter: Compare,
  values: readonly Value[],
): Condition {
  const field = findField(to.model, scopeOf(step), name)
  if (field?.kind !== 'column') return notComparable(to, filter)
  return compareColumn(to, field.column, filter, 'in', values)
}

type KnownField = Exclude<Field, { kind: 'private' | 'zone' }>

/** Undefined when the name is not for callers, which has been noted then. */
function lookUp(
  { model, issues, viewer }: Resolving,
  scope: Scope,
  filter: Compare | Missing | Some,
): KnownField | undefined {
  const field = findField(model, scope, filter.field)
  if (!field) {
    issues.add(atOf(filter), 'unknown_field', `There is no field ${filter.field}`)
    return undefined
  }
  if (field.kind === 'zone') {
    const message = `${filter.field} is a dynamic zone, which cannot be filtered by`
    issues.add(atOf(filter), 'not_comparable', message)
    return undefined
  }
  if (field.kind === 'author') requireWrite(viewer, 'Filtering by who wrote an entry')
  if (field.kind !== 'private') return field
  issues.add(atOf(filter), 'private_field', `${filter.field} cannot be used in a query`)
  return undefined
}

function notComparable({ issues }: Resolving, filter: Compare): Condition {
  const message = `${filter.field} cannot be compared with ${filter.operator}`
  issues.add(atOf(filter), 'not_comparable', message)
  return NOTHING
}

function refuseValue({ issues }: Resolving, filter: Compare, message: string): Condition {
  issues.add(atOf(filter), 'wrong_type', `${filter.field} ${message}`)
  return NOTHING
}

function atOf({ at, field }: Compare | Missing | Some): At {
  return at ?? [field]
}

function split(operator: CompareOperator): { positive: PositiveOperator; negated: boolean } {
  switch (operator) {
    case 'ne':
      return { positive: 'eq', negated: true }
    case 'notIn':
      return { positive: 'in', negated: true }
    case 'notContains':
      return { positive: 'contains', negated: true }
    default:
      return { positive: operator, negated: false }
  }
}
