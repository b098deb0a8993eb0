/** Who asks for a slot. */
interface Asker {
  readonly consumerId: string
  /** Its endpoint is known to answer quickly. */
  readonly isQuick: boolean
}

/**
 * The requests that may be under way at once. Endpoints that are slow or not yet known get at most
 * half of the slots, so one that is known to be quick always finds room. A consumer may have as many
 * as are free for the class of the endpoint: whoever takes much leaves as much for the others, and
 * somebody who has none finds room until all are taken.
 */
export function createSlots(limit: () => number) {
  let total = 0
  let slow = 0
  const consumers = new Map<string, number>()
  return { take, isFree, room, full, underWay: () => total }

  /** Free slots of the class. */
  function room(isQuick: boolean): number {
    const free = limit() - total
    return isQuick ? free : Math.min(free, Math.ceil(limit() / 2) - slow)
  }

  function isFree({ consumerId, isQuick }: Asker): boolean {
    const free = room(isQuick)
    return free > 0 && (consumers.get(consumerId) ?? 0) < free
  }

  /** The consumers that may not have another slot of the class. */
  function full(isQuick: boolean): string[] {
    const free = room(isQuick)
    return [...consumers].flatMap(([id, used]) => (used < free ? [] : [id]))
  }

  /** Returns what frees the slot again. */
  function take({ consumerId, isQuick }: Asker): () => void {
    count(1)
    return () => count(-1)

    function count(by: 1 | -1) {
      total += by
      if (!isQuick) slow += by
      const used = (consumers.get(consumerId) ?? 0) + by
      if (used > 0) consumers.set(consumerId, used)
      else consumers.delete(consumerId)
    }
  }
}
