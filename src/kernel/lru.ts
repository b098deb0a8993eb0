export interface Lru<Key, Value> {
  find(key: Key): Value | undefined
  /** Returns the value. */
  keep(key: Key, value: Value): Value
  drop(key: Key): void
  dropWhere(isDropped: (value: Value) => boolean): void
  clear(): void
  readonly size: number
}

interface Kept<Value> {
  readonly value: Value
  /** How many uses of any value there had been when it was last put behind the others. */
  movedAt: number
}

/** An order that lags by so small a part of the capacity still forgets what is long unused. */
const LAG_SHARE = 8
/**
 * So large a part is forgotten at once: to find its first key, a Map passes over all that were deleted before it, which it keeps until it
 * grows. One by one, each new value of 10,000 cost 11 us.
 */
const FORGOTTEN_SHARE = 64

/** A cache of the values that were used last; when it is full the longest unused are forgotten. */
export function createLru<Key, Value>(capacity: number): Lru<Key, Value> {
  const all = new Map<Key, Kept<Value>>()
  const lag = Math.floor(capacity / LAG_SHARE)
  let uses = 0
  return {
    find,
    keep,
    drop: (key) => void all.delete(key),
    dropWhere,
    clear: () => all.clear(),
    get size() {
      return all.size
    },
  }

  function find(key: Key): Value | undefined {
    const kept = all.get(key)
    if (kept === undefined) return undefined
    // Moving costs a multiple of the look-up, so a value that was moved just now stays.
    if (++uses - kept.movedAt > lag) move(key, kept)
    return kept.value
  }

  function keep(key: Key, value: Value): Value {
    uses++
    move(key, { value, movedAt: uses })
    if (all.size > capacity) forgetOldest()
    return value
  }

  function forgetOldest(): void {
    const left = Math.min(capacity, capacity + 1 - Math.floor(capacity / FORGOTTEN_SHARE))
    for (const oldest of all.keys()) {
      if (all.size <= left) return
      all.delete(oldest)
    }
  }

  /** Maps remember the order of insertion: the first one is the longest unused. */
  function move(key: Key, kept: Kept<Value>): void {
    kept.movedAt = uses
    all.delete(key)
    all.set(key, kept)
  }

  function dropWhere(isDropped: (value: Value) => boolean): void {
    for (const [key, { value }] of all) {
      if (isDropped(value)) all.delete(key)
    }
  }
}
