export interface Recent<Key, Value> {
  find(key: Key): Value | undefined
  keep(key: Key, value: Value): Value
  clear(): void
}

/** Remembers what was used last, up to a number of items. */
export function createRecent<Key, Value extends object>(most: number): Recent<Key, Value> {
  const items = new Map<Key, Value>()
  return { find, keep, clear: () => items.clear() }

  function find(key: Key): Value | undefined {
    const found = items.get(key)
    if (!found) return undefined
    items.delete(key)
    items.set(key, found)
    return found
  }

  function keep(key: Key, value: Value): Value {
    items.delete(key)
    items.set(key, value)
    if (items.size <= most) return value
    const [oldest] = items.keys()
    if (oldest !== undefined) items.delete(oldest)
    return value
  }
}
