import { isShown } from '#content'
import {
  type Attribute,
  type ContentType,
  isScalar,
  isToMany,
  type RelationAttribute,
} from '#content-model'
import { isAsStored } from '../render/values.ts'

/** Members that every entry has; a field of the same name appears as `field_<name>` (contract §3). */
const RESERVED = new Set([
  'type',
  'id',
  'links',
  'langcode',
  'default_langcode',
  'status',
  'created',
  'changed',
  'revision_timestamp',
  'path',
  'node_type',
  'uid',
  'promote',
  'sticky',
  'revision_log',
  'revision_translation_affected',
])

/** By entity type, whose name may be any word. */
const INTERNAL: ReadonlyMap<string, readonly [id: string, revision: string]> = new Map([
  ['node', ['nid', 'vid']],
  ['taxonomy_term', ['tid', 'revision_id']],
])

export type MediaAttribute = Extract<Attribute, { type: 'media' }>
type Linking = RelationAttribute | MediaAttribute

/** An attribute in `attributes`. */
interface Field {
  readonly wire: string
  readonly attribute: Exclude<Attribute, Linking>
}

/** An attribute in `relationships`. */
export interface Relation {
  readonly wire: string
  readonly attribute: Linking
  readonly many: boolean
}

/** How the entries of a type look: which member shows which attribute. */
export interface Names {
  /** `node--article` */
  readonly name: string
  /** `/node/article` */
  readonly path: string
  readonly idName: string
  readonly revisionName: string
  /** `title` of nodes, `name` of all others; it reads and writes the display field. */
  readonly label: string
  readonly labelField: string | null
  /** The label is shown by the display field itself, because both have the same name. */
  readonly isLabelField: boolean
  readonly fields: readonly Field[]
  readonly relations: readonly Relation[]
  readonly field: ReadonlyMap<string, Field>
  readonly relation: ReadonlyMap<string, Relation>
  /** Everything that can be written, what is never shown included. */
  readonly writable: ReadonlyMap<string, Attribute>
  /** The stored JSON shows the fields exactly as this dialect does. */
  readonly isPlain: boolean
}

export function namesOf(type: ContentType): Names {
  const { entityType, bundle, displayField } = type
  const label = entityType === 'node' ? 'title' : 'name'
  const [id, revision] = INTERNAL.get(entityType) ?? ['id', 'revision_id']
  const isLabelField = displayField === label
  const writable = wireNames(type, label, isLabelField)
  const fields: Field[] = []
  const relations: Relation[] = []
  for (const [wire, attribute] of writable) {
    if (!isShown(attribute)) continue
    if (!isLinking(attribute)) fields.push({ wire, attribute })
    else relations.push({ wire, attribute, many: isToMany(attribute) })
  }
  return {
    name: `${entityType}--${bundle}`,
    path: `/${entityType}/${bundle}`,
    idName: `drupal_internal__${id}`,
    revisionName: `drupal_internal__${revision}`,
    label,
    labelField: displayField,
    isLabelField,
    fields,
    relations,
    field: new Map(fields.map((field) => [field.wire, field])),
    relation: new Map(relations.map((relation) => [relation.wire, relation])),
    writable,
    isPlain: fields.every(isPlainField),
  }
}

function wireNames(type: ContentType, label: string, isLabelField: boolean) {
  const taken = new Set(type.attributes.map(({ name }) => name))
  const names = new Map<string, Attribute>()
  for (const attribute of type.attributes) {
    let wire = attribute.name
    const isOwnLabel = wire === label && isLabelField
    while (!isOwnLabel && isReserved(wire, label)) {
      wire = `field_${wire}`
      if (taken.has(wire)) wire = `field_${wire}`
    }
    names.set(wire, attribute)
  }
  return names
}

function isReserved(name: string, label: string): boolean {
  return RESERVED.has(name) || name === label || name.startsWith('drupal_internal__')
}

export function isLinking(attribute: Attribute): attribute is Linking {
  return attribute.type === 'relation' || attribute.type === 'media'
}

function isPlainField({ wire, attribute }: Field): boolean {
  return wire === attribute.name && isScalar(attribute) && isAsStored(attribute)
}
