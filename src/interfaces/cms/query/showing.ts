import type { CopyState, SortKey } from '#content-query'
import { type At, badQuery, isRaw, nameOf, type Raw, toText, toWords } from './brackets.ts'
import { hasField, type Level } from './level.ts'

/** The members to show; null means all of them. */
export function parseFields(raw: unknown, level: Level, at: At): ReadonlySet<string> | null {
  if (raw === undefined) return null
  const names = toWords(raw)
  if (!names) throw badQuery(at, `${nameOf(at)} must be a list of names`)
  const unknown = names.find((name) => name !== '*' && !hasField(level, name))
  if (unknown === undefined) {
    return names.length === 0 || names.includes('*') ? null : new Set(names)
  }
  throw badQuery([...at, unknown], `${nameOf(at)}: there is no field ${unknown} to show`)
}

/** All its forms: `title:desc,id`, lists of these, `sort[title]=asc`, `sort[0][author][name]=asc`. */
export function parseSort(raw: unknown, at: At): SortKey[] {
  if (raw === undefined) return []
  if (typeof raw === 'string') return raw.split(',').flatMap((text) => parseKey(text.trim(), at))
  if (Array.isArray(raw)) return raw.flatMap((item, index) => parseSort(item, [...at, index]))
  if (isRaw(raw)) return parseMembers(raw, [], at)
  throw badQuery(at, `${nameOf(at)} is not an order`)
}

function parseMembers(raw: Raw, path: readonly string[], at: At): SortKey[] {
  return Object.entries(raw).flatMap(([name, value]) => {
    const inner = [...path, ...name.split('.')]
    const innerAt = [...at, name]
    // `sort[0]=a&sort[b]=desc` arrives as one object.
    if (path.length === 0 && /^\d+$/.test(name)) return parseSort(value, innerAt)
    if (isRaw(value)) return parseMembers(value, inner, innerAt)
    return [{ path: inner, order: parseOrder(value, innerAt), at: innerAt }]
  })
}

function parseKey(text: string, at: At): SortKey[] {
  if (text === '') return []
  const [name = '', order, ...rest] = text.split(':')
  if (rest.length > 0) throw badQuery(at, `${nameOf(at)}: ${text} is not an order`)
  return [{ path: name.trim().split('.'), order: parseOrder(order, at), at }]
}

function parseOrder(value: unknown, at: At): SortKey['order'] {
  const word = typeof value === 'string' ? value.trim().toLowerCase() : value
  if (word === undefined || word === '' || word === 'asc') return 'asc'
  if (word === 'desc') return 'desc'
  throw badQuery(at, `${nameOf(at)}: the order must be asc or desc`)
}

const PUBLICATION_STATES: Readonly<Record<string, CopyState>> = { live: 'live', preview: 'working' }
const STATUSES: Readonly<Record<string, CopyState>> = { published: 'live', draft: 'working' }

/** `publicationState`, or `status` as newer clients call it (contract §4.5). */
export function parseState(query: Raw): CopyState {
  const byStatus = parseStatus(query)
  const byName = parseWord(query, 'publicationState', PUBLICATION_STATES)
  if (byStatus !== undefined && byName !== undefined && byStatus !== byName) {
    throw badQuery(['status'], 'status and publicationState contradict each other')
  }
  return byStatus ?? byName ?? 'live'
}

/** What a write shall leave behind; undefined when `status` is not given. */
export function parseStatus(query: Raw): CopyState | undefined {
  return parseWord(query, 'status', STATUSES)
}

function parseWord(
  query: Raw,
  name: string,
  words: Readonly<Record<string, CopyState>>,
): CopyState | undefined {
  const word = toText(query, name)
  if (word === undefined) return undefined
  if (Object.hasOwn(words, word)) return words[word]
  throw badQuery([name], `${name} must be one of ${Object.keys(words).join(', ')}`)
}
