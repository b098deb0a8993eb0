/** Headers after a body (RFC 9110 §6.5), names and values in turn. */
import { hasOption } from './head-text.ts'
import { kindOf, PASS, TE } from './header-kinds.ts'
import type { RequestHead } from './parse-request.ts'

/**
 * RFC 9110 §6.5.1: what decides about a message cannot come after it. Some servers put trailers among the
 * headers, where these would say something that nobody has checked.
 */
const DECIDING = new Set(
  (
    'age authorization cache-control content-encoding content-language content-location content-range ' +
    'content-type cookie date expires if-match if-modified-since if-none-match if-range ' +
    'if-unmodified-since location max-forwards pragma range retry-after set-cookie vary warning ' +
    'www-authenticate'
  ).split(' '),
)

/** Those that are passed on: nothing of a connection, of who calls, or of what a plugin has changed. */
export function passedTrailers(
  trailers: readonly string[],
  changed: ReadonlyMap<string, unknown> | null = null,
): string[] {
  const passed: string[] = []
  for (let at = 0; at < trailers.length; at += 2) {
    const name = trailers[at] ?? ''
    const lower = name.toLowerCase()
    if (kindOf(name) !== PASS || DECIDING.has(lower) || changed?.has(lower)) continue
    passed.push(name, trailers[at + 1] ?? '')
  }
  return passed
}

/** Whether the client has said that it takes them. */
export function wantsTrailers({ rawHeaders, kinds }: RequestHead): boolean {
  return kinds.some(
    (kind, at) => kind === TE && hasOption(rawHeaders[2 * at + 1] ?? '', 'trailers'),
  )
}

/** The end of a chunked body. */
export function renderLastChunk(trailers: readonly string[]): string {
  let lines = ''
  for (let at = 0; at < trailers.length; at += 2)
    lines += `${trailers[at]}: ${trailers[at + 1]}\r\n`
  return `0\r\n${lines}\r\n`
}

export const NO_TRAILERS: readonly string[] = []
