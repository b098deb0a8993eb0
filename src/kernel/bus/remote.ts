/** What a way to the other nodes tells the bridge. */
export interface RemoteListener {
  receive(text: string): void
  /** Connected and listening, also after a break; what came in between is lost. */
  up(): void
  /** Not reachable; it goes on trying. May repeat. */
  down(error: Error): void
}

/** Carries texts to all nodes, the own one included; used by the main thread only. */
export interface Remote {
  /** Starts connecting and never gives up until `close`. Called once. */
  open(listener: RemoteListener): void
  /** Rejects at once while the other nodes cannot be reached: nothing is kept for later. */
  send(text: string): Promise<void>
  close(): Promise<void>
}

/** Wait before the next attempt; short at first, because most breaks are restarts. */
export function backoffMs(attempt: number): number {
  return Math.min(100 * 2 ** Math.min(attempt, 10), 2_000)
}

/** A connection that only listens would not notice a peer that vanished without a word. */
export const HEARTBEAT_MS = 5_000
export const ANSWER_TIMEOUT_MS = 3_000

export function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
