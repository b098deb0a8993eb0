import type { Log } from '../log.ts'

/** The values in force in one thread, by area, and who wants to hear of changes. */
export function createHolder<V extends object>(first: V, log: Log) {
  const handlers = new Map<keyof V, Set<() => void>>()
  let current = first
  return { get, all, onChange, replace }

  function get<K extends keyof V>(area: K): V[K] {
    return current[area]
  }

  function all(): V {
    return current
  }

  function onChange<K extends keyof V>(area: K, handler: (values: V[K]) => void): () => void {
    const own = handlers.get(area) ?? new Set()
    const call = () => handler(current[area])
    handlers.set(area, own.add(call))
    return () => void own.delete(call)
  }

  /** Puts new values into force and returns the areas that differ from before. */
  function replace(next: V): Extract<keyof V, string>[] {
    const before = current
    current = next
    const changed: Extract<keyof V, string>[] = []
    for (const area in next) {
      if (JSON.stringify(next[area]) !== JSON.stringify(before[area])) changed.push(area)
    }
    for (const area of changed) {
      for (const call of handlers.get(area) ?? []) attempt(area, call)
    }
    return changed
  }

  function attempt(area: string, call: () => void) {
    try {
      call()
    } catch (error) {
      log.error({ err: error, area }, 'a part could not take over changed settings')
    }
  }
}
