import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ADMIN_KEY, eachDatabase, installation, startServer, tell, until } from '#test-kit'
import { html, page, send, startSite } from '../contract/scrapers/site.ts'
import { LOOPBACK, scraping } from '../contract/scrapers/support.ts'

const LINKS = 200
const RATE = 5
const TOLD_EVERY_MS = 10_000

eachDatabase('the rate of a run', (kind) => {
  test('scrapers 7: 200 links at 5 a second, with retries, redirects and a kill in between', async (t) => {
    const site = await startSite()
    const links = Array.from({ length: LINKS }, (_, number) => `/even/${number}`)
    site.on('/even', (_, response) => html(response, page({ title: 'Even', links })))
    const failed = new Set<string>()
    for (const [index, link] of links.entries()) {
      site.on(link, (_, response) => {
        if (index % 40 === 3 && !failed.has(link)) {
          failed.add(link)
          return send(response, 500, 'text/plain', 'again')
        }
        if (index % 40 === 5) return response.writeHead(302, { location: `${link}/moved` }).end()
        return html(response, page({ title: link }))
      })
      site.on(`${link}/moved`, (_, response) => html(response, page({ title: `${link} moved` })))
    }
    const server = await startServer(
      await installation(kind, { ENTREPOT_ADMIN_KEY: ADMIN_KEY, ...LOOPBACK }),
    )
    const api = scraping(() => server.url)
    const id = await api.create({
      ...{ url: `${site.url}/even`, rate_limit: RATE },
      crawl: { concurrency: 16, max_pages: 1_000 },
    })
    const runId = await api.start(id)
    const telling = setInterval(() => tell(`${site.hits.length} requests`), TOLD_EVERY_MS)
    after(() => clearInterval(telling))
    await until(() => site.hits.length >= LINKS / 2, { what: 'half of it', withinMs: 120_000 })
    server.signal('SIGKILL')
    await server.exited()
    const before = site.hits.length
    await server.restart()
    const run = await api.finished(id, runId)
    assert.deepEqual([run.status, run.items_collected], ['completed', LINKS + 1])
    const times = site.hits.map(({ atMs }) => atMs)
    for (const from of times) {
      const within = times.filter((atMs) => atMs >= from && atMs < from + 1_000).length
      // One extra is tolerated for jitter between us and the site.
      assert.ok(within <= RATE + 1, `${within} requests in a second`)
    }
    // The last retries wait for their pauses when nothing else is left; the kill has a gap.
    const rates = [times.slice(0, before), times.slice(before, -RATE)].map(perSecond)
    t.diagnostic(`${rates.map((rate) => rate.toFixed(3)).join(' and ')} a second`)
    for (const rate of rates) assert.ok(rate >= 4.9 && rate <= 5.01, `${rate} a second`)
  })
})

function perSecond(times: readonly number[]): number {
  const lastMs = times.at(-1) ?? 0
  return ((times.length - 1) * 1_000) / (lastMs - (times[0] ?? 0))
}
