/** What scrapers leave to the worker: schedules, retention and the removal of what is gone. */
import {
  type Bus,
  type Clock,
  createLedLoops,
  type Database,
  type Leases,
  type Log,
  type Loop,
  type NewEvent,
  type Random,
  type SecretBox,
  type Tx,
} from '#kernel'
import { createCodec } from './codec.ts'
import { createHousekeeping } from './housekeeping.ts'
import { createLifecycle } from './lifecycle.ts'
import { createSchedule } from './schedule.ts'
import { createRunStore } from './store/runs.ts'
import { createScraperStore } from './store/scrapers.ts'

interface Deps {
  readonly db: Database
  readonly clock: Clock
  readonly bus: Bus
  readonly log: Log
  readonly random: Random
  readonly box: SecretBox
  readonly leases: Leases
  readonly publicUrl: string | undefined
  readonly hasPreviousKey: boolean
  settings(): { readonly catchUp: 'one' | 'none' }
  appendEvents(tx: Tx, events: readonly NewEvent[]): Promise<unknown>
  /** Whether the owner of a scraper may still write. */
  mayWrite(userId: number): Promise<boolean>
}

/** A tick is executed at most 2 s late (scrapers contract §8). */
const TICK_EVERY_MS = 500
const HOUSEKEEPING_EVERY_MS = 5_000
const LEASE_MS = 10_000

export function startScraperJobs(deps: Deps): Loop {
  const { leases, log, random, publicUrl } = deps
  const codec = createCodec(deps.box)
  const scrapers = createScraperStore(codec)
  const runs = createRunStore(codec)
  const lifecycle = createLifecycle({ ...deps, scrapers, runs, publicUrl: publicUrl ?? '' })
  const schedule = createSchedule({ ...deps, scrapers, runs, lifecycle })
  const housekeeping = createHousekeeping(deps)
  return createLedLoops({
    ...{ name: 'scrapers', ttlMs: LEASE_MS, leases, log, random },
    loops: [
      { name: 'scrapers.schedule', everyMs: TICK_EVERY_MS, run: schedule.turn },
      { name: 'scrapers.housekeeping', everyMs: HOUSEKEEPING_EVERY_MS, run: housekeeping.turn },
    ],
  })
}
