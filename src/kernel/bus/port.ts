/**
 * Short notices between threads and nodes. A notice may be lost (a broken connection) and may come
 * twice; who must not miss anything watches a revision (`revisions.ts`), which repairs both.
 * Notices of one publisher on one topic arrive in order.
 */
export interface Bus {
  /** Resolves when the notice was handed over; also this thread's own subscribers receive it. */
  publish(topic: string, message: BusMessage): Promise<void>
  /** Returns the function that ends the subscription. */
  subscribe(topic: string, handler: (message: BusMessage) => void): () => void
  close(): Promise<void>
}

export type BusMessage = null | boolean | number | string | BusMessage[] | BusObject
export interface BusObject {
  readonly [member: string]: BusMessage
}

/** PostgreSQL carries at most 8,000 bytes in a notice, so no implementation takes more. */
export const MAX_NOTICE_BYTES = 7_000
