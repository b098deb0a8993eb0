import { parsedOnce } from '#content-dialect'
import { type Between, type Operand, type PageChoice, type Scalar, Slot } from '#content-query'
import { type DomainError, invalid, isObject } from '#kernel'
import type { Form } from '../schema.ts'
import type { Arguments } from './arguments.ts'

const MOST = 100
const CMS_SIZE = 10
const SIZE = 20

/** A page by number. */
interface Numbered {
  readonly start: number
  readonly limit: number
}

/** How a list is paged; numbers and cursors are known when the question is asked. */
export type Paging =
  | { readonly kind: 'numbered'; readonly page: Slot<Numbered> }
  | { readonly kind: 'walked'; readonly between: Between }

export function bad(name: string, message: string): DomainError {
  return invalid([{ path: [name], rule: 'invalid', message }], 'invalid_query')
}

/** `tag`: the list and the order that cursors are of. */
export function pagingOf(form: Form, given: Arguments, tag: string): Paging {
  if (form === 'connection') return { kind: 'walked', between: betweenOf(given, tag) }
  const { pagination, limit, offset } = given
  const parse = form === 'cms' ? parseCms : parseOffset
  return { kind: 'numbered', page: parsedOnce({ pagination, limit, offset }, parse) }
}

/** The page of a list of the root. */
export function toPage(paging: Paging, count: boolean): PageChoice {
  if (paging.kind === 'numbered') {
    const { page } = paging
    const numbers = { start: page.map(({ start }) => start), limit: page.map(({ limit }) => limit) }
    return { kind: 'offset', ...numbers, count }
  }
  const { after, before, first, last } = paging.between
  if (first === null && last !== null) {
    return { kind: 'cursor', position: before, until: after, direction: 'prev', limit: last, count }
  }
  const limit = first ?? SIZE
  return { kind: 'cursor', position: after, until: before, direction: 'next', limit, count }
}

/** How many items a list could show, before anything is checked: what is refused costs nothing. */
export function pageSizeOf(given: Arguments): number {
  const { pagination, limit, offset, first, last } = given
  if (pagination !== undefined) {
    const { pageSize, limit: most } = isObject(pagination) ? pagination : {}
    return Math.max(1, sizeIn(pageSize ?? most, CMS_SIZE))
  }
  if (limit !== undefined || offset !== undefined) return sizeIn(limit, SIZE)
  return sizeIn(first ?? last, SIZE)
}

function sizeIn(given: unknown, byDefault: number): number {
  if (typeof given !== 'number') return byDefault
  return given < 0 ? MOST : Math.min(given, MOST)
}

/** By page or by start, as CMS REST has it; mixing them is refused. */
function parseCms({ pagination }: Arguments): Numbered {
  const { page, pageSize, start, limit } = isObject(pagination) ? pagination : {}
  const byPage = isGiven(page) || isGiven(pageSize)
  if (byPage && (isGiven(start) || isGiven(limit))) {
    throw bad('pagination', 'page and pageSize cannot be combined with start and limit')
  }
  if (!byPage) return { start: Math.max(0, whole(start) ?? 0), limit: cmsLimit(limit) }
  const size = clamp(whole(pageSize) ?? CMS_SIZE)
  return { start: (Math.max(1, whole(page) ?? 1) - 1) * size, limit: size }
}

function cmsLimit(given: unknown): number {
  const limit = whole(given) ?? CMS_SIZE
  return limit === -1 ? MOST : clamp(limit)
}

function clamp(size: number): number {
  return Math.min(Math.max(size, 1), MOST)
}

function parseOffset({ limit, offset }: Arguments): Numbered {
  const numbers = { limit: whole(limit) ?? SIZE, offset: whole(offset) ?? 0 }
  for (const [name, value] of Object.entries(numbers)) {
    if (value < 0) throw bad(name, `${name} must not be negative`)
  }
  return { start: numbers.offset, limit: Math.min(numbers.limit, MOST) }
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}

function whole(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}

function betweenOf({ first, last, after, before }: Arguments, tag: string): Between {
  const [least, most] = [sizeOf('first', first), sizeOf('last', last)]
  return {
    after: positionOf('after', after, tag),
    before: positionOf('before', before, tag),
    first: least === null && most === null ? SIZE : least,
    last: most,
  }
}

function sizeOf(name: string, given: unknown): Operand<number> | null {
  if (!(given instanceof Slot)) return null
  const size = given.map(Number)
  if (size.look((number) => number < 0)) throw bad(name, `${name} must not be negative`)
  return size.map((number) => Math.min(number, MOST))
}

function positionOf(name: string, given: unknown, tag: string): readonly Operand<Scalar>[] | null {
  if (!(given instanceof Slot)) return null
  const position = given.map((text) => decodeCursor(String(text), tag)).once()
  const length = position.look((values) => values?.length ?? null)
  if (length === null) throw bad(name, `${name} is not a cursor of this list in this order`)
  return Array.from({ length }, (_, at) => position.map((values) => values?.[at] ?? null))
}

type Position = readonly (string | number | boolean | null)[]

/** Where an entry stands, safe in URLs. It says of which list and order it is, so that no other takes it. */
export function encodeCursor(position: Position, tag: string): string {
  return Buffer.from(JSON.stringify([tag, ...position])).toString('base64url')
}

/** Null for everything that was not made for this list and order. */
function decodeCursor(text: string, tag: string): readonly Scalar[] | null {
  const parsed = parse(Buffer.from(text, 'base64url').toString())
  if (!Array.isArray(parsed) || parsed.length < 2 || parsed[0] !== tag) return null
  const position = parsed.slice(1).filter(isScalar)
  const isWhole = position.length === parsed.length - 1 && encodeCursor(position, tag) === text
  return isWhole ? position : null
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isScalar(value: unknown): value is Scalar {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
}
