import type { FastifyRequest } from 'fastify'
import type { Content, Viewer } from '#content'
import { parseJson } from '#http'
import { parseMediaRanges } from '#http-text'
import { type Actor, DomainError, isObject } from '#kernel'
import { refused } from './errors.ts'
import type { Variables } from './query/arguments.ts'
import type { Schema } from './schema.ts'

/** What a client sent, whichever way it came. */
export interface Sent {
  readonly query: string
  readonly operationName: string | null
  readonly variables: Readonly<Record<string, unknown>>
}

/** One operation while it is executed. */
export interface Asked {
  readonly request: FastifyRequest
  readonly schema: Schema
  /** Of the schema: fields and types must be those it was made of. */
  readonly model: ReturnType<Content['model']>
  readonly viewer: Viewer
  readonly actor: Actor | null
  readonly variables: Variables
  readonly deadline: Deadline
}

/** After some time fields that are not answered yet are given up, and no further one is begun. */
interface Deadline {
  /** Rejects then. */
  readonly passed: Promise<never>
  isPassed(): boolean
  end(): void
}

export function createDeadline(ms: number): Deadline {
  const { promise: passed, reject } = Promise.withResolvers<never>()
  let isPassed = false
  // Where nothing waits for it nobody is told.
  passed.catch(() => {})
  const timer = setTimeout(() => {
    isPassed = true
    reject(new DomainError('timeout', 'timeout', 'The query took too long'))
  }, ms)
  return { passed, isPassed: () => isPassed, end: () => clearTimeout(timer) }
}

const GRAPHQL_JSON = 'application/graphql-response+json; charset=utf-8'
const PLAIN_JSON = 'application/json; charset=utf-8'

/** Members of a body, or parameters of a GET whose objects are texts. */
export function parseSent(given: Readonly<Record<string, unknown>>): Sent {
  const { query, operationName = null, variables = null, extensions = null } = given
  if (extensions !== null && !isObject(extensions)) throw malformed('extensions must be an object')
  if (query === undefined || query === null || query === '') throw withoutQuery(extensions)
  if (typeof query !== 'string') throw malformed('query must be text')
  if (operationName !== null && typeof operationName !== 'string') {
    throw malformed('operationName must be text')
  }
  if (variables !== null && !isObject(variables)) throw malformed('variables must be an object')
  return {
    query,
    operationName: operationName === '' ? null : operationName,
    variables: variables ?? {},
  }
}

/** Text of a parameter that holds JSON. */
export function parseParameter(text: unknown, name: string): unknown {
  if (typeof text !== 'string' || text === '') return text === '' ? undefined : text
  try {
    return parseJson(Buffer.from(text))
  } catch {
    throw malformed(`${name} must be JSON whose text has no U+0000 and no unpaired surrogate`)
  }
}

/** A request that is no question at all, whatever the client accepts. */
export class Malformed extends Error {}

function malformed(message: string): Malformed {
  return new Malformed(message)
}

/** Clients that send only a hash first send the whole text next. */
function withoutQuery(extensions: Readonly<Record<string, unknown>> | null): Error {
  if (extensions && isObject(extensions['persistedQuery'])) {
    const message = 'Persisted queries are not supported; send the text of the query'
    return refused('PERSISTED_QUERY_NOT_SUPPORTED', message)
  }
  return malformed('query is missing: send the text of a GraphQL document')
}

interface Accepted {
  readonly type: string
  /** Refusals before execution have status 400; clients that know plain JSON alone expect 200. */
  readonly isStrict: boolean
}

/** Which of the two types of answers the client takes; null: neither. */
export function acceptedBy({ headers }: FastifyRequest): Accepted | null {
  const { accept } = headers
  if (accept === undefined || accept === '') return { type: PLAIN_JSON, isStrict: true }
  const ranges = parseMediaRanges(accept)
  const weightOf = (...names: readonly string[]) =>
    Math.max(
      0,
      ...ranges
        .filter(({ type }) => names.includes(type))
        .map(({ parameters }) => Number(parameters.get('q') ?? 1)),
    )
  const newer = weightOf('application/graphql-response+json')
  const plain = weightOf('application/json', 'application/*', '*/*')
  if (newer > 0 && newer >= plain) return { type: GRAPHQL_JSON, isStrict: true }
  return plain > 0 ? { type: PLAIN_JSON, isStrict: weightOf('application/json') === 0 } : null
}
