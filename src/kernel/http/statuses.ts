import type { ErrorKind } from '../errors.ts'

/** The one table from kind to status; a dialect that differs says so in its own renderer. */
export const statusOf: Record<ErrorKind, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  timeout: 408,
  conflict: 409,
  gone: 410,
  stale: 412,
  too_large: 413,
  unsupported_media: 415,
  expectation_failed: 417,
  unprocessable: 422,
  limited: 429,
  headers_too_large: 431,
  internal: 500,
  unavailable: 503,
}
