import type { FastifyRequest } from 'fastify'
import type { ContentModel } from '#content'
import type { LocaleChoice } from '#content-query'

/** A language tag as the first step of a path; below `/api` a collection may be called `jsonapi`. */
const PREFIXED = /^\/(?!api\/)([a-z]{2,3}(?:-[a-z0-9]{2,8}){0,2})(?=\/jsonapi(?:[/?]|$))/i

/** `/da/jsonapi/…` is the same API in that language: the router sees it without the language. */
export function routeByLanguage(url: string): string {
  const [prefix] = PREFIXED.exec(url) ?? []
  return prefix === undefined ? url : url.slice(prefix.length)
}

export interface Language {
  /** The locale that is asked for; undefined when the path names one that is not configured. */
  readonly code: string | undefined
  /** `/da` or ''; links repeat it. */
  readonly prefix: string
}

/** Contract §8: the path decides, then `Accept-Language` with one plain tag, then the default. */
export function languageOf(model: ContentModel, request: FastifyRequest): Language {
  const [prefix = '', tag] = PREFIXED.exec(request.originalUrl) ?? []
  if (tag !== undefined) return { code: model.findLocale(tag)?.code, prefix }
  const wished = request.headers['accept-language']
  const known = wished === undefined ? undefined : model.findLocale(wished.trim())
  return { code: known?.code ?? model.defaultLocale, prefix }
}

/** Documents that are not translated are shown in the default locale, else in the first they have. */
export function localeChoice(model: ContentModel, code: string): LocaleChoice {
  const others = model.locales.map((locale) => locale.code)
  const fallback = [model.defaultLocale, ...others].filter((each) => each !== code)
  return { kind: 'one', code, fallback: [...new Set(fallback)] }
}
