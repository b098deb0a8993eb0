import {
  type Attribute,
  type Component,
  type ContentType,
  isScalar,
  isShown,
  isToMany,
  type WireKind,
  wireKindOf,
} from '#content'
import type { Scalar } from '#content-query'
import { type Catalogue, type EntryResource, FILE_FIELDS } from '../target/catalogue.ts'
import { isLinking } from '../target/names.ts'
import { USER_MEMBERS, type UserMember } from './users.ts'
import { toDate, toMoment, toMs } from './values.ts'

/** In which kind of thing the next step of a path is looked up. */
type Scope =
  | { readonly kind: 'entry'; readonly resource: EntryResource }
  | { readonly kind: 'part'; readonly component: Component }
  | { readonly kind: 'media' }
  | { readonly kind: 'file' }
  | { readonly kind: 'user' }
  | { readonly kind: 'node_type'; readonly type: ContentType }

interface Step {
  readonly field: string
  readonly many: boolean
}

/** What a path ends at. */
export type Leaf =
  | {
      readonly kind: 'field'
      readonly field: string
      /** Undefined for what cannot be such a value. */
      readonly convert: (text: string) => Exclude<Scalar, null> | undefined
      /** The answer shows whole seconds, so a value means all of that second. */
      readonly inSeconds?: boolean
    }
  /** The same for every resource here. */
  | { readonly kind: 'constant'; readonly value: string | number | boolean | null }
  /** A member of the account that made the entry. */
  | { readonly kind: 'user'; readonly member: UserMember }

export interface Located {
  readonly steps: readonly Step[]
  readonly leaf: Leaf
}

type Unknown = { readonly fault: string }

const DEEPEST = 6
const TARGET_ID = 'meta.drupal_internal__target_id'

const asText = (text: string) => text
const lower = (text: string) => text.toLowerCase()

/**
 * Where a path of a filter or sort leads (contract §6.1), from entries of a type or from files. What
 * is wrong with it is told as `fault`.
 */
export function locate(
  catalogue: Catalogue,
  from: EntryResource | 'media' | 'file',
  path: string,
): Located | Unknown {
  const names = path.split('.').filter((name) => !/^entity(?::.*)?$/.test(name))
  const steps: Step[] = []
  let scope: Scope = typeof from === 'string' ? { kind: from } : { kind: 'entry', resource: from }
  for (const [at, name] of names.entries()) {
    const rest = names.slice(at + 1)
    const next = stepFrom(catalogue, scope, name)
    if (!next) {
      const last = names.slice(at).join('.')
      const leaf = leafIn(catalogue, scope, last)
      return leaf ? { steps, leaf } : { fault: `There is no field ${last}` }
    }
    if (at >= DEEPEST) return { fault: `A path may go through ${DEEPEST} relationships` }
    if (rest.length === 0) return { fault: `${path} is a relationship; add .id` }
    if (next.step) steps.push(next.step)
    scope = next.scope
    if (rest.join('.') === TARGET_ID) return { steps, leaf: targetId(scope) }
  }
  return { fault: 'The path is empty' }
}

interface Next {
  /** Absent when it is the same row under another name. */
  readonly step?: Step
  readonly scope: Scope
}

function stepFrom(catalogue: Catalogue, scope: Scope, name: string): Next | undefined {
  switch (scope.kind) {
    case 'entry': {
      const { names, type } = scope.resource
      if (name === 'uid') return { scope: { kind: 'user' } }
      if (name === 'node_type') return { scope: { kind: 'node_type', type } }
      const found = names.relation.get(name) ?? names.field.get(name)
      return attributeStep(catalogue, found?.attribute)
    }
    case 'part':
      return attributeStep(catalogue, scope.component.attribute.get(name))
    case 'media':
      return FILE_FIELDS.includes(name) ? { scope: { kind: 'file' } } : undefined
    default:
      return undefined
  }
}

function attributeStep(catalogue: Catalogue, attribute: Attribute | undefined): Next | undefined {
  if (!attribute || !isShown(attribute)) return undefined
  const step = { field: attribute.name, many: isToMany(attribute) }
  if (attribute.type === 'component') {
    const component = catalogue.model.findComponent(attribute.component)
    return component && { step, scope: { kind: 'part', component } }
  }
  const target = catalogue.behind(attribute)
  if (!target) return undefined
  return {
    step,
    scope: target === 'media' ? { kind: target } : { kind: 'entry', resource: target },
  }
}

function targetId(scope: Scope): Leaf {
  if (scope.kind === 'user') return { kind: 'user', member: 'drupal_internal__uid' }
  if (scope.kind === 'node_type') return constant(scope.type.bundle)
  return plain('id')
}

function plain(field: string, convert: (text: string) => string = asText): Leaf {
  return { kind: 'field', field, convert }
}

/** Shown in whole seconds. */
function moment(field: string): Leaf {
  return { kind: 'field', field, convert: toMs, inSeconds: true }
}

function flag(field: string): Leaf {
  return { kind: 'field', field, convert: toFlag }
}

function constant(value: string | number | boolean | null): Leaf {
  return { kind: 'constant', value }
}

function leafIn(catalogue: Catalogue, scope: Scope, name: string): Leaf | undefined {
  switch (scope.kind) {
    case 'entry':
      return entryLeaf(catalogue, scope.resource, name)
    case 'part':
      return attributeLeaf(scope.component.attribute.get(withoutPart(name)), name)
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
  if (name === names.idName || name === 'path.pid') return plain('id')
  if (name === names.revisionName) return plain('@revisionId')
  if (name === names.label) {
    return names.labelField === null
      ? constant(null)
      : attributeLeaf(type.attribute.get(names.labelField), name)
  }
  const system = ENTRY_LEAVES.get(name)?.(catalogue, type)
  return system ?? attributeLeaf(names.field.get(withoutPart(name))?.attribute, name)
}

function toFlag(text: string): boolean | undefined {
  if (text === '1' || /^true$/i.test(text)) return true
  if (text === '0' || /^false$/i.test(text)) return false
  return undefined
}

/** `body.value` is the text itself; its format and what follows from it cannot be asked for. */
function withoutPart(name: string): string {
  return name.endsWith('.value') ? name.slice(0, -'.value'.length) : name
}

function attributeLeaf(attribute: Attribute | undefined, name: string): Leaf | undefined {
  if (!attribute || !isShown(attribute) || isLinking(attribute)) return undefined
  const kind = isScalar(attribute) ? wireKindOf(attribute) : undefined
  if (name.endsWith('.value') && kind !== 'markup') return undefined
  const convert = kind && CONVERTED[kind]
  return convert ? { kind: 'field', field: attribute.name, convert } : plain(attribute.name)
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
const id = () => plain('id')
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
  ['filesize', () => plain('@sizeBytes')],
  ['uri.url', () => plain('url')],
  ['drupal_internal__fid', id],
])

const TYPE_LEAVES: ReadonlyMap<string, (type: ContentType) => string> = new Map([
  ['id', ({ uuid }) => uuid],
  ['drupal_internal__type', ({ bundle }) => bundle],
  ['name', ({ displayName }) => displayName],
])
