import type { Kysely } from 'kysely'
import type { Bus } from '#bus'
import type { Database, Tx } from '#db'
import type { NewEvent } from '#events'
import { anyOf, byAny, createLedLoops, type Leases, type Lookout, type Loop, SELDOM } from '#jobs'
import type { Clock, Log, Random } from '#kernel'
import { createCarryOut } from './carry-out.ts'
import { createCleaning } from './clean.ts'
import { createCompletion } from './complete.ts'
import { createDueOperations, openBulks } from './due.ts'
import { createOutcomes } from './outcomes.ts'
import { inGroups } from './schedule.ts'
import type { BulksTables } from './tables.ts'
import { DUE_TOPIC } from './topics.ts'

type CarryOutDeps = Parameters<typeof createCarryOut>[0]

export interface BulkWorkerDeps {
  readonly db: Database
  readonly clock: Clock
  readonly bus: Bus
  readonly leases: Leases
  readonly lookout: Pick<Lookout, 'watch'>
  readonly log: Log
  readonly random: Random
  /** Groups of operations that are carried out at once. */
  readonly workers: number
  appendEvents(tx: Tx, events: readonly NewEvent[]): Promise<unknown>
  /** Opened when the first operation waits: most workers never change a product. */
  openProducts(): Promise<Pick<CarryOutDeps, 'products' | 'findStore'> & { close(): void }>
}

const LEAD_MS = 10_000
const CLEAN_EVERY_MS = 5_000
/** After so long nothing more begins: whoever came meanwhile has his turn. */
const TURN_MS = 500

/**
 * Carries out what waits, on one node of all, so that operations on one SKU follow each other in the order in which
 * they came. A node that was passed over without noticing does nothing twice: the status of an operation is part of
 * what its transaction depends on.
 */
export function startBulkWorker(deps: BulkWorkerDeps): Loop {
  const { db, clock, bus, leases, lookout, log, random, workers } = deps
  const reader: Kysely<BulksTables> = db.main.reader
  const waiting = createDueOperations(reader)
  const completion = createCompletion(deps)
  const outcomes = createOutcomes(deps)
  let opened: Awaited<ReturnType<BulkWorkerDeps['openProducts']>> | undefined
  const loops = createLedLoops({
    ...{ name: 'commerce.bulks', ttlMs: LEAD_MS, leases, log, random },
    loops: [
      {
        ...{ name: 'commerce.bulks', ...SELDOM, run: turn },
        wake: byAny(
          (wake) => bus.subscribe(DUE_TOPIC, wake),
          lookout.watch(() => anyOf(openBulks(reader))),
        ),
      },
      { name: 'commerce.cleaning', everyMs: CLEAN_EVERY_MS, run: createCleaning(deps).turn },
    ],
  })
  return { stop }

  async function turn(signal: AbortSignal): Promise<boolean> {
    const due = await waiting.next()
    if (due.length > 0) {
      const { carryOut } = createCarryOut({ db, log, random, outcomes, ...(await products()) })
      const endsAtMs = clock.now() + TURN_MS
      const mayBegin = () => !signal.aborted && clock.now() < endsAtMs
      await inGroups(due, { atOnce: workers, mayBegin }, carryOut)
    }
    await completion.completeAll()
    return due.length > 0
  }

  /** An opening that failed is tried again with the next turn. */
  async function products() {
    opened ??= await deps.openProducts()
    return opened
  }

  async function stop() {
    await loops.stop()
    opened?.close()
  }
}
