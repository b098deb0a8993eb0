import type { FastifyRequest } from 'fastify'
import { DomainError, type ErrorKind, notFound } from '../errors.ts'
import { invalidJson, MERGE_PATCH, unsupportedMediaType } from './json-body.ts'
import { storageUnavailable } from './storage-unavailable.ts'
import { isValidationFailure, validationRefusal } from './validation-issues.ts'

/** Whatever was thrown, as something that can be shown; what nobody foresaw is `internal_error`. */
export function toRefusal(error: unknown, request: FastifyRequest): DomainError {
  if (error instanceof DomainError) return error
  if (isValidationFailure(error)) return validationRefusal(error, request.body === undefined)
  // The client left while it was sending; nobody reads this answer.
  if (request.raw.destroyed && !request.raw.complete) return unfinished()
  if (request.server.isUnavailable(error)) return storageUnavailable(error)
  if (codeOf(error) === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return unsupportedMediaType(bodyTypesOf(request))
  }
  return fromFramework(error) ?? internal(error)
}

/** What the route says, else of all types that any scope reads those that this one does. */
function bodyTypesOf({ server, method, routeOptions }: FastifyRequest): readonly string[] {
  const { consumes }: { consumes?: readonly string[] } = Object(routeOptions.schema)
  if (consumes) return consumes
  const readable = BODY_TYPES.filter((type) => server.hasContentTypeParser(type))
  return readable.filter((type) => type !== MERGE_PATCH || method === 'PATCH')
}

/** The framework could not read what was sent, as opposed to a failure of ours. */
export function isUnreadable(error: unknown): boolean {
  return !(error instanceof DomainError) && fromFramework(error) !== undefined
}

function internal(cause: unknown): DomainError {
  return new DomainError('internal', 'internal_error', 'An unexpected error occurred', { cause })
}

function fromFramework(error: unknown): DomainError | undefined {
  const code = codeOf(error)
  const refusal = REFUSALS[code]
  if (refusal) return refusal()
  // Plug-ins of the framework mark what the caller did wrong by a status of their own.
  const known = code.startsWith('FST_') ? BY_STATUS[statusCodeOf(error)] : undefined
  if (!known || !(error instanceof Error)) return undefined
  return new DomainError(known.kind, known.code, error.message)
}

const BODY_TYPES = [
  ...['application/json', MERGE_PATCH, 'multipart/form-data'],
  'application/x-www-form-urlencoded',
]

const REFUSALS: Record<string, () => DomainError> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () =>
    new DomainError('too_large', 'payload_too_large', 'The body is too large'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => unsupportedMediaType([]),
  FST_ERR_CTP_EMPTY_JSON_BODY: () => invalidJson('A JSON body is required'),
  FST_ERR_CTP_INVALID_JSON_BODY: () => invalidJson('The body is not valid JSON'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: unfinished,
  FST_ERR_BAD_URL: badUrl,
  FST_ERR_MAX_PARAM_LENGTH: () => notFound('route'),
}

const BY_STATUS: Record<number, { kind: ErrorKind; code: string }> = {
  400: { kind: 'invalid', code: 'invalid_request' },
  403: { kind: 'forbidden', code: 'forbidden' },
  404: { kind: 'not_found', code: 'not_found' },
  406: { kind: 'not_acceptable', code: 'not_acceptable' },
  413: { kind: 'too_large', code: 'payload_too_large' },
  415: { kind: 'unsupported_media', code: 'unsupported_media_type' },
}

function unfinished(): DomainError {
  return new DomainError('invalid', 'invalid_request', 'The body is not as long as announced')
}

function badUrl(): DomainError {
  return new DomainError('invalid', 'invalid_url', 'The URL is not correctly percent-encoded')
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error) || !('code' in error)) return ''
  return typeof error.code === 'string' ? error.code : ''
}

function statusCodeOf(error: unknown): number {
  if (!(error instanceof Error) || !('statusCode' in error)) return 500
  return typeof error.statusCode === 'number' ? error.statusCode : 500
}
