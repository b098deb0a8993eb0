import { kindOf } from '../../fields/index.ts'
import { columnOf, foldColumnOf } from '../../fields/kind.ts'
import { scaleOf } from '../../fields/support/decimals.ts'
import {
  type Attribute,
  type Component,
  type ComponentAttribute,
  type ContentModel,
  type ContentType,
  componentsIn,
  isScalar,
  type MediaAttribute,
  type RelationAttribute,
  type ScalarAttribute,
  type TagsAttribute,
  type ZoneAttribute,
} from '../../model.ts'
import { type Sql, sql } from '../fragment.ts'
import { type Column, columnAt, parseFinite, textColumn } from './column.ts'
import { FILE_COLUMNS } from './files.ts'
import { ABSENT_COLUMNS, SYSTEM_COLUMNS } from './system.ts'

/** In which kind of thing a name is looked up. */
export type Scope =
  | { readonly kind: 'entry'; readonly type: ContentType }
  | { readonly kind: 'part'; readonly component: Component }
  | { readonly kind: 'file' }
  /** Values that modules gave to a field of theirs. */
  | { readonly kind: 'indexed' }

/** What lists are of. */
export type ListScope = Exclude<Scope, { kind: 'part' | 'indexed' }>

/** From one thing to those it refers to. */
export type Step =
  | {
      readonly kind: 'relation'
      readonly attribute: RelationAttribute
      readonly target: ContentType
    }
  | { readonly kind: 'media'; readonly attribute: MediaAttribute }
  | {
      readonly kind: 'component'
      readonly attribute: ComponentAttribute
      readonly component: Component
    }
  | IndexedStep

/** To what index modules said of an entry; only filters and sorts go there. */
export interface IndexedStep {
  readonly kind: 'indexed'
  /** As `ModuleField.key`. */
  readonly key: string
}

export type Field =
  | { readonly kind: 'column'; readonly column: Column }
  | { readonly kind: 'tags'; readonly attribute: TagsAttribute; readonly column: Column }
  /** All that can be asked is whether there is a value. */
  | { readonly kind: 'kept'; readonly column: Column }
  | { readonly kind: 'step'; readonly step: Step }
  /** Can be shown, but neither filtered nor sorted by: its components have different attributes. */
  | {
      readonly kind: 'zone'
      readonly attribute: ZoneAttribute
      readonly components: readonly Component[]
    }
  /** Who made or wrote an entry, by the number of the account; for callers who may write. */
  | { readonly kind: 'author'; readonly column: Column }
  /** Exists, but not for callers. */
  | { readonly kind: 'private' }

/** Attributes come first: users may name them as dialects name system members. */
export function findField(model: ContentModel, scope: Scope, name: string): Field | undefined {
  if (scope.kind === 'file') return columnField(FILE_COLUMNS.get(name))
  if (scope.kind === 'indexed') return columnField(INDEXED_COLUMNS.get(name))
  const attributes = scope.kind === 'entry' ? scope.type.attribute : scope.component.attribute
  const attribute = attributes.get(name)
  if (attribute) return attributeField(model, attribute)
  const part = findPart(attributes, name)
  if (part) return part
  if (scope.kind === 'part') return name === 'id' ? PART_ID : undefined
  if (name === '@name') return nameField(model, scope.type)
  if (name.startsWith(INDEXED)) {
    return { kind: 'step', step: { kind: 'indexed', key: name.slice(INDEXED.length) } }
  }
  const author = AUTHORS.includes(name) ? SYSTEM_COLUMNS.get(`@${name}`) : undefined
  if (author) return { kind: 'author', column: author }
  return columnField(absent(scope.type, name) ?? SYSTEM_COLUMNS.get(name))
}

/** `home@title`: a member of a link, as dialects name it that show links by their members. */
function findPart(attributes: ReadonlyMap<string, Attribute>, name: string): Field | undefined {
  const end = name.indexOf('@')
  const attribute = end > 0 ? attributes.get(name.slice(0, end)) : undefined
  if (attribute?.type !== 'link') return undefined
  const column = linkColumn(attribute, name.slice(end + 1))
  if (attribute.private) return { kind: 'private' }
  return column && { kind: 'column', column }
}

const AUTHORS: readonly string[] = ['createdBy', 'updatedBy']

function absent({ draftAndPublish, localized }: ContentType, name: string): Column | undefined {
  if (name === 'publishedAt' && !draftAndPublish) return ABSENT_COLUMNS.publishedAt
  return name === 'locale' && !localized ? ABSENT_COLUMNS.locale : undefined
}

