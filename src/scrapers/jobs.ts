/** What scrapers leave to the worker: schedules, retention and the removal of what is gone. */
import { createLedLoops, type Leases, type Loop } from '#jobs'
import { type BackgroundDeps, createCommon } from './common.ts'
import { createHousekeeping } from './housekeeping.ts'
import { createSchedule } from './schedule.ts'

interface Deps extends BackgroundDeps {
  readonly leases: Leases
  readonly hasPreviousKey: boolean
  settings(): { readonly catchUp: 'one' | 'none' }
}

/** A tick is executed at most 2 s late (scrapers contract §8). */
const TICK_EVERY_MS = 500
const HOUSEKEEPING_EVERY_MS = 5_000
const LEASE_MS = 10_000

export function startScraperJobs(deps: Deps): Loop {
  const { leases, log, random } = deps
  const schedule = createSchedule({ ...deps, ...createCommon(deps) })
  const housekeeping = createHousekeeping(deps)
  return createLedLoops({
    ...{ name: 'scrapers', ttlMs: LEASE_MS, leases, log, random },
    loops: [
      { name: 'scrapers.schedule', everyMs: TICK_EVERY_MS, run: schedule.turn },
      { name: 'scrapers.housekeeping', everyMs: HOUSEKEEPING_EVERY_MS, run: housekeeping.turn },
    ],
  })
}
