/** An answer from the cache to a request: the whole, a part, or that nothing has changed. */
import type { CachedAnswer } from '../../plane/answer-cache.ts'
import type { PluginAnswer } from '../../plane/plugin.ts'
import type { SentHeaders } from '../../plane/server/headers-of.ts'
import { valuesOf } from './storing.ts'

/** RFC 9110 §15.4.5: with 304 only what a cache needs. */
const WITH_304: ReadonlySet<string> = new Set(
  'cache-control content-location date etag expires last-modified vary'.split(' '),
)

export function serve(kept: CachedAnswer, request: SentHeaders, nowMs: number): PluginAnswer {
  const age = ['Age', String(Math.floor((kept.ageMs + nowMs - kept.storedAtMs) / 1000))]
  if (kept.status === 200 && isUnchanged(kept, request)) {
    return { status: 304, rawHeaders: [...only(kept.headers, WITH_304), ...age] }
  }
  const whole = { status: kept.status, rawHeaders: [...kept.headers, ...age], body: kept.body }
  if (kept.status !== 200 || !isRangeWanted(kept, request)) return whole
  const range = parseRange(request['range'] ?? '', kept.body.length)
  return range === undefined ? whole : part(kept, age, range)
}

/** RFC 9110 §13.2.2: the tag decides where it is given, else the date. */
function isUnchanged({ headers }: CachedAnswer, request: SentHeaders): boolean {
  const tags = request['if-none-match']
  const [tag] = valuesOf(headers, 'etag')
  if (tags !== undefined) {
    if (tags.trim() === '*') return true
    return tag !== undefined && tags.split(',').some((each) => weak(each) === weak(tag))
  }
  const sinceMs = Date.parse(request['if-modified-since'] ?? '')
  const modifiedMs = Date.parse(valuesOf(headers, 'last-modified')[0] ?? '')
  return modifiedMs <= sinceMs
}

function weak(tag: string): string {
  return tag.trim().replace(/^W\//, '')
}

/** RFC 9110 §13.1.5: a part is of use only to whoever has the rest of the same answer. */
function isRangeWanted({ headers }: CachedAnswer, request: SentHeaders): boolean {
  if (request['range'] === undefined) return false
  const condition = request['if-range']
  if (condition === undefined) return true
  const [tag] = valuesOf(headers, 'etag')
  const [modified] = valuesOf(headers, 'last-modified')
  return (condition === tag && !condition.startsWith('W/')) || condition === modified
}

interface Range {
  readonly first: number
  readonly last: number
}

/** Undefined: not one range of bytes, so the whole is sent; null: nothing lies in it. */
function parseRange(text: string, length: number): Range | null | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(text.trim()) ?? []
  if (first === '' && last === '') return undefined
  if (first === '') {
    const count = Math.min(Number(last), length)
    return count === 0 ? null : { first: length - count, last: length - 1 }
  }
  if (last !== '' && Number(last) < Number(first)) return undefined
  if (Number(first) >= length) return null
  return { first: Number(first), last: Math.min(last === '' ? length : Number(last), length - 1) }
}

function part(kept: CachedAnswer, age: string[], range: Range | null): PluginAnswer {
  const { length } = kept.body
  const others = kept.headers.filter((_, at) => {
    return kept.headers[at - (at % 2)]?.toLowerCase() !== 'content-length'
  })
  if (!range) {
    return { status: 416, rawHeaders: ['Content-Range', `bytes */${length}`, ...age] }
  }
  const { first, last } = range
  return {
    status: 206,
    rawHeaders: [...others, 'Content-Range', `bytes ${first}-${last}/${length}`, ...age],
    body: kept.body.subarray(first, last + 1),
  }
}

function only(headers: readonly string[], names: ReadonlySet<string>): string[] {
  return headers.filter((_, at) => names.has(headers[at - (at % 2)]?.toLowerCase() ?? ''))
}
