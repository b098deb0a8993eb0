import { type Clock, DomainError } from '#kernel'
import type { LimitOutcome } from './limits.ts'
import type { ActiveKey } from './principal.ts'

/** What a request with a key leaves behind (Doc 2 §2.3). */
export interface UsageEntry {
  readonly keyId: number
  readonly endpoint: string
  readonly method: string
  readonly status: number
  readonly responseMs: number
  readonly atMs: number
  readonly counted: boolean
  readonly cost: number
  readonly requestId: string
  /** The plan's requests per month when the request was decided; null: unlimited. */
  readonly monthLimit: number | null
  /** Of the month counter that holds the cost; null when nobody knows. */
  readonly epoch: number | null
}

/** Where usage goes: the journal of this thread. */
export interface UsageSink {
  /** False when there is no room. */
  append(entry: UsageEntry): boolean
  /** Appends together with others of this moment; the answer waits for `written`. */
  appendSoon(entry: UsageEntry, written: (isWritten: boolean) => void): void
  hasRoom(): boolean
}

/** What the limits say of a request that they let through. */
type Decided = Pick<LimitOutcome, 'decidedAtMs' | 'epoch'>

/** The usage record of one request, appended once. */
export interface Meter {
  /** Let through by the limits at that moment, so it consumed quota. */
  count(cost: number, decided: Decided): void
  /** False when the journal has no room: the answer must not be sent. */
  record(status: number): boolean
  /** The same for an answer that can wait a moment, which costs a fraction where there are many. */
  recordSoon(status: number, written: (isRecorded: boolean) => void): void
}

interface Metered {
  readonly key: ActiveKey
  readonly method: string
  readonly requestId: string
  /** Of `performance.now()`. */
  readonly startedMs: number
  /** Asked when the record is made, because a route may say it late. */
  endpoint(): string
}

interface Deps {
  readonly sink: Pick<UsageSink, 'append' | 'appendSoon'>
  readonly clock: Pick<Clock, 'now'>
}

/** Meters one request of a key: one record, appended before the last byte of its answer. */
export function startMeter({ sink, clock }: Deps, metered: Metered): Meter {
  const { key, method, requestId, startedMs } = metered
  let atMs = clock.now()
  let cost: number | null = null
  let epoch = 0
  let isTaken = false
  let isRecorded = true
  return { count, record, recordSoon }

  function count(given: number, decided: Decided): void {
    cost = given
    atMs = decided.decidedAtMs
    epoch = decided.epoch
  }

  function record(status: number): boolean {
    const entry = take(status)
    if (entry) isRecorded = sink.append(entry)
    return isRecorded
  }

  function recordSoon(status: number, written: (isRecorded: boolean) => void): void {
    const entry = take(status)
    if (!entry) written(isRecorded)
    else
      sink.appendSoon(entry, (isWritten) => {
        isRecorded = isWritten
        written(isWritten)
      })
  }

  /** Null when it was made before. */
  function take(status: number): UsageEntry | null {
    if (isTaken) return null
    isTaken = true
    return {
      keyId: key.id,
      endpoint: metered.endpoint(),
      method,
      status,
      responseMs: Math.round(performance.now() - startedMs),
      atMs,
      counted: cost !== null,
      cost: cost ?? 0,
      requestId,
      monthLimit: key.plan.requestsPerMonth,
      epoch,
    }
  }
}

/** Better refused than unrecorded: billing must be exact (access contract §7). */
export function journalFull(): DomainError {
  return new DomainError('unavailable', 'usage_unavailable', 'Usage cannot be recorded right now', {
    facts: { retry_after: 1 },
  })
}
