import { isShown, type ModuleField, type WireKind, wireKindOf } from '#content'
import { numberRangeOf } from '#content-dialect'
import type { Attribute, ContentType, ScalarAttribute } from '#content-model'
import { OperatorError } from '#kernel'
import type { IndexField } from '../deps.ts'
import { type Delivered, findProperty } from '../target.ts'

/** What a name in `filter` or `sort` means, before the type of the item is known. */
export type KnownField =
  | { readonly kind: 'member'; readonly name: MemberName }
  | { readonly kind: 'property'; readonly name: string }
  /** A registered field reads a property or a member, in a way of its own. */
  | { readonly kind: 'indexed'; readonly field: IndexField; readonly source: Source }
  /** What a module of the operator says of each item. */
  | { readonly kind: 'module'; readonly field: ModuleField }

const MEMBERS = [
  ...(['contentType', 'name', 'createDate', 'updateDate', 'id', 'level', 'sortOrder'] as const),
]
export type MemberName = (typeof MEMBERS)[number]

type Source = Extract<KnownField, { kind: 'member' | 'property' }>

const BY_NAME = new Map(MEMBERS.map((name) => [name.toLowerCase(), name]))
const PROPERTY = 'properties.'

/** A name that means two things stops the start (contract §9). */
export function refuseTakenNames(
  modules: readonly ModuleField[],
  declared: readonly IndexField[],
): void {
  const settings = new Set(declared.map(({ FieldName }) => FieldName.toLowerCase()))
  for (const { name } of modules) {
    const lower = name.toLowerCase()
    const isBuiltIn = BY_NAME.has(lower) || lower === 'properties'
    if (!isBuiltIn && !settings.has(lower)) continue
    const other = isBuiltIn ? 'a built-in field' : 'one of the setting IndexFields'
    throw new OperatorError(`index_modules: the field ${name} has the name of ${other}; rename it`)
  }
}

/** Undefined when no delivered type has such a field. */
export function findKnown(delivered: Delivered, written: string): KnownField | undefined {
  const found = findSource(written)
  if (found?.kind === 'member') return found
  if (found) {
    return delivered.types.some((type) => findProperty(type, found.name)) ? found : undefined
  }
  const wanted = written.toLowerCase()
  const module = delivered.moduleFields.find(({ name }) => name.toLowerCase() === wanted)
  if (module) return { kind: 'module', field: module }
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
  const source = sourceOf(field)
  return source?.kind === 'property' ? findProperty(type, source.name) : undefined
}

export function memberOf(field: KnownField): MemberName | undefined {
  const source = sourceOf(field)
  return source?.kind === 'member' ? source.name : undefined
}

function sourceOf(field: KnownField): Source | undefined {
  if (field.kind === 'module') return undefined
  return field.kind === 'indexed' ? field.source : field
}

/** Where the store has the values of a module's field, and under which name there. */
export function moduleTarget({ key, type }: ModuleField): Target & { readonly through: string } {
  return { through: `@index:${key}`, ...MODULE_TARGETS[type] }
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
  /** Lies behind this field of the item: one of those that it holds must match. */
  readonly through?: string
  /** Of a number; undefined when it may be of any size and fraction. */
  readonly range?: ReturnType<typeof numberRangeOf>
}

/** `absent`: items of this type have no such field. `closed`: it cannot be filtered by. */
export type FoundTarget = Target | 'absent' | 'closed'

export function findTarget(
  delivered: Delivered,
  type: ContentType,
  known: KnownField,
): FoundTarget {
  if (known.kind === 'module') return moduleTarget(known.field)
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
    case 'dynamiczone':
      return 'closed'
    default:
      return valueTarget(attribute)
  }
}

const COMPARED: Readonly<Record<WireKind, Omit<Target, 'field'> | 'closed'>> = {
  text: { as: 'text' },
  markup: { as: 'text' },
  blocks: 'closed',
  secret: 'closed',
  integer: { as: 'number' },
  bigInteger: { as: 'number' },
  decimal: { as: 'number' },
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
  return { ...compared, range: numberRangeOf(attribute), field: attribute.name }
}

const MODULE_TARGETS: Readonly<Record<ModuleField['type'], Target>> = {
  StringRaw: { as: 'raw', field: 'text' },
  StringAnalyzed: { as: 'word', field: 'words' },
  StringSortable: { as: 'text', field: 'text' },
  Number: { as: 'number', field: 'number' },
  Date: { as: 'moment', field: 'number' },
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
