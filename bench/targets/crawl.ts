// Our engine alone, as `entrepot scrape` runs it: crawls a site, keeps every item, prints what it took.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLocalBus } from '#bus'
import { migrate, startDatabase } from '#db'
import { createClock, createIds, type Log, random } from '#kernel'
import { openAlone } from '#scrapers-once'
import { createSecretBox } from '#secrets'

const [url = '', mode = 'fields'] = process.argv.slice(2)
const log: Log = { debug() {}, info() {}, warn() {}, error: console.error }
const clock = createClock()
const dataDir = mkdtempSync(join(tmpdir(), 'entrepot-bench-crawl-'))
const { database: db, stop } = await startDatabase(
  { url: undefined, dataDir, readers: 1, readTimeoutMs: 30_000, scanTimeoutMs: 30_000 },
  { clock, log, onThreadFailure: (_name, error) => console.error(error) },
)
await migrate({ database: db, directory: join(import.meta.dirname, '../../migrations'), log })
const scraping = openAlone({
  ...{ db, clock, log, random, version: '0.0.0', publicUrl: undefined },
  box: createSecretBox({ current: Buffer.alloc(32, 1), random }),
  bus: createLocalBus({ log }),
  owner: createIds({ clock, random }).uuid(),
  isDevelopment: true,
  allowNets: [],
  chromium: { chromium: undefined, chromiumUser: undefined },
  renderedPages: 1,
})
const scraper = await scraping.create({
  ...{ name: 'Bench', url, rate_limit: 1000 },
  crawl: { max_pages: 1_000_000, max_depth: 100, concurrency: 16 },
  extract: {
    mode,
    fields: {
      title: 'h1',
      text: 'article',
      links: { selector: 'a', attr: 'href', many: true },
    },
  },
})
// Beyond what a definition may say: the others have no limit of requests a second either.
await db.main.writer
  .updateTable('scrapers_scrapers')
  .set({ rate_limit: 1e9 })
  .where('id', '=', scraper.id)
  .execute()
const cpuBefore = process.cpuUsage()
const startedAtMs = performance.now()
const collecting = await scraping.start(scraper)
let pages = 0
for await (const { run } of collecting.progress()) pages = run.pagesFetched
const seconds = (performance.now() - startedAtMs) / 1000
const { user, system } = process.cpuUsage(cpuBefore)
const memoryMb = (process.resourceUsage().maxRSS * 1024) / 1e6
console.log(JSON.stringify({ pages, seconds, cpuSeconds: (user + system) / 1e6, memoryMb }))
await scraping.stop()
await stop()
rmSync(dataDir, { recursive: true })
process.exit(0)
