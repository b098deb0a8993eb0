/** What the crawling thread does: it takes runs and carries them out. */
import type { openContentWriter } from '#content-writer'
import { createAddressRule } from '#http'
import type { Loop } from '#jobs'
import { createRenderer } from './browser/renderer.ts'
import { type BackgroundDeps, createCommon, type FetchingDeps } from './common.ts'
import { type RunPublisher, startCrawler } from './engine/crawler.ts'
import type { Run, Scraper } from './records.ts'
import { createPoolStore } from './store/pools.ts'
import { userAgentOf } from './user-agent.ts'

export interface CrawlingDeps extends BackgroundDeps, FetchingDeps {
  /** New with every start of the thread. */
  readonly owner: string
  settings(): {
    readonly maxConcurrentRuns: number
    readonly allowNets: readonly string[]
    readonly renderedPages: number
  }
  /** Loaded when the first run publishes: most do not. */
  openContent(): ReturnType<typeof openContentWriter>
}

export function startCrawling(deps: CrawlingDeps): Loop {
  const { db, box, publicUrl, version, isDevelopment, settings } = deps
  let content: ReturnType<typeof openContentWriter> | undefined
  const renderer = createRenderer({ ...deps, mostPages: () => settings().renderedPages })
  const crawler = startCrawler({
    ...{ ...deps, ...createCommon(deps), openPublisher, renderer },
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
    content ??= deps.openContent().catch((error: unknown) => {
      // The database may be there again for the next run.
      content = undefined
      throw error
    })
    const { createPublisher } = await import('./publish/publisher.ts')
    const { log, clock } = deps
    return createPublisher({ db, log, clock, content: await content, scraper, run, output })
  }

  async function stop() {
    await crawler.stop()
    await renderer.stop()
    ;(await content)?.close()
  }
}
