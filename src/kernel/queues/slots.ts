import { createFairQueue } from './fair-queue.ts'

interface Waiting {
  go(): void
}

interface Patience {
  readonly ms: number
  /** What whoever has waited so long is refused with. */
  refusal(): Error
}

/**
 * So many at a time; the others wait. Owners take turns, so that many of one delay no other; of one owner, or where
 * none is named, whoever came first goes first.
 */
export function createSlots(count: number, patience?: Patience) {
  const waiting = createFairQueue<Waiting>()
  let free = count
  return { run }

  async function run<T>(work: () => Promise<T>, owner = ''): Promise<T> {
    if (free > 0) free--
    else await turnOf(owner)
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next.go()
      else free++
    }
  }

  function turnOf(owner: string): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const own = { go: resolve }
    waiting.push(owner, own)
    if (!patience) return promise
    const timer = setTimeout(() => {
      waiting.take((each) => each === own)
      reject(patience.refusal())
    }, patience.ms)
    return promise.finally(() => clearTimeout(timer))
  }
}
