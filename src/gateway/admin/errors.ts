import type { RenderError } from '#http'
import { DomainError, type Issue } from '#kernel'
import type { Fault } from '../resources/check.ts'

const STATUSES: Readonly<Record<DomainError['kind'], number>> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  timeout: 408,
  conflict: 400,
  gone: 410,
  stale: 412,
  too_large: 413,
  unsupported_media: 400,
  expectation_failed: 417,
  unprocessable: 400,
  limited: 429,
  headers_too_large: 431,
  internal: 500,
  unavailable: 503,
}

/** Contract §2: the envelope that clients of this dialect know. */
export const renderAdminError: RenderError = (error) => {
  const { kind, code, message, issues, facts } = error
  if (code === 'key_not_found') return { status: 404, body: { message } }
  const errors = issues.map(({ path, message }) => ({ path: renderPath(path), message }))
  const all = code === 'invalid_configuration' ? { errors } : {}
  return { status: STATUSES[kind], body: { error_msg: message, ...facts, ...all } }
}

/** All faults of a value; the sentence shows the first. */
export function invalidConfiguration(faults: readonly Fault[]): DomainError {
  const [first] = faults
  const issues = faults.map(toIssue)
  return new DomainError('invalid', 'invalid_configuration', sentenceOf(first), { issues })
}

function sentenceOf(fault: Fault | undefined): string {
  if (!fault) return 'invalid configuration'
  // These say by themselves what is wrong, in words that clients look for.
  if (/^unknown plugin \[|\] not found$|^the same /.test(fault.message)) return fault.message
  return `invalid configuration: ${fault.path === '' ? '' : `${fault.path}: `}${fault.message}`
}

export function keyNotFound(): DomainError {
  return new DomainError('not_found', 'key_not_found', 'Key not found')
}

export function refuse(message: string): DomainError {
  return new DomainError('invalid', 'invalid_request', message)
}

export function notSupported(method: string, noun: string): DomainError {
  return new DomainError(
    'method_not_allowed',
    'method_not_allowed',
    `not supported \`${method}\` method for ${noun}`,
  )
}

function toIssue({ path, message }: Fault): Issue {
  return { path: path === '' ? [] : path.slice(1).split('/'), rule: 'configuration', message }
}

function renderPath(path: Issue['path']): string {
  return path.length === 0 ? '' : `/${path.join('/')}`
}
