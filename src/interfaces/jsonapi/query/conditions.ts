import { type CompareOperator, isMet } from '#content-dialect'
import { type Operand, type Scalar, textOf } from '#content-query'
import { parseDate, parseDay, parseMoment, renderTime } from '#kernel'
import { badParameter } from '../errors.ts'
import type { Parameter } from './parameters.ts'

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

/** Everything that was said of one label as a condition, with or without that word, or as a group. */
interface Members {
  readonly prefix: string
  readonly parts: Map<string, Part>
  readonly values: Parameter[]
}

interface Labelled {
  readonly label: string
  /** The name of the first parameter. */
  readonly name: string
  condition?: Members
  group?: Members
}

/** Contract, changes after 0.1. */
const MAX_CONDITIONS = 500

const MEMBERS = new Set(['path', 'operator', 'value', 'memberOf'])
const GROUP_MEMBERS = new Set(['conjunction', 'memberOf'])

/** The tree of `filter` (contract §6.1); undefined when there is none. */
export function parseConditions(parameters: readonly Parameter[]): Node | undefined {
  if (parameters.length === 0) return undefined
  const labels = new Map<string, Labelled>()
  for (const parameter of parameters) take(labels, parameter)
  const conditions = [...labels.values()].filter(({ condition }) => condition)
  if (conditions.length > MAX_CONDITIONS) {
    throw badParameter('filter', `A filter may have ${MAX_CONDITIONS} conditions`)
  }
  return toTree([...labels.values()].map(toPlaced))
}

function take(labels: Map<string, Labelled>, parameter: Parameter): void {
  const { name, keys } = parameter
  const [label = '', second, ...rest] = keys
  if (label === '') throw badParameter(name, 'A filter has the form filter[field]=value')
  if (label === '@root') throw badParameter(name, 'The label @root is taken')
  const labelled = labels.get(label) ?? { label, name }
  labels.set(label, labelled)
  const prefix = `filter[${label}]`
  if (second === 'group') addToGroup(labelled, rest, parameter)
  else if (second === 'condition') addTo(labelled, `${prefix}[condition]`, rest, parameter)
  else if (second === undefined) addTo(labelled, prefix, ['value'], parameter)
  else if (MEMBERS.has(second)) addTo(labelled, prefix, [second, ...rest], parameter)
  else throw badParameter(name, `${second || '[]'} is neither condition nor group, nor value`)
}

function addTo(
  labelled: Labelled,
  prefix: string,
  [member, ...rest]: readonly string[],
  parameter: Parameter,
): void {
  const { name } = parameter
  labelled.condition ??= { prefix, parts: new Map(), values: [] }
  const { parts, values } = labelled.condition
  if (member === undefined || !MEMBERS.has(member)) {
    throw badParameter(name, 'A condition has path, operator, value and memberOf')
  }
  const isList = member === 'value' && rest.length === 1 && /^\d*$/.test(rest[0] ?? 'x')
  if (rest.length > 0 && !isList) throw badParameter(name, `${member} has no members`)
  if (member !== 'value') setOnce(parts, member, parameter)
  else if (isList || values.length === 0) values.push(parameter)
  else throw badParameter(name, `${name} must be given once`)
}

function addToGroup(
  labelled: Labelled,
  [member, ...rest]: readonly string[],
  parameter: Parameter,
): void {
  const prefix = `filter[${labelled.label}][group]`
  labelled.group ??= { prefix, parts: new Map(), values: [] }
  if (member === undefined || !GROUP_MEMBERS.has(member) || rest.length > 0) {
    throw badParameter(parameter.name, 'A group has conjunction and memberOf')
  }
  setOnce(labelled.group.parts, member, parameter)
}

function setOnce(parts: Map<string, Part>, member: string, { name, value }: Parameter): void {
  if (parts.has(member)) throw badParameter(name, `${name} must be given once`)
  parts.set(member, { name, value: textOf(value) })
}

/** A condition, or a group that joins those which name it. */
interface Placed {
  readonly label: string
  readonly memberOf: Part | undefined
  readonly node: Condition | Group['kind']
}

function toPlaced({ label, name, condition, group }: Labelled): Placed {
  if (condition && group) throw badParameter(name, `${label} is a condition and a group`)
  const node = condition ? toCondition(label, condition) : toConjunction(group)
  return { label, memberOf: (condition ?? group)?.parts.get('memberOf'), node }
}

function toTree(placed: readonly Placed[]): Node {
  const groups = new Map(
    placed.filter(({ node }) => typeof node === 'string').map((each) => [each.label, each]),
  )
  for (const { memberOf } of placed) {
    if (memberOf && !groups.has(memberOf.value)) {
      throw badParameter(memberOf.name, `There is no group ${memberOf.value}`)
    }
  }
  for (const group of groups.values()) refuseCycle(groups, group)
  return below('and', undefined)

  function below(kind: Group['kind'], label: string | undefined): Group {
    const own = placed.filter(({ memberOf }) => memberOf?.value === label)
    const of = own.map(({ node, label: inner }) =>
      typeof node === 'string' ? below(node, inner) : node,
    )
    return { kind, of: of.filter((node) => node.kind === 'condition' || node.of.length > 0) }
  }
}

