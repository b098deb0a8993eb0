/**
 * Collects content: scrapers, their runs, schedules and results. The crawling itself is in a thread
 * of its own (`#scrapers-thread`), schedules and clean-up in the worker (`startScraperJobs`).
 */

import type { FastifyRequest } from 'fastify'
import type { Kysely } from 'kysely'
import { type AddressRule, createAddressRule, type EventStreams, type HttpApp } from '#http'
import { findChromiumProblem } from './browser/find-chromium.ts'
import { type CommonDeps, createCommon, type FetchingDeps } from './common.ts'
import { createPools } from './pools.ts'
import { createPreview } from './preview/preview.ts'
import { createProgress } from './progress.ts'
import { createResults } from './results/results.ts'
import { poolRoutes } from './routes/pools.ts'
import { resultRoutes } from './routes/results.ts'
import { runRoutes } from './routes/runs.ts'
import { scraperRoutes } from './routes/scrapers.ts'
import { createRuns } from './runs.ts'
import { createScrapers as createScraperCases } from './scrapers.ts'
import { createPoolStore } from './store/pools.ts'
import type { ScrapersTables } from './tables.ts'
import { userAgentOf } from './user-agent.ts'

export { startScraperJobs } from './jobs.ts'
export { resetScraperSecrets } from './lost-secrets.ts'
export { hasLiveRuns, listLiveRuns } from './store/live-runs.ts'
export { WORK_TOPIC } from './topics.ts'

export interface ScrapersDeps extends CommonDeps, FetchingDeps {
  readonly eventStreams: EventStreams
  settings(): { readonly allowNets: readonly string[] }
  recordUsage(request: FastifyRequest): boolean
  origin(request: FastifyRequest): string
  hasCollection(name: string): boolean
  /** Whether the collection has such an attribute and files can be attached to it. */
  hasMedia(collection: string, attribute: string): boolean
}

export function createScrapers(deps: ScrapersDeps) {
  const { db, box, publicUrl, version, chromium } = deps
  const common = createCommon(deps)
  const addresses = () => ({
    allowLoopback: deps.isDevelopment,
    allowNets: deps.settings().allowNets,
  })
  const rule = (): AddressRule => createAddressRule(addresses())
  const runs = createRuns({ ...deps, ...common, store: common.runs })
  const scrapers = createScraperCases({
    ...deps,
    ...{ store: common.scrapers, rule },
    findRendererProblem: () => findChromiumProblem(deps.chromium),
  })
  const userAgent = userAgentOf(version, publicUrl)
  const pools = createPoolStore(box)
  const reader: Kysely<ScrapersTables> = db.main.reader
  const route = {
    ...{ origin: deps.origin, scrapers, runs },
    results: createResults({ db, runs }),
    progress: createProgress({ ...deps, runs: common.runs }),
    pools: createPools({ ...deps, store: pools }),
    preview: createPreview({
      log: deps.log,
      address: () => ({ ...addresses(), userAgent, chromium }),
      findPool: (name) => pools.find(reader, name),
    }),
  }
  return {
    /** For the mount `/api/v1`. */
    async routes(app: HttpApp) {
      await scraperRoutes(route)(app)
      await runRoutes(route)(app)
      await resultRoutes(route)(app)
      await poolRoutes(route)(app)
    },
  }
}
