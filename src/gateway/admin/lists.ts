import { compareBytes, isObject } from '#kernel'
import type { Kind } from '../protocol.ts'
import type { JsonObject } from '../resources/values.ts'
import { refuse } from './errors.ts'
import { keyOf } from './render.ts'
import type { Stored } from './store.ts'

export type ListQuery = Readonly<Record<string, string | undefined>>

export interface Page {
  readonly total: number
  readonly objects: readonly Stored[]
}

const MIN_PAGE_SIZE = 10
const MAX_PAGE_SIZE = 500

/** Contract §2: filters combined by AND; by key without paging, by creation with it. */
export function selectPage(all: Iterable<Stored>, kind: Kind, query: ListQuery, below = ''): Page {
  const wanted = createFilter(query)
  const found = [...all].filter(
    (object) => object.kind === kind && object.id.startsWith(below) && wanted(object),
  )
  const total = found.length
  if (!query['page'] && !query['page_size']) {
    return {
      total,
      objects: found.sort((a, b) => compareBytes(keyOf(kind, a.id), keyOf(kind, b.id))),
    }
  }
  const { page, size } = parsePaging(query)
  const sorted = found.sort((a, b) => a.createdIndex - b.createdIndex || compareBytes(a.id, b.id))
  return { total, objects: sorted.slice((page - 1) * size, page * size) }
}

export function parsePaging(query: ListQuery): { page: number; size: number } {
  const size = parseSize(query['page_size'])
  return { size, page: Math.max(1, parseWhole(query['page'], 'page') ?? 1) }
}

function createFilter(query: ListQuery): (object: Stored) => boolean {
  const { name, label, uri, filter } = query
  const named = new URLSearchParams(filter ?? '')
  const tests: ((value: JsonObject) => boolean)[] = []
  if (name) tests.push((value) => textOf(value['name'] ?? value['username']).includes(name))
  if (label) tests.push((value) => hasLabel(value['labels'], label))
  if (uri) tests.push((value) => urisOf(value).some((each) => each.includes(uri)))
  for (const member of ['service_id', 'upstream_id']) {
    const wanted = named.get(member)
    if (wanted) tests.push((value) => textOf(value[member]) === wanted)
  }
  return ({ value }) => tests.every((test) => test(value))
}

function hasLabel(labels: unknown, wanted: string): boolean {
  if (!isObject(labels)) return false
  const colon = wanted.indexOf(':')
  const name = colon === -1 ? wanted : wanted.slice(0, colon)
  if (!Object.hasOwn(labels, name)) return false
  return colon === -1 || labels[name] === wanted.slice(colon + 1)
}

function urisOf({ uri, uris }: JsonObject): string[] {
  return [uri, ...(Array.isArray(uris) ? uris : [])].filter((each) => typeof each === 'string')
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

function parseSize(text: string | undefined): number {
  const size = parseWhole(text, 'page_size') ?? MIN_PAGE_SIZE
  if (size >= MIN_PAGE_SIZE && size <= MAX_PAGE_SIZE) return size
  throw refuse(`page_size must be from ${MIN_PAGE_SIZE} to ${MAX_PAGE_SIZE}`)
}

function parseWhole(text: string | undefined, name: string): number | undefined {
  if (!text) return undefined
  if (!/^-?\d{1,9}$/.test(text)) throw refuse(`${name} must be a whole number`)
  return Number(text)
}
