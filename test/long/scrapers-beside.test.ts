import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ADMIN_KEY, createCalls, eachDatabase, installation, startServer } from '#test-kit'
import { startSite } from '../contract/scrapers/site.ts'
import { LOOPBACK, scraping } from '../contract/scrapers/support.ts'

const ROUNDS = 6
const REQUESTS = 1_500
const AT_ONCE = 4

eachDatabase('content beside a crawl', (kind) => {
  test('scrapers §3: a running crawl raises the p99 of the content API by less than a half', async (t) => {
    const site = await startSite({ pages: 1_000_000 })
    const server = await startServer(
      await installation(kind, {
        ENTREPOT_ADMIN_KEY: ADMIN_KEY,
        ENTREPOT_STARTER: 'types',
        ...LOOPBACK,
      }),
    )
    const api = scraping(() => server.url)
    const calls = createCalls(() => server.url)
    for (let number = 0; number < 50; number++) {
      const body = { title: `Article ${number}`, body: 'text '.repeat(200) }
      await calls.ok('POST', '/api/v1/articles', { body })
    }
    const id = await api.create({
      ...{ url: `${site.url}/p/0`, rate_limit: 20 },
      crawl: { max_pages: 1_000_000, max_depth: 100 },
    })
    await measure()
    // In alternation, because other work on the machine comes and goes.
    const alone: number[] = []
    const beside: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      alone.push(await measure())
      const runId = await api.start(id)
      const from = site.hits.length
      beside.push(await measure())
      assert.ok(site.hits.length > from, 'the crawl was running')
      await api.ok('POST', `/scrapers/${id}/stop`)
      await api.finished(id, runId)
    }
    t.diagnostic(`alone ${shown(alone)} ms, beside a crawl ${shown(beside)} ms`)
    assert.ok(median(beside) < median(alone) * 1.5, `${median(alone)} and ${median(beside)} ms`)

    /** The p99 of lists, several at once. */
    async function measure(): Promise<number> {
      const times: number[] = []
      let left = REQUESTS
      await Promise.all(
        Array.from({ length: AT_ONCE }, async () => {
          while (left-- > 0) {
            const startedMs = performance.now()
            await calls.ok('GET', `/api/v1/articles?per_page=10&page=${(left % 5) + 1}`)
            times.push(performance.now() - startedMs)
          }
        }),
      )
      times.sort((a, b) => a - b)
      return times[Math.floor(times.length * 0.99)] ?? 0
    }
  })
})

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

function shown(values: readonly number[]): string {
  return values.map((value) => value.toFixed(1)).join(', ')
}
