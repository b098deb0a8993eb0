interface Entry<Value> {
  readonly value: Value
  /** How many uses of any value there had been when it was last put behind the others. */
  movedAt: number
}

/** An order that lags by so small a part of the capacity still forgets what is long unused. */
const LAG_SHARE = 8

/** Keeps the values that were used last; the rest is forgotten, whatever is asked for. */
export function createLru<Value>(capacity: number) {
  const entries = new Map<string, Entry<Value>>()
  const lag = Math.floor(capacity / LAG_SHARE)
  let uses = 0
  return {
    get,
    set,
    dropWhere,
    clear: () => entries.clear(),
    get size() {
      return entries.size
    },
  }

  function get(key: string): Value | undefined {
    const entry = entries.get(key)
    if (entry === undefined) return undefined
    // Moving costs a multiple of the look-up, so a value that was moved just now stays.
    if (++uses - entry.movedAt > lag) move(key, entry)
    return entry.value
  }

  function set(key: string, value: Value): void {
    uses++
    move(key, { value, movedAt: uses })
    if (entries.size <= capacity) return
    const [oldest] = entries.keys()
    if (oldest !== undefined) entries.delete(oldest)
  }

  /** Maps remember the order of insertion: the first one is the longest unused. */
  function move(key: string, entry: Entry<Value>): void {
    entry.movedAt = uses
    entries.delete(key)
    entries.set(key, entry)
  }

  function dropWhere(isDropped: (value: Value) => boolean): void {
    for (const [key, { value }] of entries) {
      if (isDropped(value)) entries.delete(key)
    }
  }
}
