import { isShown, type Viewer, type WireKind, wireKindOf } from '#content'
import { numberRangeOf, WHOLE } from '#content-dialect'
import { type Attribute, type Component, type ContentType, isScalar } from '#content-model'
import type { Scalar } from '#content-query'
import { type Catalogue, type EntryResource, FILE_FIELDS } from '../target/catalogue.ts'
import { isLinking } from '../target/names.ts'
import { toDate, toMoment, toMs } from './conditions.ts'
import { relationshipsOf } from './include.ts'
import { USER_MEMBERS, type UserMember } from './users.ts'

/** In which kind of thing the next step of a path is looked up. */
export type Scope =
  | { readonly kind: 'entry'; readonly resource: EntryResource }
  | { readonly kind: 'part'; readonly component: Component }
  | { readonly kind: 'media' }
  | { readonly kind: 'file' }
  | { readonly kind: 'user' }
  | { readonly kind: 'node_type'; readonly type: ContentType }

/** What a path ends at. */
export type Leaf =
  | {
      readonly kind: 'field'
      readonly field: string
      /** Undefined for what cannot be such a value. */
      readonly convert: (text: string) => Exclude<Scalar, null> | undefined
      /** Of numbers: a value between those it can have is compared by its size. */
      readonly number?: typeof WHOLE
      /** The answer shows whole seconds, so a value means all of that second. */
      readonly inSeconds?: boolean
    }
  /** The same for every resource here. */
  | { readonly kind: 'constant'; readonly value: string | number | boolean | null }
  /** A member of the account that made the entry. */
  | { readonly kind: 'user'; readonly member: UserMember }
  /** What a path only goes through: whether there is one is all that can be asked of it. */
  | { readonly kind: 'whole'; readonly present: Leaf; readonly fault: string }

const asText = (text: string) => text
const lower = (text: string) => text.toLowerCase()

/** What may stand in a path here, for whoever wrote something else. */
export function namesIn(catalogue: Catalogue, scope: Scope, viewer: Viewer): readonly string[] {
  switch (scope.kind) {
    case 'entry': {
      const { names } = scope.resource
      const own = [...names.field.keys(), ...relationshipsOf(catalogue, scope.resource, viewer)]
      const system = [names.idName, names.revisionName, names.label, ...ENTRY_LEAVES.keys()]
      return [...new Set([...own, ...system])]
    }
    case 'part':
      return scope.component.attributes.filter(isShown).map(({ name }) => name)
    case 'media':
      return [...MEDIA_LEAVES.keys(), ...FILE_FIELDS]
    case 'file':
      return [...FILE_LEAVES.keys()]
    case 'user':
      return USER_MEMBERS
    case 'node_type':
      return [...TYPE_LEAVES.keys()]
  }
}

export function targetId(scope: Scope): Leaf {
  if (scope.kind === 'user') return { kind: 'user', member: 'drupal_internal__uid' }
  if (scope.kind === 'node_type') return constant(scope.type.bundle)
  return counted('id')
}

export function plain(field: string, convert: (text: string) => string = asText): Leaf {
  return { kind: 'field', field, convert }
}

/** A whole number of the store's own: an id, a size. */
function counted(field: string): Leaf {
  return { kind: 'field', field, convert: asText, number: WHOLE }
}

/** Shown in whole seconds. */
function moment(field: string): Leaf {
  return { kind: 'field', field, convert: toMs, inSeconds: true }
}

function flag(field: string): Leaf {
  return { kind: 'field', field, convert: toFlag }
}

export function constant(value: string | number | boolean | null): Leaf {
  return { kind: 'constant', value }
}

/** Undefined when there is no such member. */
export function leafIn(catalogue: Catalogue, scope: Scope, name: string): Leaf | undefined {
  switch (scope.kind) {
    case 'entry':
      return entryLeaf(catalogue, scope.resource, name)
    case 'part':
      return valueLeaf((own) => scope.component.attribute.get(own), name)
    case 'media':
      return MEDIA_LEAVES.get(name)?.(catalogue)
    case 'file':
      return FILE_LEAVES.get(name)?.(catalogue)
    case 'user':
      return userLeaf(USER_MEMBERS.find((member) => member === name))
    case 'node_type': {
      const value = TYPE_LEAVES.get(name)?.(scope.type)
      return value === undefined ? undefined : constant(value)
    }
  }
}

function userLeaf(member: UserMember | undefined): Leaf | undefined {
  return member && { kind: 'user', member }
}

function entryLeaf(
  catalogue: Catalogue,
  { names, type }: EntryResource,
  name: string,
): Leaf | undefined {
  if (name === names.idName || name === 'path.pid') return counted('id')
  if (name === names.revisionName) return counted('@revisionId')
  if (name === names.label) {
    return names.labelField === null
      ? constant(null)
      : attributeLeaf(type.attribute.get(names.labelField))
  }
  const system = ENTRY_LEAVES.get(name)?.(catalogue, type)
  return system ?? valueLeaf((own) => names.field.get(own)?.attribute, name)
}

