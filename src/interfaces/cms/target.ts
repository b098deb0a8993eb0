import type { FastifyRequest } from 'fastify'
import type { ContentModel, ContentType, EntryTarget } from '#content'
import type { LocaleChoice, Slot } from '#content-query'
import { DomainError, isUuid, notFound } from '#kernel'
import { parseIntegerId } from '#paging'

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
  const type = typeof name === 'string' ? model.findType(name) : undefined
  if (!type || name !== wordOf(type)) return undefined
  const target = kindOf(type, id, routeOptions.url?.endsWith(VARIANTS) ?? false)
  return target && { type, target, id }
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

function kindOf({ kind }: ContentType, id: string, isVariants: boolean): Target | undefined {
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
export function endpointOf({ type, target }: Located): string {
  const base = `/api/${wordOf(type)}`
  if (target === 'entry') return `${base}/{id}`
  if (target === 'variants') return `${base}/{id}/${VARIANTS}`
  return target === 'singleVariants' ? `${base}/${VARIANTS}` : base
}

/**
 * Which entry a path means. An integer names one variant, so the locale is of no matter; with a
 * documentId the locale chooses (contract §2).
 */
export function parseTarget(id: string, locale: LocaleChoice): EntryTarget {
  if (isUuid(id)) return { documentId: id.toLowerCase(), locale: codeIn(locale) }
  const number = parseIntegerId(id)
  if (number === undefined) throw notFound('entry')
  return { id: number }
}

/** The same of an id that is known when the question is asked. */
export function targetIn(id: Slot<string>, locale: LocaleChoice) {
  if (id.look(isUuid)) {
    return { documentId: id.map((text) => text.toLowerCase()), locale: codeIn(locale) }
  }
  const number = id.map((text) => parseIntegerId(text) ?? null)
  if (number.look((found) => found === null)) throw notFound('entry')
  return { id: number.map(Number) }
}

function codeIn(locale: LocaleChoice): string | null {
  return locale.kind === 'one' ? locale.code : null
}

/** What the question says of languages when the target has decided it. */
export function localeFor(target: object, locale: LocaleChoice): LocaleChoice {
  if ('id' in target) return { kind: 'all' }
  return locale.kind === 'all' ? { kind: 'default' } : locale
}
