import { openapiOf, type WireKind, wireKindOf } from '#content'
import type {
  Attribute,
  Component,
  ContentModel,
  ContentType,
  FieldSet,
  ScalarAttribute,
} from '#content-model'
import { INTEGER, listOf, orNull, refTo, type Schema, TEXT, TIME, UUID } from '#content-openapi'
import { namesOf } from '../../render/view.ts'
import type { Delivered } from '../../target.ts'

const OBJECT: Schema = { type: 'object' }

/** Names of types have no dots, so these never meet them. */
const NAMES = {
  item: 'shared.item',
  media: 'shared.media',
  related: (name: string) => `${name}.related`,
  component: (uid: string) => `component.${uid}`,
}

export const ITEM = refTo(NAMES.item)
export const MEDIA_ITEM = refTo('shared.media-item')

/** One schema for each type, told apart by `contentType` (contract §10). */
export function schemasOf(model: ContentModel, delivered: Delivered): Record<string, Schema> {
  const { types } = delivered
  return {
    ...SHARED,
    [NAMES.item]: oneOf(types),
    ...Object.fromEntries(types.flatMap((type) => typeSchemas(type, delivered))),
    ...Object.fromEntries(
      model.components.map((component) => [
        NAMES.component(component.uid),
        componentSchema(component, delivered),
      ]),
    ),
  }
}

function oneOf(types: readonly ContentType[]): Schema {
  if (types.length === 0) return OBJECT
  const mapping = types.map(({ singularName }) => [
    singularName,
    `#/components/schemas/${singularName}`,
  ])
  return {
    oneOf: types.map(({ singularName }) => refTo(singularName)),
    discriminator: { propertyName: 'contentType', mapping: Object.fromEntries(mapping) },
  }
}

function typeSchemas(type: ContentType, delivered: Delivered): [string, Schema][] {
  const members = {
    contentType: { const: type.singularName },
    name: TEXT,
    createDate: TIME,
    updateDate: TIME,
    route: refTo('shared.route'),
    id: UUID,
    properties: propertiesOf(type, delivered),
  }
  const cultures = { type: 'object', additionalProperties: refTo('shared.route') }
  return [
    [type.singularName, closed({ ...members, cultures })],
    [NAMES.related(type.singularName), closed(members)],
  ]
}

function componentSchema(component: Component, delivered: Delivered): Schema {
  const contentType = { const: component.uid }
  const content = closed({ contentType, id: UUID, properties: propertiesOf(component, delivered) })
  return closed({ content, settings: { type: 'null' } })
}

/** `fields` may leave any of them out. */
function propertiesOf(set: FieldSet, delivered: Delivered): Schema {
  const properties = namesOf(set).properties.map(({ attribute }) => [
    attribute.name,
    schemaOf(attribute, delivered),
  ])
  return { type: 'object', properties: Object.fromEntries(properties) }
}

function schemaOf(attribute: Attribute, delivered: Delivered): Schema {
  switch (attribute.type) {
    case 'relation':
      return relationOf(attribute, delivered)
    case 'media':
      return listOf(refTo(NAMES.media))
    case 'component': {
      const parts = closed({ items: listOf(refTo(NAMES.component(attribute.component))) })
      return attribute.repeatable ? parts : orNull(parts)
    }
    case 'dynamiczone': {
      const kinds = attribute.components.map((uid) => refTo(NAMES.component(uid)))
      return closed({ items: listOf({ oneOf: kinds }) })
    }
    default:
      return VALUES[wireKindOf(attribute)](attribute)
  }
}

const mayBeNull = (attribute: ScalarAttribute) => orNull(openapiOf(attribute))
const isNeverNull = openapiOf

const VALUES: Readonly<Record<WireKind, (attribute: ScalarAttribute) => Schema>> = {
  text: mayBeNull,
  markup: () => refTo('shared.rich-text'),
  blocks: () => refTo('shared.rich-text'),
  secret: mayBeNull,
  integer: mayBeNull,
  bigInteger: () => orNull(INTEGER),
  decimal: mayBeNull,
  float: mayBeNull,
  boolean: isNeverNull,
  date: mayBeNull,
  time: mayBeNull,
  datetime: mayBeNull,
  json: isNeverNull,
  words: isNeverNull,
  link: () => listOf(refTo('shared.link')),
}

function relationOf(
  attribute: Extract<Attribute, { type: 'relation' }>,
  delivered: Delivered,
): Schema {
  const target = delivered.findType(attribute.target)
  const isMany = attribute.relation.endsWith('Many')
  if (!target) return isMany ? { type: 'array', maxItems: 0 } : { type: 'null' }
  const one = refTo(NAMES.related(target.singularName))
  return isMany ? listOf(one) : orNull(one)
}

/** All members are always there. */
export function closed(properties: Readonly<Record<string, Schema>>): Schema {
  return { type: 'object', properties, required: Object.keys(properties) }
}

const TEXT_OR_NULL = orNull(TEXT)
const SHARE = { type: 'number', minimum: 0, maximum: 1 }
const MEDIA_MEMBERS = {
  focalPoint: orNull(closed({ left: SHARE, top: SHARE })),
  crops: orNull(
    listOf(
      closed({
        ...{ alias: TEXT, width: INTEGER, height: INTEGER },
        coordinates: orNull(closed({ x1: SHARE, y1: SHARE, x2: SHARE, y2: SHARE })),
      }),
    ),
  ),
  id: UUID,
  name: TEXT,
  mediaType: { type: 'string', enum: ['Image', 'Video', 'Audio', 'File', 'Folder'] },
  url: TEXT,
  extension: TEXT_OR_NULL,
  width: orNull(INTEGER),
  height: orNull(INTEGER),
  bytes: orNull(INTEGER),
  properties: {
    type: 'object',
    properties: { alternativeText: TEXT_OR_NULL, caption: TEXT },
  },
}

const SHARED: Readonly<Record<string, Schema>> = {
  'shared.route': closed({
    path: TEXT,
    startItem: closed({ id: UUID, path: TEXT }),
  }),
  [NAMES.media]: { anyOf: [closed(MEDIA_MEMBERS), closed({ id: UUID })] },
  'shared.media-item': closed({
    path: TEXT,
    createDate: TIME,
    updateDate: TIME,
    ...MEDIA_MEMBERS,
  }),
  'shared.link': closed({
    url: TEXT_OR_NULL,
    queryString: TEXT_OR_NULL,
    title: TEXT_OR_NULL,
    target: TEXT_OR_NULL,
    destinationId: orNull(UUID),
    destinationType: TEXT_OR_NULL,
    route: orNull(refTo('shared.route')),
    linkType: { type: 'string', enum: ['Content', 'Media', 'External'] },
  }),
  'shared.rich-text': {
    anyOf: [
      closed({ markup: TEXT, blocks: { type: 'array' } }),
      closed({
        tag: { const: '#root' },
        attributes: OBJECT,
        elements: listOf(OBJECT),
        blocks: { type: 'array' },
      }),
      { type: 'null' },
    ],
  },
  'shared.problem': {
    type: 'object',
    properties: {
      type: TEXT,
      title: TEXT,
      status: INTEGER,
      detail: TEXT,
      param: TEXT,
      value: TEXT,
      position: INTEGER,
      errors: { type: 'object', additionalProperties: listOf(TEXT) },
    },
    required: ['type', 'title', 'status', 'detail'],
  },
}
