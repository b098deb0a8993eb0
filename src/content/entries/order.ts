import type { Place } from './input/parsed.ts'

/** A change of a relation whose ids are known to exist. */
export type LinkChange =
  | { readonly kind: 'set'; readonly targets: readonly string[] }
  | {
      readonly kind: 'change'
      readonly connect: readonly { readonly target: string; readonly place: LinkPlace | null }[]
      readonly disconnect: readonly string[]
      readonly strict: boolean
    }

export type LinkPlace =
  | Extract<Place, { at: 'start' | 'end' }>
  | { readonly at: 'before' | 'after'; readonly target: string | null }

export type Reordered =
  | { readonly ok: true; readonly targets: readonly string[] }
  | { readonly ok: false; readonly at: number; readonly reason: 'twice' | 'not_linked' }

/**
 * The list after the change: elements are applied in their order and go to their place, else to the end,
 * also one that is linked already.
 */
export function applyChange(
  current: readonly string[],
  change: LinkChange,
  isToMany: boolean,
): Reordered {
  if (change.kind === 'set') return done([...new Set(change.targets)], isToMany)
  const list = current.filter((target) => !change.disconnect.includes(target))
  const seen = new Set<string>()
  for (const [at, { target, place }] of change.connect.entries()) {
    if (change.strict && seen.has(target)) return { ok: false, at, reason: 'twice' }
    if (!isToMany) list.length = 0
    if (!put(list, target, place, change.strict)) return { ok: false, at, reason: 'not_linked' }
    seen.add(target)
  }
  return done(list, isToMany)
}

function done(list: readonly string[], isToMany: boolean): Reordered {
  return { ok: true, targets: isToMany ? list : list.slice(-1) }
}

/** False when the place names an element that is not in the list. */
function put(list: string[], target: string, place: LinkPlace | null, strict: boolean): boolean {
  const before = list.indexOf(target)
  if (before >= 0) list.splice(before, 1)
  const index = indexOf(list, place)
  if (index < 0 && strict) return false
  list.splice(index < 0 ? list.length : index, 0, target)
  return true
}

function indexOf(list: readonly string[], place: LinkPlace | null): number {
  if (place === null) return list.length
  if (!('target' in place)) return place.at === 'start' ? 0 : list.length
  const neighbour = place.target === null ? -1 : list.indexOf(place.target)
  if (neighbour < 0) return -1
  return place.at === 'before' ? neighbour : neighbour + 1
}