function refuseCycle(groups: ReadonlyMap<string, Placed>, { label, memberOf }: Placed): void {
  const seen = new Set([label])
  for (let at = memberOf; at; at = groups.get(at.value)?.memberOf) {
    if (seen.has(at.value)) {
      throw badParameter(memberOf?.name ?? at.name, 'The groups contain each other')
    }
    seen.add(at.value)
  }
}

function toConjunction(group: Members | undefined): Group['kind'] {
  const given = group?.parts.get('conjunction')
  const word = given?.value.toUpperCase()
  if (word === 'AND' || word === 'OR') return word === 'AND' ? 'and' : 'or'
  const name = given?.name ?? `${group?.prefix}[conjunction]`
  throw badParameter(name, 'conjunction must be AND or OR')
}

function toCondition(label: string, { prefix, parts, values: given }: Members): Condition {
  const isLong = prefix.endsWith('[condition]')
  const path = parts.get('path') ?? (isLong ? undefined : { name: prefix, value: label })
  if (!path || path.value === '') throw badParameter(`${prefix}[path]`, 'The path is missing')
  const operator = toOperator(parts.get('operator'))
  const valueAt = given[0]?.name ?? `${prefix}[value]`
  const fault = faultOf(operator, given.length)
  if (fault !== undefined) throw badParameter(valueAt, fault)
  const values = given.map(({ value }) => value)
  return { kind: 'condition', path: path.value, operator, values, pathAt: path.name, valueAt }
}

function toOperator(given: Part | undefined): Operator {
  if (!given) return '='
  const word = given.value.trim().toUpperCase()
  if (!isOperator(word)) throw badParameter(given.name, `There is no operator ${given.value}`)
  return word
}

function isOperator(word: string): word is Operator {
  return Object.hasOwn(OPERATIONS, word)
}

/** What is wrong with so many values. */
function faultOf(operator: Operator, count: number): string | undefined {
  const { takes } = OPERATIONS[operator]
  if (takes === 0) return count > 0 ? `${operator} takes no value` : undefined
  if (count === 0) return 'The value is missing'
  if (takes === 2) return count !== 2 ? `${operator} needs exactly two values` : undefined
  return takes === 1 && count > 1 ? `${operator} needs one value` : undefined
}

const SECONDS = /^-?\d{1,12}(?:\.\d{1,3})?$/

/**
 * Epoch milliseconds of an ISO time, a date or Unix seconds (contract §6.1); thirteen digits and more are
 * milliseconds themselves, which as seconds would lie beyond every year that can be shown.
 */
export function toMs(text: string): number | undefined {
  const zoned = withZone(text)
  if (SECONDS.test(zoned)) return Math.round(Number(zoned) * 1_000)
  return parseMoment(zoned) ?? parseDate(zoned)
}

/** The `+` of an offset is a space in a query that was not encoded. */
function withZone(text: string): string {
  return text.trim().replace(/(T[\d:.]+) (\d{2}:\d{2})$/i, '$1+$2')
}

export function toMoment(text: string): string | undefined {
  const ms = toMs(text)
  return ms === undefined ? undefined : inYears(ms)
}

/** The day an ISO time is written with, whatever its zone; of Unix seconds the day in UTC. */
export function toDate(text: string): string | undefined {
  return parseDay(withZone(text)) ?? toMoment(text)?.slice(0, 10)
}

/** Years of four digits; there is no other form of a time on this wire. */
function inYears(ms: number): string | undefined {
  const isShown =
    ms >= Date.parse('0000-01-01T00:00:00Z') && ms < Date.parse('9999-12-31T23:59:59Z')
  return isShown ? renderTime(ms) : undefined
}

/** What an operator is to the store, and how many values it takes. */
interface Operation {
  /** Undefined: it asks whether there is a value. */
  readonly as?: CompareOperator
  /** It holds where this one does not. */
  readonly not?: Operator
  readonly takes: 0 | 1 | 2 | 'some'
}

export type Operator =
  | ('=' | '<>' | '>' | '>=' | '<' | '<=' | 'STARTS_WITH' | 'CONTAINS' | 'ENDS_WITH')
  | ('IN' | 'NOT IN' | 'BETWEEN' | 'NOT BETWEEN' | 'IS NULL' | 'IS NOT NULL')

export const OPERATIONS: Readonly<Record<Operator, Operation>> = {
  '=': { as: 'eq', takes: 1 },
  '<>': { not: '=', takes: 1 },
  '>': { as: 'gt', takes: 1 },
  '>=': { as: 'gte', takes: 1 },
  '<': { as: 'lt', takes: 1 },
  '<=': { as: 'lte', takes: 1 },
  STARTS_WITH: { as: 'startsWith', takes: 1 },
  CONTAINS: { as: 'contains', takes: 1 },
  ENDS_WITH: { as: 'endsWith', takes: 1 },
  IN: { as: 'in', takes: 'some' },
  'NOT IN': { not: 'IN', takes: 'some' },
  BETWEEN: { as: 'between', takes: 2 },
  'NOT BETWEEN': { not: 'BETWEEN', takes: 2 },
  'IS NULL': { not: 'IS NOT NULL', takes: 0 },
  'IS NOT NULL': { takes: 0 },
}

/** The operators on a value that is known already: of accounts, types and constants. */
export function matches(value: Scalar, operator: Operator, values: readonly string[]): boolean {
  const { as, not } = OPERATIONS[operator]
  if (not) return !matches(value, not, values)
  return as ? isMet(value, as, values) : value !== null
}
