import { type Filter, type Scalar, type Slot, textOf, toSlot } from '#content-query'
import { parseUuid } from '../target/delivered.ts'
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

/** What is wrong with a value and where in it; asked for only when it is told. */
export interface ValueFault {
  at(): number
  message(): string
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
  const text = toSlot(value.text)
  const isStrict = NOT_BLANK.has(target.as) || isRanged(target)
  if (!value.isQuoted && isStrict && text.look((own) => BLANK.test(own))) {
    const at = () => value.at + textOf(value.text).search(BLANK)
    return { at, message: () => 'White space is not allowed in this value' }
  }
  const found = isRange(operator) ? within(target, operator, text) : equal(target, text)
  const message = () => `'${textOf(value.text)}' is not ${KINDS[target.as]}`
  return found ?? { at: () => value.at, message }
}

const BLANK = /\s/

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

/** Undefined when the text is no value of the field. */
function equal(target: Target, text: Slot<string>): Filter | undefined {
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
      return text.look((own) => TIME.test(own)) ? compare(field, 'eq', text) : undefined
    case 'boolean': {
      const flag = known(text.map((own) => BOOLEANS.get(own.toLowerCase())))
      return flag && compare(field, 'eq', flag)
    }
    case 'id':
    case 'reference': {
      const id = known(text.map(parseUuid))
      return id && compare(field, 'eq', id)
    }
    case 'number':
      return numberIs(target, 'eq', text)
    case 'day': {
      const moment = known(text.map(parseMoment))
      return moment && dayIs(field, 'eq', moment)
    }
    case 'moment': {
      const moment = known(text.map(parseMoment))
      return moment && during(field, moment)
    }
  }
}

/** Undefined when the value is. */
function known<Value>(slot: Slot<Value | undefined>): Slot<Value> | undefined {
  if (slot.look((value) => value === undefined)) return undefined
  return slot.map((value) => {
    if (value === undefined) throw new Error('a value that was there is missing')
    return value
  })
}

function within(target: Target, operator: Range, text: Slot<string>): Filter | undefined {
  const how = RANGES[operator]
  if (target.as === 'number') return numberIs(target, how, text)
  const moment = known(text.map(parseMoment))
  if (!moment) return undefined
  if (target.as === 'day') return dayIs(target.field, how, moment)
  return compare(target.field, how, moment.map(startOf))
}

function startOf({ startMs }: Moment): number {
  return startMs
}

/** A date without time is the whole day. */
function during(field: string, moment: Slot<Moment>): Filter {
  const start = moment.map(startOf)
  if (moment.look(({ startMs, endMs }) => endMs - startMs === 1)) return compare(field, 'eq', start)
  const end = moment.map(({ endMs }) => endMs)
  return { kind: 'and', of: [compare(field, 'gte', start), compare(field, 'lt', end)] }
}

/** A day is its first moment; moments inside a day lie between two of them. */
function dayIs(field: string, how: CompareOperator, moment: Slot<Moment>): Filter {
  const day = moment.map(dayOf)
  const date = day.map((own) => own.date)
  const isStart = day.look((own) => own.isStart)
  if (how === 'eq') return isStart ? compare(field, 'eq', date) : NEVER
  if (isStart) return compare(field, how, date)
  return compare(field, how === 'gt' || how === 'gte' ? 'gt' : 'lte', date)
}

function numberIs(
  { field, scale, limit = 0n }: Target,
  how: CompareOperator,
  text: Slot<string>,
): Filter | undefined {
  if (scale === undefined) {
    const number = text.map((own) => (parseBoundary(own, 0) ? Number(own) : Number.NaN))
    return number.look(Number.isFinite) ? compare(field, how, number) : undefined
  }
  const bound = known(text.map((own) => parseBoundary(own, scale)))
  if (!bound) return undefined
  const side = bound.look(({ scaled }) => (scaled >= limit ? 1 : scaled <= -limit ? -1 : 0))
  if (side !== 0) return beyond(field, how, side > 0)
  const value = bound.map((own) => own.text)
  if (bound.look(({ isExact }) => isExact)) return compare(field, how, value)
  if (how === 'eq') return NEVER
  return compare(field, how === 'gt' || how === 'gte' ? 'gt' : 'lte', value)
}

/** Every value lies on one side of it. */
function beyond(field: string, how: CompareOperator, isAbove: boolean): Filter {
  const isMet = isAbove ? how === 'lt' || how === 'lte' : how === 'gt' || how === 'gte'
  return isMet ? { kind: 'not', of: { kind: 'missing', field } } : NEVER
}

function compare(
  field: string,
  operator: CompareOperator,
  value: Slot<Scalar>,
  fold = false,
): Filter {
  return { kind: 'compare', field, operator, fold, values: [value] }
}
