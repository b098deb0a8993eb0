import type { SortKey } from '#content-query'
import { isRaw, type Raw } from './brackets.ts'
import { type At, badQuery, nameOf } from './refusals.ts'

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
