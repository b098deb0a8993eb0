import { type Kysely, sql, type Transaction } from 'kysely'
import type { Bus } from '../bus/port.ts'
import type { Database, Tx } from '../db/database.ts'
import { prepared } from '../db/prepared.ts'
import type { Leases } from '../jobs/leases.ts'
import { createLedLoop } from '../jobs/led-loop.ts'
import { type Lookout, SELDOM } from '../jobs/lookout.ts'
import { byAny, type Loop } from '../jobs/loop.ts'
import type { Log } from '../log.ts'
import type { Random } from '../random.ts'
import { APPENDED_TOPIC, type EventTables, SEQUENCED_TOPIC } from './tables.ts'

interface Deps {
  readonly db: Database
  readonly bus: Pick<Bus, 'publish' | 'subscribe'>
}

interface StartDeps {
  readonly leases: Pick<Leases, 'tryHold'>
  /** Finds events whose notice was lost, and those that plans have numbered. */
  readonly lookout: Pick<Lookout, 'watch'>
  /** A killed sequencer is followed by another node's after this time. */
  readonly leaseMs?: number
  readonly log: Log
  readonly random: Random
}

/** Keeps the write transaction under 20 ms on SQLite (DESIGN §4). */
const BATCH = 500
const LEASE_MS = 10_000
/** Beside many writers events are numbered, and those who follow them woken, so often at most. */
const REST_MS = 50

/**
 * Gives committed events their `seq`: 1, 2, 3, … without gaps, in the order in which readers see
 * them. An event with a lower `seq` never appears after one with a higher was readable, which
 * neither ids nor serial numbers can promise while transactions commit in any order.
 */
export function createSequencer({ db, bus }: Deps) {
  let told: number | undefined
  return { start, turn }

  /** Runs on the one node that has the lease. */
  function start({ leases, lookout, leaseMs = LEASE_MS, log, random }: StartDeps): Loop {
    const watch = lookout.watch(whatIsNew, (answer) => Number(answer) !== told)
    return createLedLoop({
      name: 'events.sequencer',
      ...SELDOM,
      restMs: REST_MS,
      ttlMs: leaseMs,
      wake: byAny((wake) => bus.subscribe(APPENDED_TOPIC, wake), watch),
      run: turn,
      leases,
      log,
      random,
    })
  }

  /** Numbers one batch; `true` when it was full, so more may wait. */
  async function turn(): Promise<boolean> {
    const { before, seq } = await db.main.write(async (tx) => {
      const trx = tx.as<EventTables>()
      const { hasUnsequenced, last: before } = await look(trx)
      // Looked up first, so that an idle server does not write.
      if (!hasUnsequenced) return () => ({ before, seq: before })
      await lockPosition(tx)
      await number(trx)
      const moved = await tx.returning(movePosition(trx))
      return () => ({ before, seq: moved()[0]?.seq ?? before })
    })
    if (seq === before) await tellOfCommits(seq)
    else await tell(seq)
    return seq - before >= BATCH
  }

  /** The last number given; below all of them when an event has none yet. */
  function whatIsNew() {
    const reader: Kysely<EventTables> = db.main.reader
    const unnumbered = reader
      .selectFrom('kernel_events')
      .select(sql.lit(-1).as('none'))
      .where('seq', 'is', null)
      .orderBy('ord')
      .limit(sql.lit(1))
    const position = reader.selectFrom('kernel_event_position').select('seq')
    return sql`coalesce(${unnumbered}, ${position.where('name', '=', sql.lit('last'))})`
  }

  async function look(trx: Transaction<EventTables>) {
    const query = prepared(trx, 'events without a number', ['last'], () =>
      trx
        .selectFrom('kernel_event_position')
        .select((expression) => [
          'seq as last',
          expression
            .selectFrom('kernel_events')
            .select('ord')
            .where('seq', 'is', null)
            .orderBy('ord')
            .limit(sql.lit(1))
            .as('waiting'),
        ])
        .where('name', '=', 'last'),
    )
    const [row] = (await trx.executeQuery(query)).rows
    if (!row) throw new Error('the events have no position')
    return { hasUnsequenced: row.waiting !== null, last: row.last }
  }

  /** With one writer plans number their events themselves; who follows them hears of it here. */
  async function tellOfCommits(last: number) {
    const isNews = told !== undefined && last > told
    if (isNews) await tell(last)
    told = last
  }

  async function tell(seq: number) {
    told = seq
    await bus.publish(SEQUENCED_TOPIC, seq)
  }

  /**
   * The lease alone is not enough: its holder may be stopped for a minute in the middle of a turn.
   * This lock lets the batches of two sequencers follow each other, and commits in `seq` order.
   */
  async function lockPosition(tx: Tx) {
    const trx = tx.as<EventTables>()
    const query = prepared(trx, 'lock of the position of events', ['last'], () =>
      trx
        .selectFrom('kernel_event_position')
        .select('seq')
        .where('name', '=', 'last')
        .$if(db.dialect.rowLocks, (locked) => locked.forUpdate()),
    )
    if (tx.isPlan) tx.guard({ compile: () => query })
    else await trx.executeQuery(query)
  }
}

/**
 * After the position is locked: what another sequencer has numbered meanwhile is seen. PostgreSQL is not told how many
 * there are at most: expecting them all it would read the whole table in place of finding each by the index.
 */
async function number(trx: Transaction<EventTables>) {
  const query = prepared(trx, 'numbers of events', ['last'], () =>
    trx
      .updateTable('kernel_events')
      .from((from) =>
        from
          .selectFrom((inner) =>
            inner
              .selectFrom('kernel_events')
              .select('ord')
              .where('seq', 'is', null)
              .orderBy('ord')
              .limit(sql<number>`(select ${sql.lit(BATCH)})`)
              .as('waiting'),
          )
          .select(['ord', sql<number>`row_number() over (order by ord)`.as('step')])
          .as('batch'),
      )
      .set({
        seq: sql<number>`batch.step + (select seq from kernel_event_position where name = ${'last'})`,
      })
      .whereRef('kernel_events.ord', '=', 'batch.ord'),
  )
  await trx.executeQuery(query)
}

/** No row when nothing was numbered. */
function movePosition(trx: Transaction<EventTables>) {
  const query = prepared(trx, 'position of events', ['last'], () => {
    const highest = sql<number>`(select max(seq) from kernel_events)`
    return trx
      .updateTable('kernel_event_position')
      .set({ seq: highest })
      .where('name', '=', 'last')
      .where('seq', '<', highest)
      .returning('seq')
  })
  return { compile: () => query }
}
