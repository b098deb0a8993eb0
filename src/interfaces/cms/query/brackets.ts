import { wordsIn } from '#content-dialect'
import {
  type Brackets,
  type Operand,
  type Raw,
  Slot,
  splitBrackets,
  textOf,
  toSlot,
} from '#content-query'

export type { Brackets, Raw } from '#content-query'

import { type DomainError, invalid } from '#kernel'

export type At = readonly (string | number)[]

/** Something in the URL; the message is a sentence that names it. */
export function badQuery(at: At, message: string, code = 'invalid_query'): DomainError {
  return invalid([{ path: at, rule: 'invalid', message }], code)
}

export function badPaging(at: At, message: string): DomainError {
  return badQuery(at, message, 'invalid_pagination')
}

/** `['populate', 'author', 'sort']` as the caller wrote it. */
export function nameOf([first = '', ...rest]: At): string {
  return `${first}${rest.map((step) => `[${step}]`).join('')}`
}

const REFUSALS = {
  forbidden: (name: string) => badQuery([], `${name} must not be a name in the query`),
  tooLarge: (message: string) => badQuery([], `The query is too large: ${message}`),
}
const VALUES = new Set(['_q', 'start', 'limit', 'after_id', 'before_id'])

/** The query as its clients write it, within the limits of the contract §4. */
export function splitQuery(text: string): Brackets {
  return splitBrackets(text, isValue, REFUSALS)
}

/** What is compared, searched for or counted; everything else says what is asked. */
function isValue(name: string): boolean {
  if (VALUES.has(name) || name.startsWith('pagination[')) return true
  return name.startsWith('filters[') || name.includes('[filters][')
}

export function isRaw(value: unknown): value is Raw {
  if (value instanceof Slot || Array.isArray(value)) return false
  return typeof value === 'object' && value !== null
}

/** Where texts decide what is asked there are no values, however they are named. */
export function withoutSlots(value: unknown): unknown {
  if (isText(value)) return textOf(value)
  if (Array.isArray(value)) return value.map(withoutSlots)
  if (!isRaw(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, withoutSlots(inner)]),
  )
}

/** `a,b` and lists of such texts alike; undefined when there is something else in it. */
export function toWords(value: unknown): string[] | undefined {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value]
  const texts = items.filter((item) => typeof item === 'string')
  return texts.length === items.length ? texts.flatMap(wordsIn) : undefined
}

/** The one value of a parameter, undefined when it is absent or empty. */
export function toValue(query: Raw, name: string): Operand<string> | undefined {
  const value = query[name]
  if (value === undefined) return undefined
  if (!isText(value)) throw badQuery([name], `${name} must be given once`)
  return toSlot(value).look((text) => text === '') ? undefined : value
}

/** The same where all of the text decides what is asked. */
export function toText(query: Raw, name: string): string | undefined {
  const value = toValue(query, name)
  return value === undefined ? undefined : textOf(value)
}

export function isText(value: unknown): value is Operand<string> {
  return typeof value === 'string' || value instanceof Slot
}
