import { type Kysely, sql, type Transaction } from 'kysely'
import type { Bus } from '../bus/port.ts'
import type { Database } from '../db/database.ts'
import type { Leases } from '../jobs/leases.ts'
import { createLedLoop } from '../jobs/led-loop.ts'
import type { Loop } from '../jobs/loop.ts'
import type { Log } from '../log.ts'
import type { Random } from '../random.ts'
import { APPENDED_TOPIC, type EventTables, SEQUENCED_TOPIC } from './tables.ts'

interface Deps {
  readonly db: Database
  readonly bus: Pick<Bus, 'publish' | 'subscribe'>
}

interface StartDeps {
  readonly leases: Pick<Leases, 'tryHold'>
  /** A killed sequencer is followed by another node's after this time. */
  readonly leaseMs?: number
  readonly log: Log
  readonly random: Random
}

/** Keeps the write transaction under 20 ms on SQLite (DESIGN §4). */
const BATCH = 500
const LEASE_MS = 10_000
/** How long an event waits at most when the notice of its commit was lost. */
const LOOK_EVERY_MS = 500
/** Beside many writers events are numbered, and those who follow them woken, so often at most. */
const REST_MS = 50

/**
 * Gives committed events their `seq`: 1, 2, 3, … without gaps, in the order in which readers see
 * them. An event with a lower `seq` never appears after one with a higher was readable, which
 * neither ids nor serial numbers can promise while transactions commit in any order.
 */
export function createSequencer({ db, bus }: Deps) {
  const reader: Kysely<EventTables> = db.main.reader
  let told: number | undefined
  return { start, turn }

  /** Runs on the one node that has the lease. */
  function start({ leases, leaseMs = LEASE_MS, log, random }: StartDeps): Loop {
    return createLedLoop({
      name: 'events.sequencer',
      everyMs: LOOK_EVERY_MS,
      restMs: REST_MS,
      ttlMs: leaseMs,
      wake: (wake) => bus.subscribe(APPENDED_TOPIC, wake),
      run: turn,
      leases,
      log,
      random,
    })
  }

  /** Numbers one batch; `true` when it was full, so more may wait. */
  async function turn(): Promise<boolean> {
    const { hasUnsequenced, last } = await look()
    if (!hasUnsequenced) {
      await tellOfCommits(last)
      return false
    }
    return db.main.transaction(undefined, async (tx) => {
      const trx = tx.as<EventTables>()
      const last = await lockPosition(trx)
      const count = await number(trx, last)
      if (count === 0) return false
      const seq = last + count
      await trx
        .updateTable('kernel_event_position')
        .set({ seq })
        .where('name', '=', 'last')
        .execute()
      tx.afterCommit(() => {
        told = seq
        return bus.publish(SEQUENCED_TOPIC, seq)
      })
      return count === BATCH
    })
  }

  /** Looked up first, so that an idle server does not write. */
  async function look(): Promise<{ hasUnsequenced: boolean; last: number }> {
    const { waiting, last } = await reader
      .selectFrom('kernel_event_position')
      .select((expression) => [
        'seq as last',
        expression
          .selectFrom('kernel_events')
          .select('ord')
          .where('seq', 'is', null)
          .limit(1)
          .as('waiting'),
      ])
      .where('name', '=', 'last')
      .executeTakeFirstOrThrow()
    return { hasUnsequenced: waiting !== null, last }
  }

  /** With one writer plans number their events themselves; who follows them hears of it here. */
  async function tellOfCommits(last: number) {
    const isNews = told !== undefined && last > told
    told = last
    if (isNews) await bus.publish(SEQUENCED_TOPIC, last)
  }

  /**
   * The lease alone is not enough: its holder may be stopped for a minute in the middle of a turn.
   * This lock lets the batches of two sequencers follow each other, and commits in `seq` order.
   */
  async function lockPosition(trx: Transaction<EventTables>): Promise<number> {
    const { seq } = await trx
      .selectFrom('kernel_event_position')
      .select('seq')
      .where('name', '=', 'last')
      .$if(db.dialect.rowLocks, (query) => query.forUpdate())
      .executeTakeFirstOrThrow()
    return seq
  }

  async function number(trx: Transaction<EventTables>, last: number): Promise<number> {
    const { numUpdatedRows } = await trx
      .updateTable('kernel_events')
      .from((from) =>
        from
          .selectFrom((inner) =>
            inner
              .selectFrom('kernel_events')
              .select('ord')
              .where('seq', 'is', null)
              .orderBy('ord')
              .limit(BATCH)
              .as('waiting'),
          )
          .select(['ord', sql<number>`row_number() over (order by ord)`.as('step')])
          .as('batch'),
      )
      .set({ seq: sql<number>`batch.step + ${last}` })
      .whereRef('kernel_events.ord', '=', 'batch.ord')
      .executeTakeFirst()
    return Number(numUpdatedRows)
  }
}
