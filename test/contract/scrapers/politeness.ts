import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { html, page, send, startSite, watchLateness } from './site.ts'
import { scraperSuite } from './support.ts'

/** Sites that make it hard to see what they ask for. */
export const politeness = scraperSuite('politeness', (api) => {
  test('scrapers 12: of a compressed robots.txt the first 500 KiB count, however long it is', async () => {
    const site = await startSite()
    const text = `User-agent: *\nDisallow: /private\n${'# filler\n'.repeat(400_000)}`
    const codings = { gzip: gzipSync(text), br: brotliCompressSync(text) }
    for (const [coding, body] of Object.entries(codings)) {
      site.on('/robots.txt', (_, response) =>
        response.writeHead(200, { 'content-encoding': coding }).end(body),
      )
      const run = await api.crawl({ url: `${site.url}/private/a` })
      assert.deepEqual([run.status, run.error.code], ['failed', 'robots_disallowed'], coding)
    }
    assert.deepEqual(site.paths(), [])
  })

  test('scrapers 12: half a robots.txt allows nothing; the whole one is asked for again', async () => {
    const site = await startSite()
    let isWhole = false
    const rules = 'User-agent: *\nDisallow: /private\n'
    site.on('/robots.txt', (_, response) => {
      if (isWhole) return send(response, 200, 'text/plain', rules)
      isWhole = true
      response.writeHead(200, { 'content-length': rules.length })
      response.write(rules.slice(0, 20), () => response.destroy())
    })
    const run = await api.crawl({ url: `${site.url}/private/a` })
    assert.deepEqual([run.status, run.retries], ['failed', 1])
    assert.equal(run.error.code, 'robots_disallowed')
    assert.deepEqual(site.paths(), [])
  })

  test('scrapers 12: a robots.txt that is busy for a moment forbids its pages for that moment', async () => {
    const site = await startSite()
    let asked = 0
    site.on('/robots.txt', (_, response) =>
      asked++ === 0
        ? send(response, 503, 'text/plain', 'busy')
        : send(response, 200, 'text/plain', 'User-agent: *\nDisallow: /private'),
    )
    const run = await api.crawl({ url: `${site.url}/p/0`, crawl: { max_pages: 5 } })
    assert.deepEqual([run.status, run.pages_fetched, asked], ['completed', 5, 2])
    site.on('/robots.txt', (_, response) => send(response, 500, 'text/plain', 'broken'))
    site.hits.length = 0
    const failing = await api.crawl({ url: `${site.url}/p/0`, crawl: { max_retries: 1 } })
    assert.deepEqual([failing.status, failing.error.code], ['failed', 'robots_disallowed'])
    assert.deepEqual(
      site.hits.map(({ path }) => path),
      ['/robots.txt', '/robots.txt'],
    )
  })

  test('scrapers 15: 429 pauses a host whatever was asked for', async () => {
    const site = await startSite()
    site.on('/robots.txt', (_, response) => response.writeHead(429, { 'retry-after': '2' }).end())
    const run = await api.crawl({ url: `${site.url}/p/19` })
    assert.equal(run.status, 'completed')
    const [robots, first] = site.hits.map(({ atMs }) => atMs)
    assert.ok((first ?? 0) - (robots ?? 0) >= 1_950)
  })

  test('scrapers 7: gaps hold between the files of a page, whatever else waits for the rate', async () => {
    const [site, files] = [await startSite({ pages: 30 }), await startSite()]
    const urls = [1, 2, 3, 4].map((each) => `${files.url}/file/${each}.txt`)
    files.on('/robots.txt', (_, response) =>
      send(response, 200, 'text/plain', 'User-agent: *\nCrawl-delay: 0.5\n'),
    )
    for (const url of urls) {
      files.on(new URL(url).pathname, (_, response) => send(response, 200, 'text/plain', url))
    }
    const others = Array.from({ length: 30 }, (_, number) => `${site.url}/p/${number}`)
    const body = urls.map((url) => `<img src="${url}">`).join('')
    site.on('/files', (_, response) => html(response, page({ title: 'Files', body })))
    const lateness = watchLateness()
    const run = await api.crawl({
      ...{ url: `${site.url}/files`, start_urls: others },
      ...{ rate_limit: 10, crawl: { concurrency: 6 } },
      extract: { mode: 'fields', fields: { files: { selector: 'img', attr: 'src', many: true } } },
      output: { collection: 'polite-files', create: true, map: {}, media: { files: 'files' } },
    })
    const lateMs = lateness()
    assert.deepEqual([run.status, files.paths().length], ['completed', 4])
    const times = files.hits.map(({ atMs }) => atMs)
    for (const [index, atMs] of times.slice(1).entries()) {
      const gapMs = atMs - (times[index] ?? 0)
      assert.ok(gapMs >= 490 - lateMs, `${gapMs} ms, noted up to ${lateMs} ms late`)
    }
  })
})
