import { type ContentModel, type ContentType, isToMany, type RelationAttribute } from '#content'
import { orNull, refTo, type Schema, urlNameOf } from '#content-dialect'
import type { Version } from '../../query/parse.ts'
import { ACTIONS } from '../../target.ts'
import { listParameters, refs } from './parameters.ts'
import { schemaNames } from './schemas.ts'

type Paths = Record<string, Schema>

const ONE = ['include', 'fields', 'status', 'locale', 'fallback_locale']

/** Every operation on one type in one version. */
export function pathsOf(model: ContentModel, type: ContentType, version: Version): Paths {
  const base = `/api/v${version}/${urlNameOf(type)}`
  const isSingle = type.kind === 'singleType'
  const record = isSingle ? base : `${base}/{id}`
  const tag = type.displayName
  const at = isSingle ? [] : refs('id')
  return {
    ...(isSingle ? {} : collectionPaths(base, type, version)),
    [record]: withParameters(at, recordOperations(type, version)),
    ...(type.draftAndPublish ? actionPaths(record, at, type, version) : {}),
    ...Object.fromEntries(
      relationsOf(type).flatMap((relation) => {
        const target = model.findType(relation.target)
        const path = `${record}/${relation.name}`
        return target ? [[path, withParameters(at, related(tag, relation, target, version))]] : []
      }),
    ),
  }
}

export function changesPath(version: Version): Paths {
  const number = { type: 'integer' }
  const parameters = [
    { name: 'after', in: 'query', schema: { type: 'string' }, description: 'A position, or now' },
    { name: 'limit', in: 'query', schema: { ...number, minimum: 1, maximum: 1000 } },
    { name: 'types', in: 'query', schema: { type: 'string' }, description: 'Comma-separated' },
  ]
  const answer = answerOf(200, listOf({ type: 'object' }))
  return {
    [`/api/v${version}/changes`]: {
      get: { tags: ['Changes'], summary: 'What changed, in order', parameters, responses: answer },
    },
  }
}

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

export function searchPath(): Paths {
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
  const summary = 'Find entries of all types by words'
  return { '/api/v1/search': { get: { tags: ['Search'], summary, parameters, responses } } }
}

function relationsOf(type: ContentType): RelationAttribute[] {
  return type.attributes
    .filter((attribute) => attribute.type === 'relation')
    .filter((relation) => !relation.private)
}

function collectionPaths(base: string, type: ContentType, version: Version): Paths {
  const tags = [type.displayName]
  const record = recordOf(type, version)
  return {
    [base]: {
      get: {
        ...{ tags, summary: `List ${type.pluralName}`, parameters: listParameters(type) },
        responses: answerOf(200, listOf(record)),
      },
      post: {
        ...{ tags, summary: `Create one of ${type.pluralName}` },
        ...{ parameters: refs('idempotency_key'), requestBody: bodyOf(inputOf(type)) },
        responses: answerOf(201, dataOf(record)),
      },
    },
    [`${base}/bulk`]: {
      post: {
        ...{ tags, summary: `Change many ${type.pluralName} at once` },
        ...{ parameters: refs('idempotency_key'), requestBody: bodyOf(refTo('shared.bulk')) },
        responses: answerOf(200, refTo('shared.bulk.answer')),
      },
    },
  }
}

function recordOperations(type: ContentType, version: Version): Record<string, Schema> {
  const tags = [type.displayName]
  const { singularName: name } = type
  const responses = answerOf(200, dataOf(recordOf(type, version)))
  const requestBody = bodyOf(inputOf(type))
  const parameters = refs('if_match', ...(type.draftAndPublish ? ['status'] : []))
  return {
    get: { tags, summary: `Read one ${name}`, parameters: refs(...ONE), responses },
    put: { tags, summary: `Replace a ${name}`, parameters, requestBody, responses },
    patch: { tags, summary: `Change a ${name}`, parameters, requestBody, responses },
    delete: {
      ...{ tags, summary: `Delete a ${name}`, parameters: refs('if_match', 'locale') },
      responses: { 204: { description: 'Deleted' }, ...REFUSED },
    },
  }
}

function actionPaths(
  record: string,
  at: readonly Schema[],
  type: ContentType,
  version: Version,
): Paths {
  const responses = answerOf(200, dataOf(recordOf(type, version)))
  const tags = [type.displayName]
  return Object.fromEntries(
    ACTIONS.map((action) => {
      const summary = `${action.replace('-', ' ')} of a ${type.singularName}`
      return [`${record}/${action}`, withParameters(at, { post: { tags, summary, responses } })]
    }),
  )
}

function related(
  tag: string,
  relation: RelationAttribute,
  target: ContentType,
  version: Version,
): Record<string, Schema> {
  const tags = [tag]
  const summary = `Its ${relation.name}`
  const record = recordOf(target, version)
  if (!isToMany(relation)) {
    const responses = answerOf(200, dataOf(orNull(record)))
    return { get: { tags, summary, parameters: refs(...ONE), responses } }
  }
  return {
    get: {
      ...{ tags, summary, parameters: listParameters(target) },
      responses: answerOf(200, listOf(record)),
    },
    post: {
      ...{ tags, summary: `Create one of its ${relation.name}` },
      ...{ parameters: refs('idempotency_key'), requestBody: bodyOf(inputOf(target)) },
      responses: answerOf(201, dataOf(record)),
    },
  }
}

function withParameters(parameters: readonly Schema[], operations: Record<string, Schema>): Schema {
  return parameters.length > 0 ? { parameters, ...operations } : operations
}

function recordOf({ singularName }: ContentType, version: Version): Schema {
  return refTo(schemaNames.record(singularName, version))
}

function inputOf({ singularName }: ContentType): Schema {
  return refTo(schemaNames.input(singularName))
}

function dataOf(schema: Schema): Schema {
  return { type: 'object', properties: { data: schema }, required: ['data'] }
}

function listOf(items: Schema): Schema {
  const properties = { data: { type: 'array', items }, meta: refTo('shared.meta') }
  return { type: 'object', properties, required: ['data', 'meta'] }
}

function bodyOf(schema: Schema): Schema {
  return { required: true, content: { 'application/json': { schema } } }
}

function answerOf(status: number, schema: Schema): Schema {
  const content = { 'application/json': { schema } }
  return { [status]: { description: 'Done', content }, ...REFUSED }
}

const REFUSED: Schema = {
  '4XX': {
    description: 'Refused',
    content: { 'application/json': { schema: refTo('shared.error') } },
  },
}
