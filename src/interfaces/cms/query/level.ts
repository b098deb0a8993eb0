import { isShown } from '#content'
import { ALL_OF_THEM, behind } from '#content-dialect'
import {
  type Component,
  type ContentModel,
  type ContentType,
  componentsIn,
  isScalar,
} from '#content-model'
import { type At, badQuery, nameOf } from './brackets.ts'

/** What stands at one level of an answer: an entry of a type, a component, one of several, or a file. */
export type Level = ContentType | Component | Zone | 'files' | 'people'

/** Who made an entry, and who wrote it last: for callers who may write. */
const AUTHORS = ['createdBy', 'updatedBy'] as const
export type Author = (typeof AUTHORS)[number]

export const PERSON_MEMBERS = ['firstname', 'lastname', 'username']

export interface Zone {
  readonly zone: readonly Component[]
}

/** What of an entry, component or file is shown; the store loads what `parts` names. */
export interface Selection {
  /** Null: all scalars and system members. */
  readonly fields: ReadonlySet<string> | null
  /** Populated attributes in the order in which they are shown. */
  readonly parts: ReadonlyMap<string, PartSelection>
}

export interface PartSelection extends Selection {
  /** The piece of a to-many relation or of a list of components that was asked for. */
  readonly start: number
  readonly limit: number
  /** Only how many there are. */
  readonly isCounted?: boolean
  /** It is no attribute but an account. */
  readonly author?: Author
  /** Of a zone: what is shown of its components, by uid. */
  readonly on?: ReadonlyMap<string, Selection>
}

export const MAX_RELATED = 100

/** Components, which belong to their entry. */
export function isPart(level: Level): boolean {
  return typeof level === 'object' && ('zone' in level || !isType(level))
}

/** How many there are where none says otherwise. */
export function usualLimit(level: Level): number {
  return isPart(level) ? ALL_OF_THEM : MAX_RELATED
}

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
  if (level === 'people') return PERSON_MEMBERS.includes(name)
  if (isZone(level)) return level.zone.some((component) => hasField(component, name))
  if (isType(level) && ENTRY_MEMBERS.includes(name)) return true
  const attribute = level.attribute.get(name)
  return attribute !== undefined && isShown(attribute) && isScalar(attribute)
}

/** The names that `*` means, in declared order. */
export function stepsFrom(level: Level): string[] {
  if (isWithoutSteps(level)) return []
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

/** Undefined when there is nothing of that name to populate. */
export function findStep(model: ContentModel, level: Level, name: string): Level | undefined {
  if (isWithoutSteps(level)) return undefined
  // Clients send it to all types; those without languages have none to show.
  if (name === LOCALIZATIONS && isType(level)) return level
  const attribute = level.attribute.get(name)
  if (!attribute && isType(level) && isAuthor(name)) return 'people'
  if (attribute?.private) return undefined
  if (attribute?.type === 'dynamiczone') return { zone: componentsIn(model, attribute) }
  return behind(model, attribute)
}

export function isZone(level: Level): level is Zone {
  return typeof level === 'object' && 'zone' in level
}

function isWithoutSteps(level: Level): level is Zone | 'files' | 'people' {
  return typeof level === 'string' || isZone(level)
}

export function isAuthor(name: string): name is Author {
  return AUTHORS.some((author) => author === name)
}

function isType(level: ContentType | Component): level is ContentType {
  return 'singularName' in level
}
