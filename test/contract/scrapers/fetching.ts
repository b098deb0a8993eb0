import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { html, page, type Site, send, startSite, watchLateness } from './site.ts'
import { scraperSuite } from './support.ts'

export const fetching = scraperSuite('fetching', (api) => {
  test('scrapers 7: requests are spaced evenly, retries and redirects included', async () => {
    // A machine that stops one of both processes for a moment brings requests nearer to each other.
    let problem = await spacing()
    for (let again = 0; problem !== undefined && again < 2; again++) problem = await spacing()
    assert.equal(problem, undefined)
  })

  /** What is wrong with the times of a run's requests, if anything. */
  async function spacing(): Promise<string | undefined> {
    const site = api.site()
    site.reset()
    const links = Array.from({ length: 24 }, (_, number) => `/even/${number}`)
    site.on('/even', (_, response) => html(response, page({ title: 'Even', links })))
    let failures = 0
    for (const [index, link] of links.entries()) {
      site.on(link, (_, response) => {
        if (index === 3 && failures++ === 0) return send(response, 500, 'text/plain', 'again')
        if (index === 5) return response.writeHead(302, { location: '/even/moved' }).end()
        return html(response, page({ title: link }))
      })
    }
    site.on('/even/moved', (_, response) => html(response, page({ title: 'Moved' })))
    const lateness = watchLateness()
    const run = await api.crawl({
      url: `${site.url}/even`,
      rate_limit: 10,
      crawl: { concurrency: 8 },
    })
    assert.equal(run.status, 'completed')
    assert.equal(run.retries, 1)
    const lateMs = lateness()
    const times = site.hits.map(({ atMs }) => atMs)
    const inSecond = times.map(
      (from) => times.filter((atMs) => atMs >= from && atMs < from + 1_000).length,
    )
    const most = Math.max(...inSecond)
    // One extra is tolerated for jitter between us and the site.
    if (most > 11 + Math.floor(lateMs / 100)) {
      return `${most} requests in a second, noted up to ${lateMs} ms late`
    }
    const gaps = times
      .slice(1)
      .map((atMs, index) => atMs - (times[index] ?? 0))
      .sort((a, b) => a - b)
    const median = gaps[Math.floor(gaps.length / 2)] ?? 0
    return median >= 95 ? undefined : `half of the gaps are ${median} ms or less`
  }

  test('scrapers 12: robots.txt is kept: disallowed pages, a missing and a failing file', async () => {
    const site = await withRobots(
      'User-agent: *\nDisallow: /\nUser-agent: entrepot\nDisallow: /private\n',
    )
    site.on('/start', (_, response) =>
      html(response, page({ title: 'Start', links: ['/private/a', '/open'] })),
    )
    site.on('/open', (_, response) => html(response, page({ title: 'Open' })))
    const run = await api.crawl({ url: `${site.url}/start` })
    assert.deepEqual([run.pages_fetched, run.pages_skipped], [2, 1])
    assert.ok(!site.paths().includes('/private/a'))
    const log = await api.ok('GET', `/scrapers/${run.scraper_id}/runs/${run.id}/log?limit=100`)
    const skipped = log.data.find((line: { type: string }) => line.type === 'skip')
    assert.equal(skipped.url, `${site.url}/private/a`)
    const ignored = await api.crawl({ url: `${site.url}/start`, crawl: { robots: 'ignore' } })
    assert.equal(ignored.pages_skipped, 0)
    const closed = await api.crawl({ url: `${site.url}/private/b` })
    assert.deepEqual([closed.status, closed.error.code], ['failed', 'robots_disallowed'])
    site.on('/robots.txt', (_, response) => send(response, 404, 'text/plain', 'none'))
    assert.equal((await api.crawl({ url: `${site.url}/open` })).status, 'completed')
    site.on('/robots.txt', (_, response) => send(response, 500, 'text/plain', 'broken'))
    const failing = await api.crawl({ url: `${site.url}/open`, crawl: { max_retries: 0 } })
    assert.deepEqual([failing.status, failing.error.code], ['failed', 'robots_disallowed'])
  })

  test('scrapers 12: Crawl-delay is a minimum gap; nofollow is not followed', async () => {
    const site = await withRobots('User-agent: *\nCrawl-delay: 0.4\n')
    const body = '<a href="/no" rel="nofollow">no</a>'
    site.on('/s', (_, response) => html(response, page({ title: 'S', links: ['/a', '/b'], body })))
    site.on('/a', (_, response) => html(response, page({ title: 'A' })))
    const head = '<meta name="robots" content="noindex, nofollow">'
    site.on('/b', (_, response) => html(response, page({ title: 'B', links: ['/no'], head })))
    const lateness = watchLateness()
    const run = await api.crawl({ url: `${site.url}/s`, crawl: { concurrency: 8 } })
    const lateMs = lateness()
    assert.equal(run.pages_fetched, 3)
    assert.deepEqual(site.paths().sort(), ['/a', '/b', '/s'])
    const times = site.hits.filter(({ path }) => path !== '/robots.txt').map(({ atMs }) => atMs)
    for (const [index, atMs] of times.slice(1).entries()) {
      const gapMs = atMs - (times[index] ?? 0)
      assert.ok(gapMs >= 390 - lateMs, `${gapMs} ms, noted up to ${lateMs} ms late`)
    }
  })

  test('scrapers 12: sitemaps seed a run, indexes and compressed files included', async () => {
    const site = await withRobots('')
    const index = `<sitemapindex xmlns="x"><sitemap><loc>${site.url}/s1.xml.gz</loc></sitemap></sitemapindex>`
    const urls = ['/m/1', '/m/2', '/skip/3'].map(
      (path) => `<url><loc>${site.url}${path}</loc></url>`,
    )
    site.on('/robots.txt', (_, response) =>
      send(response, 200, 'text/plain', `Sitemap: ${site.url}/index.xml`),
    )
    site.on('/index.xml', (_, response) => send(response, 200, 'application/xml', index))
    site.on('/s1.xml.gz', (_, response) =>
      send(response, 200, 'application/gzip', gzipSync(`<urlset>${urls.join('')}</urlset>`)),
    )
    for (const path of ['/m/1', '/m/2', '/skip/3']) {
      site.on(path, (_, response) => html(response, page({ title: path, links: ['/elsewhere'] })))
    }
    const run = await api.crawl({
      url: `${site.url}/`,
      crawl: { sitemap: 'only', exclude: ['/skip/**'] },
    })
    assert.deepEqual([run.status, run.pages_fetched], ['completed', 2])
    const found = await api.results(run.scraper_id)
    assert.deepEqual(found.map((item: { url: string }) => new URL(item.url).pathname).sort(), [
      '/m/1',
      '/m/2',
    ])
  })

  test('scrapers 12: Sitemap lines count where rules do not, and when robots.txt fails at first', async () => {
    const site = await startSite()
    let failures = 1
    const rules = 'User-agent: *\nDisallow: /start\nSitemap: /named.xml'
    site.on('/robots.txt', (_, response) => {
      if (failures-- > 0) return response.destroy()
      return send(response, 200, 'text/plain', `\uFEFF${rules}`)
    })
    site.on('/named.xml', (_, response) =>
      send(response, 200, 'text/xml', `\uFEFF<urlset><url><loc>/m/1</loc></url></urlset>`),
    )
    for (const path of ['/start', '/m/1'])
      site.on(path, (_, response) => html(response, page({ title: path })))
    const asked = { url: `${site.url}/start`, crawl: { sitemap: 'include' } }
    const respecting = await api.crawl(asked)
    assert.deepEqual([respecting.pages_fetched, respecting.pages_skipped], [1, 1])
    const ignoring = await api.crawl({ ...asked, crawl: { sitemap: 'include', robots: 'ignore' } })
    assert.deepEqual([ignoring.pages_fetched, ignoring.pages_skipped], [2, 0])
    assert.ok(!site.paths().includes('/sitemap.xml'))
  })

  test('scrapers 15: headers reach the origin of the start URLs alone, cookies their host', async () => {
    const site = api.site()
    site.reset()
    const other = await startSite({ host: '127.0.0.2' })
    other.on('/there', (_, response) => html(response, page({ title: 'There' })))
    site.on('/a', (_, response) =>
      html(response, page({ title: 'A', links: ['/b', `${other.url}/there`] }), {
        'set-cookie': ['session=abc; Path=/', 'foreign=1; Path=/; Domain=example.org'],
      }),
    )
    site.on('/b', (_, response) => html(response, page({ title: 'B' })))
    const run = await api.crawl({
      ...{ url: `${site.url}/a`, headers: { 'X-Secret': 'one', Authorization: 'Bearer two' } },
      crawl: { follow: 'any', max_depth: 1 },
    })
    assert.equal(run.pages_fetched, 3)
    const own = site.hits.find(({ path }) => path === '/b')
    assert.deepEqual([own?.headers['x-secret'], own?.headers.cookie], ['one', 'session=abc'])
    for (const { headers } of other.hits) {
      assert.deepEqual(
        [headers['x-secret'], headers.authorization, headers.cookie],
        [undefined, undefined, undefined],
      )
      assert.match(headers['user-agent'] ?? '', /^Entrepot\//)
    }
  })

  test('scrapers 15: texts are decoded by their charset and their content coding', async () => {
    const site = api.site()
    const russian = Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2])
    const japanese = Buffer.from([0x93, 0xfa, 0x96, 0x7b, 0x8c, 0xea])
    const titled = (title: Buffer, head = '') =>
      Buffer.concat([
        Buffer.from(`<html><head>${head}<title>`),
        title,
        Buffer.from('</title></head><body>x</body></html>'),
      ])
    const declared = '<meta charset="windows-1251">'
    const quoting = { title: 'цитата', html: '<meta content="text/html; charset=windows-1251">' }
    const cases = [
      ['/cp1251', 'text/html; charset=windows-1251', titled(russian), undefined, 'Привет'],
      ['/sjis', 'text/html', titled(japanese, '<meta charset="Shift_JIS">'), undefined, '日本語'],
      ['/odd', 'text/html; charset=x-odd', titled(russian, declared), undefined, 'Привет'],
      ['/json', 'application/json', Buffer.from(JSON.stringify(quoting)), undefined, 'цитата'],
      ['/latin', 'text/html', titled(Buffer.from([0xe9, 0x74, 0xe9])), undefined, 'été'],
      ['/gzip', 'text/html', gzipSync(titled(Buffer.from('gepackt ü'))), 'gzip', 'gepackt ü'],
      ['/br', 'text/html', brotliCompressSync(titled(Buffer.from('brotli ü'))), 'br', 'brotli ü'],
      ['/zstd', 'text/html', zstdCompressSync(titled(Buffer.from('zstd ü'))), 'zstd', 'zstd ü'],
    ] as const
    for (const [path, type, body, coding] of cases) {
      site.on(path, (_, response) => {
        response.writeHead(200, {
          'content-type': type,
          ...(coding ? { 'content-encoding': coding } : {}),
        })
        response.end(body)
      })
    }
    const [first, ...more] = cases.map(([path]) => `${site.url}${path}`)
    const run = await api.crawl({ url: first, start_urls: more, crawl: { follow: 'none' } })
    const items = await api.results(run.scraper_id)
    const titles = new Map(
      items.map((item: { url: string; data: { title: string } }) => [
        new URL(item.url).pathname,
        item.data.title,
      ]),
    )
    for (const [path, , , , title] of cases) assert.equal(titles.get(path), title, path)
  })

  test('scrapers 15: the beginning of a compressed page is not taken for the page, an empty one is read', async () => {
    const site = api.site()
    site.reset()
    const whole = page({ title: 'Whole', links: ['/empty'] })
    const packed = (response: ServerResponse, body: Buffer) => {
      response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' })
      response.end(body)
    }
    site.on('/start', (_, response) => packed(response, gzipSync(whole)))
    site.on('/empty', (_, response) => packed(response, Buffer.alloc(0)))
    const asked = { url: `${site.url}/start` }
    const run = await api.crawl(asked)
    assert.deepEqual([run.pages_fetched, run.pages_failed, run.items_collected], [2, 0, 2])
    const cut = gzipSync(whole).subarray(0, 60)
    site.on('/start', (_, response) => packed(response, cut))
    const failing = await api.crawl({ ...asked, crawl: { max_retries: 1 } })
    assert.deepEqual([failing.pages_failed, failing.items_collected], [1, 0])
    assert.equal(site.hits.filter(({ path }) => path === '/start').length, 3)
  })

  test('scrapers 15: large and endless bodies, loops and bombs fail their page alone', async () => {
    const site = api.site()
    site.reset()
    const links = ['/large', '/endless', '/loop', '/bomb', '/good', '/image.png']
    site.on('/start', (_, response) => html(response, page({ title: 'Start', links })))
    site.on('/large', (_, response) => html(response, 'x'.repeat(300_000)))
    site.on('/endless', (_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' })
      const timer = setInterval(() => response.write('<p>more</p>'.repeat(2_000)), 5)
      response.on('close', () => clearInterval(timer))
    })
    site.on('/loop', (_, response, url) => {
      const turn = Number(url.searchParams.get('n') ?? 0) + 1
      response.writeHead(302, { location: `/loop?n=${turn}` }).end()
    })
    site.on('/bomb', (_, response) => {
      response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' })
      response.end(gzipSync(Buffer.alloc(20_000_000)))
    })
    site.on('/good', (_, response) => html(response, page({ title: 'Good' })))
    site.on('/image.png', (_, response) => send(response, 200, 'image/png', Buffer.alloc(10)))
    const run = await api.crawl({
      url: `${site.url}/start`,
      crawl: { max_body_bytes: 100_000, timeout_seconds: 10 },
    })
    assert.equal(run.status, 'completed')
    assert.deepEqual([run.pages_failed, run.pages_skipped, run.items_collected], [4, 1, 2])
    const log = await api.ok(
      'GET',
      `/scrapers/${run.scraper_id}/runs/${run.id}/log?level=error&limit=50`,
    )
    const messages = new Map(
      log.data.map((line: { url: string; message: string }) => [
        new URL(line.url).pathname,
        line.message,
      ]),
    )
    for (const path of ['/large', '/endless', '/bomb'])
      assert.match(String(messages.get(path)), /larger/)
    assert.match(String(messages.get('/loop')), /redirects/)
  })

  test('scrapers 15: pages of nothing but tags are read as far as they can be, and hold up nobody', async () => {
    const site = api.site()
    site.reset()
    const pages = {
      '/nested': '<table><tr><td>'.repeat(60_000),
      '/advertised': '<section class="ad">'.repeat(100_000),
      '/signs': '<'.repeat(400_000),
      '/flat': `${'<br>'.repeat(200_000)}<p>The end`,
      '/attributes': `<p ${Array.from({ length: 1_500_000 }, (_, at) => at.toString(36)).join(' ')}>`,
      '/hidden': `<script>a<b c="</script><p ${'x=1 '.repeat(500_000)}>"`,
    }
    const links = Object.keys(pages)
    site.on('/start', (_, response) => html(response, page({ title: 'Start', links })))
    for (const [path, text] of Object.entries(pages)) {
      site.on(path, (_, response) => html(response, text))
    }
    const run = await api.crawl({ url: `${site.url}/start`, rate_limit: 100 })
    const { status, items_collected: items, recoveries } = run
    assert.deepEqual(
      { status, items, recoveries },
      { status: 'completed', items: 7, recoveries: 0 },
    )
    const at = `/scrapers/${run.scraper_id}/runs/${run.id}`
    const log = await api.ok('GET', `${at}/log?level=warn&limit=50`)
    const cut = log.data.filter(({ message }: { message: string }) => /too many tags/.test(message))
    const paths = cut.map(({ url }: { url: string }) => new URL(url).pathname)
    assert.deepEqual(paths.sort(), ['/advertised', '/attributes', '/hidden', '/nested', '/signs'])
    const { data } = await api.ok('GET', `${at}/results?url=${site.url}/flat`)
    assert.equal(data[0].data.text, 'The end')
  })

  test('scrapers 15: the log tells of feeds and sitemaps that were not read to their end', async () => {
    const site = api.site()
    site.reset()
    const xml = (path: string, text: string) =>
      site.on(path, (_, response) => {
        response.setHeader('content-type', 'application/xml')
        response.end(text)
      })
    const entry = '<item><title>A</title></item>'
    const address = `<url><loc>${site.url}/a</loc></url>`
    xml('/whole', `<rss><channel>${entry}</channel></rss>`)
    xml('/broken', `<rss><channel>${entry}<item><title>B`)
    xml('/deep', `<rss><channel>${entry}${'<item>'.repeat(20_000)}`)
    xml('/sitemap.xml', `<urlset>${address.repeat(50_001)}</urlset>`)
    const run = await api.crawl({
      ...{ url: `${site.url}/whole`, rate_limit: 100 },
      start_urls: ['/broken', '/deep'].map((path) => `${site.url}${path}`),
      crawl: { sitemap: 'include' },
    })
    const at = `/scrapers/${run.scraper_id}/runs/${run.id}`
    const { data } = await api.ok('GET', `${at}/log?level=warn&limit=50`)
    const told = data.map(({ url, message }: { url: string | null; message: string }) => {
      return `${URL.parse(url ?? '')?.pathname} ${message.split(/[,;]/, 1)}`
    })
    assert.deepEqual(told.sort(), [
      '/broken The document breaks off before its end',
      '/deep The page has too many tags or attributes',
      '/sitemap.xml The sitemap names more than 50000 addresses',
    ])
  })

  test('scrapers 15: a page reached twice is processed once, a redirect to it is not asked again', async () => {
    const site = api.site()
    site.reset()
    const links = ['/target', '/moved', '/target#part', '/target?utm_source=x', '/TARGET/../target']
    site.on('/start', (_, response) => html(response, page({ title: 'Start', links })))
    site.on('/target', (_, response) => html(response, page({ title: 'Target' })))
    site.on('/moved', (_, response) => response.writeHead(301, { location: '/target' }).end())
    const run = await api.crawl({ url: `${site.url}/start`, crawl: { concurrency: 1 } })
    assert.deepEqual([run.items_collected, run.pages_skipped], [2, 1])
    assert.equal(site.paths().filter((path) => path === '/target').length, 1)
  })

  test('scrapers 15: pages that redirect to one page at the same moment fetch it once', async () => {
    const site = await startSite()
    const links = ['/a', '/b', '/c', '/target']
    site.on('/start', (_, response) => html(response, page({ title: 'Start', links })))
    let isBroken = true
    site.on('/target', (_, response) => {
      if (isBroken) return send(response, 500, 'text/plain', 'again')
      const text = page({ title: 'Target' })
      return void setTimeout(() => html(response, text), 300)
    })
    for (const link of ['/a', '/b', '/c'])
      site.on(link, (_, response) => response.writeHead(302, { location: '/target' }).end())
    const asked = { url: `${site.url}/start`, crawl: { concurrency: 3, max_retries: 0 } }
    const failing = await api.crawl(asked)
    const targets = () => site.paths().filter((path) => path === '/target').length
    assert.deepEqual([failing.pages_failed + failing.pages_skipped, failing.pages_queued], [4, 0])
    assert.ok(targets() > 0)
    isBroken = false
    site.hits.length = 0
    const run = await api.crawl(asked)
    assert.deepEqual([run.items_collected, run.pages_skipped, targets()], [2, 2, 1])
    assert.equal(run.pages_fetched, 2)
  })

  test('scrapers 15: a Location with raw UTF-8 leads to the address that it names', async () => {
    const site = await startSite()
    // Node writes a header as one byte for each character.
    const raw = (location: string) => Buffer.from(location, 'utf8').toString('latin1')
    const moved = (from: string, to: string) =>
      site.on(from, (_, response) => response.writeHead(302, { location: raw(to) }).end())
    moved('/robots.txt', '/größe.txt')
    site.on('/gr%C3%B6%C3%9Fe.txt', (_, response) =>
      send(response, 200, 'text/plain', 'User-agent: *\nDisallow: /no'),
    )
    moved('/start', '/日本?q=語')
    site.on('/%E6%97%A5%E6%9C%AC', (_, response) =>
      html(response, page({ title: 'Here', links: ['/no'] })),
    )
    const run = await api.crawl({ url: `${site.url}/start` })
    const items: { url: string }[] = await api.results(run.scraper_id)
    const expected = `${site.url}/%E6%97%A5%E6%9C%AC?q=%E8%AA%9E`
    assert.deepEqual([items.map(({ url }) => url), run.pages_skipped], [[expected], 1])
  })

  test('scrapers 15: 429 pauses its host for Retry-After, others go on', async () => {
    const site = api.site()
    site.reset()
    let refusals = 0
    site.on('/busy', (_, response) => {
      if (refusals++ > 0) return html(response, page({ title: 'Busy' }))
      return response.writeHead(429, { 'retry-after': '2' }).end()
    })
    const run = await api.crawl({ url: `${site.url}/busy` })
    assert.deepEqual([run.status, run.retries, run.items_collected], ['completed', 1, 1])
    const [first, second] = site.hits.filter(({ path }) => path === '/busy')
    assert.ok((second?.atMs ?? 0) - (first?.atMs ?? 0) >= 1_950)
  })

  async function withRobots(text: string): Promise<Site> {
    const site = await startSite()
    site.on('/robots.txt', (_, response) => send(response, 200, 'text/plain', text))
    return site
  }
})
