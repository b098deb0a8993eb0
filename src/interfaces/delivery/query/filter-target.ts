import {
  type Attribute,
  type ContentType,
  isShown,
  type ScalarAttribute,
  type WireKind,
  wireKindOf,
} from '#content'
import type { IndexField } from '../deps.ts'
import type { Delivered } from '../target/delivered.ts'
import { attributeOf, type KnownField, memberOf } from './fields.ts'

/** How values of a field are compared (contract §6.2). */
type ComparedAs =
  | 'contains'
  | 'text'
  /** Exactly as it is written. */
  | 'raw'
  | 'word'
  | 'time'
  | 'number'
  | 'boolean'
  | 'day'
  | 'moment'
  | 'list'
  | 'reference'
  | 'id'

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
  return asIndexed(found, known.field)
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

const TEXTS: ReadonlySet<ComparedAs> = new Set(['text', 'contains'])

/** A registered field of one kind has no value where its source is of another. */
function asIndexed(target: Target, { FieldType }: IndexField): FoundTarget {
  const isText = TEXTS.has(target.as)
  switch (FieldType) {
    case 'StringRaw':
      return isText ? { ...target, as: 'raw' } : 'absent'
    case 'StringAnalyzed':
      return isText ? { ...target, as: 'word' } : 'absent'
    case 'StringSortable':
      return isText ? { ...target, as: 'text' } : 'absent'
    case 'Number':
      return target.as === 'number' ? target : 'absent'
    case 'Date':
      return target.as === 'day' || target.as === 'moment' ? target : 'absent'
  }
}