function toFlag(text: string): boolean | undefined {
  if (text === '1' || /^true$/i.test(text)) return true
  if (text === '0' || /^false$/i.test(text)) return false
  return undefined
}

/** What the members of a link are to the store. */
const LINK_PARTS: ReadonlyMap<string, string> = new Map([
  ['uri', 'uri'],
  ['title', 'title'],
  ['options.attributes.target', 'target'],
])

/**
 * A value, or a member of one: `body.value` is the text itself, whose format and what follows from it cannot be
 * asked for; links have their members.
 */
function valueLeaf(find: (name: string) => Attribute | undefined, name: string): Leaf | undefined {
  const end = name.indexOf('.')
  const own = find(end === -1 ? name : name.slice(0, end))
  if (end === -1 || !own || !isScalar(own) || !isShown(own))
    return end === -1 ? attributeLeaf(own) : undefined
  const member = name.slice(end + 1)
  const kind = wireKindOf(own)
  if (kind === 'markup' && member === 'value') return plain(own.name)
  const part = kind === 'link' ? LINK_PARTS.get(member) : undefined
  return part === undefined ? undefined : plain(`${own.name}@${part}`)
}

function attributeLeaf(attribute: Attribute | undefined): Leaf | undefined {
  if (!attribute || !isShown(attribute) || isLinking(attribute)) return undefined
  const kind = isScalar(attribute) ? wireKindOf(attribute) : undefined
  const convert = (kind && CONVERTED[kind]) ?? asText
  const number = isScalar(attribute) ? numberRangeOf(attribute) : undefined
  return { kind: 'field', field: attribute.name, convert, ...(number && { number }) }
}

/** What is written on this wire otherwise than the store takes it. */
const CONVERTED: { readonly [kind in WireKind]?: typeof toFlag | typeof toMoment } = {
  boolean: toFlag,
  datetime: toMoment,
  date: toDate,
}

type Leaves<Of extends unknown[] = []> = ReadonlyMap<
  string,
  (catalogue: Catalogue, ...of: Of) => Leaf
>

const isTrue = () => constant(true)
const isFalse = () => constant(false)
const id = () => counted('id')
const documentId = () => plain('documentId', lower)
const created = () => moment('createdAt')
const changed = () => moment('updatedAt')

const ENTRY_LEAVES: Leaves<[ContentType]> = new Map([
  ['id', documentId],
  ['created', created],
  ['changed', changed],
  ['revision_timestamp', changed],
  ['path.alias', () => plain('path', lower)],
  ['langcode', locale],
  ['path.langcode', locale],
  ['status', (_, { draftAndPublish }) => (draftAndPublish ? flag('@live') : constant(true))],
  ['default_langcode', (_, { localized }) => (localized ? flag('@default') : constant(true))],
  ['promote', isFalse],
  ['sticky', isFalse],
  ['revision_translation_affected', isTrue],
  ['revision_log', () => constant(null)],
])

function locale({ model }: Catalogue, { localized }: ContentType): Leaf {
  if (!localized) return constant(model.defaultLocale)
  return plain('locale', (code) => model.findLocale(code)?.code ?? code)
}

const SHARED: readonly (readonly [string, (catalogue: Catalogue) => Leaf])[] = [
  ['id', documentId],
  ['created', created],
  ['changed', changed],
  ['status', isTrue],
  ['langcode', ({ model }) => constant(model.defaultLocale)],
]

const MEDIA_LEAVES: Leaves = new Map([
  ...SHARED,
  ['name', () => plain('name')],
  ['drupal_internal__mid', id],
  ['drupal_internal__vid', id],
  ['default_langcode', isTrue],
])

const FILE_LEAVES: Leaves = new Map([
  ...SHARED,
  ['filename', () => plain('name')],
  ['filemime', () => plain('mime')],
  ['filesize', () => counted('@sizeBytes')],
  ['uri.url', () => plain('url')],
  // What identifiers of the file say of the picture in their `meta`.
  ...['', 'meta.'].flatMap((meta): [string, () => Leaf][] => [
    [`${meta}alt`, () => plain('alternativeText')],
    [`${meta}title`, () => plain('caption')],
    [`${meta}description`, () => plain('caption')],
    [`${meta}width`, () => counted('width')],
    [`${meta}height`, () => counted('height')],
  ]),
  ['drupal_internal__fid', id],
])

const TYPE_LEAVES: ReadonlyMap<string, (type: ContentType) => string> = new Map([
  ['id', ({ uuid }) => uuid],
  ['drupal_internal__type', ({ bundle }) => bundle],
  ['name', ({ displayName }) => displayName],
])
