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
import { type Catalogue, DOCUMENT, type EntryResource, MEDIA_BUNDLES } from '../target/catalogue.ts'
import { isLinking } from '../target/names.ts'
import { USER_MEMBERS } from './users.ts'
import { toDate, toMoment, toSeconds } from './values.ts'

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
  | { readonly kind: 'user'; readonly member: string }

export interface Located {
  readonly steps: readonly Step[]
  readonly leaf: Leaf
}

type Unknown = { readonly fault: string }

const DEEPEST = 6
const FILE_FIELDS = new Set([...MEDIA_BUNDLES, DOCUMENT].map(({ fileField }) => fileField))

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
  let depth = 0
  let scope: Scope = typeof from === 'string' ? { kind: from } : { kind: 'entry', resource: from }
  for (let at = 0; at < names.length; at++) {
    const name = names[at] ?? ''
    const rest = names.slice(at + 1)
    const next = stepFrom(catalogue, scope, name)
    if (!next) return ended(catalogue, scope, [name, ...rest], steps)
    if (++depth > DEEPEST) return { fault: `A path may go through ${DEEPEST} relationships` }
    if (rest.length === 0) return { fault: `${path} is a relationship; add .id` }
    if (next.step) steps.push(next.step)
    scope = next.scope
    const [meta, target, ...more] = rest
    if (meta === 'meta' && target === 'drupal_internal__target_id' && more.length === 0) {
      return { steps, leaf: targetId(scope) }
    }
  }
  return { fault: 'The path is empty' }
}

function ended(
  catalogue: Catalogue,
  scope: Scope,
  names: readonly string[],
  steps: readonly Step[],
): Located | Unknown {
  const leaf = leafIn(catalogue, scope, names.join('.'))
  return leaf ? { steps, leaf } : { fault: `There is no field ${names.join('.')}` }
}

interface Next {
  /** Undefined when it is the same row under another name. */
  readonly step: Step | undefined
  readonly scope: Scope
}

function stepFrom(catalogue: Catalogue, scope: Scope, name: string): Next | undefined {
  switch (scope.kind) {
    case 'entry':
      return stepFromEntry(catalogue, scope.resource, name)
    case 'part':
      return attributeStep(catalogue, scope.component.attribute.get(name))
    case 'media':
      return FILE_FIELDS.has(name) ? { step: undefined, scope: { kind: 'file' } } : undefined
    default:
      return undefined
  }
}

function stepFromEntry(
  catalogue: Catalogue,
  { names, type }: EntryResource,
  name: string,
): Next | undefined {
  if (name === 'uid') return { step: undefined, scope: { kind: 'user' } }
  if (name === 'node_type') return { step: undefined, scope: { kind: 'node_type', type } }
  const found = names.relation.get(name) ?? names.field.get(name)
  return attributeStep(catalogue, found?.attribute)
}

function attributeStep(catalogue: Catalogue, attribute: Attribute | undefined): Next | undefined {
  if (!attribute || !isShown(attribute)) return undefined
  const step = { field: attribute.name, many: isToMany(attribute) }
  if (attribute.type === 'media') return { step, scope: { kind: 'media' } }
  if (attribute.type === 'component') {
    const component = catalogue.model.findComponent(attribute.component)
    return component && { step, scope: { kind: 'part', component } }
  }
  if (attribute.type !== 'relation') return undefined
  const target = catalogue.model.findType(attribute.target)
  return target && { step, scope: { kind: 'entry', resource: catalogue.ofType(target) } }
}

function targetId(scope: Scope): Leaf {
  if (scope.kind === 'user') return { kind: 'user', member: 'drupal_internal__uid' }
  if (scope.kind === 'node_type') return { kind: 'constant', value: scope.type.bundle }
  return plain('id')
}

function plain(field: string, convert: (text: string) => string = asText): Leaf {
  return { kind: 'field', field, convert }
}

function moment(field: string): Leaf {
  return { kind: 'field', field, convert: toSeconds, inSeconds: true }
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
      return USER_MEMBERS.has(name) ? { kind: 'user', member: name } : undefined
    case 'node_type':
      return typeLeaf(scope.type, name)
  }
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
  const system = systemLeaf(catalogue, type, name)
  if (system) return system
  return attributeLeaf(names.field.get(withoutPart(name))?.attribute, name)
}

function systemLeaf(catalogue: Catalogue, type: ContentType, name: string): Leaf | undefined {
  const { defaultLocale } = catalogue.model
  switch (name) {
    case 'id':
      return plain('documentId', lower)
    case 'created':
      return moment('createdAt')
    case 'changed':
    case 'revision_timestamp':
      return moment('updatedAt')
    case 'path.alias':
      return plain('path', lower)
    case 'langcode':
    case 'path.langcode':
      if (!type.localized) return constant(defaultLocale)
      return plain('locale', (code) => catalogue.model.findLocale(code)?.code ?? code)
    case 'status':
      return type.draftAndPublish
        ? { kind: 'field', field: '@live', convert: toFlag }
        : constant(true)
    case 'default_langcode':
      if (!type.localized) return constant(true)
      return { kind: 'field', field: '@default', convert: toFlag }
    case 'promote':
    case 'sticky':
      return constant(false)
    case 'revision_translation_affected':
      return constant(true)
    case 'revision_log':
      return constant(null)
    default:
      return undefined
  }
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

type Leaves = ReadonlyMap<string, (catalogue: Catalogue) => Leaf>

const langcode = ({ model }: Catalogue) => constant(model.defaultLocale)
const SHARED: readonly (readonly [string, (catalogue: Catalogue) => Leaf])[] = [
  ['id', () => plain('documentId', lower)],
  ['created', () => moment('createdAt')],
  ['changed', () => moment('updatedAt')],
  ['status', () => constant(true)],
  ['langcode', langcode],
]

const MEDIA_LEAVES: Leaves = new Map([
  ...SHARED,
  ['name', () => plain('name')],
  ['drupal_internal__mid', () => plain('id')],
  ['drupal_internal__vid', () => plain('id')],
  ['default_langcode', () => constant(true)],
])

const FILE_LEAVES: Leaves = new Map([
  ...SHARED,
  ['filename', () => plain('name')],
  ['filemime', () => plain('mime')],
  ['filesize', () => plain('@sizeBytes')],
  ['uri.url', () => plain('url')],
  ['drupal_internal__fid', () => plain('id')],
])

function typeLeaf(type: ContentType, name: string): Leaf | undefined {
  switch (name) {
    case 'id':
      return constant(type.uuid)
    case 'drupal_internal__type':
      return constant(type.bundle)
    case 'name':
      return constant(type.displayName)
    default:
      return undefined
  }
}
