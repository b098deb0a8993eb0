import { createLru, type Lru } from './lru.ts'

const TEXTS_KEPT = 200
/** Longer ones are seldom sent twice. */
const LONGEST_KEPT = 2_000

export interface Parsed<Owner extends object, Made extends object> {
  find(owner: Owner, text: string): Made | undefined
  keep(owner: Owner, text: string, made: Made): Made
}

/**
 * Remembers what queries were parsed to: a list that is read anew after every change has the same text
 * each time. The text must say everything the parsing depends on but for its owner, with which what
 * was parsed is forgotten: a model, or whatever else it was checked by. It is never changed.
 */
export function createParsed<Owner extends object, Made extends object>(): Parsed<Owner, Made> {
  const known = new WeakMap<Owner, Lru<string, Made>>()
  return { find: (owner, text) => known.get(owner)?.find(text), keep }

  function keep(owner: Owner, text: string, made: Made): Made {
    if (text.length > LONGEST_KEPT) return made
    const recent = known.get(owner) ?? createLru<string, Made>(TEXTS_KEPT)
    known.set(owner, recent)
    return recent.keep(text, made)
  }
}
