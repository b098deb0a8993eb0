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

const known = new WeakMap<RequestHead, SentHeaders>()

/** All headers of a request; made when somebody asks, since most requests pass without. */
export function headersOf(request: RequestHead): SentHeaders {
  const found = known.get(request)
  if (found) return found
  const made = collect(request.rawHeaders)
  known.set(request, made)
  return made
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
