import type { FastifyRequest } from 'fastify'
import type { EntryTarget } from '#content'
import { meantBy, parseTarget, typeAt, urlNameOf } from '#content-dialect'
import type { ContentModel, ContentType } from '#content-model'
import type { LocaleChoice } from '#content-query'
import { DomainError, notFound } from '#kernel'

export type Target = 'collection' | 'entry' | 'variants' | 'single' | 'singleVariants'

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
  readonly target: Target
  readonly id: string
}

export function locate(
  model: ContentModel,
  { params, routeOptions }: FastifyRequest,
): Located | undefined {
  const { collection: name, id = '' }: { collection?: unknown; id?: string } = Object(params)
  const type = typeAt(model, name)
  const target = type && kindOf(type, id, routeOptions.url?.endsWith(VARIANTS) ?? false)
  return target && { type, target, id }
}

/** Whoever writes `/api/article` for `/api/articles` is told. */
export function unknownCollection(model: ContentModel, { params }: FastifyRequest): DomainError {
  const { collection: name }: { collection?: unknown } = Object(params)
  const meant = meantBy(model, name)
  if (meant === undefined) return notFound()
  const message = `There is no collection ${name}; did you mean /api/${meant}?`
  return new DomainError('not_found', 'not_found', message)
}

function kindOf({ kind }: ContentType, id: string, isVariants: boolean): Target | undefined {
  if (kind === 'collectionType') {
    if (isVariants) return 'variants'
    return id === '' ? 'collection' : 'entry'
  }
  if (id === '') return 'single'
  return id === VARIANTS && !isVariants ? 'singleVariants' : undefined
}

/** As usage records name it. */
export function endpointOf({ type, target }: Located): string {
  const base = `/api/${urlNameOf(type)}`
  if (target === 'entry') return `${base}/{id}`
  if (target === 'variants') return `${base}/{id}/${VARIANTS}`
  return target === 'singleVariants' ? `${base}/${VARIANTS}` : base
}

/** Which entry a path means (contract §2). */
export function getTarget(id: string, locale: LocaleChoice): EntryTarget {
  const target = parseTarget(id, locale)
  if (!target) throw notFound('entry')
  return target
}

/** What the question says of languages when the target has decided it. */
export function localeFor(target: object, locale: LocaleChoice): LocaleChoice {
  if ('id' in target) return { kind: 'all' }
  return locale.kind === 'all' ? { kind: 'default' } : locale
}
