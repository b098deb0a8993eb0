import { createLru } from '#kernel'

/** Bases of names that were given or found taken last. */
const KNOWN = 10_000

/**
 * Names that this process makes from titles. Writes under way do not see each other's, so they are claimed here;
 * others' names are found by the guard of a plan, whose second try asks for them.
 */
export function createMadeNames() {
  const claimed = new Set<string>()
  const taken = createLru<string, number>(KNOWN)
  return { claim, release, noteTaken, findTaken: taken.find }

  /** False when a write has it, which may be the same one. */
  function claim(name: string, by: string[]): boolean {
    if (claimed.has(name)) return false
    claimed.add(name)
    by.push(name)
    return true
  }

  function release(names: readonly string[]) {
    for (const name of names) claimed.delete(name)
  }

  /** The highest suffix that was seen or given. */
  function noteTaken(base: string, suffix: number) {
    taken.keep(base, Math.max(suffix, taken.find(base) ?? 0))
  }
}

export type MadeNames = ReturnType<typeof createMadeNames>
