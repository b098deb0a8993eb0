import type { Component, ContentModel, ContentType } from '#content'
import type { Version } from '../../query/parse.ts'
import {
  orNull,
  refTo,
  type Schema,
  schemaNames,
  shownAttributes,
  TIME,
  takenAttributes,
  UUID,
} from './attributes.ts'

const VERSIONS: readonly Version[] = [1, 2]
const ID: Schema = { type: 'integer' }
const TEXT_OR_NULL = orNull({ type: 'string' })

/** Every type, component and shared shape, by the name that operations refer to. */
export function schemasOf(model: ContentModel): Record<string, Schema> {
  return {
    'shared.error': ERROR,
    'shared.meta': { type: 'object' },
    'shared.bulk': BULK,
    'shared.bulk.answer': BULK_ANSWER,
    ...Object.fromEntries(model.components.flatMap(componentSchemas)),
    ...Object.fromEntries(model.types.flatMap(typeSchemas)),
  }
}

function typeSchemas(type: ContentType): [string, Schema][] {
  const { singularName: name } = type
  const input = { ...takenAttributes(type), ...takenSystem(type) }
  return [
    ...VERSIONS.map((version): [string, Schema] => [
      schemaNames.record(name, version),
      object({ ...shownSystem(type, version), ...shownAttributes(type, idOf(version)) }),
    ]),
    [schemaNames.input(name), object(input)],
  ]
}

function componentSchemas(component: Component): [string, Schema][] {
  const { uid } = component
  return [
    [schemaNames.component(uid), object({ id: ID, ...shownAttributes(component, ID) })],
    [schemaNames.componentInput(uid), object({ id: ID, ...takenAttributes(component) })],
  ]
}

function idOf(version: Version): Schema {
  return version === 1 ? ID : UUID
}

function shownSystem(type: ContentType, version: Version): Record<string, Schema> {
  const status = { type: 'string', enum: ['draft', 'published', 'changed'] }
  return {
    id: idOf(version),
    ...(version === 1 ? {} : { entry_id: ID }),
    document_id: UUID,
    ...(type.draftAndPublish ? { status, published_at: orNull(TIME) } : {}),
    ...(type.localized ? { locale: { type: 'string' } } : {}),
    path: TEXT_OR_NULL,
    tree_parent_id: orNull(UUID),
    sort_order: ID,
    is_root: { type: 'boolean' },
    external_id: TEXT_OR_NULL,
    created_at: TIME,
    updated_at: TIME,
  }
}

function takenSystem(type: ContentType): Record<string, Schema> {
  const status = { type: 'string', enum: ['published', 'draft'], description: 'On creation' }
  return {
    external_id: orNull({ type: 'string', minLength: 1, maxLength: 255 }),
    tree_parent_id: orNull(UUID),
    sort_order: ID,
    is_root: { type: 'boolean' },
    ...(type.draftAndPublish ? { status } : {}),
    ...(type.localized ? { locale: { type: 'string' }, document_id: UUID } : {}),
  }
}

function object(properties: Record<string, Schema>, required: readonly string[] = []): Schema {
  return { type: 'object', properties, ...(required.length > 0 ? { required } : {}) }
}

const ERROR = object(
  {
    error: {
      anyOf: [
        { type: 'string' },
        object({
          code: { type: 'string' },
          message: { type: 'string' },
          details: { type: 'array', items: { type: 'object' } },
        }),
      ],
    },
  },
  ['error'],
)

const BULK = object(
  {
    atomic: { type: 'boolean' },
    operations: {
      type: 'array',
      maxItems: 500,
      items: object(
        {
          op: { type: 'string', enum: ['create', 'upsert', 'update', 'delete'] },
          id: { anyOf: [ID, UUID] },
          key: { type: 'string' },
          data: { type: 'object' },
        },
        ['op'],
      ),
    },
  },
  ['operations'],
)

const BULK_ANSWER = object({
  data: { type: 'array', items: { type: 'object' } },
  meta: refTo('shared.meta'),
})
