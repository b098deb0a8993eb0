import type { EntryTarget, LocaleChoice } from '#content'
import { isUuid, notFound, parseIntegerId } from '#kernel'

/**
 * Which entry a path means. An integer names one variant, so the locale is of no matter; with a
 * documentId the locale chooses (contract §2).
 */
export function parseTarget(id: string, locale: LocaleChoice): EntryTarget {
  if (isUuid(id)) {
    return { documentId: id.toLowerCase(), locale: locale.kind === 'one' ? locale.code : null }
  }
  const number = parseIntegerId(id)
  if (number === undefined) throw notFound('entry')
  return { id: number }
}

/** What the question says of languages when the target has decided it. */
export function localeFor(target: EntryTarget, locale: LocaleChoice): LocaleChoice {
  if ('id' in target) return { kind: 'all' }
  return locale.kind === 'all' ? { kind: 'default' } : locale
}
