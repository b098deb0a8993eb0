import type { FastifyRequest } from 'fastify'
import { isShown, type ModuleField, type Viewer } from '#content'
import { decodeText } from '#content-dialect'
import type { Attribute, ContentModel, ContentType } from '#content-model'
import { mayRead } from '#content-query'
import { isUuid, memoizeOf } from '#kernel'
import type { DeliverySettings, IndexField } from './deps.ts'
import { notDelivered } from './errors.ts'
import type { Part } from './request.ts'

export const MOUNT = '/cms/delivery/api/v2'

/** What a path below the mount names. */
export interface Target {
  readonly part: Part
  readonly what: What
  /** As the usage record names it. */
  readonly template: string
}

type What =
  | { readonly kind: 'list' }
  | { readonly kind: 'items' }
  | { readonly kind: 'id'; readonly id: string }
  /** Decoded once; slashes at its ends and doubled ones do not matter. */
  | { readonly kind: 'path'; readonly path: string }

const FORM = /^\/+(content|media)(?:\/+(items|item)(?:\/(.*)|$)|\/*$)/s
const HAS_ID = /(?:^|&)id(?:\[\d*\]|%5B\d*%5D)?=/i

/** Undefined when there is nothing at this path. */
export function findTarget({ raw }: FastifyRequest): Target | undefined {
  const url = raw.url ?? ''
  const end = url.indexOf('?')
  const path = (end === -1 ? url : url.slice(0, end)).slice(MOUNT.length)
  const [, word, below, rest] = FORM.exec(path) ?? []
  if (word === undefined) return undefined
  const part = word === 'media' ? 'media' : 'content'
  const what = whatOf(below, rest ?? '', end === -1 ? '' : url.slice(end + 1))
  return what && { part, what, template: `${MOUNT}/${part}${templateOf(what)}` }
}

function whatOf(below: string | undefined, rest: string, query: string): What | undefined {
  if (below === undefined) return { kind: 'list' }
  const decoded = decodeText(rest)
  if (decoded === undefined) throw notDelivered()
  const path = decoded
    .normalize('NFC')
    .replaceAll(/\/{2,}/g, '/')
    .replaceAll(/^\/|\/$/g, '')
  if (below === 'items') return path === '' ? { kind: 'items' } : undefined
  // Older clients ask `/item?id=…&id=…` for several.
  if (path === '' && HAS_ID.test(query)) return { kind: 'items' }
  const id = parseUuid(path)
  return id === undefined ? { kind: 'path', path } : { kind: 'id', id }
}

function templateOf({ kind }: What): string {
  if (kind === 'list') return ''
  return kind === 'items' ? '/items' : `/item/{${kind}}`
}

/** What there is for a caller: the types that are delivered, and the fields registered for them. */
export interface Delivered {
  readonly types: readonly ContentType[]
  readonly indexFields: readonly IndexField[]
  readonly moduleFields: readonly ModuleField[]
  has(type: ContentType): boolean
  /** By alias, whatever its case. */
  findType(alias: string): ContentType | undefined
}

const ofModel = memoizeOf((model: ContentModel) =>
  memoizeOf((settings: DeliverySettings) =>
    memoizeOf((moduleFields: readonly ModuleField[]) => ({
      none: createDelivered(model, settings, moduleFields, null),
      read: createDelivered(model, settings, moduleFields, 'read'),
      write: createDelivered(model, settings, moduleFields, 'write'),
      admin: createDelivered(model, settings, moduleFields, 'admin'),
    })),
  ),
)

/** Made once for each model and each settings; callers see the types that they may read. */
export function deliveredTo(
  model: ContentModel,
  settings: DeliverySettings,
  moduleFields: readonly ModuleField[],
  { level }: Viewer,
): Delivered {
  return ofModel(model)(settings)(moduleFields)[level ?? 'none']
}

/** A type that is both allowed and disallowed stays excluded (Doc 3 §2.1). */
function createDelivered(
  model: ContentModel,
  { allowedContentTypeAliases, disallowedContentTypeAliases, indexFields }: DeliverySettings,
  moduleFields: readonly ModuleField[],
  level: Viewer['level'],
): Delivered {
  const allowed = new Set(allowedContentTypeAliases.map(lower))
  const disallowed = new Set(disallowedContentTypeAliases.map(lower))
  const types = model.types.filter((type) => {
    const alias = lower(type.singularName)
    if (!mayRead({ level }, type)) return false
    return !disallowed.has(alias) && (allowed.size === 0 || allowed.has(alias))
  })
  const byAlias = new Map(types.map((type) => [lower(type.singularName), type]))
  const numbers = new Set(types.map(({ no }) => no))
  return {
    types,
    indexFields,
    moduleFields,
    // By number: an answer may hold entries of a model that came since.
    has: ({ no }) => numbers.has(no),
    findType: (alias) => byAlias.get(lower(alias)),
  }
}

const byName = memoizeOf(
  (attributes: readonly Attribute[]): ReadonlyMap<string, Attribute> =>
    new Map(attributes.filter(isShown).map((each) => [lower(each.name), each])),
)

/** The attribute of a property that callers may know, whatever the case of its name. */
export function findProperty(
  { attributes }: Pick<ContentType, 'attributes'>,
  name: string,
): Attribute | undefined {
  return byName(attributes).get(lower(name))
}

/** With or without dashes, in whatever case; undefined when it is no UUID. */
export function parseUuid(text: string): string | undefined {
  const bare = /^[0-9a-f]{32}$/i.test(text)
    ? text.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
    : text
  return isUuid(bare) ? bare.toLowerCase() : undefined
}

function lower(text: string): string {
  return text.toLowerCase()
}
