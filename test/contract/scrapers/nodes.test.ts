import assert from 'node:assert/strict'
import { AsyncResource } from 'node:async_hooks'
import { before, describe, test } from 'node:test'
import { ADMIN_KEY, startPair, type TestServer, until } from '#test-kit'
import { startSite } from './site.ts'
import { LOOPBACK, type Scraping, scraping } from './support.ts'

const MINUTE_MS = 60_000
/** A lease is lost after 20 s; the rest is for a machine that does other things too. */
const TAKEN_OVER_MS = 90_000

describe('scrapers of two nodes on one PostgreSQL', () => {
  let nodes: [TestServer, TestServer] | undefined
  before(
    AsyncResource.bind(async () => {
      nodes = await startPair({ ENTREPOT_ADMIN_KEY: ADMIN_KEY, ...LOOPBACK })
    }),
  )
  const node = (index: 0 | 1): TestServer => {
    if (!nodes) throw new Error('not started yet')
    return nodes[index]
  }
  const first = scraping(() => node(0).url)
  const second = scraping(() => node(1).url)

  test('scrapers 10: a run started on one node is stopped through the other', async () => {
    const site = await startSite()
    site.on('/hangs', () => {})
    for (const [one, other] of [
      [first, second],
      [second, first],
    ] satisfies [Scraping, Scraping][]) {
      const asked = site.paths().length
      const id = await one.create({ url: `${site.url}/hangs` })
      const runId = await one.start(id)
      await until(() => site.paths().length > asked, { what: 'the request' })
      const stopped = await other.call('POST', `/scrapers/${id}/stop`)
      assert.deepEqual([stopped.status, stopped.body], [200, { run_id: runId, status: 'stopped' }])
      assert.equal((await one.ok('GET', `/scrapers/${id}/runs/${runId}`)).status, 'stopped')
    }
  })

  test('scrapers 10: a schedule of every minute starts one run a minute', async () => {
    const site = await startSite()
    const id = await first.create({ url: `${site.url}/p/19`, schedule: '* * * * *' })
    const { next_run_at } = await first.ok('GET', `/scrapers/${id}`)
    const runs: { id: number; trigger: string; started_at: string }[] = []
    for (let minute = 0; minute < 4; minute++) {
      const tickMs = Date.parse(next_run_at) + minute * MINUTE_MS
      await Promise.all([0, 1].map((index) => moveTo(node(index === 0 ? 0 : 1), tickMs + 300)))
      await until(
        async () => (await second.ok('GET', `/scrapers/${id}/runs`)).meta.total > minute,
        {
          what: `run ${minute + 1}`,
        },
      )
      const { data, meta } = await second.ok('GET', `/scrapers/${id}/runs`)
      assert.equal(meta.total, minute + 1)
      runs.push(data[0])
      assert.equal((await first.finished(id, data[0].id)).status, 'completed')
    }
    for (const [minute, { started_at, trigger }] of runs.entries()) {
      const lateMs = Date.parse(started_at) - Date.parse(next_run_at) - minute * MINUTE_MS
      assert.ok(lateMs >= 0 && lateMs < 30_000, `${lateMs} ms`)
      assert.equal(trigger, 'schedule')
    }
    assert.equal(site.paths().length, 4)
    await first.ok('DELETE', `/scrapers/${id}`)
    await Promise.all([node(0).setClockOffset(0), node(1).setClockOffset(0)])
  })

  test('scrapers 10: the run of a node that is killed goes on at the other', async () => {
    const pages = 240
    const site = await startSite({ pages })
    await node(1).kill()
    const id = await first.create({
      ...{ url: `${site.url}/p/0`, rate_limit: 20, crawl: { max_depth: 20, max_pages: 1_000 } },
    })
    const runId = await first.start(id)
    await until(() => site.paths().length > 0, { what: 'the first page' })
    await node(1).restart()
    // Nobody else may have the run as long as its node lives.
    assert.equal((await second.ok('GET', `/scrapers/${id}/runs/${runId}`)).recoveries, 0)
    await node(0).kill()
    const before = new Set(site.paths()).size
    assert.ok(before < pages, `${before} pages before the kill`)
    await until(() => new Set(site.paths()).size > before, {
      ...{ what: 'the takeover', withinMs: TAKEN_OVER_MS },
    })
    const run = await second.finished(id, runId)
    assert.deepEqual(
      [run.status, run.recoveries, run.items_collected, run.pages_queued],
      ['completed', 1, pages, 0],
    )
    const items: { url: string }[] = await second.results(id)
    assert.equal(new Set(items.map(({ url }) => url)).size, pages)
    assert.equal(items.length, pages)
  })
})

function moveTo(server: TestServer, atMs: number): Promise<void> {
  return server.setClockOffset(atMs - Date.now())
}
