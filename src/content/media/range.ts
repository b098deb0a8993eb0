import type { IncomingHttpHeaders } from 'node:http'

interface Range {
  readonly first: number
  /** Included. */
  readonly last: number
}

/**
 * The one range that is asked for (RFC 9110 §14.2). Undefined means all of it: nothing was asked,
 * several ranges were, or the asker has a part of something else.
 */
export function parseRange(
  { range, 'if-range': condition }: IncomingHttpHeaders,
  etag: string,
  sizeBytes: number,
): Range | 'outside' | undefined {
  if (range === undefined || (condition !== undefined && condition !== etag)) return undefined
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range.trim()) ?? []
  if (from === '' && to === '') return undefined
  const end = sizeBytes - 1
  if (from === '') {
    const first = Math.max(0, sizeBytes - Number(to))
    return first > end ? 'outside' : { first, last: end }
  }
  const [first, last] = [Number(from), to === '' ? end : Math.min(Number(to), end)]
  if (first > end) return 'outside'
  return first > last ? undefined : { first, last }
}
