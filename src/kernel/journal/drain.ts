import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import type { Store, Tx } from '../db/database.ts'
import type { Log } from '../log.ts'
import { openTally } from './address.ts'
import { createBacklog, type Taken } from './backlog.ts'
import type { Journal } from './open.ts'
import { advance } from './positions.ts'
import type { JournalRecord } from './segment-reader.ts'

interface Deps {
  readonly journal: Journal
  /** The store whose transaction takes the records; it keeps the positions too. */
  readonly store: Store
  /** Writes at most 500 records in `tx`. A throw puts them back, so it must not refuse for ever. */
  readonly handle: (tx: Tx, records: readonly JournalRecord[]) => Promise<void>
  readonly clock: Clock
  readonly log: Log
}

const BATCH_RECORDS = 500
const PASS_EVERY_MS = 1_000
const ADOPT_EVERY_MS = 60_000
const MAX_BACKOFF_MS = 5_000

/**
 * Moves the journal into the database: each record is handled in exactly one committed
 * transaction, whatever is killed when, because the same transaction remembers how far it came.
 */
export function createJournalDrain({ journal, store, handle, clock, log }: Deps) {
  const tally = openTally(journal.address.shared)
  const backlog = createBacklog({ journal, store, tally })
  const stopping = new AbortController()
  let allComplete = false
  let adoptAtMs = 0
  let failures = 0
  let turn: Promise<unknown> = Promise.resolve()
  let loop: Promise<void> | undefined
  let emptyAtMs = performance.now()

  return { start, drainAll, stop, state }

  /** How much waits, and for how long at most its oldest part has. */
  function state() {
    const waitingBytes = Math.max(0, tally.waitingBytes())
    return { waitingBytes, lagMs: waitingBytes === 0 ? 0 : performance.now() - emptyAtMs }
  }

  /** Drains in the background from now on; while the database is away it waits and tries again. */
  function start() {
    loop ??= run()
  }

  /**
   * Everything appended before the call is in the database afterwards; throws when it cannot be. What
   * is appended meanwhile is left to the background: under traffic there would be no end.
   */
  function drainAll(): Promise<void> {
    return inTurn(async () => {
      adoptAtMs = 0
      let last = await step()
      const mark = backlog.mark()
      while (last !== 'nothing' && (allComplete || !backlog.hasReached(mark))) last = await step()
    })
  }

  /** Ends the background work and drains the rest. All writers must be closed before. */
  async function stop() {
    stopping.abort()
    tally.ring()
    await loop
    allComplete = true
    try {
      await drainAll()
    } catch (error) {
      log.warn({ err: error }, 'the journal could not be drained; the next start will do it')
    }
    backlog.close()
  }

  async function run() {
    while (!stopping.signal.aborted) {
      await pause()
      const isIdle = tally.waitingBytes() <= 0 && performance.now() < adoptAtMs
      if (stopping.signal.aborted || isIdle) continue
      try {
        await inTurn(drainWhileFull)
        if (failures > 0) log.info({ failures }, 'the journal is drained again')
        failures = 0
      } catch (error) {
        failures++
        log.warn({ err: error, failures }, 'the journal waits: its records could not be stored')
      }
    }
  }

  async function drainWhileFull() {
    while (!stopping.signal.aborted && (await step()) === 'full');
  }

  async function pause() {
    if (failures === 0) return tally.untilRung(PASS_EVERY_MS)
    const waitMs = Math.min(PASS_EVERY_MS * 2 ** (failures - 1), MAX_BACKOFF_MS)
    await delay(waitMs, undefined, { signal: stopping.signal, ref: false }).catch(() => {})
  }

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = turn.then(work)
    turn = result.catch(() => {})
    return result
  }

  /** At most one transaction; `full` when more records are likely to wait. */
  async function step(): Promise<'full' | 'part' | 'nothing'> {
    tally.beginPass()
    const passAtMs = performance.now()
    try {
      adoptWhenDue()
      await backlog.refresh({ allComplete })
      const taken = await backlog.take(BATCH_RECORDS)
      const records = taken.flatMap(({ portion }) => portion.records)
      if (taken.length > 0) await commit(taken, records)
      await backlog.removeFinished()
      const isFull = records.length === BATCH_RECORDS
      // What was appended later than this is all that can still wait.
      if (!isFull) emptyAtMs = passAtMs
      if (taken.length === 0) return 'nothing'
      return isFull || taken.some(({ portion }) => portion.hasMore) ? 'full' : 'part'
    } catch (error) {
      backlog.doubtPositions()
      if (error instanceof Superseded) return 'full'
      throw error
    }
  }

  function adoptWhenDue() {
    if (performance.now() < adoptAtMs) return
    journal.adoptDead()
    journal.forgetEmpty()
    adoptAtMs = performance.now() + ADOPT_EVERY_MS
  }

  async function commit(taken: readonly Taken[], records: readonly JournalRecord[]) {
    const nowMs = clock.now()
    await store.transaction(undefined, async (tx) => {
      for (const { reading, portion } of taken) {
        const move = { segment: reading.segment, from: reading.position, to: portion.end }
        if (!(await advance(tx, move, nowMs))) throw new Superseded()
      }
      if (records.length > 0) await handle(tx, records)
    })
    backlog.moved(taken)
    warnOfDamage(taken)
  }

  function warnOfDamage(taken: readonly Taken[]) {
    for (const { reading, portion } of taken) {
      const { skippedBytes } = portion
      if (skippedBytes === 0) continue
      log.warn(
        { segment: reading.segment, skippedBytes, until: portion.end },
        'part of the journal cannot be read and is skipped',
      )
    }
  }
}

export type JournalDrain = ReturnType<typeof createJournalDrain>

/** Somebody else moved the position: nothing of this batch may be kept. */
class Superseded extends Error {}
