import type { ContentModel } from '#content-model'
import type { LocaleChoice } from '#content-query'

/** A view of the one content store, as this dialect's clients name it in paths (commerce contract §1). */
export interface Store {
  readonly code: string
  /** Whose values are read and written: a locale, or null for the default one. */
  readonly locale: string | null
}

export const DEFAULT_STORE: Store = { code: 'default', locale: null }

/**
 * `default`, `all`, or a locale in lower case with an underscore (`de_de`); undefined when there is no such store.
 * What is written for `all` is written in the default locale, which stands in for every locale without a variant.
 */
export function findStore(model: ContentModel, code: string): Store | undefined {
  if (code === 'default' || code === 'all') return { code, locale: null }
  return storesOf(model).find((store) => store.code === code)
}

/** One for each locale, the default one first. */
function storesOf(model: ContentModel): readonly Store[] {
  const others = model.locales.filter(({ isDefault }) => !isDefault)
  const own = others.map(({ code }) => ({ code: storeCodeOf(code), locale: code }))
  const first = { code: storeCodeOf(model.defaultLocale), locale: null }
  return [first, ...own]
}

export function storeCodeOf(locale: string): string {
  return locale.toLowerCase().replaceAll('-', '_')
}

/** A product without a variant in the locale of the store is shown in the default one. */
export function localeOf(model: ContentModel, { locale }: Store): LocaleChoice {
  if (locale === null) return { kind: 'default' }
  return { kind: 'one', code: locale, fallback: [model.defaultLocale] }
}
