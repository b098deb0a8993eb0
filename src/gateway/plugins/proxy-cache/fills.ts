import { createLru } from '#kernel'

/** Requests that miss the same answer: one asks the upstream, the others wait for what it gets. */

interface Fill {
  readonly done: Promise<boolean>
  end(isShared: boolean): void
}

/** Whoever waits longer asks the upstream itself: the one in front may read slowly. */
const WAIT_MS = 5_000
/** An answer that cannot be kept is not waited for again so soon. */
const APART_MS = 10_000
const MAX_APART = 10_000

export function createFills(now: () => number) {
  const underWay = new Map<string, Fill>()
  /** By key: until when requests go their own way. */
  const apart = createLru<string, number>(MAX_APART)
  return { join, begin, end }

  /** Resolves with true when the answer may be there now; undefined: nobody fills, or in vain. */
  function join(key: string): Promise<boolean> | undefined {
    const fill = underWay.get(key)
    if (!fill || isApart(key)) return undefined
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), WAIT_MS)
      void fill.done.then((isShared) => {
        clearTimeout(timer)
        resolve(isShared)
      })
    })
  }

  /** False: somebody else fills already. */
  function begin(key: string): boolean {
    if (underWay.has(key)) return false
    const { promise: done, resolve } = Promise.withResolvers<boolean>()
    underWay.set(key, { done, end: resolve })
    return true
  }

  /** `kept`: look again. `broken`: look again and fill. `private`: each for itself. */
  function end(key: string, outcome: 'kept' | 'broken' | 'private'): void {
    const fill = underWay.get(key)
    underWay.delete(key)
    if (outcome === 'private') apart.keep(key, now() + APART_MS)
    else apart.drop(key)
    fill?.end(outcome !== 'private')
  }

  function isApart(key: string): boolean {
    const untilMs = apart.find(key)
    if (untilMs === undefined || now() < untilMs) return untilMs !== undefined
    apart.drop(key)
    return false
  }
}
