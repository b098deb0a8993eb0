import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '#test-kit'
import { startProxy } from './forward-proxy.ts'
import { html, page, type Site, send, startSite } from './site.ts'
import { scraperSuite } from './support.ts'

const SETTINGS = '/settings/scrapers'

/** What each option of a crawl does, held against the same crawl without it. */
export const options = scraperSuite('options', (api) => {
  test('scrapers 7: crawl.delay_ms is a gap between two requests to one host', async () => {
    const site = await tree(['/d/1', '/d/2', '/d/3'])
    const run = await api.crawl({
      ...{ url: `${site.url}/start`, crawl: { delay_ms: 300, concurrency: 8 } },
    })
    assert.equal(run.pages_fetched, 4)
    const times = site.hits.map(({ atMs }) => atMs)
    // Four gaps between five requests; a single one says little, as its way takes its time too.
    const tookMs = (times.at(-1) ?? 0) - (times[0] ?? 0)
    assert.deepEqual([times.length, tookMs >= 4 * 300 - 100], [5, true], times.join(', '))
  })

  test('scrapers 15: crawl.timeout_seconds ends a request that is not answered', async () => {
    const site = await tree(['/hangs'])
    site.on('/hangs', () => {})
    const startedMs = performance.now()
    const run = await api.crawl({
      ...{ url: `${site.url}/start`, crawl: { timeout_seconds: 1, max_retries: 0 } },
    })
    assert.deepEqual([run.pages_failed, run.retries], [1, 0])
    assert.ok(performance.now() - startedMs < 20_000)
    assert.match((await errorsOf(run))[0]?.message ?? '', /time/i)
  })

  test('scrapers 15: crawl.timeout_seconds is the time of a request from its start to its last byte', async () => {
    const site = await tree(['/trickles', '/late'])
    const ended: number[] = []
    site.on('/trickles', (_, response) => {
      const startedMs = performance.now()
      // Head and body each stay below the limit; together they do not.
      const head = setTimeout(() => {
        response.writeHead(200, { 'content-type': 'text/html' })
        response.write('<title>Half</title>')
      }, 5_000)
      const rest = setTimeout(() => response.end('<p>too late</p>'), 10_500)
      response.on('close', () => {
        for (const timer of [head, rest]) clearTimeout(timer)
        ended.push(performance.now() - startedMs)
      })
    })
    site.on('/late', (_, response) => {
      setTimeout(() => html(response, page({ title: 'Late' })), 1_000)
    })
    const run = await api.crawl({
      ...{ url: `${site.url}/start`, crawl: { timeout_seconds: 6, max_retries: 0 } },
    })
    assert.deepEqual([run.pages_failed, run.items_collected], [1, 2])
    const [error] = await errorsOf(run)
    assert.match(error?.message ?? '', /not complete within timeout_seconds/)
    assert.ok((ended[0] ?? 0) < 10_400, `given up after ${ended[0]} ms`)
  })

  test('scrapers 15: crawl.max_retries is how often a page comes again', async () => {
    const failing = (times: number) => async () => {
      const site = await startSite()
      let asked = 0
      site.on('/flaky', (_, response) => {
        if (asked++ < times) return send(response, 500, 'text/plain', 'again')
        return html(response, page({ title: 'At last' }))
      })
      return site
    }
    const two = failing(2)
    const [once, twice] = await Promise.all(
      [1, 2].map(async (max_retries) =>
        api.crawl({ url: `${(await two()).url}/flaky`, crawl: { max_retries } }),
      ),
    )
    assert.deepEqual([once.status, once.retries, once.pages_failed], ['failed', 1, 1])
    assert.deepEqual([twice.status, twice.retries, twice.pages_failed], ['completed', 2, 0])
  })

  test('scrapers 8: crawl.include names the links that are followed, exclude wins', async () => {
    const links = ['/blog/1', '/blog/no/2', '/shop/1', '/blog']
    const site = await tree(links)
    const run = await api.crawl({
      url: `${site.url}/start`,
      crawl: { include: ['/blog/**'], exclude: ['/blog/no/*'] },
    })
    assert.equal(run.pages_fetched, 2)
    assert.deepEqual(site.paths(), ['/start', '/blog/1'])
  })

  test('scrapers 8: what a start URL redirects to is in the scope, in a run and in its preview', async () => {
    const site = await startSite()
    const named = (name: string, path: string) => `${site.url.replace('127.0.0.1', name)}${path}`
    const links = ['/own', '/start', named('b.shop.test', '/beside'), named('c.shop.test', '/out')]
    const shown = page({ title: 'Start', links: [...links, '/moved'] })
    site.on('/moved', (request, response) => {
      if (request.headers.host?.startsWith('www')) return html(response, shown)
      return response.writeHead(301, { location: named('www.shop.test', '/moved') }).end()
    })
    for (const path of ['/own', '/start', '/beside', '/out'])
      site.on(path, (_, response) => html(response, page({ title: path })))
    const definition = {
      url: named('a.shop.test', '/moved'),
      start_urls: [named('b.shop.test', '/start')],
    }
    const preview = await api.ok('POST', '/scrapers/preview', { body: definition })
    const expected = [
      ...[named('www.shop.test', '/own'), named('www.shop.test', '/start')],
      named('b.shop.test', '/beside'),
    ]
    assert.deepEqual(preview.links, expected)
    const run = await api.crawl(definition)
    const found: { url: string }[] = await api.results(run.scraper_id)
    assert.deepEqual(
      found.map(({ url }) => url).sort(),
      [named('www.shop.test', '/moved'), named('b.shop.test', '/start'), ...expected].sort(),
    )
  })

  test('scrapers 8: crawl.follow none, origin, host, domain and any', async () => {
    const site = await startSite()
    const { port } = new URL(site.url)
    const samePort = `:${port}`
    const neighbour = await startSite()
    const elsewhere = await startSite({ host: '127.0.0.2' })
    const otherPort = `:${new URL(neighbour.url).port}`
    const links = [
      ...['/own', `http://www.shop.test${otherPort}/port`, `http://de.shop.test${samePort}/domain`],
      `${elsewhere.url}/other`,
    ]
    site.on('/start', (_, response) => html(response, page({ title: 'Start', links })))
    for (const [at, path] of [
      [site, '/own'],
      [neighbour, '/port'],
      [site, '/domain'],
      [elsewhere, '/other'],
    ] as const) {
      at.on(path, (_, response) => html(response, page({ title: path })))
    }
    const reached = async (follow: string) => {
      const url = `http://www.shop.test${samePort}/start`
      const run = await api.crawl({ url, crawl: { follow } })
      const found: { url: string }[] = await api.results(run.scraper_id)
      return found.map((item) => new URL(item.url).pathname).sort()
    }
    assert.deepEqual(await reached('none'), ['/start'])
    assert.deepEqual(await reached('origin'), ['/own', '/start'])
    assert.deepEqual(await reached('host'), ['/own', '/port', '/start'])
    assert.deepEqual(await reached('domain'), ['/domain', '/own', '/port', '/start'])
    assert.deepEqual(await reached('any'), ['/domain', '/other', '/own', '/port', '/start'])
  })

  test('scrapers 12: crawl.sitemap include adds to the start URLs, off does not ask', async () => {
    const site = await tree(['/linked'])
    const listed = `<urlset><url><loc>${site.url}/listed</loc></url></urlset>`
    site.on('/sitemap.xml', (_, response) => send(response, 200, 'application/xml', listed))
    site.on('/listed', (_, response) => html(response, page({ title: 'Listed' })))
    const off = await api.crawl({ url: `${site.url}/start` })
    assert.equal(off.pages_fetched, 2)
    assert.ok(!site.paths().includes('/sitemap.xml'))
    const run = await api.crawl({ url: `${site.url}/start`, crawl: { sitemap: 'include' } })
    const found: { url: string }[] = await api.results(run.scraper_id)
    const paths = found.map((item) => new URL(item.url).pathname)
    assert.deepEqual(paths.sort(), ['/linked', '/listed', '/start'])
  })

  test('scrapers 14: strategy random uses all proxies in no fixed order', async () => {
    const order: number[] = []
    const proxies = [
      await startProxy(() => void order.push(0)),
      await startProxy(() => void order.push(1)),
    ]
    await pool('random', 'random', proxies)
    const site = await tree(Array.from({ length: 30 }, (_, number) => `/r/${number}`))
    const run = await api.crawl({
      ...{ url: `${site.url}/start`, proxy_pool: 'random', crawl: { concurrency: 1 } },
    })
    assert.equal(run.status, 'completed')
    assert.deepEqual([...new Set(order)].sort(), [0, 1])
    const repeats = order.slice(1).filter((index, at) => index === order[at]).length
    assert.ok(repeats > 0, 'in turn is not at random')
  })

  test('scrapers 14: strategy sticky_host keeps one proxy for one host during a run', async () => {
    const proxies = [await startProxy(), await startProxy()]
    await pool('sticky', 'sticky_host', proxies)
    const links = ['/s/1', '/s/2', '/s/3']
    const [one, two] = [await tree(links), await tree(links, '127.0.0.2')]
    const run = await api.crawl({
      ...{ url: `${one.url}/start`, start_urls: [`${two.url}/start`], proxy_pool: 'sticky' },
      crawl: { concurrency: 1 },
    })
    assert.equal(run.pages_fetched, 8)
    const targets = proxies.map(({ asked }) => [...new Set(asked.map(({ target }) => target))])
    assert.deepEqual(targets.flat().sort(), [one, two].map(({ url }) => new URL(url).host).sort())
    assert.ok(targets.every(({ length }) => length === 1))
  })

  test('scrapers 3: max_concurrent_runs: the next one waits until a run is over', async () => {
    const site = await startSite()
    site.on('/hangs', () => {})
    await api.ok('PATCH', SETTINGS, { body: { max_concurrent_runs: 1 } })
    const [first, second] = [await hanging(), await hanging()]
    await until(async () => (await statusOf(first)) === 'running', { what: 'the first run' })
    const asked = () => site.paths().length
    await until(() => asked() === 1, { what: 'its request' })
    // Several rounds of the loop that takes runs, all of which must leave the second one alone.
    const other = performance.now() + 1_500
    await until(() => performance.now() > other)
    assert.deepEqual([await statusOf(second), asked()], ['pending', 1])
    await api.ok('POST', `/scrapers/${first}/stop`)
    await until(async () => (await statusOf(second)) === 'running', { what: 'the second run' })
    await api.ok('POST', `/scrapers/${second}/stop`)
    await api.ok('PATCH', SETTINGS, { body: { max_concurrent_runs: null } })

    async function hanging(): Promise<number> {
      const id = await api.create({ url: `${site.url}/hangs`, crawl: { robots: 'ignore' } })
      await api.start(id)
      return id
    }
  })

  async function statusOf(id: number): Promise<string> {
    return (await api.ok('GET', `/scrapers/${id}/status`)).status
  }

  async function errorsOf(run: { scraper_id: number; id: number }): Promise<{ message: string }[]> {
    const { scraper_id, id } = run
    return (await api.ok('GET', `/scrapers/${scraper_id}/runs/${id}/log?level=error`)).data
  }

  async function pool(name: string, strategy: string, proxies: readonly { port: number }[]) {
    const addresses = proxies.map(({ port }) => `http://127.0.0.1:${port}`)
    await api.ok('POST', '/proxy-pools', { body: { name, strategy, proxies: addresses } })
  }
})

/** A site whose `/start` links to these pages. */
async function tree(links: readonly string[], host = '127.0.0.1'): Promise<Site> {
  const site = await startSite({ host })
  site.on('/start', (_, response) => html(response, page({ title: 'Start', links })))
  for (const link of links) site.on(link, (_, response) => html(response, page({ title: link })))
  return site
}
