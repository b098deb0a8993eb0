import type { Attribute, FieldSet, ScalarAttribute } from '#content'
import { isScalar, isToMany, openapiOf, wireKindOf } from '#content'
import { isReference, visibleAttributes } from '../../query/members.ts'

export type Schema = Readonly<Record<string, unknown>>

/** Names of shared schemas; names of types have no dots, so the two never meet. */
export const schemaNames = {
  record: (name: string, version: number) => (version === 1 ? name : `${name}.v${version}`),
  input: (name: string) => `${name}.input`,
  component: (uid: string) => `component.${uid}`,
  componentInput: (uid: string) => `component.${uid}.input`,
}

export function refTo(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` }
}

export const TIME: Schema = { type: 'string', format: 'date-time' }
export const UUID: Schema = { type: 'string', format: 'uuid' }

/** Members that answers show, the ids of references included. */
export function shownAttributes(set: FieldSet, idOf: Schema): Record<string, Schema> {
  return Object.fromEntries(
    visibleAttributes(set).flatMap((attribute) => {
      if (isScalar(attribute)) return [[attribute.name, orNull(openapiOf(attribute))]]
      if (attribute.type === 'component') return [[attribute.name, partsOf(attribute, 'component')]]
      return isReference(attribute) ? [[`${attribute.name}_id`, orNull(idOf)]] : []
    }),
  )
}

/** Members that may be sent. */
export function takenAttributes(set: FieldSet): Record<string, Schema> {
  return Object.fromEntries(
    set.attributes.flatMap((attribute) => {
      if (isScalar(attribute)) return [[attribute.name, orNull(inputOf(attribute))]]
      if (attribute.type === 'component') {
        return [[attribute.name, partsOf(attribute, 'componentInput')]]
      }
      const link: Schema = isToMany(attribute) ? LINKS : orNull(LINK)
      return isReference(attribute)
        ? [
            [`${attribute.name}_id`, orNull(LINK)],
            [attribute.name, link],
          ]
        : [[attribute.name, link]]
    }),
  )
}

const LINK: Schema = {
  anyOf: [{ type: 'integer', minimum: 0 }, UUID],
  description: 'id or document id',
}
const LINKS: Schema = {
  anyOf: [{ type: 'array', items: LINK }, { type: 'object' }],
  description: 'A list of ids, or { set }, or { connect, disconnect }',
}

function partsOf(
  attribute: Extract<Attribute, { type: 'component' }>,
  name: 'component' | 'componentInput',
): Schema {
  const one = refTo(schemaNames[name](attribute.component))
  return attribute.repeatable ? { type: 'array', items: one } : orNull(one)
}

function inputOf(attribute: ScalarAttribute): Schema {
  if (wireKindOf(attribute) === 'secret') return { type: 'string' }
  return { ...openapiOf(attribute), ...limitsOf(attribute) }
}

function limitsOf(attribute: ScalarAttribute): Schema {
  if ('maxLength' in attribute && attribute.maxLength !== undefined) {
    return { maxLength: attribute.maxLength }
  }
  if (!('max' in attribute)) return {}
  return typeof attribute.max === 'number' ? { maximum: attribute.max } : {}
}

export function orNull(schema: Schema): Schema {
  if (Object.keys(schema).length === 0) return schema
  return { anyOf: [schema, { type: 'null' }] }
}
