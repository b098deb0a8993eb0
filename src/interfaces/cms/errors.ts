import type { RenderError } from '#http'
import type { DomainError, ErrorKind, Issue } from '#kernel'

const MAX_ISSUES = 50

interface Look {
  readonly status: number
  readonly name: string
}

const VALIDATION: Look = { status: 400, name: 'ValidationError' }

/** This dialect knows no 409 and no 422: whatever is wrong with the data is a 400 (contract §8). */
const LOOKS: Record<ErrorKind, Look> = {
  invalid: VALIDATION,
  conflict: VALIDATION,
  unprocessable: VALIDATION,
  stale: VALIDATION,
  unauthenticated: { status: 401, name: 'UnauthorizedError' },
  forbidden: { status: 403, name: 'ForbiddenError' },
  not_found: { status: 404, name: 'NotFoundError' },
  gone: { status: 404, name: 'NotFoundError' },
  method_not_allowed: { status: 405, name: 'MethodNotAllowedError' },
  not_acceptable: { status: 406, name: 'NotAcceptableError' },
  timeout: { status: 408, name: 'RequestTimeoutError' },
  too_large: { status: 413, name: 'PayloadTooLargeError' },
  unsupported_media: { status: 415, name: 'UnsupportedMediaTypeError' },
  expectation_failed: { status: 417, name: 'ExpectationFailedError' },
  limited: { status: 429, name: 'RateLimitError' },
  headers_too_large: { status: 431, name: 'RequestHeaderFieldsTooLargeError' },
  internal: { status: 500, name: 'InternalServerError' },
  unavailable: { status: 503, name: 'ServiceUnavailableError' },
}

/** The envelope that clients of the dialect read: `error.status`, `.message`, `.details`. */
export const renderCmsError: RenderError = (error) => {
  const { status, name } = lookOf(error)
  const message = error.kind === 'internal' ? 'Internal Server Error' : error.message
  const details = detailsOf(error)
  return { status, body: { data: null, error: { status, name, message, details } } }
}

function lookOf({ kind, code }: DomainError): Look {
  return code === 'invalid_pagination' ? { status: 400, name: 'PaginationError' } : LOOKS[kind]
}

function detailsOf({ kind, code, facts, issues }: DomainError): Record<string, unknown> {
  if (kind === 'forbidden' || kind === 'limited') return { code, ...facts }
  if (LOOKS[kind] !== VALIDATION || issues.length === 0) return {}
  return { errors: issues.slice(0, MAX_ISSUES).map(renderIssue) }
}

function renderIssue({ path, message }: Issue) {
  // Clients of the dialect compare paths as lists of texts.
  return { path: path.map(String), message, name: VALIDATION.name }
}
