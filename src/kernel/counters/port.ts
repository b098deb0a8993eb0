/** Where a count starts anew. Calendar windows are UTC. */
export type Window =
  | { readonly kind: 'calendar'; readonly unit: CalendarUnit }
  /** Starts with the first add and ends `ms` later. */
  | { readonly kind: 'fixed'; readonly ms: number }

export type CalendarUnit = 'minute' | 'hour' | 'day' | 'month'

export interface CounterStep {
  /** A name belongs to one window: give another window another name. */
  readonly name: string
  readonly window: Window
  /** Negative gives back (the real cost was lower); a count never falls below zero. */
  readonly amount: number
  /** The add is refused when it would bring the count above this; null never refuses. */
  readonly limit: number | null
  /** A refused add normally leaves no trace; true keeps it counted (Doc 2 §8, the minute counter). */
  readonly keepRefused?: boolean
  /** Must not start from zero: an absent counter is reported as `missing` and nothing is added. */
  readonly seeded?: boolean
}

export interface CounterResult {
  readonly name: string
  readonly allowed: boolean
  /** The count after the whole decision. */
  readonly value: number
  readonly endsAtMs: number
}

export interface CounterAnswer {
  /**
   * Results of the steps that were tried, in order; the first refusal ends the list. Empty when a
   * counter is missing.
   */
  readonly results: readonly CounterResult[]
  readonly allowed: boolean
  /** The counter that has to be seeded before this call can be decided; nothing was added at all. */
  readonly missing: string | null
  /** The store's clock at the decision. */
  readonly nowMs: number
}

/**
 * Exact counts over all threads (shared memory) or all nodes (Redis, PostgreSQL). Values are
 * integers below 2^53. The window is chosen by the store's clock, so nodes cannot disagree.
 */
export interface Counters {
  /**
   * Tries the steps in order as one atomic decision and stops at the first refusal. Then only
   * steps with `keepRefused` stay counted, whichever step it was that refused. A name may occur
   * twice; its steps count one after the other.
   */
  add(steps: readonly CounterStep[]): Promise<CounterAnswer>
  /** The current count, undefined when the counter does not exist in its current window. */
  read(name: string, window: Window): Promise<number | undefined>
  /** Sets the count of the current window. `onlyIfAbsent` makes concurrent seeding harmless. */
  set(name: string, window: Window, value: number, options?: SetOptions): Promise<void>
  close(): Promise<void>
}

export interface SetOptions {
  readonly onlyIfAbsent?: boolean
}
