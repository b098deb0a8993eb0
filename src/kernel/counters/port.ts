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
  /** The step changes nothing unless the counter is of this epoch (see `Seed`). */
  readonly epoch?: number
}

export interface CounterResult {
  readonly name: string
  readonly allowed: boolean
  /** The count after the whole decision. */
  readonly value: number
  readonly endsAtMs: number
  /** Of the seed this count began with; 0 for a counter that began at zero. */
  readonly epoch: number
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
  /** Set when this node has decided without the store. */
  readonly isAlone?: true
}

/**
 * Where the count of a counter begins that must not begin at zero. Each loss of the counter opens a
 * higher epoch. Whoever counted under an earlier epoch can tell by the number that the seed may
 * not hold what was counted then.
 */
export interface Seed {
  readonly name: string
  readonly window: Window
  readonly value: number
  /** From 1 on. */
  readonly epoch: number
  /** The window that the value belongs to; in another one the seed does nothing. */
  readonly endsAtMs?: number
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
  /**
   * Sets counts of the current window that are absent or of an earlier epoch; others are left alone.
   * `onlyHere`: for this node's decisions while the store is away; the store is not told.
   */
  seed(seeds: readonly Seed[], options?: SeedOptions): Promise<void>
  close(): Promise<void>
}

export interface SeedOptions {
  readonly onlyHere?: boolean
}
