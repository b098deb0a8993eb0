/** One run of one scraper by itself, without HTTP, schedules and publishing: `entrepot scrape`. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { createAddressRule } from '#http'
import { type Actor, type Issue, invalid } from '#kernel'
import { findChromiumProblem } from './browser/find-chromium.ts'
import { createCommon } from './common.ts'
import { readDefinition } from './definition/definition.ts'
import { type Item, isLive, type LogLine, type Run, type Scraper } from './records.ts'
import { renderCsv, renderNdjson } from './results/formats.ts'
import { createResults } from './results/results.ts'
import { createRuns } from './runs.ts'
import { createScrapers } from './scrapers.ts'
import { findItemsAfter } from './store/items.ts'
import { findStream } from './store/log.ts'
import type { ScrapersTables } from './tables.ts'
import { type CrawlingDeps, startCrawling } from './thread.ts'
import { PROGRESS_TOPIC } from './topics.ts'

/** Without users, events and content; the settings cannot change. */
interface Deps
  extends Omit<CrawlingDeps, 'toEventSteps' | 'mayWrite' | 'openContent' | 'settings'> {
  readonly allowNets: readonly string[]
  readonly renderedPages: number
}

/** How far a run has come, and what its log says beside pages that were fetched. */
export interface Progress {
  readonly run: Run
  readonly lines: readonly LogLine[]
}

export interface Collecting {
  /** Each item as a line when its page is stored; ends with the run. */
  ndjson(): AsyncIterable<string>
  /** All items of the run that is over: only then are the columns known. */
  csv(): AsyncIterable<string>
  /** Ends with the state of the run that is over. */
  progress(): AsyncIterable<Progress>
  /** Ends the run in order; what was collected stays. */
  stop(): Promise<void>
}

type Body = Readonly<Record<string, unknown>>

const READ_AT_ONCE = 500
/** A lost notice costs no more than this. */
const LOOK_EVERY_MS = 250
const WITHOUT_OWNER: Actor = {
  ...{ userId: 0, consumerId: 'system', apiKeyId: null, planId: null },
  ...{ access: 'admin', kind: 'system' },
}
/** Members of a definition that nothing here could carry out. */
const OF_SERVERS = ['schedule', 'proxy_pool', 'output'] as const

/** Refuses what is wrong with a definition, all of it at once. */
export function checkAlone(body: Body): void {
  const issues: Issue[] = OF_SERVERS.flatMap((name) =>
    (body[name] ?? null) === null
      ? []
      : [
          {
            path: [name],
            rule: 'server_only',
            message: `${name} needs a server; leave it out here`,
          },
        ],
  )
  const all = [...readDefinition(body).issues, ...issues]
  if (all.length > 0) throw invalid(all)
}

export function openAlone(deps: Deps) {
  const { db, allowNets, isDevelopment: allowLoopback } = deps
  const reader: Kysely<ScrapersTables> = db.main.reader
  // Nobody hears events of a database that is gone in a moment.
  const toEventSteps = () => []
  const common = createCommon({ ...deps, toEventSteps })
  const runs = createRuns({ ...deps, ...common, store: common.runs })
  const results = createResults({ db, runs })
  const scrapers = createScrapers({
    ...{ ...deps, store: common.scrapers, hasCollection: () => false, hasMedia: () => false },
    findRendererProblem: () => findChromiumProblem(deps.chromium),
    rule: () => createAddressRule({ allowLoopback, allowNets }),
  })
  const crawling = startCrawling({
    ...{ ...deps, toEventSteps, mayWrite: async () => true },
    settings: () => ({ maxConcurrentRuns: 1, allowNets, renderedPages: deps.renderedPages }),
    openContent: () => Promise.reject(new Error('nothing is published here')),
  })
  return { create, start, stop: crawling.stop }

  async function create(body: Body): Promise<Scraper> {
    checkAlone(body)
    return scrapers.create(WITHOUT_OWNER, body)
  }

  async function start(scraper: Scraper): Promise<Collecting> {
    const { id: runId, scraperId } = await runs.start(scraper)
    const filter = { scraperId, runId, change: undefined, urlPrefix: undefined }
    return {
      ndjson: () => renderNdjson(follow, null),
      csv,
      progress,
      stop: async () => void (await runs.stop(scraper)),
    }

    async function* csv(): AsyncGenerator<string> {
      yield* renderCsv(await results.all(filter, { afterId: null, order: 'asc' }), null, true)
    }

    async function* follow(): AsyncGenerator<Item> {
      let afterId: number | null = null
      for (;;) {
        // The state is read first: items written before a final state are then all there.
        const { status } = await runs.get(scraper, runId)
        const range = { afterId, order: 'asc', limit: READ_AT_ONCE } as const
        const items: Item[] = await findItemsAfter(reader, filter, range)
        yield* items
        afterId = items.at(-1)?.id ?? afterId
        if (items.length === READ_AT_ONCE) continue
        if (!isLive(status)) return
        await nextNotice()
      }
    }

    async function* progress(): AsyncGenerator<Progress> {
      let position = 0
      for (;;) {
        const run = await runs.get(scraper, runId)
        const found = await findStream(reader, runId, position, READ_AT_ONCE)
        position = found.at(-1)?.id ?? position
        const lines = found.flatMap((each) => ('line' in each ? each.line : []))
        yield {
          run,
          lines: lines.filter(({ level, type }) => level !== 'info' && type !== 'state'),
        }
        if (found.length === READ_AT_ONCE) continue
        if (!isLive(run.status)) return
        await nextNotice()
      }
    }
  }

  async function nextNotice(): Promise<void> {
    const heard = new AbortController()
    const unsubscribe = deps.bus.subscribe(PROGRESS_TOPIC, () => heard.abort())
    await delay(LOOK_EVERY_MS, undefined, { signal: heard.signal }).catch(() => {})
    unsubscribe()
  }
}