/** What names an entry in other dialects. */
function nameField(model: ContentModel, { attribute, displayField }: ContentType) {
  const named = attribute.get(displayField ?? '')
  return named && attributeField(model, named)
}

const PART_ID = columnField(SYSTEM_COLUMNS.get('id'), columnAt('part_id'))

function columnField(column: Column | undefined, at?: Column['sql']): Field | undefined {
  return column && { kind: 'column', column: at ? { ...column, sql: at } : column }
}

function attributeField(model: ContentModel, attribute: Attribute): Field | undefined {
  if (attribute.private || attribute.type === 'password') return { kind: 'private' }
  if (isScalar(attribute)) return scalarField(attribute)
  if (attribute.type === 'dynamiczone') {
    return { kind: 'zone', attribute, components: componentsIn(model, attribute) }
  }
  const step = findStep(model, attribute)
  return step && { kind: 'step', step }
}

function findStep(
  model: ContentModel,
  attribute: RelationAttribute | MediaAttribute | ComponentAttribute,
): Step | undefined {
  if (attribute.type === 'media') return { kind: 'media', attribute }
  if (attribute.type === 'component') {
    const component = model.findComponent(attribute.component)
    return component && { kind: 'component', attribute, component }
  }
  const target = model.findType(attribute.target)
  return target && { kind: 'relation', attribute, target }
}

function scalarField(attribute: ScalarAttribute): Field {
  const column = scalarColumn(attribute)
  if (attribute.type === 'tags') return { kind: 'tags', attribute, column }
  return { kind: kindOf(attribute).column.compared ? 'column' : 'kept', column }
}

export function scalarColumn(attribute: ScalarAttribute): Column {
  const kind = kindOf(attribute)
  const { kind: stored, folded, indexed } = kind.column
  return {
    name: columnOf(attribute),
    kind: stored,
    nullable: true,
    textual: folded,
    indexed,
    big: attribute.type === 'biginteger',
    scale: attribute.type === 'decimal' ? scaleOf(attribute) : 0,
    registry: false,
    rare: null,
    sql: (alias) => sql.ref(`${alias}.${columnOf(attribute)}`),
    fold: folded ? (alias) => sql.ref(`${alias}.${foldColumnOf(attribute)}`) : null,
    parse: (value) => kind.parseFilter(value, attribute),
  }
}

export function scopeOf(step: Step): Scope {
  if (step.kind === 'relation') return { kind: 'entry', type: step.target }
  if (step.kind === 'component') return { kind: 'part', component: step.component }
  return { kind: step.kind === 'media' ? 'file' : 'indexed' }
}

type Part = (column: string) => Sql

/** Of the JSON in a column: where the link leads, with `entity:` before the id of a document, and what is said of it. */
const PARTS: ReadonlyMap<string, Part> = new Map<string, Part>([
  ['uri', (of) => sql`coalesce('entity:' || ${memberOf(of, 'entry')}, ${memberOf(of, 'url')})`],
  ['title', (of) => memberOf(of, 'title')],
  ['target', (of) => memberOf(of, 'target')],
])

function memberOf(column: string, name: string): Sql {
  return sql`json_member(${sql.ref(column)}, ${sql.lit(name)})`
}

/** A part of a link as a value; the folded column holds the same object, folded. */
function linkColumn(attribute: ScalarAttribute, name: string): Column | undefined {
  const part = PARTS.get(name)
  if (!part) return undefined
  return textColumn(`${columnOf(attribute)}@${name}`, {
    ...{ nullable: true, indexed: false },
    sql: (alias) => part(`${alias}.${columnOf(attribute)}`),
    fold: (alias) => part(`${alias}.${foldColumnOf(attribute)}`),
  })
}

/** Before the key of a field of a module, where dialects ask for its values. */
const INDEXED = '@index:'

/** What index modules said of an entry, as filters and sorts see it: a field has values in one of these. */
const INDEXED_COLUMNS: ReadonlyMap<string, Column> = new Map<string, Column>([
  ['text', textColumn('text', { nullable: true, fold: columnAt('fold') })],
  [
    'number',
    textColumn('number', { nullable: true, kind: 'double', textual: false, parse: parseFinite }),
  ],
  ['words', textColumn('words', { nullable: true, indexed: false, fold: columnAt('words') })],
])
