import { urlNameOf } from '#content-dialect'
import {
  type ContentModel,
  type ContentType,
  isToMany,
  type RelationAttribute,
} from '#content-model'
import { orNull, refTo, type Schema } from '#content-openapi'
import type { Version } from '../../query/parse.ts'
import { ACTIONS } from '../../target.ts'
import { listParameters, refs } from './parameters.ts'
import { answerOf, bodyOf, dataOf, listOf, words } from './parts.ts'
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
    ...revisionPaths(record, at, type, version),
    ...Object.fromEntries(
      relationsOf(type).flatMap((relation) => {
        const target = model.findType(relation.target)
        const path = `${record}/${relation.name}`
        return target ? [[path, withParameters(at, related(tag, relation, target, version))]] : []
      }),
    ),
  }
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
        ...words(
          `List ${type.pluralName}`,
          'Pages by number, by cursor or by id, filtered, sorted and with related entries as the parameters say. `Link` leads to the pages around.',
        ),
        ...{ tags, parameters: listParameters(type) },
        responses: answerOf(200, listOf(record)),
      },
      post: {
        ...words(
          `Create one of ${type.pluralName}`,
          'Checks the values and stores the entry, published unless `status` says draft. Every fault is named in the answer.',
        ),
        tags,
        ...{ parameters: refs('idempotency_key'), requestBody: bodyOf(inputOf(type)) },
        responses: answerOf(201, dataOf(record)),
      },
    },
    [`${base}/bulk`]: {
      post: {
        ...words(
          `Change many ${type.pluralName} at once`,
          'Up to 500 operations, each with an outcome of its own. With `atomic` all of them are done or, answered with 422, none.',
        ),
        tags,
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
    get: {
      ...words(
        `Read one ${name}`,
        'One entry by number or document id, with related entries where `include` names them. Its `ETag` is what `If-Match` of a change takes.',
      ),
      ...{ tags, parameters: refs(...ONE), responses },
    },
    put: {
      ...words(
        `Replace a ${name}`,
        'Sets every attribute; those that are not sent get their defaults or null. With `If-Match` it is refused with 412 when somebody was quicker.',
      ),
      ...{ tags, parameters, requestBody, responses },
    },
    patch: {
      ...words(
        `Change a ${name}`,
        'Changes the members that are sent, null clears one, the others stay. With `If-Match` it is refused with 412 when somebody was quicker.',
      ),
      ...{ tags, parameters, requestBody, responses },
    },
    delete: {
      ...words(
        `Delete a ${name}`,
        'Removes the entry, in one language when `locale` names it. Relations that led to it lead nowhere.',
      ),
      ...{ tags, parameters: refs('if_match', 'locale') },
      responses: { 204: { description: 'Deleted' } },
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
      const post = { ...actionWords(action, type.singularName), tags, responses }
      return [`${record}/${action}`, withParameters(at, { post })]
    }),
  )
}

function revisionPaths(
  record: string,
  at: readonly Schema[],
  type: ContentType,
  version: Version,
): Paths {
  const tags = [type.displayName]
  const { singularName: name } = type
  const shown = recordOf(type, version)
  const revision = refTo('shared.revision')
  const whole = { allOf: [revision, { type: 'object', properties: { record: shown } }] }
  const own = [...at, REVISION]
  return {
    [`${record}/revisions`]: withParameters(at, {
      get: {
        ...words(
          `List the revisions of a ${name}`,
          'What the entry said before, newest first, by whom and when, each with what happened to it, oldest first. The setting `revisions` says how many are kept.',
        ),
        ...{ tags, parameters: refs('locale') },
        responses: answerOf(200, listOf(revision)),
      },
    }),
    [`${record}/revisions/{revision}`]: withParameters(own, {
      get: {
        ...words(
          `Read a former revision of a ${name}`,
          'The entry as it was then. What the type no longer has is named in `meta.warnings`.',
        ),
        ...{ tags, parameters: refs('locale') },
        responses: answerOf(200, withWarnings(whole)),
      },
    }),
    [`${record}/revisions/{revision}/restore`]: withParameters(own, {
      post: {
        ...words(
          `Restore a revision of a ${name}`,
          'Makes the revision the working copy; what is live stays as it is. With `If-Match` it is refused with 412 when somebody was quicker.',
        ),
        ...{ tags, parameters: refs('if_match'), responses: answerOf(200, withWarnings(shown)) },
      },
    }),
  }
}

const REVISION: Schema = {
  ...{ name: 'revision', in: 'path', required: true, schema: { type: 'integer' } },
}

function withWarnings(data: Schema): Schema {
  return {
    type: 'object',
    properties: { data, meta: refTo('shared.warnings') },
    required: ['data', 'meta'],
  }
}

function actionWords(action: (typeof ACTIONS)[number], name: string) {
  switch (action) {
    case 'publish':
      return words(
        `Publish a ${name}`,
        'Makes the working copy live; it must have all that is required. An entry that is live already stays as it is.',
      )
    case 'unpublish':
      return words(
        `Unpublish a ${name}`,
        'Takes the entry out of what readers see. It stays as a draft.',
      )
    case 'discard-draft':
      return words(
        `Discard the draft of a ${name}`,
        'Drops the working copy in favour of what is live. The answer shows the entry as readers see it.',
      )
  }
}

function related(
  tag: string,
  relation: RelationAttribute,
  target: ContentType,
  version: Version,
): Record<string, Schema> {
  const tags = [tag]
  const record = recordOf(target, version)
  if (!isToMany(relation)) {
    const responses = answerOf(200, dataOf(orNull(record)))
    const said = words(
      `Read its ${relation.name}`,
      'The one entry that the relation leads to. It is null when there is none.',
    )
    return { get: { ...said, tags, parameters: refs(...ONE), responses } }
  }
  return {
    get: {
      ...words(
        `List its ${relation.name}`,
        'The entries that the relation leads to, with all parameters of a list of their own type. An unknown parent is answered with 404.',
      ),
      ...{ tags, parameters: listParameters(target) },
      responses: answerOf(200, listOf(record)),
    },
    post: {
      ...words(
        `Create one of its ${relation.name}`,
        'Makes an entry of the type that the relation leads to. It is linked to this one in the same step.',
      ),
      tags,
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
