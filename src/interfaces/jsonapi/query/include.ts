import type { ContentType } from '#content'
import type { Include } from '#content-query'
import { badParameter } from '../errors.ts'
import {
  type Catalogue,
  DOCUMENT,
  type EntryResource,
  MEDIA_BUNDLES,
  type Resource,
} from '../target/catalogue.ts'
import type { Relation } from '../target/names.ts'
import type { Fieldsets } from './fields.ts'

/** The relationship paths to include, as a tree. */
export interface Wanted extends ReadonlyMap<string, Wanted> {}

export const NOTHING: Wanted = new Map()

const MAX_PATHS = 20
const DEEPEST = 6
/** A longer linkage is given by its links alone. */
export const MAX_LINKAGE = 1_000
const FILE_FIELDS = [...MEDIA_BUNDLES, DOCUMENT].map(({ fileField }) => fileField)

/** `include=tags,tags.parent` (contract §6.4); undefined when the parameter is absent. */
export function parseInclude(
  catalogue: Catalogue,
  resource: Resource,
  value: string | undefined,
): Wanted | undefined {
  if (value === undefined) return undefined
  const paths = value
    .split(',')
    .map((path) => path.trim())
    .filter((path) => path !== '')
  if (paths.length > MAX_PATHS) throw badParameter('include', `At most ${MAX_PATHS} paths`)
  const root: Growing = new Map()
  for (const path of paths) {
    const names = path.split('.')
    if (names.length > DEEPEST) {
      throw badParameter('include', `${path} goes deeper than ${DEEPEST} relationships`)
    }
    grow(catalogue, resource, root, names, path)
  }
  return root
}

interface Growing extends Map<string, Growing> {}

function grow(
  catalogue: Catalogue,
  resource: Resource | 'media',
  wanted: Growing,
  [name, ...rest]: readonly string[],
  path: string,
): void {
  if (name === undefined) return
  const target = targetOf(catalogue, resource, name)
  if (!target) {
    throw badParameter(
      'include',
      `There is no relationship ${name} in ${path}`,
      'unknown_relationship',
    )
  }
  const next = wanted.get(name) ?? new Map()
  wanted.set(name, next)
  grow(catalogue, target, next, rest, path)
}

/** What a relationship leads to; media may be of any bundle. */
function targetOf(
  catalogue: Catalogue,
  resource: Resource | 'media',
  name: string,
): Resource | 'media' | undefined {
  if (resource === 'media' || resource.kind === 'media') {
    return FILE_FIELDS.includes(name) ? catalogue.find('file--file') : undefined
  }
  if (resource.kind !== 'entry') return undefined
  if (name === 'uid') return catalogue.find('user--user')
  if (name === 'node_type') return catalogue.find('node_type--node_type')
  const attribute = resource.names.relation.get(name)?.attribute
  if (attribute?.type === 'media') return 'media'
  const type = attribute && catalogue.model.findType(attribute.target)
  return type && catalogue.ofType(type)
}

interface Rules {
  readonly catalogue: Catalogue
  readonly fields: Fieldsets
}

/**
 * What has to be loaded with entries of a type: what is included, and the linkage of what is shown.
 * Of resources that are themselves included the far ends of other resources' relationships are left
 * to their links: they can be many, and nobody asked for them.
 */
export function includesFor(
  { catalogue, fields }: Rules,
  { names }: EntryResource,
  wanted: Wanted,
  isPrimary: boolean,
): readonly Include[] {
  const only = fields.get(names.name)
  const relations = names.relations.flatMap((relation) => {
    const below = wanted.get(relation.wire)
    if (below) return [whole(relation, below)]
    const isShown = only?.has(relation.wire) ?? true
    return isShown && (isPrimary || isNear(relation)) ? [linkage(relation)] : []
  })
  const parts = names.fields.flatMap(({ wire, attribute }) => {
    if (attribute.type !== 'component' || !(only?.has(wire) ?? true)) return []
    return [partOf(catalogue, attribute.name, attribute.component)]
  })
  return [...relations, ...parts]

  function whole({ attribute }: Relation, below: Wanted): Include {
    const type = attribute.type === 'relation' ? typeOf(catalogue, attribute.target) : undefined
    const inner = type
      ? includesFor({ catalogue, fields }, catalogue.ofType(type), below, false)
      : []
    return { ...plain(attribute.name), include: inner, named: true, at: ['include'] }
  }
}

function typeOf({ model }: Catalogue, name: string): ContentType | undefined {
  return model.findType(name)
}

/** Kept with the resource itself, so there are few. */
function isNear({ attribute }: Relation): boolean {
  return attribute.type === 'media' || attribute.side === 'owning'
}

function plain(field: string): Include {
  const all = { filter: null, sort: [], start: 0, limit: MAX_LINKAGE, include: [] }
  return { field, ...all, depth: 'entries', named: false }
}

export function linkage({ attribute }: Relation): Include {
  return { ...plain(attribute.name), depth: 'ids' }
}

/** A component with the identifiers of what it refers to. */
function partOf(catalogue: Catalogue, field: string, uid: string, depth = 0): Include {
  const component = catalogue.model.findComponent(uid)
  const inner = (component?.attributes ?? []).flatMap((attribute): Include[] => {
    if (attribute.private) return []
    if (attribute.type === 'relation' || attribute.type === 'media') {
      return [{ ...plain(attribute.name), depth: 'ids' }]
    }
    if (attribute.type !== 'component' || depth >= DEEPEST) return []
    return [partOf(catalogue, attribute.name, attribute.component, depth + 1)]
  })
  return { ...plain(field), include: inner }
}
