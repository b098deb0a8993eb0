import type { Viewer } from '#content'
import { addPath, includeOf, type Paths, seenByWriter, zoneInclude } from '#content-dialect'
import { type Attribute, holdsComponents } from '#content-model'
import type { Include } from '#content-query'
import { badParameter, possible } from '../errors.ts'
import {
  type Catalogue,
  type EntryResource,
  FILE_FIELDS,
  type Resource,
} from '../target/catalogue.ts'
import { isLinking, type Relation } from '../target/names.ts'
import { type Fieldsets, listIn } from './parameters.ts'

/** The relationship paths to include, as a tree. */
export interface Wanted extends ReadonlyMap<string, Wanted> {}

export const NOTHING: Wanted = new Map()

const MAX_PATHS = 20
const DEEPEST = 6
/** As many as the store loads of entries; a longer linkage is given by its links alone. */
const MAX_LINKAGE = 1_000

/** `include=tags,tags.parent` (contract §6.4); undefined when the parameter is absent. */
export function parseInclude(
  { catalogue, viewer }: Lookup,
  resource: Resource,
  value: string | undefined,
): Wanted | undefined {
  if (value === undefined) return undefined
  const paths = listIn('include', value)
  if (paths.length > MAX_PATHS) throw badParameter('include', `At most ${MAX_PATHS} paths`)
  const root: Paths = new Map()
  for (const path of paths) {
    const names = path.split('.')
    if (names.length > DEEPEST) {
      throw badParameter('include', `${path} goes deeper than ${DEEPEST} relationships`)
    }
    addPath(root, names, resource, (from: Resource | 'media', name) => {
      const target = targetOf(catalogue, from, name)
      if (target) return target
      const message = `There is no relationship ${name} in ${path}`
      const others = possible(relationshipsOf(catalogue, from, viewer))
      throw badParameter('include', `${message}${others}`, 'unknown_relationship')
    })
  }
  return root
}

/** Names are looked up for somebody, who is told of no others than they may know. */
interface Lookup {
  readonly catalogue: Catalogue
  readonly viewer: Viewer
}

/** The relationships of a resource; what the caller may not read does not exist for it. */
export function relationshipsOf(
  catalogue: Catalogue,
  resource: Resource | 'media',
  viewer: Viewer,
): readonly string[] {
  if (resource === 'media') return FILE_FIELDS
  if (resource.kind === 'media') return [resource.media.fileField]
  if (resource.kind !== 'entry') return []
  const known = resource.names.relations.filter(({ attribute }) => {
    const target = catalogue.behind(attribute)
    if (typeof target !== 'object') return target === 'media'
    return target.type.publicRead || viewer.level !== null
  })
  return ['node_type', 'uid', ...known.map(({ wire }) => wire)]
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
  return catalogue.behind(resource.names.relation.get(name)?.attribute)
}

interface Rules extends Lookup {
  readonly fields: Fieldsets
}

/**
 * What has to be loaded with entries of a type: what is included, and the linkage of what is shown.
 * Of resources that are themselves included the far ends of other resources' relationships are left
 * to their links: they can be many, and nobody asked for them.
 */
export function includesFor(
  rules: Rules,
  { names }: EntryResource,
  wanted: Wanted,
  isPrimary: boolean,
): readonly Include[] {
  const { catalogue } = rules
  const only = rules.fields.get(names.name)
  const relations = names.relations.flatMap((relation) => {
    const below = wanted.get(relation.wire)
    if (below) return whole(relation, below)
    const isShown = only?.has(relation.wire) ?? true
    return isShown && (isPrimary || isNear(relation)) ? [shortLinkage(relation)] : []
  })
  const parts = names.fields.flatMap(({ wire, attribute }) => {
    if (!holdsComponents(attribute) || !(only?.has(wire) ?? true)) return []
    if (attribute.type === 'component') {
      return [partOf(rules, attribute.name, attribute.component)]
    }
    return [zoneInclude(catalogue.model, attribute, (each) => partIncludes(rules, each.uid))]
  })
  return [...relations, ...parts]

  /** Drafts are linked and not shown, so their ids are loaded beside the entries. */
  function whole({ attribute }: Relation, below: Wanted): Include[] {
    const target = catalogue.behind(attribute)
    const include = typeof target === 'object' ? includesFor(rules, target, below, false) : []
    const shown = includeOf(attribute.name, { include, named: true, at: ['include'] })
    if (!seesDrafts(rules, attribute)) return [shown]
    return [shown, { ...shortLinkage({ attribute }), as: linkageName(attribute) }]
  }

  function shortLinkage({ attribute }: Pick<Relation, 'attribute'>): Include {
    return { ...linkage(rules, attribute), limit: MAX_LINKAGE }
  }
}

/** Under which name linkage is loaded beside the entries themselves; no attribute is called so. */
export function linkageName({ name }: Pick<Attribute, 'name'>): string {
  return `@linkage ${name}`
}

/** Who may read drafts is told that they are linked: a list without them that is sent back would take them away. */
function seesDrafts({ catalogue, viewer }: Lookup, attribute: Attribute): boolean {
  const target = catalogue.behind(attribute)
  if (typeof target !== 'object' || !target.type.draftAndPublish) return false
  return seenByWriter(viewer, { type: target.type, status: 'draft' }) !== null
}

/** Kept with the resource itself, so there are few. */
function isNear({ attribute }: Relation): boolean {
  return attribute.type === 'media' || attribute.side === 'owning'
}

/** All of it. */
export function linkage(to: Lookup, attribute: Attribute): Include {
  const drafts = seesDrafts(to, attribute) ? ({ state: 'working' } as const) : {}
  return includeOf(attribute.name, { depth: 'ids', ...drafts })
}

/** A component with the identifiers of what it refers to. */
function partOf(to: Lookup, field: string, uid: string, depth = 0): Include {
  return includeOf(field, { include: partIncludes(to, uid, depth) })
}

function partIncludes(to: Lookup, uid: string, depth = 0): readonly Include[] {
  const component = to.catalogue.model.findComponent(uid)
  return (component?.attributes ?? []).flatMap((attribute): Include[] => {
    if (attribute.private) return []
    if (isLinking(attribute)) return [linkage(to, attribute)]
    if (attribute.type !== 'component' || depth >= DEEPEST) return []
    return [partOf(to, attribute.name, attribute.component, depth + 1)]
  })
}
