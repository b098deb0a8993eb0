import {
  between,
  type CompareOperator,
  compare,
  compareNumber,
  parseBoundary,
} from '#content-dialect'
import { type Filter, type Scalar, type Slot, textOf, toSlot } from '#content-query'
import { parseDate, parseMoment as parseInstant } from '#kernel'
import { parseUuid } from '../target.ts'
import type { FilterOperator, FilterValue } from './filter-syntax.ts'
import type { ComparedAs, Target } from './known-fields.ts'

type Range = Exclude<FilterOperator, ':' | ':!'>
type Compare = (target: Target, how: CompareOperator, text: Slot<string>) => Filter | undefined

/** How values of one kind are compared; answers undefined when the text is no such value. */
interface Comparing {
  readonly noun: string
  /** Takes no white space that is not quoted. */
  readonly isStrict?: boolean
  /** Takes more than `:` and `:!`. */
  readonly isRanged?: boolean
  readonly compare: Compare
}

const RANGES: Readonly<Record<Range, CompareOperator>> = {
  ...{ '>': 'gt', '>:': 'gte', '<': 'lt', '<:': 'lte' },
}
const BLANK = /\s/
const TIME = /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,3})?$/
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])

const ID: Comparing = { noun: 'an id', isStrict: true, compare: converted(parseUuid) }
const RANGED = { isStrict: true, isRanged: true }

const COMPARED_AS: Readonly<Record<ComparedAs, Comparing>> = {
  contains: textual('contains', true),
  text: textual('eq', true),
  raw: textual('eq', false),
  word: textual('word', true),
  list: textual('contains', true),
  time: {
    noun: 'a time such as 10:20:30',
    compare: converted((own) => (TIME.test(own) ? own : undefined)),
  },
  boolean: {
    noun: 'true or false',
    isStrict: true,
    compare: converted((own) => BOOLEANS.get(own.toLowerCase())),
  },
  reference: ID,
  id: ID,
  number: { noun: 'a number', ...RANGED, compare: compareSized },
  day: { noun: 'a date', ...RANGED, compare: timed(compareDay) },
  moment: { noun: 'a date', ...RANGED, compare: timed(compareMoment) },
}

/** What is wrong with a value and where in it; asked for only when it is told. */
export interface ValueFault {
  at(): number
  message(): string
}

/** Whether the field takes more than `:` and `:!`. */
export function isRanged({ as }: Target): boolean {
  return COMPARED_AS[as].isRanged ?? false
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
  const { noun, isStrict = false, compare: how } = COMPARED_AS[target.as]
  if (isStrict && hasBlank(value)) {
    return { at: () => blankIn(value), message: () => 'White space is not allowed in this value' }
  }
  const found = how(target, isRange(operator) ? RANGES[operator] : 'eq', toSlot(value.text))
  const message = () => `'${textOf(value.text)}' is not ${noun}`
  return found ?? { at: () => value.at, message }
}

/** White space that is not quoted. */
export function hasBlank({ text, isQuoted }: FilterValue): boolean {
  return !isQuoted && toSlot(text).look((own) => BLANK.test(own))
}

export function blankIn({ text, at }: FilterValue): number {
  return at + textOf(text).search(BLANK)
}

function textual(operator: CompareOperator, fold: boolean): Comparing {
  return {
    noun: 'a text',
    compare: ({ field }, _, text) => compare(field, operator, text, { fold }),
  }
}

function converted(convert: (text: string) => Scalar | undefined): Compare {
  return ({ field }, how, text) => {
    const value = known(text.map(convert))
    return value && compare(field, how, value)
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

function timed(
  compareTime: (field: string, how: CompareOperator, moment: Slot<Moment>) => Filter,
): Compare {
  return ({ field }, how, text) => {
    const moment = known(text.map(parseMoment))
    return moment && compareTime(field, how, moment)
  }
}

/** A date without time is the whole day. */
function compareMoment(field: string, how: CompareOperator, moment: Slot<Moment>): Filter {
  const start = moment.map(({ startMs }) => startMs)
  const isOne = how !== 'eq' || moment.look(({ startMs, endMs }) => endMs - startMs === 1)
  return compare(field, isOne ? how : 'day', start)
}

/** A day is its first moment; moments inside a day lie between two of them. */
function compareDay(field: string, how: CompareOperator, moment: Slot<Moment>): Filter {
  const day = moment.map(dayOf)
  const date = day.map((own) => own.date)
  return day.look((own) => own.isStart) ? compare(field, how, date) : between(field, how, date)
}

function compareSized(
  { field, range }: Target,
  how: CompareOperator,
  text: Slot<string>,
): Filter | undefined {
  if (!range) {
    const number = text.map((own) => (parseBoundary(own, 0) ? Number(own) : Number.NaN))
    return number.look(Number.isFinite) ? compare(field, how, number) : undefined
  }
  const bound = known(text.map((own) => parseBoundary(own, range.scale)))
  return bound && compareNumber(field, how, bound, range)
}

const DAY_MS = 86_400_000

/** What a filter says of a time: a moment, or a whole day in UTC. */
interface Moment {
  readonly startMs: number
  /** The first moment after it; a moment itself lasts a millisecond. */
  readonly endMs: number
}

/** `YYYY-MM-DD`, a date-time in UTC unless it says otherwise, or epoch milliseconds; else undefined. */
export function parseMoment(text: string): Moment | undefined {
  const day = parseDate(text)
  if (day !== undefined) return { startMs: day, endMs: day + DAY_MS }
  const ms = parseInstant(text)
  return ms === undefined ? undefined : { startMs: ms, endMs: ms + 1 }
}

/** The day of a moment, and whether it is the first moment of that day. */
export function dayOf({ startMs }: Moment): { readonly date: string; readonly isStart: boolean } {
  const time = new Date(startMs).toISOString()
  return { date: time.slice(0, 10), isStart: time.endsWith('T00:00:00.000Z') }
}
