import { type Fault, refused } from '#commerce'
import type { RenderError } from '#http'
import { DomainError, type ErrorKind } from '#kernel'

/** Contract §2: whatever is wrong with the input is a 400, and wrong methods are no routes. */
const STATUSES: Record<ErrorKind, number> = {
  invalid: 400,
  conflict: 400,
  unprocessable: 400,
  stale: 400,
  unsupported_media: 400,
  expectation_failed: 417,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  gone: 404,
  method_not_allowed: 404,
  not_acceptable: 406,
  timeout: 408,
  too_large: 413,
  limited: 429,
  headers_too_large: 431,
  internal: 500,
  unavailable: 503,
}
/** Of `Idempotency-Key` (REST conventions §3); the level of a caller is 401 as in the dialect. */
const BY_CODE: Readonly<Record<string, number>> = {
  idempotency_mismatch: 422,
  idempotency_in_progress: 409,
  forbidden: 401,
}

export const renderCommerceError: RenderError = (error, { requestId }) => {
  const status = BY_CODE[error.code] ?? STATUSES[error.kind]
  return { status, body: bodyOf(error, requestId) }
}

export function noSuchRoute(): DomainError {
  return new DomainError('not_found', 'route_not_found', 'No such route.')
}

export function notAcceptable(): DomainError {
  return refused({ message: 'Answers are JSON; accept application/json.' }, 'not_acceptable')
}

function bodyOf(error: DomainError, requestId: string): object {
  const { kind, code, message } = error
  if (kind === 'internal') {
    return { message: 'Internal error. Report id: %1', parameters: [requestId] }
  }
  if (kind === 'method_not_allowed' || code === 'route_not_found')
    return { message: 'No such route.' }
  const faults = faultsOf(error)
  const [first] = faults
  if (!first) return { message }
  if (faults.length === 1) return first
  return { message: 'Several inputs are invalid.', errors: faults }
}

function faultsOf({ facts, issues }: DomainError): readonly Fault[] {
  const { faults } = facts
  if (Array.isArray(faults)) return faults
  return issues.map((issue) => ({ message: issue.message }))
}
