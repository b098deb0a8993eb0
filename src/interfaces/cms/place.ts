import type { FastifyRequest } from 'fastify'
import type { ContentModel, ContentType } from '#content'
import { DomainError, notFound } from '#kernel'

export type Place = 'collection' | 'entry' | 'variants' | 'single' | 'singleVariants'

export const VARIANTS = 'localizations'

declare module 'fastify' {
  interface FastifyRequest {
    /** What the path names in the model as it was when the request came. */
    cms: { readonly model: ContentModel; readonly located: Located | undefined } | null
  }
}

/** What a path below `/api` means under the model of this moment. */
export interface Located {
  readonly type: ContentType
  readonly place: Place
  readonly id: string
}

export function locate(
  model: ContentModel,
  { params, routeOptions }: FastifyRequest,
): Located | undefined {
  const { collection: name, id = '' }: { collection?: unknown; id?: string } = Object(params)
  const type = typeof name === 'string' ? model.findType(name) : undefined
  if (!type || name !== wordOf(type)) return undefined
  const place = placeOf(type, id, routeOptions.url?.endsWith(VARIANTS) ?? false)
  return place && { type, place, id }
}

/** Whoever writes `/api/article` for `/api/articles` is told. */
export function unknownCollection(model: ContentModel, { params }: FastifyRequest): DomainError {
  const { collection: name }: { collection?: unknown } = Object(params)
  const type = typeof name === 'string' ? model.findType(name) : undefined
  const meant = type && wordOf(type)
  if (meant === undefined || meant === name) return notFound()
  const message = `There is no collection ${name}; did you mean /api/${meant}?`
  return new DomainError('not_found', 'not_found', message)
}

function placeOf({ kind }: ContentType, id: string, isVariants: boolean): Place | undefined {
  if (kind === 'collectionType') {
    if (isVariants) return 'variants'
    return id === '' ? 'collection' : 'entry'
  }
  if (id === '') return 'single'
  return id === VARIANTS && !isVariants ? 'singleVariants' : undefined
}

function wordOf({ kind, singularName, pluralName }: ContentType): string {
  return kind === 'collectionType' ? pluralName : singularName
}

/** As usage records name it. */
export function endpointOf({ type, place }: Located): string {
  const base = `/api/${wordOf(type)}`
  if (place === 'entry') return `${base}/{id}`
  if (place === 'variants') return `${base}/{id}/${VARIANTS}`
  return place === 'singleVariants' ? `${base}/${VARIANTS}` : base
}
