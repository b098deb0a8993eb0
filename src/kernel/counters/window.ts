import type { CalendarUnit, CounterStep, Seed, Window } from './port.ts'

/**
 * A clock that is set back by up to this much goes on counting in the window it had reached:
 * reopening the ended one would admit its whole limit a second time.
 */
export const SET_BACK_MS = 5_000

const UNIT_MS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 }

/** Ends of windows; the month's bounds are kept, because they cost more than the whole add. */
export function createWindows() {
  let monthStartsAtMs = 0
  let monthEndsAtMs = 0
  return { endOf, isCurrent }

  /** The end of the window that would start or be under way at this time. */
  function endOf(window: Window, nowMs: number): number {
    return window.kind === 'fixed' ? nowMs + window.ms : calendarEnd(window.unit, nowMs)
  }

  /** Whether a count that ends at `endsAtMs` belongs to the window of this time. */
  function isCurrent(window: Window, endsAtMs: number, nowMs: number): boolean {
    if (endsAtMs <= nowMs) return false
    if (window.kind === 'fixed') return endsAtMs <= nowMs + window.ms + SET_BACK_MS
    return (
      endsAtMs === calendarEnd(window.unit, nowMs) ||
      endsAtMs === calendarEnd(window.unit, nowMs + SET_BACK_MS)
    )
  }

  function calendarEnd(unit: CalendarUnit, atMs: number): number {
    if (unit !== 'month') return atMs - (atMs % UNIT_MS[unit]) + UNIT_MS[unit]
    if (atMs < monthStartsAtMs || atMs >= monthEndsAtMs) {
      const date = new Date(atMs)
      monthStartsAtMs = Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
      monthEndsAtMs = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
    }
    return monthEndsAtMs
  }
}

export type Windows = ReturnType<typeof createWindows>

/** Wrong steps are faults of the program, not of its user, so they are plain errors. */
export function checkSteps(steps: readonly CounterStep[]): void {
  for (const { name, window, amount, limit } of steps) {
    checkCounter(name, window, amount)
    if (limit !== null && !Number.isSafeInteger(limit)) fail(name, 'limit', limit)
  }
}

export function checkSeeds(seeds: readonly Seed[]): void {
  for (const { name, window, value, epoch } of seeds) {
    checkCounter(name, window, value)
    if (!Number.isSafeInteger(epoch) || epoch < 0) fail(name, 'epoch', epoch)
  }
}

function checkCounter(name: string, window: Window, value: number): void {
  if (name.length === 0) throw new RangeError('A counter needs a name')
  if (!Number.isSafeInteger(value)) fail(name, 'amount', value)
  if (window.kind === 'fixed' && !(Number.isSafeInteger(window.ms) && window.ms > 0)) {
    fail(name, 'window length', window.ms)
  }
}

function fail(name: string, what: string, value: number): never {
  throw new RangeError(`The ${what} of counter ${name} is ${value}, not a safe integer`)
}
