import { kindOf } from '../fields/index.ts'
import {
  type Attribute,
  type Component,
  type ContentModel,
  type ContentType,
  isScalar,
} from '../model.ts'
import {
  componentUid,
  type StoredComponent,
  type StoredModel,
  type StoredType,
} from './definition.ts'

const NO_LOCALE = 'en'

/** What can name an entry. */
export const DISPLAYABLE: ReadonlySet<string> = new Set([
  'string',
  'text',
  'email',
  'uid',
  'enumeration',
])

/** The model of what is stored; frozen, so that whoever holds it can rely on it. */
export function buildModel(stored: StoredModel, revision: number): ContentModel {
  const types = stored.types.map((type) =>
    toType(type, {
      isSearched: stored.searched.has(type.no),
      isRelocating: stored.relocating.has(type.no),
    }),
  )
  const components = stored.components.map(toComponent)
  const byName = new Map(
    types.flatMap((type) => namesOf(type).map((name) => [name, type] as const)),
  )
  const byNo = new Map(types.map((type) => [type.no, type]))
  const byUid = new Map(components.map((component) => [component.uid, component]))
  const { locales } = stored
  const byCode = new Map(locales.map((locale) => [locale.code.toLowerCase(), locale]))
  return Object.freeze({
    revision,
    types,
    formerTypes: stored.formerTypes,
    components,
    locales,
    defaultLocale: locales.find(({ isDefault }) => isDefault)?.code ?? NO_LOCALE,
    findType: (name: string) => byName.get(name),
    typeByNo: (no: number) => byNo.get(no),
    findComponent: (uid: string) => byUid.get(uid),
    findLocale: (code: string) => byCode.get(code.toLowerCase()),
  })
}

export function toType(
  { no, uuid, shape, definition, createdAtMs, updatedAtMs, changing }: StoredType,
  { isSearched = false, isRelocating = false } = {},
): ContentType {
  const { displayField, ...rest } = definition
  const attributes = definition.attributes.map(withStorableDefault)
  return Object.freeze({
    ...rest,
    ...{ no, uuid, shape, createdAtMs, updatedAtMs, searched: isSearched },
    hasStrayLocales: !definition.localized && (isRelocating || changing?.locale != null),
    changing: changing ? { members: changing.members, locale: changing.locale } : null,
    table: `content_v${no}` as const,
    uid: uidOf(definition.singularName),
    attributes,
    attribute: byName(attributes),
    displayField: displayField ?? defaultDisplayField(attributes),
    slugField: attributes.find(({ type }) => type === 'uid')?.name ?? null,
  })
}

function toComponent({ no, shape, definition }: StoredComponent): Component {
  const { attributes: given, ...rest } = definition
  const attributes = given.map(withStorableDefault)
  return Object.freeze({
    ...rest,
    ...{ no, shape },
    table: `content_c${no}` as const,
    uid: componentUid(definition),
    attributes,
    attribute: byName(attributes),
  })
}

export function uidOf(singularName: string): string {
  return `api::${singularName}.${singularName}`
}

function namesOf({ singularName, pluralName, uid }: ContentType): string[] {
  return [singularName, pluralName, uid]
}

function byName(attributes: readonly Attribute[]): ReadonlyMap<string, Attribute> {
  return new Map(attributes.map((attribute) => [attribute.name, attribute]))
}

/** Content model §3: `title`, else `name`, else the first string. A private one would leak. */
function defaultDisplayField(attributes: readonly Attribute[]): string | null {
  const shown = attributes.filter((attribute) => !attribute.private)
  const texts = shown.filter(({ type }) => DISPLAYABLE.has(type))
  const named = ['title', 'name'].map((name) => texts.find((text) => text.name === name))
  const found = named.find(Boolean) ?? shown.find(({ type }) => type === 'string')
  return found?.name ?? null
}

/** A default may be written as a value may, such as a number as text; what an entry gets of it is what a column takes. */
function withStorableDefault(attribute: Attribute): Attribute {
  if (!isScalar(attribute) || attribute.default === undefined) return attribute
  const parsed = kindOf(attribute).parse(attribute.default, attribute)
  return parsed.ok ? { ...attribute, default: parsed.value } : attribute
}
