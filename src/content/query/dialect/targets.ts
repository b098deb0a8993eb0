import { isUuid } from '#kernel'
import { parseIntegerId } from '#paging'
import type { EntryTarget } from '../../entries/ports.ts'
import type { ContentModel, ContentType } from '../../model.ts'
import type { LocaleChoice } from '../ast.ts'
import type { OneQuery } from '../find.ts'
import type { Operand, Slot } from '../slot.ts'

/** What a URL calls the type: `articles`, or `homepage` of a single one. */
export function urlNameOf({ kind, pluralName, singularName }: ContentType): string {
  return kind === 'singleType' ? singularName : pluralName
}

/** The type that a URL calls so; by its other names it is not there. */
export function typeAt(model: Pick<ContentModel, 'findType'>, name: unknown) {
  const type = typeof name === 'string' ? model.findType(name) : undefined
  return type && urlNameOf(type) === name ? type : undefined
}

/** What a URL should have said that has another name of a type; undefined when nothing is meant. */
export function meantBy(model: Pick<ContentModel, 'findType'>, name: unknown): string | undefined {
  const type = typeof name === 'string' ? model.findType(name) : undefined
  const meant = type && urlNameOf(type)
  return meant === name ? undefined : meant
}

/**
 * Which entry an id means. An integer names one variant, so the locale is of no matter; with a
 * documentId the locale chooses. Undefined: it cannot be the id of anything.
 */
export function parseTarget(id: string, locale: LocaleChoice): EntryTarget | undefined {
  if (isUuid(id)) return { documentId: id.toLowerCase(), locale: codeIn(locale) }
  const number = parseIntegerId(id)
  return number === undefined ? undefined : { id: number }
}

/** The same of an id that is known when the question is asked. */
export function targetIn(
  id: Slot<string>,
  locale: LocaleChoice,
): { id: Operand<number> } | { documentId: Operand<string>; locale: string | null } | undefined {
  if (id.look(isUuid)) {
    return { documentId: id.map((text) => text.toLowerCase()), locale: codeIn(locale) }
  }
  const number = id.map((text) => parseIntegerId(text) ?? null)
  return number.look((found) => found === null) ? undefined : { id: number.map(Number) }
}

/** Null: whichever the default is. */
export function codeIn(locale: LocaleChoice): string | null {
  return locale.kind === 'one' ? locale.code : null
}

/** Working copies of a type without anything beside them, for what is decided before a change. */
export function workingCopies(
  type: ContentType,
  locale: LocaleChoice,
  include: OneQuery['include'] = [],
): OneQuery {
  return { type, state: 'working', locale, filter: null, include }
}
