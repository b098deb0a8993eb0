import { type Component, type ContentModel, type ContentType, isScalar, isShown } from '#content'
import { type At, badQuery, nameOf } from './refusals.ts'

/** What stands at one level of an answer: an entry of a type, a component or a file. */
export type Level =
  | { readonly kind: 'entry'; readonly set: ContentType }
  | { readonly kind: 'part'; readonly set: Component }
  | { readonly kind: 'file' }

/** Beside its attributes an entry shows these; `id` always. */
const ENTRY_MEMBERS = [
  'id',
  'documentId',
  'createdAt',
  'updatedAt',
  'publishedAt',
  'locale',
] as const

export const FILE_MEMBERS = [
  'name',
  'alternativeText',
  'caption',
  'width',
  'height',
  'formats',
  'hash',
  'ext',
  'mime',
  'size',
  'url',
  'previewUrl',
  'provider',
  'createdAt',
  'updatedAt',
] as const

/** The other language variants of a document, shown like a relation. */
export const LOCALIZATIONS = 'localizations'

export function hasField(level: Level, name: string): boolean {
  if (name === 'id') return true
  if (level.kind === 'file') return isOneOf(FILE_MEMBERS, name)
  if (level.kind === 'entry' && isOneOf(ENTRY_MEMBERS, name)) return true
  const attribute = level.set.attribute.get(name)
  return attribute !== undefined && isShown(attribute) && isScalar(attribute)
}

/** The names that `*` means, in declared order. */
export function stepsFrom(level: Level): string[] {
  if (level.kind === 'file') return []
  const names = level.set.attributes
    .filter((attribute) => !isScalar(attribute) && !attribute.private)
    .map(({ name }) => name)
  return isLocalized(level) ? [...names, LOCALIZATIONS] : names
}

/** The level behind a relation, media or component attribute; throws when it is none. */
export function stepInto(model: ContentModel, level: Level, name: string, at: At): Level {
  const next = findStep(model, level, name)
  if (!next) throw badQuery(at, `${nameOf(at)}: there is nothing to populate with the name ${name}`)
  return next
}

function findStep(model: ContentModel, level: Level, name: string): Level | undefined {
  if (level.kind === 'file') return undefined
  // Clients send it to all types; those without languages have none to show.
  if (name === LOCALIZATIONS && level.kind === 'entry') return level
  const attribute = level.set.attribute.get(name)
  if (!attribute || attribute.private) return undefined
  if (attribute.type === 'media') return { kind: 'file' }
  if (attribute.type === 'relation') return toEntry(model.findType(attribute.target))
  if (attribute.type === 'component') return toPart(model.findComponent(attribute.component))
  return undefined
}

function toEntry(set: ContentType | undefined): Level | undefined {
  return set && { kind: 'entry', set }
}

function toPart(set: Component | undefined): Level | undefined {
  return set && { kind: 'part', set }
}

function isLocalized(level: Level): boolean {
  return level.kind === 'entry' && level.set.localized
}

function isOneOf(names: readonly string[], name: string): boolean {
  return names.includes(name)
}
