import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'

// Access contract §3 "Secrets in logs".
const SECRET_PARAMETERS = new Set(['api_key', 'ticket', 'client_secret', 'password'])
const SECRET_HEADERS = new Set([
  'authorization',
  'proxy-authorization',
  'x-api-key',
  'api-key',
  'cookie',
  'set-cookie',
])
const MASK = '***'

// An encoded name (`api%5Fkey`) may be a secret too: encoded letters and underscores are looked at.
const MAYBE_SECRET = /api_key|ticket|client_secret|password|%(?:[46][1-9a-f]|[57][0-9a]|5f)/i
const QUERIES = /\?[^\s"'<>]+/g
const RAW_KEYS = /\b(sk|at|st|cs)_[A-Za-z0-9]{20,}/g
const ASSIGNMENTS = /\b(api_key|ticket|client_secret|password)(["']?\s*[=:]\s*["']?)[^&\s"',}]+/gi
const AUTHORIZATION = /\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi
const URL_LOGIN = /:\/\/[^/\s@]+@/g

const MAX_CAUSES = 5

/** A query as a log may show it: values of secret parameters are `***`, everything else as sent. */
export function maskQuery(text: string): string {
  if (!MAYBE_SECRET.test(text)) return text
  return text.split('&').map(maskPair).join('&')
}

export function maskUrl(url: string): string {
  const start = url.indexOf('?')
  return start === -1 ? url : `${url.slice(0, start)}?${maskQuery(url.slice(start + 1))}`
}

export function maskHeaders(
  headers: IncomingHttpHeaders | OutgoingHttpHeaders,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      SECRET_HEADERS.has(name.toLowerCase()) ? MASK : value,
    ]),
  )
}

/** Free text such as an error message: whatever looks like one of our secrets is `***`. */
export function maskText(text: string): string {
  return text
    .replaceAll(QUERIES, (query) => `?${maskQuery(query.slice(1))}`)
    .replaceAll(RAW_KEYS, `$1_${MASK}`)
    .replaceAll(ASSIGNMENTS, `$1$2${MASK}`)
    .replaceAll(AUTHORIZATION, `$1 ${MASK}`)
    .replaceAll(URL_LOGIN, `://${MASK}@`)
}

export interface MaskedError {
  readonly name: string
  readonly message: string
  readonly code?: unknown
  readonly stack?: string
  readonly cause?: MaskedError
}

/** An error with its causes, fit for the log. */
export function maskError(error: unknown, depth = 0): MaskedError {
  if (!(error instanceof Error)) return { name: typeof error, message: maskText(String(error)) }
  return {
    name: error.name,
    message: maskText(error.message),
    ...('code' in error ? { code: error.code } : {}),
    ...(error.stack ? { stack: maskText(error.stack) } : {}),
    ...(error.cause !== undefined && depth < MAX_CAUSES
      ? { cause: maskError(error.cause, depth + 1) }
      : {}),
  }
}

function maskPair(pair: string): string {
  const equals = pair.indexOf('=')
  if (equals === -1) return pair
  const name = pair.slice(0, equals)
  return isSecretName(name) ? `${name}=${MASK}` : pair
}

/** `user[password]` and `password[]` are as secret as `password`. */
function isSecretName(name: string): boolean {
  return decoded(name)
    .toLowerCase()
    .split(/[[\].]+/)
    .some((part) => SECRET_PARAMETERS.has(part))
}

function decoded(name: string): string {
  if (!name.includes('%')) return name
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
