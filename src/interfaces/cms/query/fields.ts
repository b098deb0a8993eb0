import { toWords } from './brackets.ts'
import { hasField, type Level } from './level.ts'
import { type At, badQuery, nameOf } from './refusals.ts'

/** The members to show; null means all of them. */
export function parseFields(raw: unknown, level: Level, at: At): ReadonlySet<string> | null {
  if (raw === undefined) return null
  const names = toWords(raw)
  if (!names) throw badQuery(at, `${nameOf(at)} must be a list of names`)
  if (names.length === 0 || names.includes('*')) return null
  const unknown = names.find((name) => !hasField(level, name))
  if (unknown !== undefined) {
    throw badQuery([...at, unknown], `${nameOf(at)}: there is no field ${unknown} to show`)
  }
  return new Set(names)
}
