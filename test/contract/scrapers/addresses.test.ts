import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { ADMIN_KEY, eachDatabase, installation, shareServer, startServer } from '#test-kit'
import { html, page, send, startSite } from './site.ts'
import { scraping } from './support.ts'

const BLOCKED = [
  'http://127.0.0.1/',
  'http://2130706433/',
  'http://0x7f.1/',
  'http://0177.0.0.1/',
  'http://127.1/',
  'http://[::1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:7f00:1]/',
  'http://10.1.2.3/',
  'http://192.168.0.1/',
  'http://169.254.169.254/latest/meta-data/',
  'http://metadata.google.internal/',
  'http://localhost/',
  'http://100.64.0.1/',
  'http://[fd00::1]/',
]

/** Makes names of this machine, one of which changes its answer. */
const NAMES = fileURLToPath(new URL('./names.ts', import.meta.url))

eachDatabase('addresses in production', (kind) => {
  const server = shareServer(async () =>
    startServer(
      await installation(kind, {
        NODE_OPTIONS: `--import=${NAMES}`,
        ...{ ENTREPOT_ADMIN_KEY: ADMIN_KEY, ENTREPOT_ENV: 'production' },
        ENTREPOT_SCRAPERS_ALLOW_NETS: '127.0.0.5/32',
      }),
    ),
  )
  const api = scraping(() => server().url)

  test('scrapers 13: internal addresses are refused in every spelling', async () => {
    for (const url of BLOCKED) {
      const answer = await api.call('POST', '/scrapers', { body: { name: 'x', url } })
      assert.deepEqual([answer.status, answer.body.error?.code], [422, 'address_not_allowed'], url)
    }
  })

  test('scrapers 13: redirects, links, sitemaps and robots pointers to them are refused', async () => {
    const hidden = await startSite()
    const site = await startSite({ host: '127.0.0.5' })
    const inside = `${hidden.url}/p/0`
    site.on('/robots.txt', (_, response) =>
      send(
        response,
        200,
        'text/plain',
        `Sitemap: ${hidden.url}/sitemap.xml\nSitemap: ${site.url}/s.xml`,
      ),
    )
    const listed = `<urlset><url><loc>${inside}</loc></url></urlset>`
    site.on('/s.xml', (_, response) => send(response, 200, 'application/xml', listed))
    site.on('/start', (_, response) =>
      html(response, page({ title: 'Start', links: ['/away', inside, 'http://localhost/x'] })),
    )
    site.on('/away', (_, response) => response.writeHead(302, { location: inside }).end())
    const run = await api.crawl({
      url: `${site.url}/start`,
      crawl: { follow: 'any', sitemap: 'include', max_retries: 0 },
    })
    assert.equal(run.status, 'completed')
    assert.deepEqual([run.items_collected, hidden.hits.length], [1, 0])
    const log = await api.ok(
      'GET',
      `/scrapers/${run.scraper_id}/runs/${run.id}/log?level=error&limit=100`,
    )
    assert.ok(log.data.length >= 2)
    for (const { message } of log.data) {
      assert.match(message, /not allowed/)
      assert.doesNotMatch(message, /127\.0\.0\.1/)
    }
  })

  test('scrapers 13: a name is checked when it is connected to, not by its spelling', async () => {
    const trap = await startSite()
    const { port } = new URL(trap.url)
    const run = await api.crawl({ url: `http://inside.test:${port}/`, crawl: { max_retries: 0 } })
    assert.deepEqual([run.status, run.error.code], ['failed', 'address_not_allowed'])
    assert.deepEqual(trap.hits, [])
  })

  test('scrapers 13: a name that changes its answer between look-ups is refused then', async () => {
    const open = await startSite({ host: '127.0.0.5' })
    const port = Number(new URL(open.url).port)
    const trap = await startSite({ host: '127.0.0.6', port })
    open.on('/start', (_, response) =>
      // The next request needs another connection, and so another look-up.
      html(response, page({ title: 'Start', links: ['/next'] }), { connection: 'close' }),
    )
    const run = await api.crawl({
      url: `http://rebound.test:${port}/start`,
      crawl: { robots: 'ignore', max_retries: 0 },
    })
    assert.deepEqual([run.items_collected, run.pages_failed], [1, 1])
    assert.deepEqual(open.paths(), ['/start'])
    assert.deepEqual(trap.hits, [])
    const log = await api.ok('GET', `/scrapers/${run.scraper_id}/runs/${run.id}/log?level=error`)
    assert.match(log.data[0].message, /not allowed/)
    assert.doesNotMatch(log.data[0].message, /127\.0\.0/)
  })

  test('scrapers 13: allow-nets opens the address it names and no other', async () => {
    const open = await startSite({ host: '127.0.0.5' })
    assert.equal((await api.crawl({ url: `${open.url}/p/9` })).status, 'completed')
    const body = { name: 'x', url: 'http://127.0.0.6:81/' }
    assert.equal((await api.call('POST', '/scrapers', { body })).status, 422)
  })
})

eachDatabase('addresses in development', (kind) => {
  const server = shareServer(async () =>
    startServer(
      await installation(kind, { ENTREPOT_ADMIN_KEY: ADMIN_KEY, ENTREPOT_ENV: 'development' }),
    ),
  )
  const api = scraping(() => server().url)

  test('scrapers 13: in development this machine is open and nothing else', async () => {
    const site = await startSite()
    assert.equal((await api.crawl({ url: `${site.url}/p/19` })).status, 'completed')
    for (const url of BLOCKED.filter((each) =>
      /10\.1|192\.168|169\.254|metadata|100\.64|fd00/.test(each),
    )) {
      const answer = await api.call('POST', '/scrapers', { body: { name: 'x', url } })
      assert.deepEqual([answer.status, answer.body.error?.code], [422, 'address_not_allowed'], url)
    }
  })
})
