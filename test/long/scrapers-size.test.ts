import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { ADMIN_KEY, eachDatabase, installation, residentMib, startServer, tell } from '#test-kit'
import { startSite } from '../contract/scrapers/site.ts'
import { LOOPBACK, scraping } from '../contract/scrapers/support.ts'

const PAGES = Number(process.env['PAGES'] ?? 100_000)
/** Until here caches fill and the heap finds its size; the contract says 10,000 pages. */
const WARM = Math.min(10_000, PAGES / 2)
const MAX_GROWTH_MB = 100
const LOOK_EVERY_MS = 2_000

eachDatabase('a large crawl', (kind) => {
  test(`scrapers 21: ${PAGES} pages are crawled in bounded memory`, async (t) => {
    const site = await startSite({ pages: PAGES })
    const server = await startServer(
      await installation(kind, { ENTREPOT_ADMIN_KEY: ADMIN_KEY, ...LOOPBACK }),
    )
    const api = scraping(() => server.url)
    const id = await api.create({
      ...{ url: `${site.url}/p/0`, rate_limit: 1_000 },
      crawl: { max_pages: PAGES, max_depth: 100, concurrency: 64, max_duration_seconds: 7_200 },
    })
    const runId = await api.start(id)
    const startedMs = performance.now()
    let warmMb = 0
    let mostMb = 0
    let toldAt = 0
    for (;;) {
      const run = await api.ok('GET', `/scrapers/${id}/runs/${runId}`)
      const nowMb = residentMib(server.pid)
      if (run.pages_fetched >= WARM) {
        if (warmMb === 0) warmMb = nowMb
        mostMb = Math.max(mostMb, nowMb)
      }
      if (run.pages_fetched >= toldAt) {
        const sinceS = Math.round((performance.now() - startedMs) / 1_000)
        tell(`${run.pages_fetched} of ${PAGES} pages after ${sinceS} s, ${nowMb} MB`)
        toldAt = run.pages_fetched + PAGES / 50
      }
      if (run.status !== 'pending' && run.status !== 'running') break
      // The list of requests grows with the site, in this process.
      site.hits.length = 0
      await delay(LOOK_EVERY_MS)
    }
    const run = await api.ok('GET', `/scrapers/${id}/runs/${runId}`)
    const seconds = (performance.now() - startedMs) / 1_000
    t.diagnostic(`${Math.round(PAGES / seconds)} pages a second; ${warmMb} MB, then ${mostMb} MB`)
    assert.deepEqual([run.status, run.items_collected], ['completed', PAGES])
    assert.ok(mostMb - warmMb < MAX_GROWTH_MB, `${warmMb} MB at ${WARM} pages, then ${mostMb} MB`)
  })
})
