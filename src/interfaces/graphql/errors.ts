import { type ASTNode, GraphQLError } from 'graphql'
import type { RenderError } from '#http'
import { statusOf } from '#http-text'
import { DomainError, type ErrorKind, type Issue } from '#kernel'

const MAX_ISSUES = 50
/** Characters of a message: it may quote what was sent. */
const LONGEST_MESSAGE = 1_000

type Code =
  | ('GRAPHQL_PARSE_FAILED' | 'GRAPHQL_VALIDATION_FAILED' | 'BAD_USER_INPUT' | 'UNAUTHENTICATED')
  | ('FORBIDDEN' | 'NOT_FOUND' | 'CONFLICT' | 'QUERY_TOO_DEEP' | 'QUERY_TOO_COMPLEX' | 'TIMEOUT')
  | ('RATE_LIMITED' | 'INTERNAL_SERVER_ERROR' | 'PERSISTED_QUERY_NOT_SUPPORTED')

/** Contract §2.1. `name` is what clients of the CMS look at. */
const LOOKS: Record<ErrorKind, { readonly code: Code; readonly name: string }> = {
  invalid: { code: 'BAD_USER_INPUT', name: 'ValidationError' },
  unprocessable: { code: 'BAD_USER_INPUT', name: 'ValidationError' },
  stale: { code: 'CONFLICT', name: 'ApplicationError' },
  conflict: { code: 'CONFLICT', name: 'ValidationError' },
  unauthenticated: { code: 'UNAUTHENTICATED', name: 'UnauthorizedError' },
  forbidden: { code: 'FORBIDDEN', name: 'ForbiddenError' },
  not_found: { code: 'NOT_FOUND', name: 'NotFoundError' },
  gone: { code: 'NOT_FOUND', name: 'NotFoundError' },
  method_not_allowed: { code: 'BAD_USER_INPUT', name: 'MethodNotAllowedError' },
  not_acceptable: { code: 'BAD_USER_INPUT', name: 'NotAcceptableError' },
  timeout: { code: 'TIMEOUT', name: 'RequestTimeoutError' },
  too_large: { code: 'BAD_USER_INPUT', name: 'PayloadTooLargeError' },
  unsupported_media: { code: 'BAD_USER_INPUT', name: 'UnsupportedMediaTypeError' },
  expectation_failed: { code: 'BAD_USER_INPUT', name: 'ExpectationFailedError' },
  limited: { code: 'RATE_LIMITED', name: 'RateLimitError' },
  headers_too_large: { code: 'BAD_USER_INPUT', name: 'RequestHeaderFieldsTooLargeError' },
  internal: { code: 'INTERNAL_SERVER_ERROR', name: 'InternalServerError' },
  unavailable: { code: 'INTERNAL_SERVER_ERROR', name: 'ServiceUnavailableError' },
}

/** One member of `errors` on the wire. */
export interface ShownError {
  readonly message: string
  readonly path?: readonly (string | number)[]
  readonly locations?: readonly { readonly line: number; readonly column: number }[]
  readonly extensions: Readonly<Record<string, unknown>>
}

/** Nothing was executed: the document, its variables or its size are refused. */
export class Refused extends Error {
  readonly errors: readonly ShownError[]
  /** Headers that hold for the refusal too. */
  readonly headers: Readonly<Record<string, string>>

  constructor(errors: readonly ShownError[], headers: Readonly<Record<string, string>> = {}) {
    super(errors[0]?.message ?? 'refused')
    this.errors = errors
    this.headers = headers
  }
}

export function refused(
  code: Code,
  message: string,
  facts: Readonly<Record<string, unknown>> = {},
  headers: Readonly<Record<string, string>> = {},
): Refused {
  return new Refused([{ message, extensions: { code, ...facts } }], headers)
}

/** What the language itself found wrong. */
export function refusedFor(errors: readonly GraphQLError[], code: Code): Refused {
  return new Refused(errors.map((error) => renderOwn(error, code)))
}

/** What our own rules found wrong in the document. */
export function refusedAt(
  faults: readonly { readonly message: string; readonly nodes: readonly ASTNode[] }[],
): Refused {
  const extensions = { code: 'GRAPHQL_VALIDATION_FAILED' satisfies Code }
  return new Refused(
    faults.map(({ message, nodes }) => ({
      message: shortened(message),
      locations: nodes.flatMap(locationsOf),
      extensions,
    })),
  )
}

/** Where a node of a document stands. */
export function locationsOf({ loc }: ASTNode): NonNullable<ShownError['locations']> {
  return loc ? [{ line: loc.startToken.line, column: loc.startToken.column }] : []
}

function shortened(message: string): string {
  return message.length > LONGEST_MESSAGE ? `${message.slice(0, LONGEST_MESSAGE)}...` : message
}

function renderOwn({ message, locations, path }: GraphQLError, code: Code): ShownError {
  return {
    message: shortened(message),
    ...(locations && { locations }),
    ...(path && { path }),
    extensions: { code },
  }
}

/** Why a field has no value. A fault of ours says nothing of itself. */
export function renderFieldError(
  error: unknown,
  at: Pick<ShownError, 'path' | 'locations'>,
): ShownError {
  if (error instanceof GraphQLError) return { ...renderOwn(error, 'BAD_USER_INPUT'), ...at }
  if (error instanceof Refused && error.errors[0]) return { ...error.errors[0], ...at }
  if (!(error instanceof DomainError)) return { ...at, ...INTERNAL }
  const { kind, issues, facts } = error
  const { name } = LOOKS[kind]
  // What can be asked again says so.
  const code = kind === 'unavailable' ? 'TIMEOUT' : LOOKS[kind].code
  if (code === 'INTERNAL_SERVER_ERROR') return { ...at, ...INTERNAL }
  const message = asWritten(error.message)
  const details =
    issues.length === 0 ? facts : { errors: issues.slice(0, MAX_ISSUES).map(renderIssue) }
  return { message, ...at, extensions: { code, error: { name, message, details } } }
}

const INTERNAL = {
  message: 'Internal Server Error',
  extensions: { code: 'INTERNAL_SERVER_ERROR' },
} as const

function renderIssue({ path, message }: Issue) {
  return {
    path: path.map((step) => String(step).replace(/^\$/, '')),
    message: asWritten(message),
    name: 'ValidationError',
  }
}

/** Operators have no `$` here. */
function asWritten(message: string): string {
  return message.replaceAll('[$', '[')
}

/** Refusals of the request itself: its key, its plan, its body. */
export const renderGraphqlError: RenderError = (error) => {
  const { code } = LOOKS[error.kind]
  const message = error.kind === 'internal' ? INTERNAL.message : error.message
  const shown = { message, extensions: { code, ...error.facts } }
  return { status: statusOf[error.kind], body: { errors: [shown] } }
}
