import { OutboundFailure } from './failure.ts'

/**
 * Ends a request at its time limit or when its caller gives up. `signal` alone would not do: undici
 * looks at it only once a connection stands, so a hanging name server or connect would outlast it.
 */
export function createDeadline(timeoutMs: number, caller: AbortSignal | undefined) {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(new OutboundFailure('timeout')), timeoutMs)
  if (caller?.aborted) giveUp()
  else caller?.addEventListener('abort', giveUp, { once: true })
  return { signal: controller.signal, race, stopTimer, release }

  function giveUp() {
    controller.abort(new OutboundFailure('aborted'))
  }

  function race<T>(work: Promise<T>): Promise<T> {
    const { signal } = controller
    return new Promise((resolve, reject) => {
      const stop = () => reject(signal.reason)
      if (signal.aborted) stop()
      else signal.addEventListener('abort', stop, { once: true })
      work.then(resolve, reject)
    })
  }

  /** The time limit was kept; the caller may still give up. */
  function stopTimer() {
    clearTimeout(timer)
  }

  /** Nothing is left to end: lets go of the caller's signal, which may live as long as the process. */
  function release() {
    clearTimeout(timer)
    caller?.removeEventListener('abort', giveUp)
  }
}
