import { HISTORY_EVENTS, openapiOf, wireKindOf } from '#content'
import { COMPONENT_MEMBER } from '#content-dialect'
import {
  type Attribute,
  type Component,
  type ContentModel,
  type ContentType,
  type FieldSet,
  holdsComponents,
  isScalar,
  isToMany,
  type ScalarAttribute,
} from '#content-model'
import {
  INTEGER as ID,
  listOf,
  orNull,
  refTo,
  type Schema,
  TEXT,
  TIME,
  UUID,
} from '#content-openapi'
import { isReference, visibleAttributes } from '../../query/members.ts'
import type { Version } from '../../query/parse.ts'

const VERSIONS: readonly Version[] = [1, 2]
const TEXT_OR_NULL = orNull(TEXT)

/** Every type, component and shared shape, by the name that operations refer to. */
export function* schemasOf({ components, types }: ContentModel): Generator<Record<string, Schema>> {
  yield {
    'shared.meta': { type: 'object' },
    'shared.bulk': BULK,
    'shared.bulk.answer': BULK_ANSWER,
    'shared.revision': REVISION,
    'shared.warnings': WARNINGS,
  }
  for (const component of components) yield Object.fromEntries(componentSchemas(component))
  for (const type of types) yield Object.fromEntries(typeSchemas(type))
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
    ...(type.draftAndPublish ? { status, published_at: orNull(TIME), ...SCHEDULE_SHOWN } : {}),
    ...(type.localized ? { locale: TEXT } : {}),
    path: TEXT_OR_NULL,
    tree_parent_id: orNull(UUID),
    sort_order: ID,
    is_root: { type: 'boolean' },
    external_id: TEXT_OR_NULL,
    created_at: TIME,
    updated_at: TIME,
  }
}

/** Times at which the entry is published and unpublished by itself. */
const SCHEDULE: Record<string, Schema> = { publish_at: orNull(TIME), unpublish_at: orNull(TIME) }
const SCHEDULE_SHOWN: Record<string, Schema> = {
  ...{ publish_at: TIME, unpublish_at: TIME },
  schedule_error: { type: 'object', description: 'Why the last time was not kept' },
}

function takenSystem(type: ContentType): Record<string, Schema> {
  const status = { type: 'string', enum: ['published', 'draft'], description: 'On creation' }
  return {
    external_id: orNull({ type: 'string', minLength: 1, maxLength: 255 }),
    tree_parent_id: orNull(UUID),
    sort_order: ID,
    is_root: { type: 'boolean' },
    ...(type.draftAndPublish ? { status, ...SCHEDULE } : {}),
    ...(type.localized ? { locale: TEXT, document_id: UUID } : {}),
  }
}

function object(properties: Record<string, Schema>, required: readonly string[] = []): Schema {
  return { type: 'object', properties, ...(required.length > 0 ? { required } : {}) }
}

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
          key: TEXT,
          data: { type: 'object' },
        },
        ['op'],
      ),
    },
  },
  ['operations'],
)

const BULK_ANSWER = object({
  data: listOf({ type: 'object' }),
  meta: refTo('shared.meta'),
})

const FLAG: Schema = { type: 'boolean' }

const HAPPENED = object(
  { event: { type: 'string', enum: [...HISTORY_EVENTS] }, at: TIME, by: orNull(ID) },
  ['event', 'at', 'by'],
)

const REVISION = object(
  {
    ...{ id: ID, saved_at: TIME, saved_by: orNull(ID), is_current: FLAG, is_live: FLAG },
    events: listOf(HAPPENED),
  },
  ['id', 'saved_at', 'saved_by', 'is_current', 'is_live', 'events'],
)

/** What of a revision does not fit the type or the store any more. */
const WARNINGS = object({ warnings: listOf(object({ field: TEXT, message: TEXT })) }, ['warnings'])

/** Names of shared schemas; names of types have no dots, so the two never meet. */
export const schemaNames = {
  record: (name: string, version: number) => (version === 1 ? name : `${name}.v${version}`),
  input: (name: string) => `${name}.input`,
  component: (uid: string) => `component.${uid}`,
  componentInput: (uid: string) => `component.${uid}.input`,
}

/** Members that answers show, the ids of references included. */
function shownAttributes(set: FieldSet, idOf: Schema): Record<string, Schema> {
  return Object.fromEntries(
    visibleAttributes(set).flatMap((attribute) => {
      if (isScalar(attribute)) return [[attribute.name, orNull(openapiOf(attribute))]]
      if (holdsComponents(attribute)) return [[attribute.name, partsOf(attribute, 'component')]]
      return isReference(attribute) ? [[`${attribute.name}_id`, orNull(idOf)]] : []
    }),
  )
}

/** Members that may be sent. */
function takenAttributes(set: FieldSet): Record<string, Schema> {
  return Object.fromEntries(
    set.attributes.flatMap((attribute) => {
      if (isScalar(attribute)) return [[attribute.name, orNull(inputOf(attribute))]]
      if (holdsComponents(attribute)) {
        return [[attribute.name, partsOf(attribute, 'componentInput')]]
      }
      const link: Schema = isToMany(attribute) ? LINKS : orNull(LINK)
      const id = isReference(attribute) ? [[`${attribute.name}_id`, orNull(LINK)]] : []
      return [...id, [attribute.name, link]]
    }),
  )
}

const LINK: Schema = {
  anyOf: [{ type: 'integer', minimum: 0 }, UUID],
  description: 'id or document id',
}
const LINKS: Schema = {
  anyOf: [listOf(LINK), { type: 'object' }],
  description: 'A list of ids, or { set }, or { connect, disconnect }',
}

function partsOf(
  attribute: Extract<Attribute, { type: 'component' | 'dynamiczone' }>,
  name: 'component' | 'componentInput',
): Schema {
  if (attribute.type === 'dynamiczone') {
    return listOf({
      anyOf: attribute.components.map((uid) => zonePart(uid, schemaNames[name](uid))),
    })
  }
  const one = refTo(schemaNames[name](attribute.component))
  return attribute.repeatable ? listOf(one) : orNull(one)
}

/** The component itself and the member that says which it is. */
function zonePart(uid: string, name: string): Schema {
  return {
    allOf: [object({ [COMPONENT_MEMBER]: { const: uid } }, [COMPONENT_MEMBER]), refTo(name)],
  }
}

function inputOf(attribute: ScalarAttribute): Schema {
  if (wireKindOf(attribute) === 'secret') return TEXT
  return { ...openapiOf(attribute), ...limitsOf(attribute) }
}

function limitsOf(attribute: ScalarAttribute): Schema {
  if ('maxLength' in attribute && attribute.maxLength !== undefined) {
    return { maxLength: attribute.maxLength }
  }
  if (!('max' in attribute)) return {}
  return typeof attribute.max === 'number' ? { maximum: attribute.max } : {}
}
