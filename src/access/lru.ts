/** Keeps the values that were used last; the rest is forgotten, whatever is asked for. */
export function createLru<Value>(capacity: number) {
  const entries = new Map<string, Value>()
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
    const value = entries.get(key)
    if (value === undefined) return undefined
    // Maps remember the order of insertion: the first one is the longest unused.
    entries.delete(key)
    entries.set(key, value)
    return value
  }

  function set(key: string, value: Value): void {
    entries.delete(key)
    entries.set(key, value)
    if (entries.size <= capacity) return
    const [oldest] = entries.keys()
    if (oldest !== undefined) entries.delete(oldest)
  }

  function dropWhere(isDropped: (value: Value) => boolean): void {
    for (const [key, value] of entries) {
      if (isDropped(value)) entries.delete(key)
    }
  }
}
