import type { Filter, Scalar } from '#content'
import { parseUuid } from '../delivered.ts'
import { dayOf, type Moment, parseMoment } from './dates.ts'
import type { FilterOperator, FilterValue } from './filter-syntax.ts'
import type { Target } from './filter-target.ts'
import { parseBoundary } from './numbers.ts'

type Range = Exclude<FilterOperator, ':' | ':!'>
type CompareOperator = Extract<Filter, { kind: 'compare' }>['operator']

export const ALWAYS: Filter = { kind: 'and', of: [] }
export const NEVER: Filter = { kind: 'or', of: [] }

const RANGES: Readonly<Record<Range, CompareOperator>> = {
  ...{ '>': 'gt', '>:': 'gte', '<': 'lt', '<:': 'lte' },
}
const TIME = /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,3})?$/
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])
const NOT_BLANK: ReadonlySet<Target['as']> = new Set(['id', 'reference', 'number', 'boolean'])
const RANGED: ReadonlySet<Target['as']> = new Set(['number', 'day', 'moment'])

/** What is wrong with a value, where in it, for this field. */
export interface ValueFault {
  readonly at: number
  readonly message: string
}

/** Whether the field takes more than `:` and `:!`. */
export function isRanged({ as }: Target): boolean {
  return RANGED.has(as)
}

export function isRange(operator: FilterOperator): operator is Range {
  return operator !== ':' && operator !== ':!'
}

/** One comparison; `:!` is that of `:`, negated by the caller. */
export function compareTo(
  target: Target,
  operator: FilterOperator,
  value: FilterValue,
): Filter | ValueFault {
  const blank = value.isQuoted ? -1 : value.text.search(/\s/)
  if (blank !== -1 && (NOT_BLANK.has(target.as) || isRanged(target))) {
    return { at: value.at + blank, message: 'White space is not allowed in this value' }
  }
  const found = isRange(operator) ? within(target, operator, value.text) : equal(target, value.text)
  return found ?? { at: value.at, message: `'${value.text}' is not ${KINDS[target.as]}` }
}

const KINDS: Readonly<Record<Target['as'], string>> = {
  contains: 'a text',
  text: 'a text',
  raw: 'a text',
  word: 'a text',
  list: 'a text',
  time: 'a time such as 10:20:30',
  number: 'a number',
  boolean: 'true or false',
  day: 'a date',
  moment: 'a date',
  reference: 'an id',
  id: 'an id',
}

function equal(target: Target, text: string): Filter | undefined {
  const { field } = target
  switch (target.as) {
    case 'contains':
      return compare(field, 'contains', text, true)
    case 'text':
      return compare(field, 'eq', text, true)
    case 'raw':
      return compare(field, 'eq', text)
    case 'word':
      return compare(field, 'word', text, true)
    case 'list':
      return compare(field, 'contains', text, true)
    case 'time':
      return TIME.test(text) ? compare(field, 'eq', text) : undefined
    case 'boolean': {
      const flag = BOOLEANS.get(text.toLowerCase())
      return flag === undefined ? undefined : compare(field, 'eq', flag)
    }
    case 'id':
    case 'reference': {
      const id = parseUuid(text)
      return id === undefined ? undefined : compare(field, 'eq', id)
    }
    case 'number':
      return numberIs(target, 'eq', text)
    case 'day': {
      const moment = parseMoment(text)
      return moment && dayIs(field, 'eq', moment)
    }
    case 'moment': {
      const moment = parseMoment(text)
      return moment && during(field, moment)
    }
  }
}

function within(target: Target, operator: Range, text: string): Filter | undefined {
  const how = RANGES[operator]
  if (target.as === 'number') return numberIs(target, how, text)
  const moment = parseMoment(text)
  if (!moment) return undefined
  if (target.as === 'day') return dayIs(target.field, how, moment)
  return compare(target.field, how, moment.startMs)
}

/** A date without time is the whole day. */
function during(field: string, { startMs, endMs }: Moment): Filter {
  const bounds = [compare(field, 'gte', startMs), compare(field, 'lt', endMs)]
  return endMs - startMs === 1 ? compare(field, 'eq', startMs) : { kind: 'and', of: bounds }
}

/** A day is its first moment; moments inside a day lie between two of them. */
function dayIs(field: string, how: CompareOperator, moment: Moment): Filter {
  const { date, isStart } = dayOf(moment)
  if (how === 'eq') return isStart ? compare(field, 'eq', date) : NEVER
  if (isStart) return compare(field, how, date)
  return compare(field, how === 'gt' || how === 'gte' ? 'gt' : 'lte', date)
}

function numberIs({ field, scale, limit = 0n }: Target, how: CompareOperator, text: string) {
  if (scale === undefined) {
    const number = parseBoundary(text, 0) ? Number(text) : Number.NaN
    return Number.isFinite(number) ? compare(field, how, number) : undefined
  }
  const bound = parseBoundary(text, scale)
  if (!bound) return undefined
  if (bound.scaled >= limit || bound.scaled <= -limit) return beyond(field, how, bound.scaled)
  if (bound.isExact) return compare(field, how, bound.text)
  if (how === 'eq') return NEVER
  return compare(field, how === 'gt' || how === 'gte' ? 'gt' : 'lte', bound.text)
}

/** Every value lies on one side of it. */
function beyond(field: string, how: CompareOperator, scaled: bigint): Filter {
  const isAbove = scaled > 0n
  const isMet = isAbove ? how === 'lt' || how === 'lte' : how === 'gt' || how === 'gte'
  return isMet ? { kind: 'not', of: { kind: 'missing', field } } : NEVER
}

function compare(field: string, operator: CompareOperator, value: Scalar, fold = false): Filter {
  return { kind: 'compare', field, operator, fold, values: [value] }
}
