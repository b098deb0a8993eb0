/** One request of a chain of redirects. */
export interface Hop {
  readonly method: string
  readonly url: URL
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer | null
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

// Everything else may be a credential: also `x-token` and whatever a user invented.
const KEPT_ACROSS_ORIGINS: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'content-type',
  'user-agent',
])

/** The `Location` of an answer that asks to be followed, else null. */
export function redirectLocation(
  status: number,
  headers: Record<string, string | string[] | undefined>,
): string | null {
  const location = headers['location']
  return REDIRECTS.has(status) && typeof location === 'string' ? location : null
}

/** Where a `Location` leads, null when it is no URL. Credentials inside it are dropped. */
export function resolveLocation(location: string, base: URL): URL | null {
  // Header values arrive as one character per byte; raw UTF-8 has to reach the URL byte by byte.
  const ascii = location.replace(
    /[\x80-\xff]/g,
    (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  const url = URL.parse(ascii, base)
  if (!url) return null
  url.username = ''
  url.password = ''
  return url
}

/** The request a redirect asks for (RFC 9110 §15.4), without what the new origin must not see. */
export function nextHop(hop: Hop, status: number, url: URL): Hop {
  const keepsBody = status === 307 || status === 308 || isSafe(hop.method)
  const sameOrigin = url.origin === hop.url.origin
  const kept = Object.entries(hop.headers).filter(([name]) => {
    if (!keepsBody && name.startsWith('content-')) return false
    return sameOrigin || KEPT_ACROSS_ORIGINS.has(name)
  })
  const headers = Object.fromEntries(kept)
  if (keepsBody) return { ...hop, url, headers }
  return { method: 'GET', url, headers, body: null }
}

function isSafe(method: string): boolean {
  return method === 'GET' || method === 'HEAD'
}
