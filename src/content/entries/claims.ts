import { isUnique } from '../fields/index.ts'
import type { ContentType } from '../model.ts'

/**
 * What no other entry may have, of what is sent for one. Writes that claim the same are not made at once: if the first of
 * them came before the one that gives the value up, the second could have it instead.
 */
export function claimsOf(
  type: ContentType,
  sent: Readonly<Record<string, unknown>>,
): readonly string[] {
  const names = ['external_id', ...type.attributes.filter(isUnique).map(({ name }) => name)]
  return names.flatMap((name) => {
    const value = sent[name]
    if (typeof value !== 'string' && typeof value !== 'number') return []
    return `${name} ${String(value).toLowerCase()}`
  })
}
