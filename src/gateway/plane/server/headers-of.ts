import { lowerOf } from '../http1/header-kinds.ts'
import type { RequestHead } from '../http1/parse-request.ts'

/** By lower-case names; undefined when it was not sent. */
export interface SentHeaders {
  readonly [name: string]: string | undefined
}

/** Headers that mean one thing: the first counts, as with `node:http`. */
const SINGLE = new Set(
  (
    'age authorization content-length content-type etag expires from host if-modified-since ' +
    'if-unmodified-since last-modified location max-forwards proxy-authorization referer ' +
    'retry-after server user-agent'
  ).split(' '),
)

let last: { readonly request: RequestHead; readonly made: SentHeaders } | null = null

/**
 * All headers of a request; made when somebody asks, since most requests pass without. Those of the
 * request that asked last are kept: plugins ask in a row, and a weak map of all requests costs more
 * than making them a second time for the answer.
 */
export function headersOf(request: RequestHead): SentHeaders {
  if (last?.request === request) return last.made
  last = { request, made: collect(request.rawHeaders) }
  return last.made
}

/** One of them, without making them all; `lower` in lower case. */
export function headerOf({ rawHeaders: raw }: RequestHead, lower: string): string | undefined {
  let found: string | undefined
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at]
    if (name?.length !== lower.length || lowerOf(name) !== lower) continue
    found = joined(lower, found, raw[at + 1] ?? '')
  }
  return found
}

/** The first of its name alone. */
export function firstHeader({ rawHeaders: raw }: RequestHead, lower: string): string | undefined {
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at]
    if (name?.length === lower.length && lowerOf(name) === lower) return raw[at + 1]
  }
  return undefined
}

function collect(raw: readonly string[]): SentHeaders {
  // No prototype: a header may have any name.
  const all: Record<string, string> = Object.create(null)
  for (let at = 0; at < raw.length; at += 2) {
    const name = lowerOf(raw[at] ?? '')
    all[name] = joined(name, all[name], raw[at + 1] ?? '')
  }
  return all
}

function joined(name: string, before: string | undefined, value: string): string {
  if (before === undefined) return value
  return SINGLE.has(name) ? before : `${before}${name === 'cookie' ? '; ' : ', '}${value}`
}
