import type { Clock } from '../clock.ts'
import { random as cryptoRandom, type Random } from '../random.ts'
import { createDecide, tableFull, withSlot } from './decision.ts'
import { dumpTable, loadTable } from './dump.ts'
import { createLocks } from './locks.ts'
import { createMirror, type Mirror } from './mirror.ts'
import type { CounterAnswer, CounterStep, Counters, Seed, Window } from './port.ts'
import { createTable, openTable } from './table.ts'
import { checkSeeds, createWindows } from './window.ts'

const DEFAULT_CAPACITY = 2 ** 19

/** The owner id of a thread of `node:worker_threads`; the main thread is 0. */
export function ownerIdOf(threadId: number): number {
  return threadId + 1
}

export interface SharedCountersDeps {
  readonly clock: Clock
  /** The table of another thread (its `.shared`); without it a new one is made. */
  readonly shared?: SharedArrayBuffer
  /**
   * How many counters a new table holds, a power of two. They lie in buckets of 64 chosen by a
   * hash, so the first bucket fills up before the table does: count on half of it.
   */
  readonly capacity?: number
  /** From 1 to 32767; no two living threads of the process may share one. */
  readonly ownerId: number
  readonly random?: Random
}

export interface SharedCounters extends Counters {
  /** Hand this to other threads: all of them then count together. */
  readonly shared: SharedArrayBuffer
  /**
   * As the port's functions, at once. They throw `counters_full` when a new counter finds no
   * place; counters that exist go on, and places become free as windows end.
   */
  addSync(steps: readonly CounterStep[]): CounterAnswer
  readSync(name: string, window: Window): number | undefined
  /**
   * Puts what `change` makes of a number in its place, as one step over all threads; null leaves it.
   * For what is no count in a window, such as the time at which a bucket has run empty. A number
   * whose end has come is absent. Throws `counters_full` as `addSync` does.
   */
  updateSync(name: string, change: Change): void
  seedSync(seeds: readonly Seed[]): void
  /** What this node knows of counters whose truth is in a store; for `createResilientCounters`. */
  readonly mirror: Mirror
  /** Frees what a thread held when it died; the supervisor calls it before it reuses the id. */
  releaseOwner(ownerId: number): void
  /** The running windows as a file for the next start. Call it when no other thread counts. */
  dump(): Buffer
  /**
   * Takes over a dump before any thread counts. False, and nothing is taken, when it is damaged,
   * of another version or capacity, or when this table has counters already.
   */
  load(dump: Buffer): boolean
}

/** Called under a lock: must be short and must not throw. */
type Change = (
  before: number | undefined,
  nowMs: number,
) => { readonly value: number; readonly endsAtMs: number } | null

/** Counts in memory that all threads of the process share; exact over them, lost with the process. */
export function createSharedCounters(deps: SharedCountersDeps): SharedCounters {
  const { clock, ownerId, random = cryptoRandom, capacity = DEFAULT_CAPACITY } = deps
  const shared = deps.shared ?? createTable(capacity, random)
  const table = openTable(shared)
  const { columns, get, set } = table
  const locks = createLocks(table.lockWords, ownerId)
  const windows = createWindows()
  const decide = createDecide({ table, locks, windows, clock })

  return {
    shared,
    add: async (steps) => addSync(steps),
    read: async (name, window) => readSync(name, window),
    seed: async (seeds) => seedSync(seeds),
    addSync,
    readSync,
    updateSync,
    seedSync,
    mirror: createMirror({ table, locks, windows, clock, decide }),
    releaseOwner: locks.releaseOwner,
    dump: () => dumpTable(table, locks, clock.now()),
    load: (dump) => loadTable(table, dump, clock.now()),
    close: async () => {},
  }

  function addSync(steps: readonly CounterStep[]): CounterAnswer {
    return decide(steps, addToValue)
  }

  function addToValue(slot: number, change: number): void {
    set(columns.value, slot, get(columns.value, slot) + change)
  }

  function readSync(name: string, window: Window): number | undefined {
    return withSlot(table, locks, name, (slot) =>
      isCurrent(slot, window) ? get(columns.value, slot) + get(columns.owed, slot) : undefined,
    )
  }

  function updateSync(name: string, change: Change): void {
    withSlot(table, locks, name, (found, hash, bucket) => {
      const nowMs = clock.now()
      const isThere = found >= 0 && get(columns.endsAtMs, found) > nowMs
      const next = change(isThere ? get(columns.value, found) : undefined, nowMs)
      if (next === null || (!isThere && next.endsAtMs <= nowMs)) return
      let slot = found
      if (!isThere) {
        if (slot < 0) slot = table.findFree(bucket, nowMs)
        if (slot < 0) throw tableFull(table.capacity)
        table.claim(slot, hash, next.endsAtMs)
      }
      set(columns.value, slot, next.value)
      set(columns.endsAtMs, slot, next.endsAtMs)
    })
  }

  function seedSync(seeds: readonly Seed[]): void {
    checkSeeds(seeds)
    for (const seed of seeds) seedOne(seed)
  }

  /** What was counted under an earlier epoch is owed no longer: its records bring it. */
  function seedOne({ name, window, value, epoch, endsAtMs }: Seed): void {
    withSlot(table, locks, name, (found, hash, bucket) => {
      const nowMs = clock.now()
      if (endsAtMs !== undefined && endsAtMs !== windows.endOf(window, nowMs)) return
      let slot = found
      if (!isCurrent(slot, window)) {
        if (slot < 0) slot = table.findFree(bucket, nowMs)
        if (slot < 0) throw tableFull(table.capacity)
        table.claim(slot, hash, windows.endOf(window, nowMs))
      } else if (get(columns.epoch, slot) >= epoch) return
      table.restart(slot, value, epoch)
    })
  }

  function isCurrent(slot: number, window: Window): boolean {
    return slot >= 0 && windows.isCurrent(window, get(columns.endsAtMs, slot), clock.now())
  }
}
