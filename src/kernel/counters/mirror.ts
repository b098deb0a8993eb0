import { type Decide, type TableDeps, withSlot } from './decision.ts'
import type { CounterAnswer, CounterStep, Window } from './port.ts'
import { SET_BACK_MS } from './window.ts'

/**
 * An amount counted here that the store has not got yet; it belongs to the window of that end and
 * to that epoch of the counter.
 */
export interface Owed {
  readonly name: string
  readonly amount: number
  readonly endsAtMs: number
  readonly epoch: number
}

/** A count as the store gave it at `atMs` of its own clock. */
interface StoreCount {
  readonly name: string
  readonly window: Window
  readonly value: number
  readonly endsAtMs: number
  readonly epoch: number
  readonly atMs: number
}

/**
 * What a node knows of counters whose truth is in a store: the last value seen there, and what was
 * counted here while the store was away. The count is the sum of both. All threads of the node
 * share it, so whichever reaches the store first settles what any of them owes. Once the counter is
 * seeded anew, what was owed to its former epoch is void: whoever seeds it learns of it from records.
 */
export interface Mirror {
  seen(count: StoreCount): void
  /** Decides here and owes the amounts; `sent` when a call under way may have brought them already. */
  add(steps: readonly CounterStep[], sent: boolean): CounterAnswer
  /** Takes on what is owed and not sent yet; whatever it returns must be settled. */
  take(name: string): Owed | undefined
  /** `arrived`: the store has it; otherwise it is owed again. */
  settle(owed: Owed, arrived: boolean): void
}

export function createMirror(deps: TableDeps & { readonly decide: Decide }): Mirror {
  const { table, locks, windows, clock, decide } = deps
  const { columns, get, set } = table
  return {
    seen,
    add: (steps, sent) => decide(steps, sent ? oweSent : owe),
    take,
    settle,
  }

  function owe(slot: number, change: number): void {
    set(columns.owed, slot, get(columns.owed, slot) + change)
  }

  /** Owed first: a thread that dies in between lets it be brought twice rather than never. */
  function oweSent(slot: number, change: number): void {
    owe(slot, change)
    set(columns.sent, slot, get(columns.sent, slot) + change)
  }

  function seen(count: StoreCount): void {
    withSlot(table, locks, count.name, (found, hash, bucket) => {
      let slot = found
      const relation = slot < 0 ? 'later' : relate(slot, count)
      if (relation === 'earlier') return
      if (relation === 'later') {
        if (slot < 0) slot = table.findFree(bucket, clock.now())
        if (slot < 0) return
        table.claim(slot, hash, count.endsAtMs)
      }
      const knownEpoch = get(columns.epoch, slot)
      if (count.epoch < knownEpoch) return
      if (count.epoch > knownEpoch) table.restart(slot, count.value, count.epoch)
      keepLatest(slot, count)
    })
  }

  /**
   * Answers reach the threads in any order. The one the store gave last is true; within one
   * millisecond that is the higher one. A much older one means that the store's clock was set back.
   */
  function keepLatest(slot: number, { value, atMs }: StoreCount): void {
    const knownAtMs = get(columns.seenAtMs, slot)
    if (atMs < knownAtMs && atMs > knownAtMs - SET_BACK_MS) return
    const known = atMs === knownAtMs ? get(columns.value, slot) : 0
    set(columns.value, slot, Math.max(known, value))
    set(columns.seenAtMs, slot, atMs)
  }

  /** How the window of the store's count stands to the one in the slot. */
  function relate(slot: number, { window, endsAtMs, atMs }: StoreCount) {
    const knownEndMs = get(columns.endsAtMs, slot)
    if (knownEndMs === endsAtMs) return 'same'
    if (knownEndMs <= atMs) return 'later'
    // Started here while the store was away: it keeps its end until nothing is owed in it.
    if (window.kind === 'fixed') return get(columns.owed, slot) === 0 ? 'later' : 'same'
    const isAhead = endsAtMs < knownEndMs && windows.isCurrent(window, knownEndMs, clock.now())
    return isAhead ? 'earlier' : 'later'
  }

  function take(name: string): Owed | undefined {
    return withSlot(table, locks, name, (slot) => {
      if (slot < 0) return undefined
      const endsAtMs = get(columns.endsAtMs, slot)
      const owed = get(columns.owed, slot)
      const amount = owed - get(columns.sent, slot)
      if (amount === 0 || endsAtMs <= clock.now()) return undefined
      set(columns.sent, slot, owed)
      return { name, amount, endsAtMs, epoch: get(columns.epoch, slot) }
    })
  }

  function settle({ name, amount, endsAtMs, epoch }: Owed, arrived: boolean): void {
    withSlot(table, locks, name, (slot) => {
      if (slot < 0 || get(columns.endsAtMs, slot) !== endsAtMs) return
      if (get(columns.epoch, slot) !== epoch) return
      const sent = get(columns.sent, slot)
      // A count does not fall below zero, so less may have been given back than was asked.
      const part = amount > 0 ? amount : Math.max(amount, Math.min(sent, 0))
      set(columns.sent, slot, sent - part)
      if (arrived) set(columns.owed, slot, get(columns.owed, slot) - part)
    })
  }
}
