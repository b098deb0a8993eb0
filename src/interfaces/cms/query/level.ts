import { type Component, type ContentModel, type ContentType, isScalar, isShown } from '#content'
import { behind } from '#content-dialect'
import { type At, badQuery, nameOf } from './brackets.ts'

/** What stands at one level of an answer: an entry of a type, a component or a file. */
export type Level = ContentType | Component | 'files'

/** What of an entry, component or file is shown; the store loads what `parts` names. */
export interface Selection {
  /** Null: all scalars and system members. */
  readonly fields: ReadonlySet<string> | null
  /** Populated attributes in the order in which they are shown. */
  readonly parts: ReadonlyMap<string, PartSelection>
}

export interface PartSelection extends Selection {
  /** The piece of a to-many relation that was asked for. */
  readonly start: number
  readonly limit: number
}

export const MAX_RELATED = 100

/** Beside its attributes an entry shows these; `id` always. */
const ENTRY_MEMBERS = ['id', 'documentId', 'createdAt', 'updatedAt', 'publishedAt', 'locale']

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
]

/** The other language variants of a document, shown like a relation. */
export const LOCALIZATIONS = 'localizations'

export function hasField(level: Level, name: string): boolean {
  if (name === 'id') return true
  if (level === 'files') return FILE_MEMBERS.includes(name)
  if (isType(level) && ENTRY_MEMBERS.includes(name)) return true
  const attribute = level.attribute.get(name)
  return attribute !== undefined && isShown(attribute) && isScalar(attribute)
}

/** The names that `*` means, in declared order. */
export function stepsFrom(level: Level): string[] {
  if (level === 'files') return []
  const names = level.attributes
    .filter((attribute) => !isScalar(attribute) && !attribute.private)
    .map(({ name }) => name)
  return isType(level) && level.localized ? [...names, LOCALIZATIONS] : names
}

/** The level behind a relation, media or component attribute; throws when it is none. */
export function stepInto(model: ContentModel, level: Level, name: string, at: At): Level {
  const next = findStep(model, level, name)
  if (!next) throw badQuery(at, `${nameOf(at)}: there is nothing to populate with the name ${name}`)
  return next
}

function findStep(model: ContentModel, level: Level, name: string): Level | undefined {
  if (level === 'files') return undefined
  // Clients send it to all types; those without languages have none to show.
  if (name === LOCALIZATIONS && isType(level)) return level
  const attribute = level.attribute.get(name)
  return attribute?.private ? undefined : behind(model, attribute)
}

function isType(level: ContentType | Component): level is ContentType {
  return 'singularName' in level
}
