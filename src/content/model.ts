import type { AccessLevel } from '#kernel'
import type { JsonValue } from './json.ts'
import type { Permissions } from './permissions.ts'

/** The types, components and locales as they are now: one immutable object, swapped as a whole. */
export interface ContentModel {
  /** Raised by every change; what was compiled from an older model must not be used with a newer. */
  readonly revision: number
  readonly types: readonly ContentType[]
  readonly formerTypes: readonly FormerType[]
  readonly components: readonly Component[]
  readonly locales: readonly Locale[]
  readonly defaultLocale: string
  /** By singular name, plural name or uid. */
  findType(name: string): ContentType | undefined
  typeByNo(no: number): ContentType | undefined
  /** By `<category>.<name>`. */
  findComponent(uid: string): Component | undefined
  /** Compared without regard to case. */
  findLocale(code: string): Locale | undefined
}

/** A name of types that were removed or renamed; another type may have it now. */
export interface FormerType {
  readonly singularName: string
  /** The lowest level that could read the entries of each of them. */
  readonly readLevel: AccessLevel | 'none'
  /** When the last of them lost the name. */
  readonly removedAtMs: number
}

/** What has attributes and a table with one column for each of them that can be compared. */
export interface FieldSet {
  readonly no: number
  /** In declared order, which is the order in which entries show them. */
  readonly attributes: readonly Attribute[]
  readonly attribute: ReadonlyMap<string, Attribute>
  /** `content_v12` of a type, `content_c3` of a component. */
  readonly table: `content_v${number}` | `content_c${number}`
  /**
   * Raised when documents stored before would read differently now (attribute added, removed,
   * renamed, made private, converted). A copy with an older shape is rendered from its values.
   */
  readonly shape: number
}

/** What its owner says of a type, beside its attributes. */
export interface TypeMembers {
  readonly kind: 'collectionType' | 'singleType'
  readonly singularName: string
  readonly pluralName: string
  readonly displayName: string
  readonly description: string
  readonly draftAndPublish: boolean
  readonly localized: boolean
  /** The same as `permissions.public` containing `read`. */
  readonly publicRead: boolean
  readonly permissions: Permissions
  /**
   * The attribute that names an entry in other dialects. Null: chosen from the attributes there are,
   * and in the model that there is none of text.
   */
  readonly displayField: string | null
  readonly entityType: string
  readonly bundle: string
}

export interface ContentType extends FieldSet, TypeMembers {
  readonly table: `content_v${number}`
  readonly uuid: string
  /** `api::article.article` */
  readonly uid: string
  /** The first uid attribute, whose value is the last step of the entry's path. */
  readonly slugField: string | null
  readonly createdAtMs: number
  readonly updatedAtMs: number
  /** All its copies are in the search index. */
  readonly searched: boolean
  /** What is changed step by step just now: until all of it is done the type is what it says here. */
  readonly changing: UnderWay | null
  /** It is not localised, but some of its entries may be stored with a locale. */
  readonly hasStrayLocales: boolean
}

/** A change of a type whose entries are being brought to it. */
export interface UnderWay {
  readonly members: readonly ('localized' | 'draftAndPublish' | 'attributes')[]
  /** Where the type becomes localised: what is written now is stored in this language already. */
  readonly locale: string | null
}

export interface ComponentMembers {
  readonly category: string
  readonly name: string
  readonly displayName: string
  readonly description: string
}

export interface Component extends FieldSet, ComponentMembers {
  readonly table: `content_c${number}`
  /** `<category>.<name>` */
  readonly uid: string
}

export interface Locale {
  readonly id: number
  readonly code: string
  readonly name: string
  readonly isDefault: boolean
  readonly fallback: string | null
  readonly createdAtMs: number
  readonly updatedAtMs: number
}

interface AttributeBase {
  /** Unique in the store and never given again: columns, links and tags are named by it. */
  readonly no: number
  readonly name: string
  readonly required: boolean
  readonly unique: boolean
  readonly private: boolean
  readonly searchable: boolean
  /** False inside a localised type: the value is shared and copied to all locales on write. */
  readonly localized: boolean
  /** One value per document, outside copies and locales. */
  readonly unversioned: boolean
  readonly default?: JsonValue
}

type TextKind = 'string' | 'text' | 'richtext' | 'email' | 'uid' | 'password'
type NumberKind = 'integer' | 'biginteger' | 'float' | 'decimal'
type TimeKind = 'date' | 'time' | 'datetime'

export interface TextAttribute extends AttributeBase {
  readonly type: TextKind
  readonly minLength?: number
  readonly maxLength?: number
  /** Only string. */
  readonly regex?: string
  /** Only uid. */
  readonly targetField?: string
  /** Only richtext: the format of values that bring none. */
  readonly format?: RichtextFormat
}

export type RichtextFormat =
  | 'basic_html'
  | 'full_html'
  | 'restricted_html'
  | 'markdown'
  | 'plain_text'
  /** A list of nodes instead of markup. */
  | 'blocks'

export interface EnumerationAttribute extends AttributeBase {
  readonly type: 'enumeration'
  readonly enum: readonly string[]
}

