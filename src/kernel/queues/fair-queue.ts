/** Those who wait, by owner: owners take turns, so that a long queue of one delays no other. */
export function createFairQueue<T>() {
  /** The first owner has the next turn. */
  const queues = new Map<string, T[]>()
  let size = 0
  return { push, shift, dropLast, take, drain, longest, lengthOf, size: () => size }

  function push(owner: string, item: T): void {
    const queue = queues.get(owner)
    if (queue) queue.push(item)
    else queues.set(owner, [item])
    size++
  }

  function shift(): T | undefined {
    const [turn] = queues
    if (!turn) return undefined
    const [owner, queue] = turn
    queues.delete(owner)
    const item = queue.shift()
    if (queue.length > 0) queues.set(owner, queue)
    size--
    return item
  }

  /** The one that came last of this owner. */
  function dropLast(owner: string): T | undefined {
    const queue = queues.get(owner)
    const item = queue?.pop()
    if (queue?.length === 0) queues.delete(owner)
    if (item !== undefined) size--
    return item
  }

  /** Those that are meant leave, whosever they are. */
  function take(isMeant: (item: T) => boolean): T[] {
    const taken: T[] = []
    for (const [owner, queue] of queues) {
      const own = queue.filter(isMeant)
      if (own.length === 0) continue
      for (const item of own) taken.push(item)
      const stay = queue.filter((item) => !isMeant(item))
      if (stay.length > 0) queues.set(owner, stay)
      else queues.delete(owner)
    }
    size -= taken.length
    return taken
  }

  function drain(): T[] {
    const all = [...queues.values()].flat()
    queues.clear()
    size = 0
    return all
  }

  function lengthOf(owner: string): number {
    return queues.get(owner)?.length ?? 0
  }

  /** Who has most waiting. */
  function longest(): string | undefined {
    let found: string | undefined
    for (const [owner, { length }] of queues) {
      if (found === undefined || length > lengthOf(found)) found = owner
    }
    return found
  }
}
