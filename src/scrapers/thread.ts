/** What the crawling thread does: it takes runs and carries them out. */
import type { openContentWriter } from '#content-writer'
import {
  type Bus,
  type Clock,
  createAddressRule,
  type Database,
  type Log,
  type Loop,
  type NewEvent,
  type Random,
  type SecretBox,
  type Tx,
} from '#kernel'
import type { ChromiumSettings } from './browser/find-chromium.ts'
import { createRenderer } from './browser/renderer.ts'
import { createCodec } from './codec.ts'
import { type RunPublisher, startCrawler } from './engine/crawler.ts'
import { createLifecycle } from './lifecycle.ts'
import type { Run, Scraper } from './records.ts'
import { createPoolStore } from './store/pools.ts'
import { createRunStore } from './store/runs.ts'
import { createScraperStore } from './store/scrapers.ts'
import { userAgentOf } from './user-agent.ts'

interface Deps {
  readonly db: Database
  readonly clock: Clock
  readonly bus: Bus
  readonly log: Log
  readonly random: Random
  readonly box: SecretBox
  /** New with every start of the thread. */
  readonly owner: string
  readonly version: string
  readonly publicUrl: string | undefined
  readonly isDevelopment: boolean
  readonly chromium: ChromiumSettings
  settings(): {
    readonly maxConcurrentRuns: number
    readonly allowNets: readonly string[]
    readonly renderedPages: number
  }
  appendEvents(tx: Tx, events: readonly NewEvent[]): Promise<unknown>
  mayWrite(userId: number): Promise<boolean>
  /** Loaded when the first run publishes: most do not. */
  openContent(): ReturnType<typeof openContentWriter>
}

export function startCrawling(deps: Deps): Loop {
  const { db, box, publicUrl, version, isDevelopment, settings } = deps
  const codec = createCodec(box)
  const scrapers = createScraperStore(codec)
  const runs = createRunStore(codec)
  const lifecycle = createLifecycle({ ...deps, scrapers, runs, publicUrl: publicUrl ?? '' })
  let content: ReturnType<typeof openContentWriter> | undefined
  const renderer = createRenderer({ ...deps, mostPages: () => settings().renderedPages })
  const crawler = startCrawler({
    ...deps,
    ...{ scrapers, runs, lifecycle, openPublisher, renderer },
    pools: createPoolStore(box),
    userAgent: userAgentOf(version, publicUrl),
    rule: () => {
      const { allowNets } = settings()
      return createAddressRule({ allowLoopback: isDevelopment, allowNets })
    },
  })
  return { stop }

  async function openPublisher(scraper: Scraper, run: Run): Promise<RunPublisher> {
    const { output } = run.definition
    if (output === null) throw new Error('this run publishes nothing')
    content ??= deps.openContent()
    const { createPublisher } = await import('./publish/publisher.ts')
    return createPublisher({ db, log: deps.log, content: await content, scraper, run, output })
  }

  async function stop() {
    await crawler.stop()
    await renderer.stop()
    ;(await content)?.close()
  }
}
