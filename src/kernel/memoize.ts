import { createLru } from './lru.ts'

/**
 * A pure function that keeps what it made for each key, of at most so many keys: of more those are made
 * anew that were not used for long. Undefined is not kept. The only state that a file may have: nobody
 * can tell from an answer whether it was kept.
 */
export function memoize<Key extends string | number, Made>(
  most: number,
  make: (key: Key) => Made,
): (key: Key) => Made {
  const made = createLru<Key, Made>(most)
  return (key) => {
    const known = made.find(key)
    if (known !== undefined) return known
    const fresh = make(key)
    return fresh === undefined ? fresh : made.keep(key, fresh)
  }
}

/** The same of an object that never changes, for as long as there is the object. */
export function memoizeOf<Key extends object, Made>(make: (key: Key) => Made): (key: Key) => Made {
  const made = new WeakMap<Key, Made>()
  return (key) => {
    const known = made.get(key)
    if (known !== undefined) return known
    const fresh = make(key)
    made.set(key, fresh)
    return fresh
  }
}
