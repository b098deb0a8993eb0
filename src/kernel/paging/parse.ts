import { DomainError } from '../errors.ts'
import { isUuid } from '../ids.ts'

/** The three strategies of Doc 2 §4.3; the parameters of a request choose one. */
export type Paging<Id = number> = OffsetPaging | CursorPaging | KeysetPaging<Id>

type Strategy = Paging['strategy']

export interface OffsetPaging {
  readonly strategy: 'offset'
  readonly page: number
  readonly perPage: number
  /** False leaves out the total, which is dear on large tables. */
  readonly count: boolean
}

export interface CursorPaging {
  readonly strategy: 'cursor'
  /** Null for the first page; else still to be opened with `createCursors`. */
  readonly cursor: string | null
  readonly perPage: number
  readonly count: boolean
}

export interface KeysetPaging<Id = number> {
  readonly strategy: 'keyset'
  readonly afterId: Id | null
  /** Walks backwards; never set together with `afterId`. */
  readonly beforeId: Id | null
  readonly limit: number
}

export interface PagingRules<Id> {
  /** Undefined when the text is no id of this list. */
  readonly parseId: (text: string) => Id | undefined
  readonly defaultSize?: number
  readonly maxPerPage?: number
  readonly maxLimit?: number
  /**
   * What the list offers; the first one is meant by a request without paging parameters. Those of
   * other strategies are not looked at. All three, offset first, when absent.
   */
  readonly strategies?: readonly Strategy[]
}

type Query = Readonly<Record<string, unknown>>

const DEFAULT_SIZE = 20
const MAX_SIZE = 100

const ALL: readonly Strategy[] = ['offset', 'cursor', 'keyset']
const OWN = {
  offset: ['page'],
  cursor: ['cursor'],
  keyset: ['after_id', 'before_id', 'limit'],
} as const

/** Reads the paging parameters of a list (REST conventions §5) or throws what is wrong with them. */
export function parsePaging<Id>(query: Query, rules: PagingRules<Id>): Paging<Id> {
  switch (chooseStrategy(query, rules.strategies ?? ALL)) {
    case 'offset':
      return parseOffset(query, rules)
    case 'cursor':
      return parseCursorPaging(query, rules)
    case 'keyset': {
      const sort = single(query, 'sort')
      // Walking by id is only complete when the list is in the order of ids.
      if (sort !== undefined && sort !== 'id')
        throw badParameter('sort must be id in keyset paging')
      return parseKeyset(query, rules)
    }
  }
}

function chooseStrategy(query: Query, offered: readonly Strategy[]): Strategy {
  const given = (name: string) => query[name] !== undefined
  const named = offered.filter((strategy) => OWN[strategy].some(given))
  const sized = given('per_page') && offered.some((strategy) => strategy !== 'keyset')
  if (named.length > 1 || (sized && named[0] === 'keyset')) {
    const names = [...Object.values(OWN).flat(), 'per_page'].filter(given)
    throw new DomainError(
      'invalid',
      'conflicting_pagination',
      `Parameters of different paging strategies are combined: ${names.join(', ')}`,
    )
  }
  const byDefault = offered.find((strategy) => !sized || strategy !== 'keyset')
  return named[0] ?? byDefault ?? 'offset'
}

/** The keyset parameters alone, for a dialect that has its own rules for everything else. */
export function parseKeyset<Id>(query: Query, rules: PagingRules<Id>): KeysetPaging<Id> {
  const afterId = idOf(query, 'after_id', rules.parseId)
  const beforeId = idOf(query, 'before_id', rules.parseId)
  if (afterId !== null && beforeId !== null) {
    throw badParameter('after_id and before_id cannot be combined')
  }
  const limit = sizeOf(query, 'limit', rules.defaultSize, rules.maxLimit)
  return { strategy: 'keyset', afterId, beforeId, limit }
}

function parseOffset<Id>(query: Query, rules: PagingRules<Id>): OffsetPaging {
  const perPage = sizeOf(query, 'per_page', rules.defaultSize, rules.maxPerPage)
  const page = positiveOf(query, 'page') ?? 1
  // Beyond this the offset would no longer be an exact number.
  if (page > Number.MAX_SAFE_INTEGER / perPage) throw badParameter('page is too large')
  return { strategy: 'offset', page, perPage, count: flagOf(query, 'count') ?? true }
}

function parseCursorPaging<Id>(query: Query, rules: PagingRules<Id>): CursorPaging {
  const perPage = sizeOf(query, 'per_page', rules.defaultSize, rules.maxPerPage)
  const cursor = single(query, 'cursor') || null
  return { strategy: 'cursor', cursor, perPage, count: flagOf(query, 'count') ?? false }
}

/** An integer id, from 0 so that a walk may start before the first one. */
export function parseIntegerId(text: string): number | undefined {
  const id = /^\d+$/.test(text) ? Number(text) : Number.NaN
  return Number.isSafeInteger(id) ? id : undefined
}

export function parseUuidId(text: string): string | undefined {
  return isUuid(text) ? text.toLowerCase() : undefined
}

function idOf<Id>(query: Query, name: string, parseId: (text: string) => Id | undefined) {
  const text = single(query, name)
  if (text === undefined) return null
  const id = parseId(text)
  if (id === undefined) throw badParameter(`${name} is not an id of this list`)
  return id
}

function sizeOf(query: Query, name: string, byDefault = DEFAULT_SIZE, max = MAX_SIZE): number {
  return Math.min(positiveOf(query, name) ?? byDefault, max)
}

function positiveOf(query: Query, name: string): number | undefined {
  const text = single(query, name)
  if (text === undefined) return undefined
  const value = /^\d+$/.test(text) ? Number(text) : 0
  if (value < 1) throw badParameter(`${name} must be an integer of at least 1`)
  return value
}

function flagOf(query: Query, name: string): boolean | undefined {
  const text = single(query, name)
  if (text === undefined) return undefined
  if (text !== 'true' && text !== 'false') throw badParameter(`${name} must be true or false`)
  return text === 'true'
}

function single(query: Query, name: string): string | undefined {
  const value = query[name]
  if (value === undefined) return undefined
  if (typeof value !== 'string') throw badParameter(`${name} must be given once`)
  return value
}

function badParameter(message: string): DomainError {
  return new DomainError('invalid', 'invalid_parameter', message)
}
