import type { MessagePort } from 'node:worker_threads'

/**
 * Short notices between threads and nodes. A notice may be lost (a broken connection) and may come
 * twice; who must not miss anything watches a revision (`revisions.ts`), which repairs both.
 * Notices of one publisher on one topic arrive in order.
 */
export interface Bus {
  /**
   * Resolves when the notice was handed over; also this thread's own subscribers receive it. A
   * notice that is too large is refused; an unreachable node is not an error. After `close` it does
   * nothing, because work that ends late must not fail for that.
   */
  publish(topic: string, message: BusMessage): Promise<void>
  /** Returns the function that ends the subscription. A handler that fails is logged. */
  subscribe(topic: string, handler: (message: BusMessage) => void): () => void
  close(): Promise<void>
}

/** The bus of the main thread, which those of the other threads are connected to. */
export interface MainBus extends Bus {
  /** A way in for one more thread: goes into its `workerData` and the transfer list. */
  connect(): MessagePort
}

export type BusMessage = null | boolean | number | string | readonly BusMessage[] | BusObject
interface BusObject {
  readonly [member: string]: BusMessage
}

/** PostgreSQL carries at most 8,000 bytes in a notice, so no implementation takes more. */
export const MAX_NOTICE_BYTES = 7_000
export const MAX_TOPIC_BYTES = 200

/** Notices on topics that begin with this stay among the threads of their process. */
export const PROCESS_TOPIC = 'process:'
