import { createLru } from '../lru.ts'

/** Of one process. What is beyond has no name and is parsed each time. */
const NAMED = 400
const SEEN = 2_000

/**
 * Names for statements that are used again, so that a connection parses each of them once. A connection never
 * forgets a statement, so only so many get one.
 */
export function createStatementNames(prefix: string) {
  const names = new Map<string, string>()
  const seen = createLru<string, true>(SEEN)
  return { nameOf }

  function nameOf(text: string): string | undefined {
    const known = names.get(text)
    if (known !== undefined || names.size >= NAMED) return known
    if (!seen.find(text)) {
      seen.keep(text, true)
      return undefined
    }
    const name = `${prefix}${names.size + 1}`
    names.set(text, name)
    return name
  }
}
