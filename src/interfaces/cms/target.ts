import type { EntryTarget } from '#content'
import type { LocaleChoice, Slot } from '#content-query'
import { isUuid, notFound } from '#kernel'
import { parseIntegerId } from '#paging'

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
