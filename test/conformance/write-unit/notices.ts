import type { Bus, BusMessage } from '#bus'

type Waiting = Map<string, Set<number>>

/**
 * Lists of numbers, gathered and published once in a while: a notice in the transaction of each write, or
 * behind each, would be most of the work on PostgreSQL. In this process they count at once.
 */
export function createNotices(bus: Pick<Bus, 'publish' | 'subscribe'>, everyMs = 5) {
  const waiting: Waiting = new Map()
  return { publish, subscribe: bus.subscribe }

  async function publish(topic: string, message: BusMessage): Promise<void> {
    if (!Array.isArray(message)) return bus.publish(topic, message)
    const known = waiting.get(topic) ?? new Set()
    for (const each of message) if (typeof each === 'number') known.add(each)
    if (waiting.size === 0) setTimeout(flush, everyMs)
    waiting.set(topic, known)
  }

  function flush() {
    for (const [topic, numbers] of waiting) void bus.publish(topic, [...numbers])
    waiting.clear()
  }
}
