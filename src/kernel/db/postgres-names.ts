import { createLru } from '../lru.ts'

/** Statements that have a name at a time, over all connections. */
const NAMED = 400
const SEEN = 2_000
/** A connection never forgets a statement; one that was told so many is replaced. */
const TOLD = 2 * NAMED

/**
 * Names for statements that are used again, so that a connection parses each of them once. The longest unused one gives
 * its place to another, which gets a name that no connection knows.
 */
export function createStatementNames(prefix: string, limits = { named: NAMED, told: TOLD }) {
  const names = createLru<string, string>(limits.named)
  const seen = createLru<string, true>(SEEN)
  const told = new WeakMap<object, Set<string>>()
  let last = 0
  return { nameOf, tell, knows, isFull }

  /** Undefined the first time: most texts that are seen once are never seen again. */
  function nameOf(text: string): string | undefined {
    const known = names.find(text)
    if (known !== undefined) return known
    if (!seen.find(text)) {
      seen.keep(text, true)
      return undefined
    }
    return names.keep(text, `${prefix}${++last}`)
  }

  /** The connection has prepared these. */
  function tell(connection: object, given: readonly string[]): void {
    const known = told.get(connection) ?? new Set()
    for (const name of given) known.add(name)
    told.set(connection, known)
  }

  function knows(connection: object, name: string): boolean {
    return told.get(connection)?.has(name) === true
  }

  /** It is to be replaced by a connection that knows nothing. */
  function isFull(connection: object): boolean {
    return (told.get(connection)?.size ?? 0) > limits.told
  }
}
