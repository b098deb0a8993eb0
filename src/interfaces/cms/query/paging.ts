import { parsedOnce } from '#content-dialect'
import {
  type FilesQuery,
  type GivenPage,
  parseFilter,
  type Slot,
  type SortKey,
} from '#content-query'
import { type KeysetPaging, parseIntegerId, parseKeyset } from '#paging'
import { badPaging, badQuery, isRaw, type Raw, toValue } from './brackets.ts'
import { parseSort } from './showing.ts'

export type Paging =
  | { readonly kind: 'page'; readonly page: number; readonly size: number; readonly count: boolean }
  | {
      readonly kind: 'offset'
      readonly start: number
      readonly limit: number
      readonly count: boolean
    }
  | { readonly kind: 'keyset'; readonly keyset: KeysetPaging }

const DEFAULT_SIZE = 25
const MAX_SIZE = 100
const MEMBERS = ['page', 'pageSize', 'start', 'limit', 'withCount']
const KEYSET = ['after_id', 'before_id', 'limit']
const TRUE = ['true', 't', '1']
const FALSE = ['false', 'f', '0']

/** Refuses what is wrong with the numbers at once. */
export function pagingIn(query: Raw, sort: readonly SortKey[]): Slot<Paging> {
  const { pagination, after_id, before_id, limit } = query
  const given = { pagination, after_id, before_id, limit }
  return parsedOnce(given, (numbers) => parsePaging(numbers, sort))
}

/** Of the list of files: `pagination[…]`, or `start` and `limit` at the top. */
export function parseFilesQuery(raw: Raw): FilesQuery {
  const { pagination, start, limit } = raw
  const filter = parseFilter(raw['filters'] || undefined, ['filters'])
  const search = toValue(raw, '_q') ?? ''
  const sort = parseSort(raw['sort'], ['sort'])
  const piece = parsedOnce({ pagination, start, limit }, parsePiece)
  const numbers = { start: piece.map((own) => own.start), limit: piece.map((own) => own.limit) }
  return { filter, search, sort, page: { kind: 'offset', ...numbers, count: false } }
}

function parsePiece({ pagination, start, limit }: Raw): { start: number; limit: number } {
  if (start === undefined && limit === undefined) {
    const choice = toPage(parsePaging({ pagination }, []))
    if (choice.kind === 'offset') return { start: choice.start, limit: choice.limit }
  }
  if (isRaw(pagination)) throw badPaging(['pagination'], 'pagination cannot be combined with start')
  return {
    start: parseStart(start, 'start'),
    limit: parseLimit(limit, 'limit', DEFAULT_SIZE),
  }
}

/** The three modes of contract §5; their parameters cannot be mixed. */
function parsePaging(query: Raw, sort: readonly SortKey[]): Paging {
  const pagination = parsePagination(query['pagination'])
  if (KEYSET.some((name) => query[name] !== undefined)) {
    if (pagination) throw badPaging(['pagination'], 'pagination cannot be combined with after_id')
    return { kind: 'keyset', keyset: parseWalk(query, sort) }
  }
  return parseNumbered(pagination ?? {})
}

export function toPage(paging: Paging): GivenPage {
  if (paging.kind === 'keyset') {
    const { afterId, beforeId, limit } = paging.keyset
    return { kind: 'keyset', after: afterId, before: beforeId, limit }
  }
  if (paging.kind === 'offset') return paging
  const { page, size, count } = paging
  return { kind: 'offset', start: (page - 1) * size, limit: size, count }
}

/** `pagination[limit]` of a list, `limit` of a populated relation; larger ones are lowered. */
export function parseLimit(raw: unknown, name: string, byDefault: number): number {
  const given = parseWhole(raw, name) ?? byDefault
  return given === -1 ? MAX_SIZE : clamp(given, 1, MAX_SIZE)
}

export function parseStart(raw: unknown, name: string): number {
  return clamp(parseWhole(raw, name) ?? 0, 0, Number.MAX_SAFE_INTEGER)
}

/** Walking by id is only complete when the list is in the order of ids. */
function parseWalk(query: Raw, sort: readonly SortKey[]): KeysetPaging {
  const [first, ...rest] = sort
  if (rest.length > 0 || (first && first.path.join('.') !== 'id')) {
    throw badQuery(['sort'], 'sort must be id or id:desc together with after_id')
  }
  return parseKeyset(query, { parseId: parseIntegerId, maxLimit: MAX_SIZE })
}

function parsePagination(raw: unknown): Raw | undefined {
  if (raw === undefined || raw === '') return undefined
  if (!isRaw(raw)) throw badPaging(['pagination'], 'pagination must be given as pagination[page]')
  const unknown = Object.keys(raw).find((name) => !MEMBERS.includes(name))
  if (unknown === undefined) return raw
  const message = `pagination has no ${unknown}; it has ${MEMBERS.join(', ')}`
  throw badPaging(['pagination', unknown], message)
}

function parseNumbered(given: Raw): Paging {
  const byPage = ['page', 'pageSize'].some((name) => given[name] !== undefined)
  const byOffset = ['start', 'limit'].some((name) => given[name] !== undefined)
  if (byPage && byOffset) {
    throw badPaging(['pagination'], 'page and pageSize cannot be combined with start and limit')
  }
  const count = parseCount(given['withCount'])
  return byOffset ? parseOffset(given, count) : parsePage(given, count)
}

function parsePage(given: Raw, count: boolean): Paging {
  const wanted = parseWhole(given['pageSize'], 'pageSize') ?? DEFAULT_SIZE
  const size = clamp(wanted, 1, MAX_SIZE)
  const page = Math.max(1, parseWhole(given['page'], 'page') ?? 1)
  // Beyond this the offset would no longer be an exact number.
  if (page > Number.MAX_SAFE_INTEGER / size)
    throw badPaging(['pagination', 'page'], 'page is too large')
  return { kind: 'page', page, size, count }
}

function parseOffset(given: Raw, count: boolean): Paging {
  const start = parseStart(given['start'], 'start')
  return { kind: 'offset', start, limit: parseLimit(given['limit'], 'limit', DEFAULT_SIZE), count }
}

function parseCount(raw: unknown): boolean {
  if (raw === undefined || raw === '') return true
  const word = typeof raw === 'string' ? raw.toLowerCase() : ''
  if (TRUE.includes(word)) return true
  if (FALSE.includes(word)) return false
  throw badPaging(['pagination', 'withCount'], 'withCount must be true or false')
}

function parseWhole(raw: unknown, name: string): number | undefined {
  if (raw === undefined || raw === '') return undefined
  const value = typeof raw === 'string' && /^-?\d+$/.test(raw) ? Number(raw) : Number.NaN
  if (!Number.isSafeInteger(value)) throw badPaging([name], `${name} must be a whole number`)
  return value
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most)
}
