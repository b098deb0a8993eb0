import type { Bus } from '#bus'
import type { Database } from '#db'
import type { Outbox } from '#events'
import type { Clock, Log, Random } from '#kernel'
import type { SecretBox } from '#secrets'
import type { ChromiumSettings } from './browser/find-chromium.ts'
import { createCodec } from './codec.ts'
import { createLifecycle } from './lifecycle.ts'
import { createRunStore } from './store/runs.ts'
import { createScraperStore } from './store/scrapers.ts'

/** What scrapers need in every thread: that of requests, the worker and the crawling one. */
export interface CommonDeps {
  readonly db: Database
  readonly clock: Clock
  readonly bus: Bus
  readonly log: Log
  readonly box: SecretBox
  /** Where clients see the server, for URLs in events and the name that sites are told. */
  readonly publicUrl: string | undefined
  readonly toEventSteps: Outbox['toSteps']
}

/** Away from requests nobody has checked yet whether a user may do what a scraper does. */
export interface BackgroundDeps extends CommonDeps {
  readonly random: Random
  /** Whether the owner of a scraper may still write. */
  mayWrite(userId: number): Promise<boolean>
}

/** For whoever asks pages of others. */
export interface FetchingDeps {
  readonly version: string
  /** Sites on this machine may be scraped (scrapers contract §4). */
  readonly isDevelopment: boolean
  readonly chromium: ChromiumSettings
}

/** Scrapers and runs as they are stored, and how runs begin and end. */
export function createCommon(deps: CommonDeps) {
  const codec = createCodec(deps.box)
  const scrapers = createScraperStore(codec)
  const runs = createRunStore(codec)
  const publicUrl = deps.publicUrl ?? ''
  return { scrapers, runs, lifecycle: createLifecycle({ ...deps, scrapers, runs, publicUrl }) }
}
