import { type Filter, type Operand, type Scalar, Slot, textOf, toSlot } from '#content-query'
import type { KnownUser } from '../deps.ts'
import { badParameter } from '../errors.ts'
import type { Catalogue, EntryResource } from '../target/catalogue.ts'
import type { Condition, Node, Operator } from './conditions.ts'
import { matches } from './matching.ts'
import { type Leaf, type Located, locate } from './paths.ts'
import { memberOf } from './users.ts'

/** What filters and sorts of one list are made with. */
export interface ListContext {
  readonly catalogue: Catalogue
  readonly from: EntryResource | 'media' | 'file'
  /** Everybody, when authors are asked for; nobody otherwise. */
  readonly users: readonly KnownUser[]
}

type FieldLeaf = Extract<Leaf, { kind: 'field' }>

const ALWAYS: Filter = { kind: 'and', of: [] }
const NEVER: Filter = { kind: 'or', of: [] }

export function toFilter(context: ListContext, node: Node): Filter {
  if (node.kind !== 'condition') {
    return { kind: node.kind, of: node.of.map((each) => toFilter(context, each)) }
  }
  const located = locate(context.catalogue, context.from, node.path)
  if ('fault' in located) throw badParameter(node.pathAt, located.fault, 'unknown_field')
  return fromLocated(context, node, located)
}

const POSITIVE: Readonly<Partial<Record<Operator, Operator>>> = {
  '<>': '=',
  'NOT IN': 'IN',
  'NOT BETWEEN': 'BETWEEN',
  'IS NULL': 'IS NOT NULL',
}

/** Negations hold when none of the related resources matches, so they are those of the whole path. */
function fromLocated(context: ListContext, condition: Condition, { steps, leaf }: Located): Filter {
  const positive = POSITIVE[condition.operator]
  const asked = positive ? { ...condition, operator: positive } : condition
  const inner = steps.reduceRight(
    (of: Filter, { field }): Filter => ({ kind: 'some', field, of, at: [condition.pathAt] }),
    atLeaf(context, asked, leaf),
  )
  return positive ? { kind: 'not', of: inner } : inner
}

function atLeaf(context: ListContext, condition: Condition, leaf: Leaf): Filter {
  const { operator, values } = condition
  switch (leaf.kind) {
    case 'constant':
      return Slot.list(values.map(toSlot)).look((texts) => matches(leaf.value, operator, texts))
        ? ALWAYS
        : NEVER
    case 'user':
      return ofUsers(context, condition, leaf.member)
    case 'field':
      return ofField(context, condition, leaf)
  }
}

/** Who fulfils it is known here; the store only compares who made an entry. */
function ofUsers({ users, catalogue }: ListContext, condition: Condition, member: string): Filter {
  const { operator, values, pathAt } = condition
  const { model } = catalogue
  const list = Slot.list(values.map(toSlot)).map((texts) =>
    users
      .filter((user) => matches(memberOf(user, member, model), operator, texts))
      .map(({ id }) => String(id)),
  )
  const compare = { kind: 'compare', operator: 'in', fold: false, values: [] } as const
  return { ...compare, field: '@createdBy', list, at: [pathAt] }
}

function ofField(context: ListContext, condition: Condition, leaf: FieldLeaf): Filter {
  const { operator, pathAt, valueAt } = condition
  if (leaf.field.startsWith('@live') || leaf.field === '@default') {
    return ofFlag(context, condition, leaf)
  }
  if (operator === 'IS NOT NULL') {
    return { kind: 'not', of: { kind: 'missing', field: leaf.field, at: [pathAt] } }
  }
  const values = converted(condition, leaf)
  if (leaf.inSeconds) return inSeconds(leaf.field, operator, values, valueAt)
  return compare(leaf.field, OPERATORS[operator] ?? 'eq', values, valueAt)
}

type CompareFilter = Extract<Filter, { kind: 'compare' }>

const OPERATORS: Readonly<Partial<Record<Operator, CompareFilter['operator']>>> = {
  '=': 'eq',
  '>': 'gt',
  '>=': 'gte',
  '<': 'lt',
  '<=': 'lte',
  STARTS_WITH: 'startsWith',
  CONTAINS: 'contains',
  ENDS_WITH: 'endsWith',
  IN: 'in',
  BETWEEN: 'between',
}

function compare(
  field: string,
  operator: CompareFilter['operator'],
  values: readonly Operand<Scalar>[],
  at: string,
): Filter {
  return { kind: 'compare', field, operator, fold: true, values, at: [at] }
}

function converted({ values, valueAt }: Condition, leaf: FieldLeaf) {
  return values.map((given): Slot<Exclude<Scalar, null>> => {
    const value = toSlot(given).map(leaf.convert)
    const isNone = value.look((found) => found === undefined)
    if (isNone) throw badParameter(valueAt, `${textOf(given)} is no value of this field`)
    return value.map((found) => found ?? '')
  })
}

/** A second is everything from its first millisecond to its last. */
function inSeconds(
  field: string,
  operator: Operator,
  values: readonly Slot<Exclude<Scalar, null>>[],
  at: string,
): Filter {
  const starts = values.map((value) => value.map(Number))
  const [first = toSlot(0), second = first] = starts
  switch (operator) {
    case '=':
      return compare(field, 'between', [first, first.map(lastOf)], at)
    case 'IN':
      return {
        kind: 'or',
        of: starts.map((start) => compare(field, 'between', [start, start.map(lastOf)], at)),
      }
    case '>':
      return compare(field, 'gt', [first.map(lastOf)], at)
    case '>=':
      return compare(field, 'gte', [first], at)
    case '<':
      return compare(field, 'lt', [first], at)
    case '<=':
      return compare(field, 'lte', [first.map(lastOf)], at)
    case 'BETWEEN':
      return compare(field, 'between', [first, second.map(lastOf)], at)
    default:
      throw badParameter(at, `A time cannot be compared with ${operator}`)
  }
}

function lastOf(ms: number): number {
  return ms % 1_000 === 0 ? ms + 999 : ms
}

/** `status` and `default_langcode` follow from what the store keeps otherwise. */
function ofFlag({ catalogue }: ListContext, condition: Condition, leaf: FieldLeaf): Filter {
  const { operator, pathAt, valueAt } = condition
  if (operator === 'IS NOT NULL') return ALWAYS
  if (operator !== '=' && operator !== 'IN') {
    throw badParameter(valueAt, `A truth value cannot be compared with ${operator}`)
  }
  const isTrue: Filter =
    leaf.field === '@default'
      ? compare('locale', 'eq', [catalogue.model.defaultLocale], pathAt)
      : { kind: 'not', of: compare('@status', 'eq', ['draft'], pathAt) }
  const of = converted(condition, leaf).map(
    (wanted): Filter =>
      wanted.look((flag) => flag === true) ? isTrue : { kind: 'not', of: isTrue },
  )
  return { kind: 'or', of }
}
