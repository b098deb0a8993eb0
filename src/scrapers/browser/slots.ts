interface Waiter {
  start(): void
}

/** Slots for work of several runs; each run in turn gets the next one that becomes free. */
export function createSlots(size: () => number) {
  const waiting = new Map<object, Waiter[]>()
  let taken = 0
  return { take, release }

  /** Resolves when the work may begin; rejects when the signal ends the wait. */
  function take(run: object, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (taken < size() && waiting.size === 0) {
      taken++
      return Promise.resolve()
    }
    return new Promise((resolve, reject) => {
      const own = waiting.get(run) ?? []
      waiting.set(run, own)
      const waiter: Waiter = {
        start() {
          signal.removeEventListener('abort', giveUp)
          resolve()
        },
      }
      own.push(waiter)
      signal.addEventListener('abort', giveUp, { once: true })
      function giveUp() {
        own.splice(own.indexOf(waiter), 1)
        if (own.length === 0 && waiting.get(run) === own) waiting.delete(run)
        reject(signal.reason)
      }
    })
  }

  function release() {
    taken--
    while (taken < size()) {
      const [next] = waiting
      if (!next) return
      const [run, own] = next
      const waiter = own.shift()
      // Behind the other runs, or gone when nothing of it waits.
      waiting.delete(run)
      if (own.length > 0) waiting.set(run, own)
      if (!waiter) continue
      taken++
      waiter.start()
    }
  }
}
