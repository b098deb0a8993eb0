/** The closed set of ways a request can be refused; every dialect maps each of them to a status. */
export type ErrorKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'not_acceptable'
  | 'conflict'
  | 'gone'
  | 'stale'
  | 'timeout'
  | 'too_large'
  | 'unsupported_media'
  | 'expectation_failed'
  | 'unprocessable'
  | 'limited'
  | 'headers_too_large'
  | 'internal'
  | 'unavailable'

/** One problem inside the input; `path` is the member it concerns, outermost first. */
export interface Issue {
  readonly path: readonly (string | number)[]
  readonly rule: string
  readonly message: string
}

export interface ErrorDetails {
  readonly issues?: readonly Issue[]
  /** Public extras such as `{ quota: 10000, reset: 1775001600 }`. */
  readonly facts?: Record<string, unknown>
  /** What every dialect's answer carries, such as `WWW-Authenticate`; names in lower case. */
  readonly headers?: Readonly<Record<string, string>>
  readonly cause?: unknown
}

/** A refusal the caller may see: everything but `cause` is safe to send; `cause` never leaves the log. */
export class DomainError extends Error {
  readonly kind: ErrorKind
  readonly code: string
  readonly issues: readonly Issue[]
  readonly facts: Record<string, unknown>
  readonly headers: Readonly<Record<string, string>>

  constructor(kind: ErrorKind, code: string, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.name = 'DomainError'
    this.kind = kind
    this.code = code
    this.issues = details.issues ?? []
    this.facts = details.facts ?? {}
    this.headers = details.headers ?? {}
  }
}

/** Many problems of one input, all of them and not only the first. */
export function invalid(issues: readonly Issue[], code = 'validation_error'): DomainError {
  const [first] = issues
  const message =
    issues.length === 1 && first ? first.message : `${issues.length} fields are not valid`
  return new DomainError('invalid', code, message, { issues })
}

/** `notFound('plan')` has the code `plan_not_found`. */
export function notFound(noun?: string): DomainError {
  if (!noun) return new DomainError('not_found', 'not_found', 'Not found')
  const words = noun.replaceAll('_', ' ')
  const sentence = `${words[0]?.toUpperCase() ?? ''}${words.slice(1)} not found`
  return new DomainError('not_found', `${noun}_not_found`, sentence)
}

export function conflict(code: string, message: string, facts?: Record<string, unknown>) {
  return new DomainError('conflict', code, message, facts ? { facts } : {})
}

export function unavailable(code: string, message: string, cause?: unknown) {
  return new DomainError('unavailable', code, message, { cause })
}

/** A fault the operator can mend (port taken, unreadable file): shown as one line, without a stack. */
export class OperatorError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'OperatorError'
  }
}
