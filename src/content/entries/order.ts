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
  const given = new Set(change.disconnect)
  const list = createOrder(current.filter((target) => !given.has(target)))
  const seen = new Set<string>()
  for (const [at, { target, place }] of change.connect.entries()) {
    if (change.strict && seen.has(target)) return { ok: false, at, reason: 'twice' }
    if (!isToMany) list.clear()
    if (!list.put(target, place) && change.strict) return { ok: false, at, reason: 'not_linked' }
    seen.add(target)
  }
  return done(list.targets(), isToMany)
}

function done(list: readonly string[], isToMany: boolean): Reordered {
  return { ok: true, targets: isToMany ? list : list.slice(-1) }
}

/** One of the list, or both of its ends, which are alone when it is empty. */
class Element {
  readonly target: string | null
  before: Element = this
  after: Element = this

  constructor(target: string | null) {
    this.target = target
  }
}

/** Every step takes as long with a hundred thousand elements as with ten. */
function createOrder(targets: Iterable<string>) {
  const elements = new Map<string, Element>()
  const ends = new Element(null)
  for (const target of targets) put(target, null)
  return { put, clear, targets: listed }

  /** False, and the end is its place, when that names an element that is not in the list. */
  function put(target: string, place: LinkPlace | null): boolean {
    remove(target)
    const after = nextTo(place)
    insert(target, after ?? ends)
    return after !== undefined
  }

  function nextTo(place: LinkPlace | null): Element | undefined {
    if (place === null) return ends
    if (!('target' in place)) return place.at === 'start' ? ends.after : ends
    const neighbour = place.target === null ? undefined : elements.get(place.target)
    return place.at === 'before' ? neighbour : neighbour?.after
  }

  function insert(target: string, after: Element): void {
    const element = new Element(target)
    element.before = after.before
    element.after = after
    element.before.after = element
    after.before = element
    elements.set(target, element)
  }

  function remove(target: string): void {
    const element = elements.get(target)
    if (!element) return
    element.before.after = element.after
    element.after.before = element.before
    elements.delete(target)
  }

  function clear(): void {
    for (const target of elements.keys()) remove(target)
  }

  function listed(): string[] {
    const found: string[] = []
    for (let at = ends.after; at.target !== null; at = at.after) found.push(at.target)
    return found
  }
}
