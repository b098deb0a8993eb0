import type { CallAnswer, CallRequest } from '../protocol.ts'

/** Beyond the time limit of the call itself: the main thread is busy with something else. */
const GRACE_MS = 1_000

/** Calls of plugins, which the main thread makes for all threads (`calls.ts`). */
export function createThreadCalls(send: (ask: number, request: CallRequest) => void) {
  const waiting = new Map<number, (answer: CallAnswer) => void>()
  let last = 0
  return { call, settle }

  /** Never rejects. */
  function call(request: CallRequest): Promise<CallAnswer> {
    const number = ++last
    return new Promise((resolve) => {
      const late = () => settle(number, { ok: false })
      const timer = setTimeout(late, request.timeoutMs + GRACE_MS)
      waiting.set(number, (answer) => {
        clearTimeout(timer)
        resolve(answer)
      })
      send(number, request)
    })
  }

  function settle(number: number, answer: CallAnswer): void {
    waiting.get(number)?.(answer)
    waiting.delete(number)
  }
}
