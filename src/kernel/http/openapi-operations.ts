import { isObject } from '../json.ts'

const JSON_TYPE = 'application/json'
const METHODS = ['get', 'put', 'post', 'delete', 'patch']

/** What each refusal means, wherever it is met. */
const REFUSALS: Readonly<Record<string, string>> = {
  400: 'The request is not valid; `details` names every fault',
  401: 'No key, or one that is not known',
  403: 'The key may not do this: level, plan, or its end',
  404: 'There is nothing at this address',
  409: 'It clashes with what is stored, or with the same request under way',
  413: 'The body is too large',
  415: 'The body is of a content type that is not taken',
  422: 'Well formed, but what is stored does not permit it',
  429: 'A limit is reached; `Retry-After` says when to come back',
  503: 'Too busy, or a part is away; `Retry-After` says when to come back',
}

const ERROR = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      description: 'A text where the credential itself is refused, else an object',
      anyOf: [
        { type: 'string' },
        {
          type: 'object',
          required: ['code', 'message'],
          properties: {
            code: { type: 'string', description: 'Stable; to be compared' },
            message: { type: 'string', description: 'For people' },
            details: {
              type: 'array',
              items: {
                type: 'object',
                properties: {
                  field: { type: 'string' },
                  code: { type: 'string' },
                  message: { type: 'string' },
                },
              },
            },
          },
        },
      ],
    },
  },
}

/** How an interface refuses. */
export interface ErrorBody {
  readonly mediaType: string
  readonly schema: object
}

export const HOUSE_ERRORS: ErrorBody = { mediaType: 'application/json', schema: ERROR }

/** Components that completed operations refer to. */
export function sharedComponents({ mediaType, schema }: ErrorBody) {
  const content = { [mediaType]: { schema: { $ref: '#/components/schemas/http.error' } } }
  const responses = Object.entries(REFUSALS).map(([status, description]) => [
    `refused.${status}`,
    { description, content },
  ])
  return { schemas: { 'http.error': schema }, responses: Object.fromEntries(responses) }
}

/** What a test sent to an operation, and what it got. */
export interface Example {
  readonly status: number
  readonly request?: unknown
  readonly response?: unknown
}

export type ExampleOf = (method: string, path: string) => Example | undefined

/**
 * The operations of a path with what no route has to say: a name for code generators, which never
 * changes because it follows from method and path, the refusals that follow from what is asked for, and
 * an example.
 */
export function completePath(path: string, item: unknown, exampleOf: ExampleOf): unknown {
  if (!isObject(item)) return item
  const shared = Array.isArray(item.parameters) ? item.parameters : []
  return Object.fromEntries(
    Object.entries(item).map(([method, operation]) => {
      if (!METHODS.includes(method) || !isObject(operation)) return [method, operation]
      const completed = complete(path, method, operation, shared)
      return [method, withExample(completed, exampleOf(method, path))]
    }),
  )
}

function complete(
  path: string,
  method: string,
  operation: Record<string, unknown>,
  shared: readonly unknown[],
): Record<string, unknown> {
  const { operationId = operationIdOf(method, path), parameters, responses } = operation
  const hasParameters = shared.length > 0 || (Array.isArray(parameters) && parameters.length > 0)
  const statuses = refusalsOf({
    isOpen: Array.isArray(operation.security) && operation.security.length === 0,
    isChange: method !== 'get',
    hasInput: hasParameters || operation.requestBody !== undefined,
    hasBody: operation.requestBody !== undefined,
    isOfOne: path.includes('{'),
  })
  const refused = statuses.map((status) => [
    status,
    { $ref: `#/components/responses/refused.${status}` },
  ])
  const given = isObject(responses) ? responses : {}
  return { operationId, ...operation, responses: { ...Object.fromEntries(refused), ...given } }
}

/** What is not described at all is described by the example alone. */
export function withExample(
  operation: Readonly<Record<string, unknown>>,
  example: Example | undefined,
): object {
  if (!example) return operation
  const { status, request, response } = example
  const { requestBody, responses } = operation
  const answers = isObject(responses) ? responses : {}
  const { 200: usual, ...others } = answers
  const isUndescribed = isObject(usual) && usual.content === undefined
  return {
    ...operation,
    ...(request === undefined ? {} : { requestBody: showing(requestBody ?? {}, request) }),
    responses: {
      ...(isUndescribed ? others : answers),
      [status]: showing(answers[status] ?? { description: 'Done' }, response),
    },
  }
}

function showing(described: unknown, example: unknown): unknown {
  if (!isObject(described) || example === undefined) return described
  const content = isObject(described.content) ? described.content : { [JSON_TYPE]: {} }
  const shown = Object.entries(content).map(([type, body], at) => [
    type,
    at === 0 && isObject(body) ? { ...body, example } : body,
  ])
  return { ...described, content: Object.fromEntries(shown) }
}

interface Asked {
  /** Without a key. */
  readonly isOpen: boolean
  readonly isChange: boolean
  readonly hasInput: boolean
  readonly hasBody: boolean
  readonly isOfOne: boolean
}

function refusalsOf({ isOpen, isChange, hasInput, hasBody, isOfOne }: Asked): number[] {
  return [
    ...(hasInput ? [400] : []),
    ...(isOpen ? [] : [401, 403]),
    ...(isOfOne ? [404] : []),
    ...(isChange ? [409] : []),
    ...(hasBody ? [413, 415] : []),
    ...(isChange ? [422] : []),
    ...[429, 503],
  ]
}

/** `GET /api/v1/keys/{id}` is `getKeysById`, the same of version 2 `getV2KeysById`. */
function operationIdOf(method: string, path: string): string {
  const steps = path.replace(/^\/api\/(?:v1\/)?/, '/').split('/')
  const words = steps.map((step) => {
    const parameter = /^\{(.*)\}$/.exec(step)?.[1]
    return parameter === undefined ? pascalCase(step) : `By${pascalCase(parameter)}`
  })
  return method + words.join('')
}

function pascalCase(text: string): string {
  const words = text.split(/[^A-Za-z0-9]+/).filter((word) => word !== '')
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}
