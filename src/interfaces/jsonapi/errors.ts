import type { RenderError } from '#http'
import { nodeHttp, statusOf } from '#http-text'
import { DomainError, type ErrorKind, type Issue } from '#kernel'

export const MEDIA_TYPE = 'application/vnd.api+json'
export const JSONAPI = {
  version: '1.1',
  meta: { links: { self: { href: 'https://jsonapi.org/format/1.1/' } } },
} as const

const MOST_ERRORS = 50

/** What RFC 9110 calls them now; the others are as Node names them. */
const TITLES: Readonly<Record<number, string>> = {
  413: 'Content Too Large',
  422: 'Unprocessable Content',
}

/** What is gone is not found here. */
const STATUS: Record<ErrorKind, number> = { ...statusOf, gone: 404 }

/** Where the fault lies: in a member of the body, a parameter or a header. */
export type Source =
  /** `field` names a member that is missing in what the pointer shows. */
  | { readonly pointer: string; readonly field?: string | undefined }
  | { readonly parameter: string }
  | { readonly header: string }

/** The first step of an issue's path that says what the second one is. */
const POINTER = '@pointer'
const HEADER = '@header'

export const renderJsonApiError: RenderError = (error) => {
  const status = STATUS[error.kind]
  const title = TITLES[status] ?? nodeHttp().STATUS_CODES[status] ?? 'Error'
  const shared = { status: String(status), title }
  const issues = error.issues.slice(0, MOST_ERRORS)
  const errors =
    issues.length > 0 && error.kind !== 'internal'
      ? issues.map((issue) => ({ ...shared, ...renderIssue(issue, error) }))
      : [
          {
            ...shared,
            code: error.code,
            detail: detailOf(error),
            ...sourceBy(error),
            ...metaOf(error.facts),
          },
        ]
  const headers = { 'content-type': MEDIA_TYPE, 'x-api-version': '1' }
  return { status, headers, body: { jsonapi: JSONAPI, errors } }
}

/** Headers that every dialect reads alike; their refusals do not say where the fault lies. */
const HEADERS: ReadonlyMap<string, string> = new Map([
  ['precondition_failed', 'If-Match'],
  ['idempotency_mismatch', 'Idempotency-Key'],
  ['idempotency_in_progress', 'Idempotency-Key'],
])

function sourceBy({ code }: DomainError) {
  const header = HEADERS.get(code)
  return header === undefined ? {} : { source: { header } }
}

function detailOf({ kind, message }: DomainError): string {
  return kind === 'internal' ? 'An unexpected error occurred' : message
}

function metaOf(facts: Readonly<Record<string, unknown>>) {
  return Object.keys(facts).length > 0 ? { meta: facts } : {}
}

function renderIssue({ path, rule, message }: Issue, { facts }: DomainError) {
  const { source, field } = sourceOf(path)
  const meta = metaOf({ ...facts, ...(field === undefined ? {} : { field }) })
  return { code: CODES.get(rule) ?? snake(rule), detail: message, source, ...meta }
}

/** Rules of the store whose names say too little by themselves. */
const CODES: ReadonlyMap<string, string> = new Map([
  ['required', 'value_required'],
  ['type', 'wrong_type'],
  ['unique', 'not_unique'],
  ['format', 'unknown_format'],
])

/** `maxLength` is `max_length` (contract §10). */
function snake(rule: string): string {
  return rule.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function sourceOf(path: Issue['path']) {
  const [first, second = '', field] = path
  if (first === POINTER) return { source: { pointer: String(second) }, field }
  if (first === HEADER) return { source: { header: String(second) }, field: undefined }
  return { source: { parameter: parameterOf(path) }, field: undefined }
}

/** `['filter', 'L', 'value']` is `filter[L][value]`. */
function parameterOf([base = '', ...keys]: Issue['path']): string {
  return `${base}${keys.map((key) => `[${key}]`).join('')}`
}

function pathOf(source: Source): Issue['path'] {
  if ('parameter' in source) return [source.parameter]
  if ('header' in source) return [HEADER, source.header]
  return source.field === undefined
    ? [POINTER, source.pointer]
    : [POINTER, source.pointer, source.field]
}

export function issueAt(source: Source, rule: string, message: string): Issue {
  return { path: pathOf(source), rule, message }
}

/** One fault, with the place where it lies. */
export function refusalAt(
  kind: ErrorKind,
  code: string,
  source: Source,
  message: string,
): DomainError {
  return new DomainError(kind, code, message, { issues: [issueAt(source, code, message)] })
}

const MOST_NAMES = 50

/** Ends a refusal of an unknown name, so that the next attempt need not be a guess. */
export function possible(names: readonly string[]): string {
  if (names.length === 0) return ''
  const more = names.length > MOST_NAMES ? ', …' : ''
  return `. Possible values: ${names.slice(0, MOST_NAMES).join(', ')}${more}`
}

export function badParameter(parameter: string, message: string, code = 'invalid_parameter') {
  return refusalAt('invalid', code, { parameter }, message)
}

export function badDocument(pointer: string, message: string, field?: string): DomainError {
  return refusalAt('invalid', 'invalid_document', { pointer, field }, message)
}

export function unknownResource(message = 'There is no such resource'): DomainError {
  return new DomainError('not_found', 'not_found', message)
}

export function unknownRevision(): DomainError {
  return unknownResource('There is no such revision')
}
