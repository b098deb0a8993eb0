import type { FastifyError, FastifySchemaValidationError } from 'fastify'
import { type DomainError, type Issue, invalid, notFound } from '../errors.ts'
import { invalidJson } from './json-body.ts'
import { simplifyUnions } from './validation-unions.ts'

type ValidationFailure = FastifyError & { validation: FastifySchemaValidationError[] }

const UNKNOWN = 'unknown_field'

/** One body of a megabyte can have half a million problems; nobody reads more than some. */
const MAX_CONSIDERED = 500

// The rules the REST conventions §6 name; what is not listed keeps the keyword of JSON Schema.
const RULES: Record<string, string> = {
  additionalProperties: UNKNOWN,
  unevaluatedProperties: UNKNOWN,
  const: 'enum',
  minLength: 'length',
  maxLength: 'length',
  minItems: 'length',
  maxItems: 'length',
  minProperties: 'length',
  maxProperties: 'length',
  minimum: 'range',
  maximum: 'range',
  exclusiveMinimum: 'range',
  exclusiveMaximum: 'range',
  multipleOf: 'range',
  anyOf: 'type',
  oneOf: 'type',
}

const TYPES: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'a boolean',
  array: 'a list',
  object: 'an object',
  null: 'null',
}

type Params = Record<string, unknown>

const SENTENCES: Record<string, (params: Params) => string> = {
  required: () => 'is required',
  additionalProperties: () => 'is not known here',
  unevaluatedProperties: () => 'is not known here',
  type: ({ type }) => `must be ${[type].flat().map(typeName).join(' or ')}`,
  enum: ({ allowedValues }) => `must be one of ${[allowedValues].flat().map(String).join(', ')}`,
  const: ({ allowedValue }) => `must be ${String(allowedValue)}`,
  minLength: ({ limit }) => `must have at least ${limit} characters`,
  maxLength: ({ limit }) => `must have at most ${limit} characters`,
  minItems: ({ limit }) => `must have at least ${limit} items`,
  maxItems: ({ limit }) => `must have at most ${limit} items`,
  minimum: ({ limit }) => `must be at least ${limit}`,
  maximum: ({ limit }) => `must be at most ${limit}`,
  exclusiveMinimum: ({ limit }) => `must be greater than ${limit}`,
  exclusiveMaximum: ({ limit }) => `must be less than ${limit}`,
  multipleOf: ({ multipleOf }) => `must be a multiple of ${multipleOf}`,
  pattern: () => 'does not have the required form',
  format: ({ format }) => `must be a valid ${format}`,
  uniqueItems: () => 'must not hold the same item twice',
  anyOf: () => 'has none of the possible forms',
  oneOf: () => 'has none of the possible forms',
}

export function isValidationFailure(error: unknown): error is ValidationFailure {
  return error instanceof Error && 'validation' in error && Array.isArray(error.validation)
}

export function validationRefusal(error: ValidationFailure, isBodyAbsent: boolean): DomainError {
  // A path whose parameter cannot be an id names nothing (scrapers contract, webhooks contract).
  if (error.validationContext === 'params') return notFound()
  const isBody = error.validationContext === 'body'
  if (isBody && isBodyAbsent) return invalidJson('A JSON body is required')
  const issues = simplifyUnions(error.validation.slice(0, MAX_CONSIDERED)).map(toIssue)
  if (!isBody) return invalid(issues, 'invalid_parameter')
  return invalid(issues, issues.every((issue) => issue.rule === UNKNOWN) ? UNKNOWN : undefined)
}

function toIssue(error: FastifySchemaValidationError): Issue {
  const path = pathOfIssue(error)
  const sentence = SENTENCES[error.keyword]?.(error.params) ?? error.message ?? 'is not valid'
  return {
    path,
    rule: RULES[error.keyword] ?? error.keyword,
    message: `${path.length > 0 ? path.join('.') : 'The body'} ${sentence}`,
  }
}

function pathOfIssue({ instancePath, params }: FastifySchemaValidationError) {
  const path = instancePath.split('/').slice(1).map(segment)
  const member =
    params['missingProperty'] ?? params['additionalProperty'] ?? params['unevaluatedProperty']
  return typeof member === 'string' ? [...path, member] : path
}

/** A segment of a JSON pointer (RFC 6901). */
function segment(text: string): string | number {
  if (/^\d+$/.test(text)) return Number(text)
  return text.replaceAll('~1', '/').replaceAll('~0', '~')
}

function typeName(type: unknown): string {
  return TYPES[String(type)] ?? String(type)
}