export interface NumberAttribute extends AttributeBase {
  readonly type: NumberKind
  /** Text for biginteger, whose bounds may lie beyond what a number holds exactly. */
  readonly min?: number | string
  readonly max?: number | string
  /** Only decimal: digits of the fraction. */
  readonly scale?: number
}

export interface PlainAttribute extends AttributeBase {
  readonly type: 'boolean' | 'json' | 'link' | TimeKind
}

export interface TagsAttribute extends AttributeBase {
  readonly type: 'tags'
  readonly enum?: readonly string[]
}

export interface MediaAttribute extends AttributeBase {
  readonly type: 'media'
  readonly multiple: boolean
  readonly allowedTypes: readonly MediaClass[]
}

export type MediaClass = 'images' | 'videos' | 'audios' | 'files'

export type RelationKind = 'oneToOne' | 'oneToMany' | 'manyToOne' | 'manyToMany'

export interface RelationAttribute extends AttributeBase {
  readonly type: 'relation'
  readonly relation: RelationKind
  /** Singular name of the target type. */
  readonly target: string
  /**
   * Links are stored with the copies of the owning side (manyToOne, and of the other pairs the one
   * with `inversedBy`); the inverse side reads the same rows from the other end.
   */
  readonly side: 'owning' | 'inverse'
  /** The number of the owning attribute, under which both sides find the links. */
  readonly linkNo: number
  /** The attribute at the other end; null when the relation is one-way. */
  readonly inverse: string | null
}

export interface ComponentAttribute extends AttributeBase {
  readonly type: 'component'
  readonly component: string
  readonly repeatable: boolean
  readonly min?: number
  readonly max?: number
}

/** A list of components, each of one of several kinds. Only types have zones, components do not. */
export interface ZoneAttribute extends AttributeBase {
  readonly type: 'dynamiczone'
  readonly components: readonly string[]
  readonly min?: number
  readonly max?: number
}

/** What holds components. */
export type HoldingAttribute = ComponentAttribute | ZoneAttribute

export type Attribute =
  | TextAttribute
  | EnumerationAttribute
  | NumberAttribute
  | PlainAttribute
  | TagsAttribute
  | MediaAttribute
  | RelationAttribute
  | ComponentAttribute
  | ZoneAttribute

export type ScalarAttribute = Exclude<
  Attribute,
  MediaAttribute | RelationAttribute | ComponentAttribute | ZoneAttribute
>

const NUMBERS = ['integer', 'biginteger', 'float', 'decimal']

/** A number that has one value for all copies, which can be raised and lowered whoever else does so. */
export function isAdjustable(attribute: Attribute | undefined): attribute is ScalarAttribute {
  if (attribute === undefined || !isScalar(attribute)) return false
  return attribute.unversioned && NUMBERS.includes(attribute.type)
}

export function isScalar(attribute: Attribute): attribute is ScalarAttribute {
  return !['media', 'relation', 'component', 'dynamiczone'].includes(attribute.type)
}

export function holdsComponents(attribute: Attribute): attribute is HoldingAttribute {
  return attribute.type === 'component' || attribute.type === 'dynamiczone'
}

/** The uids of the components that may lie in the attribute, none where it holds something else. */
export function heldBy(attribute: AnyOptions): readonly string[] {
  if (attribute.type === 'component') return [attribute.component]
  return attribute.type === 'dynamiczone' ? attribute.components : []
}

/** Of an attribute, or of the definition of one. */
type AnyOptions =
  | Pick<ComponentAttribute, 'type' | 'component'>
  | Pick<ZoneAttribute, 'type' | 'components'>
  | { readonly type: Exclude<Attribute['type'], HoldingAttribute['type']> }

/** The components themselves; those that are no more are left out. */
export function componentsIn(
  model: Pick<ContentModel, 'findComponent'>,
  attribute: Attribute,
): readonly Component[] {
  return heldBy(attribute).flatMap((uid) => model.findComponent(uid) ?? [])
}

/** The components that a type holds, also inside of others, each once. */
export function componentsOf(
  model: Pick<ContentModel, 'findComponent'>,
  { attributes }: Pick<FieldSet, 'attributes'>,
  found = new Set<Component>(),
): ReadonlySet<Component> {
  for (const attribute of attributes) {
    for (const component of componentsIn(model, attribute)) {
      if (found.has(component)) continue
      found.add(component)
      componentsOf(model, component, found)
    }
  }
  return found
}

/** A target has one owner only; without the other end a relation is shared, whatever it is called. */
export function isExclusive({
  relation,
  inverse,
}: Pick<RelationAttribute, 'relation' | 'inverse'>): boolean {
  return inverse !== null && relation.startsWith('oneTo')
}

/** Each language has its own value; of what is shared or unversioned a document has one. */
export function isPerLocale({
  localized,
  unversioned,
}: Pick<ScalarAttribute, 'localized' | 'unversioned'>): boolean {
  return localized && !unversioned
}

/** A list of components, as opposed to at most one. */
export function isPartList(attribute: Attribute): boolean {
  return (
    attribute.type === 'dynamiczone' || (attribute.type === 'component' && attribute.repeatable)
  )
}

export function isToMany(attribute: Attribute): boolean {
  if (attribute.type === 'relation') return attribute.relation.endsWith('Many')
  if (attribute.type === 'media') return attribute.multiple
  return isPartList(attribute)
}
