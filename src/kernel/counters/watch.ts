export type Outcome<T> =
  | { readonly kind: 'answer'; readonly value: T }
  | { readonly kind: 'error'; readonly error: unknown }
  /** The store is silent; the call is still under way and may have its effect. */
  | { readonly kind: 'late' }

const TICKS = 4

/**
 * Tells a store that is silent from a node that is slow. A store is silent when it answers nothing
 * for the whole timeout although it was asked. The time is counted in ticks, and before a tick counts
 * the event loop reads its sockets: a node that was stopped or held up, for however long, loses one
 * tick and finds the answers that arrived meanwhile. A call that waits behind others is given up
 * only with them.
 */
export function createWatch(timeoutMs: number) {
  const waiting = new Set<() => void>()
  let hasHeard = false
  let quietTicks = 0
  let isTicking = false
  return { ask }

  /** Never rejects. */
  function ask<T>(call: Promise<T>): Promise<Outcome<T>> {
    return new Promise((resolve) => {
      const giveUp = () => resolve({ kind: 'late' })
      waiting.add(giveUp)
      if (!isTicking) tick()
      call.then(
        (value) => hear({ kind: 'answer', value }),
        (error) => hear({ kind: 'error', error }),
      )

      function hear(outcome: Outcome<T>) {
        hasHeard = true
        waiting.delete(giveUp)
        resolve(outcome)
      }
    })
  }

  function tick() {
    isTicking = true
    setTimeout(() => setImmediate(count), timeoutMs / TICKS)
  }

  function count() {
    isTicking = false
    quietTicks = hasHeard ? 0 : quietTicks + 1
    hasHeard = false
    if (quietTicks === TICKS) {
      for (const giveUp of waiting) giveUp()
      waiting.clear()
    }
    if (waiting.size > 0) tick()
    else quietTicks = 0
  }
}
