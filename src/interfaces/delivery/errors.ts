import type { RenderError } from '#http'
import { nodeHttp, statusOf } from '#http-text'
import { DomainError, type ErrorKind } from '#kernel'

const PROBLEM_TYPE = 'application/problem+json'
const QUERY_TOO_LONG = 'query_too_long'
const VALIDATION_TITLE = 'One or more validation errors occurred.'

/** What is gone is not found here. */
const STATUS: Record<ErrorKind, number> = { ...statusOf, gone: 404 }

/** What a query parameter can be refused as (contract §8). */
export type QueryTitle =
  | 'Filter option not found'
  | 'Filter not valid'
  | 'Sort option not found'
  | 'Selector option not found'
  | 'Expand not valid'
  | 'Fields not valid'

/** The member of the facts that replaces the status text. */
const TITLE = 'title'

/** RFC 9457 problems. The same body for a missing and for a wrong `Api-Key`. */
export const renderDeliveryError: RenderError = (error) => {
  const status = error.code === QUERY_TOO_LONG ? 414 : STATUS[error.kind]
  const isOurs = error.kind === 'internal'
  const body = {
    ...(isOurs ? {} : error.facts),
    type: 'Error',
    title: titleOf(error, status),
    status,
    detail: isOurs ? 'An unexpected error occurred' : error.message,
    ...(isOurs ? {} : validationErrors(error)),
  }
  return { status, headers: { 'content-type': PROBLEM_TYPE }, body }
}

function titleOf({ kind, facts, issues }: DomainError, status: number): string {
  const own = facts[TITLE]
  if (kind === 'invalid' && typeof own === 'string') return own
  if (kind === 'invalid' && issues.length > 0) return VALIDATION_TITLE
  return nodeHttp().STATUS_CODES[status] ?? 'Error'
}

/** `"errors": { "take": ["…"] }` */
function validationErrors({ issues, facts }: DomainError) {
  if (issues.length === 0 || facts[TITLE] !== undefined) return {}
  const errors = new Map<string, string[]>()
  for (const { path, message } of issues) {
    const name = path.join('.')
    errors.set(name, [...(errors.get(name) ?? []), message])
  }
  return { errors: Object.fromEntries(errors) }
}

/** A fault inside a parameter; `position` is the character of the decoded value. */
export function queryFault(
  title: QueryTitle,
  { param, value }: { readonly param: string; readonly value: string },
  position: number,
  message: string,
): DomainError {
  return new DomainError('invalid', 'invalid_query', message, {
    facts: { [TITLE]: title, param, value, position },
  })
}

/** A parameter that is not valid as a whole, in the validation form. */
export function validationFault(name: string, message: string): DomainError {
  return new DomainError('invalid', 'validation_error', message, {
    issues: [{ path: [name], rule: 'invalid', message }],
  })
}

export function queryTooLong(maxBytes: number): DomainError {
  const message = `The query is longer than ${maxBytes} bytes`
  return new DomainError('too_large', QUERY_TOO_LONG, message)
}

export function unauthorized(): DomainError {
  return new DomainError('unauthenticated', 'unauthorized', 'A valid Api-Key is needed', {
    headers: { 'www-authenticate': 'Bearer realm="entrepot"' },
  })
}

export function notDelivered(message = 'There is no such item'): DomainError {
  return new DomainError('not_found', 'not_found', message)
}
