import { type Operand, textOf } from '#content-query'
import { badParameter } from '../errors.ts'
import type { Parameter } from './parameters.ts'

const OPERATORS = [
  '=',
  '<>',
  '>',
  '>=',
  '<',
  '<=',
  'STARTS_WITH',
  'CONTAINS',
  'ENDS_WITH',
  'IN',
  'NOT IN',
  'BETWEEN',
  'NOT BETWEEN',
  'IS NULL',
  'IS NOT NULL',
] as const
export type Operator = (typeof OPERATORS)[number]

/** One comparison of the filter, its names not yet looked up. */
export interface Condition {
  readonly kind: 'condition'
  readonly path: string
  readonly operator: Operator
  readonly values: readonly Operand<string>[]
  /** As the caller wrote them, for errors. */
  readonly pathAt: string
  readonly valueAt: string
}

interface Group {
  readonly kind: 'and' | 'or'
  readonly of: readonly Node[]
}

export type Node = Condition | Group

interface Part {
  readonly name: string
  readonly value: string
}

interface Compared {
  readonly name: string
  readonly value: Operand<string>
}

/** Everything that was said of one label. */
interface Labelled {
  readonly label: string
  /** The name of the first parameter. */
  readonly name: string
  /** Of `condition`, or the shorthand without it; undefined when nothing was. */
  condition?: { prefix: string; parts: Map<string, Part>; values: Compared[] }
  group?: { prefix: string; parts: Map<string, Part> }
}

const MEMBERS = new Set(['path', 'operator', 'value', 'memberOf'])
const GROUP_MEMBERS = new Set(['conjunction', 'memberOf'])

/** The tree of `filter` (contract §6.1); undefined when there is none. */
export function parseConditions(parameters: readonly Parameter[]): Node | undefined {
  if (parameters.length === 0) return undefined
  const labels = new Map<string, Labelled>()
  for (const parameter of parameters) take(labels, parameter)
  return toTree([...labels.values()])
}

function take(labels: Map<string, Labelled>, { name, keys, value }: Parameter): void {
  const [label, second, ...rest] = keys
  if (label === undefined || label === '') {
    throw badParameter(name, 'A filter has the form filter[field]=value')
  }
  if (label === '@root') throw badParameter(name, 'The label @root is taken')
  const labelled = labels.get(label) ?? { label, name }
  labels.set(label, labelled)
  if (second === undefined) addShort(labelled, label, name, value)
  else if (second === 'condition')
    addMember(labelled, `filter[${label}][condition]`, rest, name, value)
  else if (second === 'group') addGroup(labelled, label, rest, name, value)
  else if (MEMBERS.has(second))
    addMember(labelled, `filter[${label}]`, [second, ...rest], name, value)
  else throw badParameter(name, `${second} is neither condition nor group`)
}

function addShort(labelled: Labelled, label: string, name: string, value: Operand<string>): void {
  const condition = conditionOf(labelled, `filter[${label}]`)
  if (condition.values.length > 0) throw badParameter(name, `${name} must be given once`)
  condition.values.push({ name, value })
}

function conditionOf(labelled: Labelled, prefix: string) {
  labelled.condition ??= { prefix, parts: new Map(), values: [] }
  return labelled.condition
}

function addMember(
  labelled: Labelled,
  prefix: string,
  [member, ...rest]: readonly string[],
  name: string,
  value: Operand<string>,
): void {
  const condition = conditionOf(labelled, prefix)
  if (member === undefined || !MEMBERS.has(member)) {
    throw badParameter(name, 'A condition has path, operator, value and memberOf')
  }
  const isList = member === 'value' && rest.length === 1 && /^\d*$/.test(rest[0] ?? 'x')
  if (rest.length > 0 && !isList) throw badParameter(name, `${member} has no members`)
  if (member === 'value') {
    if (!isList && condition.values.length > 0) {
      throw badParameter(name, `${name} must be given once`)
    }
    condition.values.push({ name, value })
  } else setOnce(condition.parts, member, name, value)
}

function addGroup(
  labelled: Labelled,
  label: string,
  [member, ...rest]: readonly string[],
  name: string,
  value: Operand<string>,
): void {
  labelled.group ??= { prefix: `filter[${label}][group]`, parts: new Map() }
  if (member === undefined || !GROUP_MEMBERS.has(member) || rest.length > 0) {
    throw badParameter(name, 'A group has conjunction and memberOf')
  }
  setOnce(labelled.group.parts, member, name, value)
}

