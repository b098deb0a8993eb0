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

/** One header alone, the first of its name, without making them all; `lower` in lower case. */
export function firstHeader({ rawHeaders: raw }: RequestHead, lower: string): string | undefined {
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at]
    if (name?.length === lower.length && name.toLowerCase() === lower) return raw[at + 1]
  }
  return undefined
}

function collect(raw: readonly string[]): SentHeaders {
  // No prototype: a header may have any name.
  const all: Record<string, string> = Object.create(null)
  for (let at = 0; at < raw.length; at += 2) {
    const name = (raw[at] ?? '').toLowerCase()
    const value = raw[at + 1] ?? ''
    const before = all[name]
    if (before === undefined) all[name] = value
    else if (!SINGLE.has(name)) all[name] = `${before}${name === 'cookie' ? '; ' : ', '}${value}`
  }
  return all
}
