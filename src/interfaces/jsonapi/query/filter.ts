import type { Viewer } from '#content'
import {
  ALWAYS,
  type CompareOperator,
  compare,
  compareNumber,
  isOneOf,
  NEVER,
  parseBoundary,
  type WHOLE,
} from '#content-dialect'
import { type Filter, type Operand, type Scalar, Slot, textOf, toSlot } from '#content-query'
import type { KnownUser } from '../deps.ts'
import { badParameter } from '../errors.ts'
import type { Catalogue, EntryResource } from '../target/catalogue.ts'
import { type Condition, matches, type Node, OPERATIONS, type Operator } from './conditions.ts'
import type { Leaf } from './leaves.ts'
import { type Located, locate } from './paths.ts'
import { memberOf } from './users.ts'

/** What filters and sorts of one list are made with. */
export interface ListContext {
  readonly catalogue: Catalogue
  readonly viewer: Viewer
  readonly from: EntryResource | 'media' | 'file'
  /** Everybody, when authors are asked for; nobody otherwise. */
  readonly users: readonly KnownUser[]
}

type NumberRange = typeof WHOLE
type Boundary = NonNullable<ReturnType<typeof parseBoundary>>
type FieldLeaf = Extract<Leaf, { kind: 'field' }>

export function toFilter(context: ListContext, node: Node): Filter {
  if (node.kind !== 'condition') {
    return { kind: node.kind, of: node.of.map((each) => toFilter(context, each)) }
  }
  const located = locate(context, node.path)
  if ('fault' in located) throw badParameter(node.pathAt, located.fault, 'unknown_field')
  return fromLocated(context, node, located)
}

/** Negations hold when none of the related resources matches, so they are those of the whole path. */
function fromLocated(context: ListContext, condition: Condition, { steps, leaf }: Located): Filter {
  const { not } = OPERATIONS[condition.operator]
  const asked = not ? { ...condition, operator: not } : condition
  const inner = steps.reduceRight(
    (of: Filter, { field }): Filter => ({ kind: 'some', field, of, at: [condition.pathAt] }),
    atLeaf(context, asked, leaf),
  )
  return not ? { kind: 'not', of: inner } : inner
}

function atLeaf(context: ListContext, condition: Condition, leaf: Leaf): Filter {
  const { catalogue, users } = context
  const { operator, pathAt } = condition
  const values = Slot.list(condition.values.map(toSlot))
  switch (leaf.kind) {
    case 'constant':
      return values.look((texts) => matches(leaf.value, operator, texts)) ? ALWAYS : NEVER
    case 'user': {
      // Who fulfils it is known here; the store only compares who made an entry.
      const isMeant = (texts: readonly string[]) => (user: KnownUser) =>
        matches(memberOf(user, leaf.member, catalogue.model), operator, texts)
      const list = values.map((texts) => users.filter(isMeant(texts)).map(({ id }) => String(id)))
      return isOneOf('@createdBy', list, pathAt)
    }
    case 'whole':
      if (operator === 'IS NOT NULL') return atLeaf(context, condition, leaf.present)
      throw badParameter(pathAt, leaf.fault, 'unknown_field')
    case 'field':
      return ofField(catalogue, condition, leaf)
  }
}

function ofField(catalogue: Catalogue, condition: Condition, leaf: FieldLeaf): Filter {
  const { operator, pathAt, valueAt: at } = condition
  if (leaf.field.startsWith('@live') || leaf.field === '@default') {
    return ofFlag(catalogue, condition, leaf)
  }
  const { as } = OPERATIONS[operator]
  if (!as) return { kind: 'not', of: { kind: 'missing', field: leaf.field, at: [pathAt] } }
  const sized = leaf.number && bySize(condition, leaf.field, leaf.number, as)
  if (sized) return sized
  const values = converted(condition, leaf)
  if (leaf.inSeconds) return inSeconds(leaf.field, operator, values, at)
  return compare(leaf.field, as, values, { fold: true, at })
}

/** Numbers compare by size, also with what lies between those a field can have; undefined: no numbers. */
function bySize(
  { operator, values, valueAt: at }: Condition,
  field: string,
  range: NumberRange,
  as: CompareOperator,
): Filter | undefined {
  const how = { fold: true, at }
  const bounds = values.map((value) => boundaryOf(trimmed(value), range))
  if (!bounds.every((bound) => bound !== undefined)) return undefined
  const [first, second] = bounds
  switch (operator) {
    case 'IN':
      // What the field cannot have equals none of its values, and is left out.
      return isOneOf(field, Slot.list(values.map(trimmed)), at)
    case 'BETWEEN': {
      const ends = [
        ...(first ? [compareNumber(field, 'gte', first, range, how)] : []),
        ...(second ? [compareNumber(field, 'lte', second, range, how)] : []),
      ]
      return { kind: 'and', of: ends }
    }
    case '=':
    case '>':
    case '>=':
    case '<':
    case '<=':
      return first && compareNumber(field, as, first, range, how)
    default:
      return undefined
  }
}

function trimmed(value: Operand<string>): Slot<string> {
  return toSlot(value).map((text) => text.trim())
}

function boundaryOf(text: Slot<string>, { scale }: NumberRange): Slot<Boundary> | undefined {
  const bound = text.map((own) => parseBoundary(own, scale))
  if (bound.look((found) => found === undefined)) return undefined
  return bound.map((found) => found ?? NO_BOUNDARY)
}

/** Never compared: a text that is no number was told apart before. */
const NO_BOUNDARY: Boundary = { scaled: 0n, isExact: true, text: '0' }

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
  const how = { fold: true, at }
  const starts = values.map((value) => value.map(Number))
  const [first = toSlot(0), second = first] = starts
  const during = (start: Slot<number>, end = start) =>
    compare(field, 'between', [start, end.map(lastOf)], how)
  switch (operator) {
    case '=':
      return during(first)
    case 'IN':
      return { kind: 'or', of: starts.map((start) => during(start)) }
    case 'BETWEEN':
      return during(first, second)
    case '>':
      return compare(field, 'gt', first.map(lastOf), how)
    case '>=':
      return compare(field, 'gte', first, how)
    case '<':
      return compare(field, 'lt', first, how)
    case '<=':
      return compare(field, 'lte', first.map(lastOf), how)
    default:
      throw badParameter(at, `A time cannot be compared with ${operator}`)
  }
}

function lastOf(ms: number): number {
  return ms % 1_000 === 0 ? ms + 999 : ms
}

/** `status` and `default_langcode` follow from what the store keeps otherwise. */
function ofFlag({ model }: Catalogue, condition: Condition, leaf: FieldLeaf): Filter {
  const { operator, pathAt, valueAt } = condition
  if (operator === 'IS NOT NULL') return ALWAYS
  if (operator !== '=' && operator !== 'IN') {
    throw badParameter(valueAt, `A truth value cannot be compared with ${operator}`)
  }
  const how = { fold: true, at: pathAt }
  const isTrue: Filter =
    leaf.field === '@default'
      ? compare('locale', 'eq', model.defaultLocale, how)
      : { kind: 'not', of: compare('@status', 'eq', 'draft', how) }
  const of = converted(condition, leaf).map(
    (wanted): Filter =>
      wanted.look((flag) => flag === true) ? isTrue : { kind: 'not', of: isTrue },
  )
  return { kind: 'or', of }
}