function setOnce(
  parts: Map<string, Part>,
  member: string,
  name: string,
  value: Operand<string>,
): void {
  if (parts.has(member)) throw badParameter(name, `${name} must be given once`)
  parts.set(member, { name, value: textOf(value) })
}

interface Placed {
  readonly node: { readonly label: string; readonly condition?: Condition }
  readonly memberOf: Part | undefined
}

function toTree(labels: readonly Labelled[]): Node {
  const groups = new Map<string, 'and' | 'or'>()
  const parents = new Map<string, Part>()
  const placed: Placed[] = []
  for (const { label, name, condition, group } of labels) {
    if (condition && group) throw badParameter(name, `${label} is a condition and a group`)
    if (condition) {
      const memberOf = condition.parts.get('memberOf')
      placed.push({ node: { label, condition: toCondition(label, condition) }, memberOf })
    } else if (group) {
      groups.set(label, toConjunction(group))
      const memberOf = group.parts.get('memberOf')
      if (memberOf) parents.set(label, memberOf)
      placed.push({ node: { label }, memberOf })
    } else throw badParameter(name, `${label} is neither a condition nor a group`)
  }
  for (const { memberOf } of placed) {
    if (memberOf && !groups.has(memberOf.value)) {
      throw badParameter(memberOf.name, `There is no group ${memberOf.value}`)
    }
  }
  refuseCycles(parents)
  return below(undefined)

  function below(label: string | undefined): Group {
    const kind = label === undefined ? 'and' : (groups.get(label) ?? 'and')
    const own = placed.filter(({ memberOf }) => memberOf?.value === label)
    const of = own.map(({ node }) => node.condition ?? below(node.label))
    return { kind, of: of.filter((node) => node.kind === 'condition' || node.of.length > 0) }
  }
}

function refuseCycles(parents: ReadonlyMap<string, Part>): void {
  for (const [label, part] of parents) {
    const seen = new Set([label])
    for (let at = parents.get(label); at; at = parents.get(at.value)) {
      if (seen.has(at.value)) throw badParameter(part.name, 'The groups contain each other')
      seen.add(at.value)
    }
  }
}

function toConjunction({ prefix, parts }: { prefix: string; parts: Map<string, Part> }) {
  const given = parts.get('conjunction')
  const word = given?.value.toUpperCase()
  if (word === 'AND' || word === 'OR') return word === 'AND' ? 'and' : 'or'
  throw badParameter(given?.name ?? `${prefix}[conjunction]`, 'conjunction must be AND or OR')
}

function toCondition(
  label: string,
  { prefix, parts, values }: NonNullable<Labelled['condition']>,
): Condition {
  const isLong = prefix.endsWith('[condition]')
  const path = parts.get('path') ?? (isLong ? undefined : { name: prefix, value: label })
  if (!path || path.value === '') throw badParameter(`${prefix}[path]`, 'The path is missing')
  const operator = toOperator(parts.get('operator'))
  const [first] = values
  const valueAt = first?.name ?? `${prefix}[value]`
  const found = values.map(({ value }) => value)
  checkValues(operator, found, valueAt)
  return {
    kind: 'condition',
    path: path.value,
    operator,
    values: found,
    pathAt: path.name,
    valueAt,
  }
}

function toOperator(given: Part | undefined): Operator {
  if (!given) return '='
  const word = given.value.trim().toUpperCase()
  const found = OPERATORS.find((operator) => operator === word)
  if (!found) throw badParameter(given.name, `There is no operator ${given.value}`)
  return found
}

function checkValues(operator: Operator, values: readonly unknown[], at: string): void {
  if (operator === 'IS NULL' || operator === 'IS NOT NULL') {
    if (values.length > 0) throw badParameter(at, `${operator} takes no value`)
    return
  }
  if (values.length === 0) throw badParameter(at, 'The value is missing')
  if (operator === 'IN' || operator === 'NOT IN') return
  if (operator === 'BETWEEN' || operator === 'NOT BETWEEN') {
    if (values.length !== 2) throw badParameter(at, `${operator} needs exactly two values`)
    return
  }
  if (values.length > 1) throw badParameter(at, `${operator} needs one value`)
}
