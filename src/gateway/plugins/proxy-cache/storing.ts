/** Which answers may be kept, and for how long (RFC 9111 §3, §4.2). */
import type { AnswerHead } from '../../plane/http1/parse-answer.ts'
import { parseDirectives, secondsOf } from './directives.ts'

export interface Terms {
  readonly statuses: ReadonlySet<number>
  readonly ttlSeconds: number
  readonly largestBody: number
}

export interface Storable {
  readonly freshMs: number
  readonly ageMs: number
  /** Request headers that decide, in lower case. */
  readonly varies: readonly string[]
  readonly tags: readonly string[]
}

/** Headers that describe one connection or one delivery, not the answer. */
export const NOT_KEPT: ReadonlySet<string> = new Set(['age', 'x-cache-status', 'x-request-id'])

interface Moments {
  readonly askedAtMs: number
  readonly nowMs: number
}

/** Null: the answer must not be kept. */
export function findStorable(
  head: AnswerHead,
  terms: Terms,
  { askedAtMs, nowMs }: Moments,
): Storable | null {
  if (!terms.statuses.has(head.status) || head.length > terms.largestBody) return null
  // The end of such a body looks the same as its breaking off.
  if (head.length < 0 && !head.isChunked) return null
  const said = (name: string) => valuesOf(head.headers, name).join(', ') || undefined
  if (said('set-cookie') !== undefined) return null
  if (said('content-type')?.toLowerCase().startsWith('text/event-stream')) return null
  const directives = parseDirectives(said('cache-control'))
  if (['no-store', 'private', 'no-cache'].some((name) => directives.has(name))) return null
  const varies = listOf(said('vary')).map((name) => name.toLowerCase())
  if (varies.includes('*')) return null
  const freshMs = 1000 * freshSeconds()
  const ageMs = 1000 * (Number(said('age') ?? 0) || 0)
  // Stale before it has come.
  if (freshMs <= ageMs + nowMs - askedAtMs) return null
  const tags = [...(said('surrogate-key') ?? '').split(/[\s,]+/), ...listOf(said('cache-tag'))]
  return { freshMs, ageMs, varies, tags: tags.filter((tag) => tag !== '') }

  function freshSeconds(): number {
    const given = secondsOf(directives, 's-maxage') ?? secondsOf(directives, 'max-age')
    if (given !== undefined) return given
    const expires = said('expires')
    if (expires === undefined) return terms.ttlSeconds
    const untilMs = Date.parse(expires)
    const fromMs = Date.parse(said('date') ?? '')
    // A date that is none means: already expired.
    if (Number.isNaN(untilMs)) return 0
    return Math.max(0, (untilMs - (Number.isNaN(fromMs) ? nowMs : fromMs)) / 1000)
  }
}

export function valuesOf(headers: readonly string[], lower: string): string[] {
  const values: string[] = []
  for (let at = 0; at < headers.length; at += 2) {
    if (headers[at]?.toLowerCase() === lower) values.push(headers[at + 1] ?? '')
  }
  return values
}

function listOf(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}
