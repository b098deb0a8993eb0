/** What scrapers leave to the worker: schedules, retention and the removal of what is gone. */
import type { Kysely } from 'kysely'
import { anyOf, createLedLoops, type Leases, type Lookout, type Loop, SELDOM } from '#jobs'
import { type BackgroundDeps, createCommon } from './common.ts'
import { createHousekeeping } from './housekeeping.ts'
import { createSchedule } from './schedule.ts'
import type { ScrapersTables } from './tables.ts'

interface Deps extends BackgroundDeps {
  readonly leases: Leases
  readonly lookout: Pick<Lookout, 'watch'>
  readonly hasPreviousKey: boolean
  settings(): { readonly catchUp: 'one' | 'none' }
}

const HOUSEKEEPING_EVERY_MS = 5_000
const LEASE_MS = 10_000

export function startScraperJobs(deps: Deps): Loop {
  const { db, leases, lookout, log, random } = deps
  const reader: Kysely<ScrapersTables> = db.main.reader
  const common = createCommon(deps)
  const schedule = createSchedule({ ...deps, ...common })
  const housekeeping = createHousekeeping(deps)
  // A tick is executed at most 2 s late (scrapers contract §8).
  const onTick = lookout.watch((nowMs) => anyOf(common.scrapers.due(reader, nowMs)))
  return createLedLoops({
    ...{ name: 'scrapers', ttlMs: LEASE_MS, leases, log, random },
    loops: [
      { name: 'scrapers.schedule', ...SELDOM, wake: onTick, run: schedule.turn },
      { name: 'scrapers.housekeeping', everyMs: HOUSEKEEPING_EVERY_MS, run: housekeeping.turn },
    ],
  })
}
