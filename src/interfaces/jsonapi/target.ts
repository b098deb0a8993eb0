import { decodeText } from '#content-dialect'
import type { ContentModel } from '#content-model'
import { isUuid } from '#kernel'
import { type Catalogue, catalogueOf, type Resource } from './target/catalogue.ts'

/** What a path below `/jsonapi` names. */
export type Target =
  | { readonly kind: 'entryPoint' }
  | { readonly kind: 'collection'; readonly resource: Resource }
  | { readonly kind: 'individual'; readonly resource: Resource; readonly id: string }
  | ({ readonly kind: 'related' | 'relationship' } & Named)
  /** A new file for a field, not yet of any entry. */
  | { readonly kind: 'upload'; readonly resource: Resource; readonly name: string }

/** A relationship of one resource. */
export interface Named<Of extends Resource = Resource> {
  readonly resource: Of
  readonly id: string
  readonly name: string
}

export interface Found {
  readonly catalogue: Catalogue
  /** Undefined: there is nothing at this path. */
  readonly target: Target | undefined
}

/** `path` is that of the request below the mount: '' or `/node/article/…`, without a query. */
export function findTarget(model: ContentModel, method: string, path: string): Found {
  const catalogue = catalogueOf(model)
  const segments = path
    .split('/')
    .slice(1)
    .map((segment) => decodeText(segment) ?? segment)
  const target = toTarget(catalogue, segments)
  // Anything but an upload takes the name for an id, and there is none like that.
  const isNothing = target?.kind === 'upload' && method !== 'POST'
  return { catalogue, target: isNothing ? undefined : target }
}

function toTarget(catalogue: Catalogue, segments: readonly string[]): Target | undefined {
  const [first, second] = segments
  if (first === undefined || (first === '' && segments.length === 1)) return { kind: 'entryPoint' }
  // Generic clients derive the path from the type: `/jsonapi/node--article`.
  const isAlias = first.includes('--')
  const resource = catalogue.find(isAlias ? first : `${first}--${second ?? ''}`)
  return resource && below(resource, segments.slice(isAlias ? 1 : 2))
}

function below(
  resource: Resource,
  [id, name, more, ...rest]: readonly string[],
): Target | undefined {
  if (rest.length > 0) return undefined
  if (id === undefined) return { kind: 'collection', resource }
  if (!isUuid(id)) return name === undefined ? { kind: 'upload', resource, name: id } : undefined
  const one = { resource, id: id.toLowerCase() }
  if (name === undefined) return { kind: 'individual', ...one }
  if (name === 'relationships')
    return more ? { kind: 'relationship', ...one, name: more } : undefined
  return more === undefined ? { kind: 'related', ...one, name } : undefined
}

const READ = ['GET', 'HEAD']

/** The methods that a place offers. */
export function methodsOf(target: Target): readonly string[] {
  switch (target.kind) {
    case 'entryPoint':
      return READ
    case 'collection':
      return isWritable(target.resource) ? [...READ, 'POST'] : READ
    case 'individual':
      if (target.resource.kind === 'file') return [...READ, 'DELETE']
      return isWritable(target.resource) ? [...READ, 'PATCH', 'DELETE'] : READ
    case 'related':
      return target.resource.kind === 'entry' ? [...READ, 'POST'] : READ
    case 'relationship':
      return relationshipMethods(target)
    case 'upload':
      return isWritable(target.resource) ? ['POST'] : []
  }
}

function relationshipMethods({ resource, name }: { resource: Resource; name: string }) {
  if (resource.kind !== 'entry' || name === 'node_type') return READ
  return name === 'uid' ? [...READ, 'PATCH'] : [...READ, 'POST', 'PATCH', 'DELETE']
}

function isWritable({ kind }: Resource): boolean {
  return kind === 'entry' || kind === 'media'
}

/** As usage records name them, below the resource. */
const TEMPLATES: Readonly<Record<Exclude<Target['kind'], 'entryPoint'>, string>> = {
  collection: '',
  individual: '/{id}',
  related: '/{id}/{relationship}',
  relationship: '/{id}/relationships/{relationship}',
  upload: '/{field}',
}

export function templateOf(target: Target | undefined): string {
  if (!target) return '(unmatched)'
  if (target.kind === 'entryPoint') return '/jsonapi'
  return `/jsonapi${target.resource.path}${TEMPLATES[target.kind]}`
}
