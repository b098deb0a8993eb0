import {
  type Attribute,
  type ContentType,
  isShown,
  type ScalarAttribute,
  type WireKind,
  wireKindOf,
} from '#content'
import type { IndexField } from '../deps.ts'
import { type Delivered, findProperty } from '../target/delivered.ts'

/** What a name in `filter` or `sort` means, before the type of the item is known. */
export type KnownField =
  | { readonly kind: 'member'; readonly name: MemberName }
  | { readonly kind: 'property'; readonly name: string }
  /** A registered field reads a property or a member, in a way of its own. */
  | { readonly kind: 'indexed'; readonly field: IndexField; readonly source: Source }

const MEMBERS = [
  ...(['contentType', 'name', 'createDate', 'updateDate', 'id', 'level', 'sortOrder'] as const),
]
export type MemberName = (typeof MEMBERS)[number]

type Source = Exclude<KnownField, { kind: 'indexed' }>

const BY_NAME = new Map(MEMBERS.map((name) => [name.toLowerCase(), name]))
const PROPERTY = 'properties.'

/** Undefined when no delivered type has such a field. */
export function findKnown(delivered: Delivered, written: string): KnownField | undefined {
  const found = findSource(written)
  if (found?.kind === 'member') return found
  if (found) {
    return delivered.types.some((type) => findProperty(type, found.name)) ? found : undefined
  }
  const wanted = written.toLowerCase()
  const field = delivered.indexFields.find((each) => each.FieldName.toLowerCase() === wanted)
  const source = field && findSource(field.Source)
  return source && { kind: 'indexed', field, source }
}

function findSource(written: string): Source | undefined {
  const name = written.toLowerCase()
  const member = BY_NAME.get(name)
  if (member) return { kind: 'member', name: member }
  return name.startsWith(PROPERTY)
    ? { kind: 'property', name: written.slice(PROPERTY.length) }
    : undefined
}

/** The property of a type; undefined where the field is no property or the type has none. */
export function attributeOf(type: ContentType, field: KnownField): Attribute | undefined {
  const source = field.kind === 'indexed' ? field.source : field
  return source.kind === 'property' ? findProperty(type, source.name) : undefined
}

export function memberOf(field: KnownField): MemberName | undefined {
  const source = field.kind === 'indexed' ? field.source : field
  return source.kind === 'member' ? source.name : undefined
}

/** How values of a field are compared (contract §6.2). */
export type ComparedAs =
  /** `raw`: exactly as it is written. */
  | ('contains' | 'text' | 'raw' | 'word' | 'list')
  | ('time' | 'number' | 'boolean' | 'day' | 'moment')
  | ('reference' | 'id')

/** A field of the store that a filter asks. */
export interface Target {
  readonly as: ComparedAs
  readonly field: string
  /** Decimals of a number; undefined when it has as many as it likes. */
  readonly scale?: number | undefined
  /** The first whole number above every value, in units of the last decimal. */
  readonly limit?: bigint
}

/** Content model §3.1: decimals have 15 digits, whole numbers less or 64 bit. */
const DIGITS_15 = 10n ** 15n
const BITS_64 = 2n ** 63n

/** `absent`: items of this type have no such field. `closed`: it cannot be filtered by. */
export type FoundTarget = Target | 'absent' | 'closed'

export function findTarget(
  delivered: Delivered,
  type: ContentType,
  known: KnownField,
): FoundTarget {
  const found = plainTarget(delivered, type, known)
  if (known.kind !== 'indexed' || typeof found === 'string') return found
  const { of, as } = INDEXED[known.field.FieldType]
  return of.includes(found.as) ? { ...found, ...(as && { as }) } : 'absent'
}

function plainTarget(delivered: Delivered, type: ContentType, known: KnownField): FoundTarget {
  const member = memberOf(known)
  if (member === undefined) {
    const attribute = attributeOf(type, known)
    return attribute ? propertyTarget(delivered, attribute) : 'absent'
  }
  switch (member) {
    case 'name':
      return nameTarget(type)
    case 'id':
      return { as: 'id', field: 'documentId' }
    case 'createDate':
      return { as: 'moment', field: 'createdAt' }
    case 'updateDate':
      return { as: 'moment', field: 'updatedAt' }
    default:
      return 'closed'
  }
}

function nameTarget({ displayField, attribute }: ContentType): FoundTarget {
  const own = displayField === null ? undefined : attribute.get(displayField)
  return own && isShown(own) ? { as: 'contains', field: own.name } : 'absent'
}

function propertyTarget(delivered: Delivered, attribute: Attribute): FoundTarget {
  const { name: field } = attribute
  switch (attribute.type) {
    case 'media':
      return { as: 'reference', field }
    case 'relation':
      // What is not delivered is not there: asking for it by id must not tell otherwise.
      return delivered.findType(attribute.target) ? { as: 'reference', field } : 'absent'
    case 'component':
      return 'closed'
    default:
      return valueTarget(attribute)
  }
}

const COMPARED: Readonly<Record<WireKind, Omit<Target, 'field'> | 'closed'>> = {
  text: { as: 'text' },
  markup: { as: 'text' },
  secret: 'closed',
  integer: { as: 'number', scale: 0, limit: DIGITS_15 },
  bigInteger: { as: 'number', scale: 0, limit: BITS_64 },
  decimal: { as: 'number', scale: 2, limit: DIGITS_15 },
  float: { as: 'number' },
  boolean: { as: 'boolean' },
  date: { as: 'day' },
  time: { as: 'time' },
  datetime: { as: 'moment' },
  json: 'closed',
  words: { as: 'list' },
  link: 'closed',
}

function valueTarget(attribute: ScalarAttribute): FoundTarget {
  const compared = COMPARED[wireKindOf(attribute)]
  if (compared === 'closed') return compared
  const scale = 'scale' in attribute ? { scale: attribute.scale } : {}
  return { ...compared, ...scale, field: attribute.name }
}

const TEXTS: readonly ComparedAs[] = ['text', 'contains']

/** A registered field of one kind has no value where its source is of another. */
const INDEXED: Readonly<
  Record<IndexField['FieldType'], { of: readonly ComparedAs[]; as?: ComparedAs }>
> = {
  StringRaw: { of: TEXTS, as: 'raw' },
  StringAnalyzed: { of: TEXTS, as: 'word' },
  StringSortable: { of: TEXTS, as: 'text' },
  Number: { of: ['number'] },
  Date: { of: ['day', 'moment'] },
}
