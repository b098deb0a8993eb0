import type { Schema } from '#content-openapi'
import type { OpenApiSections } from '#http'
import type { RestContent } from '../deps.ts'
import type { Version } from '../query/parse.ts'
import { refs, SHARED_PARAMETERS } from './openapi/parameters.ts'
import { answerOf, listOf, words } from './openapi/parts.ts'
import { pathsOf } from './openapi/paths.ts'
import { schemasOf } from './openapi/schemas.ts'

const VERSIONS = [1, 2] as const

/** Describes the content types as they are at the moment of the question. */
export function createDescription({ model }: Pick<RestContent, 'model'>) {
  return (): OpenApiSections => {
    const snapshot = model()
    return {
      revision: `content ${snapshot.revision}`,
      paths: paths(),
      schemas: schemasOf(snapshot),
      parameters: parameters(),
    }

    function* paths(): Generator<object> {
      for (const type of snapshot.types) {
        for (const version of VERSIONS) yield pathsOf(snapshot, type, version)
      }
      for (const version of VERSIONS) yield changesPath(version)
      yield searchPath()
    }
  }
}

function* parameters(): Generator<object> {
  for (const [name, each] of Object.entries(SHARED_PARAMETERS)) yield { [`content.${name}`]: each }
}

type Paths = Record<string, Schema>

function changesPath(version: Version): Paths {
  const number = { type: 'integer' }
  const parameters = [
    { name: 'after', in: 'query', schema: { type: 'string' }, description: 'A position, or now' },
    { name: 'limit', in: 'query', schema: { ...number, minimum: 1, maximum: 1000 } },
    { name: 'types', in: 'query', schema: { type: 'string' }, description: 'Comma-separated' },
  ]
  const answer = answerOf(200, listOf({ type: 'object' }))
  return {
    [`/api/v${version}/changes`]: {
      get: { tags: ['Changes'], ...CHANGES, parameters, responses: answer },
    },
  }
}

const CHANGES = words(
  'What changed, in order',
  'Every change of an entry after a position, deletions included, so that a mirror never reads everything again. Callers of level read see changes of what is live.',
)
const SEARCH = words(
  'Find entries of all types by words',
  'Entries that have the words in their text, those with the words in their title first. What was found is marked in `highlights`.',
)

const FOUND: Schema = {
  type: 'object',
  properties: {
    ...{ type: { type: 'string' }, id: { type: 'integer' }, document_id: { type: 'string' } },
    ...{ title: {}, status: { type: 'string' }, locale: { type: ['string', 'null'] } },
    ...{ path: { type: ['string', 'null'] }, url: { type: 'string' } },
    updated_at: { type: 'string', format: 'date-time' },
    highlights: {
      type: 'object',
      description: 'By attribute: safe HTML with <mark> around what was found',
      additionalProperties: { type: 'string' },
    },
  },
  required: ['type', 'id', 'document_id', 'title', 'path', 'url', 'updated_at', 'highlights'],
}

function searchPath(): Paths {
  const text = { type: 'string' }
  const words = 'Words, of which the last may be a beginning, and "phrases in quotes"'
  const parameters = [
    { name: 'q', in: 'query', required: true, schema: text, description: words },
    { name: 'types', in: 'query', schema: text, description: 'Comma-separated' },
    { name: 'status', in: 'query', schema: { ...text, enum: ['published', 'all'] } },
    { name: 'locale', in: 'query', schema: text, description: 'A language or all' },
    ...refs('page', 'per_page', 'count'),
  ]
  const responses = answerOf(200, listOf(FOUND))
  return { '/api/v1/search': { get: { tags: ['Search'], ...SEARCH, parameters, responses } } }
}
