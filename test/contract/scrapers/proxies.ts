import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type Server, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { startProxy } from './forward-proxy.ts'
import { html, page } from './site.ts'
import { scraperSuite } from './support.ts'

export const proxies = scraperSuite('proxy pools', (api) => {
  test('scrapers 14: requests go through the proxies of a pool in turn', async () => {
    const [one, two] = [await startProxy(), await startProxy()]
    await pool('turns', [`http://u:pa55word@127.0.0.1:${one.port}`, `http://127.0.0.1:${two.port}`])
    const site = api.site()
    site.reset()
    const run = await api.crawl({
      ...{ url: `${site.url}/p/0`, proxy_pool: 'turns' },
      crawl: { max_depth: 2, concurrency: 1 },
    })
    assert.deepEqual([run.status, run.pages_fetched], ['completed', 7])
    assert.ok(one.asked.length > 0 && two.asked.length > 0)
    const expected = `Basic ${Buffer.from('u:pa55word').toString('base64')}`
    assert.equal(one.asked[0]?.credentials, expected)
    assert.equal(one.asked[0]?.target, new URL(site.url).host)
    const everything = JSON.stringify([
      await api.ok('GET', '/proxy-pools/turns'),
      await api.ok('GET', '/proxy-pools'),
      await api.ok('GET', `/scrapers/${run.scraper_id}/runs/${run.id}/log?limit=1000`),
      run,
    ])
    assert.ok(!everything.includes('pa55word'))
    assert.ok(!api.server().log().includes('pa55word'))
  })

  test('scrapers 14: a dead proxy is passed over, with all dead nothing goes out directly', async () => {
    const dead = await startProxy()
    await dead.close()
    const alive = await startProxy()
    await pool('half', [`http://127.0.0.1:${dead.port}`, `http://127.0.0.1:${alive.port}`])
    const site = api.site()
    site.reset()
    const half = await api.crawl({ url: `${site.url}/p/9`, proxy_pool: 'half' })
    assert.deepEqual([half.status, half.pages_failed], ['completed', 0])
    await pool('dead', [`http://127.0.0.1:${dead.port}`])
    site.reset()
    const none = await api.crawl({
      ...{ url: `${site.url}/p/9`, proxy_pool: 'dead', crawl: { max_retries: 1 } },
    })
    assert.deepEqual([none.status, none.error.code], ['failed', 'no_proxy_available'])
    assert.deepEqual(site.hits, [])
  })

  test('scrapers 14: a proxy that wants other credentials is passed over, alone it ends the run', async () => {
    const [strict, alive] = [await startRefusing(), await startProxy()]
    const addresses = [strict, alive].map(({ port }) => `http://127.0.0.1:${port}`)
    await pool('strict', addresses.slice(0, 1))
    await pool('mixed', addresses)
    const site = api.site()
    site.reset()
    const start = { url: `${site.url}/p/9`, crawl: { max_retries: 0 } }
    const mixed = await api.crawl({ ...start, proxy_pool: 'mixed' })
    assert.deepEqual([mixed.status, mixed.pages_failed], ['completed', 0])
    for (const url of [start.url, 'https://127.0.0.1:1/']) {
      const alone = await api.crawl({ ...start, url, proxy_pool: 'strict' })
      assert.deepEqual([alone.status, alone.error.code], ['failed', 'no_proxy_available'])
    }
  })

  test('scrapers 14: what fails behind a proxy is not held against the pool, nor asked for again', async () => {
    const [one, two] = [await startProxy(), await startProxy()]
    const addresses = [one, two].map(({ port }) => `http://127.0.0.1:${port}`)
    await pool('innocent', addresses)
    const site = api.site()
    site.reset()
    const silent = [1, 2, 3, 4].map((each) => `/silent/${each}`)
    const unknown = [1, 2, 3, 4].map((each) => `http://unknown-${each}.invalid/`)
    site.on('/', (_request, response) =>
      html(response, page({ title: 'Start', links: ['/p/17', ...silent, ...unknown, '/p/18'] })),
    )
    for (const path of silent) site.on(path, () => {})
    const run = await api.crawl({
      ...{ url: `${site.url}/`, proxy_pool: 'innocent' },
      crawl: { follow: 'any', max_retries: 0, timeout_seconds: 1, concurrency: 1 },
    })
    assert.deepEqual([run.pages_fetched, run.pages_failed], [3, 8])
    assert.deepEqual(site.paths(), ['/', '/p/17', ...silent, '/p/18'])
    const { data } = await api.ok('GET', `/scrapers/${run.scraper_id}/runs/${run.id}/log?limit=50`)
    assert.doesNotMatch(JSON.stringify(data), /No proxy/)
  })

  test('scrapers 14: a proxy that never answers is passed over, then rests', async () => {
    const taken: Socket[] = []
    const mute = createServer((socket) => void taken.push(socket.on('error', () => {})))
    mute.listen(0, '127.0.0.1')
    await once(mute, 'listening')
    after(() => {
      for (const socket of taken) socket.destroy()
      mute.close()
    })
    const alive = await startProxy()
    await pool(
      'mute',
      [portOf(mute), alive.port].map((port) => `http://127.0.0.1:${port}`),
    )
    const site = api.site()
    site.reset()
    const run = await api.crawl({
      ...{ url: `${site.url}/p/0`, proxy_pool: 'mute' },
      crawl: { max_retries: 0, timeout_seconds: 1, concurrency: 1 },
    })
    assert.deepEqual([run.status, run.pages_fetched, run.pages_failed], ['completed', 15, 0])
    assert.equal(taken.length, 3)
  })

  test('scrapers 14: a name that no pool has is accepted, and its run fails at once', async () => {
    const site = api.site()
    site.reset()
    const run = await api.crawl({ url: `${site.url}/p/9`, proxy_pool: 'nowhere' })
    assert.deepEqual([run.status, run.error.code], ['failed', 'no_proxy_available'])
    assert.deepEqual(site.hits, [])
  })

  test('scrapers 14: a preview goes through the pool too, and never past it', async () => {
    const proxy = await startProxy()
    await pool('shown', [`http://127.0.0.1:${proxy.port}`])
    const site = api.site()
    site.reset()
    const preview = async (name: string) =>
      api.ok('POST', '/scrapers/preview', { body: { url: `${site.url}/p/9`, proxy_pool: name } })
    assert.equal((await preview('shown')).status_code, 200)
    assert.ok(proxy.asked.length > 0)
    site.reset()
    assert.equal((await preview('nowhere')).error.code, 'no_proxy_available')
    assert.deepEqual(site.hits, [])
  })

  test('scrapers 14: pools are changed and removed; a masked password sent back stays', async () => {
    const proxy = await startProxy()
    await pool('kept', [`http://u:pa55word@127.0.0.1:${proxy.port}`])
    const shown = await api.ok('GET', '/proxy-pools/kept')
    assert.deepEqual(shown.proxies, [`http://u:***@127.0.0.1:${proxy.port}`])
    await api.ok('PATCH', '/proxy-pools/kept', { body: { ...shown, strategy: 'random' } })
    const run = await api.crawl({ url: `${api.site().url}/p/9`, proxy_pool: 'kept' })
    assert.equal(run.status, 'completed')
    assert.match(proxy.asked[0]?.credentials ?? '', /^Basic /)
    const refused = await api.call('DELETE', '/proxy-pools/kept')
    assert.deepEqual([refused.status, refused.body.error.code], [409, 'proxy_pool_in_use'])
    await api.ok('DELETE', `/scrapers/${run.scraper_id}`)
    assert.equal((await api.call('DELETE', '/proxy-pools/kept')).status, 204)
    assert.equal((await api.call('GET', '/proxy-pools/kept')).status, 404)
    const bad = { name: 'bad', proxies: ['socks5://127.0.0.1:1', 'x'], strategy: 'best' }
    const { status, body } = await api.call('POST', '/proxy-pools', { body: bad })
    assert.equal(status, 400)
    const fields = body.error.details.map((each: { field: string }) => each.field)
    assert.deepEqual(fields.sort(), ['proxies.0', 'proxies.1', 'strategy'])
  })

  test('scrapers 14: no spelling of an address shows its password, and no mask becomes one', async () => {
    const spellings = [
      'http:u:pa55@ss@127.0.0.1:9',
      ' HTTP://u:pa55@127.0.0.1:8',
      'http:\\\\u:pa55@[::1]',
    ]
    await pool('spelt', spellings)
    const shown = await api.ok('GET', '/proxy-pools/spelt')
    const masked = ['http://u:***@127.0.0.1:9', 'http://u:***@127.0.0.1:8', 'http://u:***@[::1]']
    assert.deepEqual(shown.proxies, masked)
    assert.deepEqual(await api.ok('PATCH', '/proxy-pools/spelt', { body: shown }), shown)

    const moved = { proxies: [masked[0], 'http://u:***@127.0.0.2:8'] }
    const { status, body } = await api.call('PATCH', '/proxy-pools/spelt', { body: moved })
    assert.deepEqual([status, body.error.details[0].field], [400, 'proxies.1'])
    assert.deepEqual(await api.ok('GET', '/proxy-pools/spelt'), shown)
  })

  async function pool(name: string, addresses: readonly string[]) {
    await api.ok('POST', '/proxy-pools', { body: { name, proxies: addresses } })
  }
})

/** A proxy that takes nobody's credentials, and says so at length. */
async function startRefusing() {
  const refusal = { 'proxy-authenticate': 'Basic realm="proxy"' }
  const server = createHttpServer((_request, response) =>
    response.writeHead(407, refusal).end('x'.repeat(5_000)),
  )
  server.on('connect', (_request, socket) =>
    socket.end('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n'),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.closeAllConnections())
  after(() => void server.close())
  return { port: portOf(server) }
}

function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}
