import type { RenderError } from '#http'
import { renderError as renderHouseError } from '#http-text'
import { DomainError } from '#kernel'

// RFC 6749 §5.2: the refusals of the OAuth endpoints and the form they have there.

/** How a client proves who it is: the header of RFC 7617 or members of the body. */
export type Scheme = 'basic' | 'body'

export function invalidRequest(description: string): DomainError {
  return new DomainError('invalid', 'invalid_request', description)
}

export function unsupportedGrantType(): DomainError {
  const description = 'Only grant_type=client_credentials is supported'
  return new DomainError('invalid', 'unsupported_grant_type', description)
}

export function invalidScope(description: string): DomainError {
  return new DomainError('invalid', 'invalid_scope', description)
}

/** The same for whatever is wrong, so that nobody learns which clients exist. */
export function invalidClient(scheme: Scheme): DomainError {
  return new DomainError('unauthenticated', 'invalid_client', 'Client authentication failed', {
    headers: scheme === 'basic' ? { 'www-authenticate': 'Basic realm="entrepot"' } : {},
  })
}

export function tooManyFailures(retryAfterSeconds: number): DomainError {
  const description = 'Too many failed client authentications'
  return new DomainError('limited', 'rate_limit_exceeded', description, {
    headers: { 'retry-after': String(retryAfterSeconds) },
  })
}

export const NEVER_STORED = { 'cache-control': 'no-store', pragma: 'no-cache' }
/** JSON:API contract §5: clients compare it for equality. */
const PLAIN_JSON = { 'content-type': 'application/json' }

/** Characters that RFC 6749 §5.2 allows in a description. */
const NOT_ALLOWED = /[^\x20\x21\x23-\x5b\x5d-\x7e]/g

/** The OAuth form for everything except what the check of keys refuses (access contract §3). */
export const renderError: RenderError = (error, context) => {
  const house = renderHouseError(error, context)
  if (isAboutCaller(error)) return { ...house, headers: NEVER_STORED }
  const description = error.message.replaceAll('"', "'").replaceAll(NOT_ALLOWED, '?')
  return {
    status: error.kind === 'unsupported_media' ? 400 : house.status,
    headers: { ...NEVER_STORED, ...PLAIN_JSON },
    body: { error: codeOf(error), error_description: description, message: description },
  }
}

function isAboutCaller({ kind, code }: DomainError): boolean {
  return kind === 'forbidden' || (kind === 'unauthenticated' && code !== 'invalid_client')
}

function codeOf({ kind, code }: DomainError): string {
  switch (kind) {
    case 'too_large':
    case 'unsupported_media':
      return 'invalid_request'
    case 'internal':
      return 'server_error'
    case 'unavailable':
      return 'temporarily_unavailable'
    default:
      return code
  }
}
