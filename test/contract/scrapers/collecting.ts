import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { html, page, send } from './site.ts'
import { scraperSuite } from './support.ts'

interface Item {
  readonly id: number
  readonly url: string
  readonly change: string
  // biome-ignore lint/suspicious/noExplicitAny: items have whatever data their pages gave
  readonly data: any
}

const LD = {
  ...{ '@context': 'https://schema.org', '@type': 'NewsArticle', headline: 'From JSON-LD' },
  ...{ author: [{ '@type': 'Person', name: 'Ann Author' }], datePublished: '2026-03-01T10:00:00Z' },
}

export const collecting = scraperSuite('results', (api) => {
  test('scrapers 16: a page tells of itself by JSON-LD, OpenGraph, meta and its text', async () => {
    const site = api.site()
    const head = `<meta property="og:title" content="From OpenGraph"><meta property="og:image" content="/a.png">
      <meta name="description" content="What it is about"><meta name="keywords" content="one, two">
      <link rel="canonical" href="/canonical"><script type="application/ld+json">${JSON.stringify(LD)}</script>
      <script type="application/ld+json">{"broken":</script>`
    site.on('/article', (_, response) => html(response, page({ title: 'Plain', head })))
    const run = await api.crawl({ url: `${site.url}/article` })
    const [item] = await api.results(run.scraper_id)
    const { data } = item
    assert.deepEqual(
      [data.title, data.author, data.description, data.language, data.type],
      ['From JSON-LD', 'Ann Author', 'What it is about', 'en', 'NewsArticle'],
    )
    assert.deepEqual(
      [data.published_at, data.keywords, data.canonical_url, data.image],
      [
        ...['2026-03-01T10:00:00.000Z', ['one', 'two']],
        ...[`${site.url}/canonical`, `${site.url}/a.png`],
      ],
    )
    assert.deepEqual([data.json_ld, data.open_graph.title], [[LD], 'From OpenGraph'])
    assert.match(data.text, /Every page of this site/)
    assert.doesNotMatch(data.text, /<|nav/)
    assert.ok(data.word_count > 50)
    const log = await api.ok('GET', `/scrapers/${run.scraper_id}/runs/${run.id}/log?level=warn`)
    assert.match(log.data[0].message, /JSON-LD/)
  })

  test('scrapers 16: feeds and JSON give one item for each entry, entries of feeds are followed', async () => {
    const site = api.site()
    site.reset()
    const rss = `<?xml version="1.0"?><rss version="2.0"><channel><title>Feed</title>
      <item><title>One</title><link>${site.url}/p/18</link><pubDate>Mon, 02 Mar 2026 10:00:00 GMT</pubDate>
      <category>a</category><category>b</category></item>
      <item><title>Two &amp; more</title><link>${site.url}/p/19</link></item></channel></rss>`
    const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><entry><title>Atom</title>
      <link href="/p/17"/><updated>2026-03-02T10:00:00Z</updated><author><name>Al</name></author></entry></feed>`
    site.on('/rss', (_, response) => send(response, 200, 'application/rss+xml', rss))
    site.on('/atom', (_, response) => send(response, 200, 'application/atom+xml', atom))
    const list = JSON.stringify({ answer: { items: [{ sku: 'a' }, { sku: 'b' }] } })
    site.on('/list.json', (_, response) => send(response, 200, 'application/json', list))
    const feed = await api.crawl({ url: `${site.url}/rss`, start_urls: [`${site.url}/atom`] })
    const items: Item[] = await api.results(feed.scraper_id)
    const byTitle = new Map(items.map((item) => [item.data.title, item]))
    assert.deepEqual(byTitle.get('One')?.data.categories, ['a', 'b'])
    assert.equal(byTitle.get('One')?.data.published_at, '2026-03-02T10:00:00.000Z')
    assert.deepEqual(
      [byTitle.get('Two & more')?.url, byTitle.get('Atom')?.data.author],
      [`${site.url}/p/19`, 'Al'],
    )
    assert.ok(byTitle.has('Page 17') && byTitle.has('Page 18') && byTitle.has('Page 19'))
    const json = await api.crawl({
      url: `${site.url}/list.json`,
      extract: { item_path: 'answer.items' },
    })
    const found: Item[] = await api.results(json.scraper_id)
    assert.deepEqual(
      found.map(({ data }) => data),
      [{ sku: 'a' }, { sku: 'b' }],
    )
  })

  test('scrapers 15: what no store can keep is replaced, and every name is an ordinary name', async () => {
    const site = api.site()
    const rows = '[{"__proto__":{"a":1},"constructor":"c\\r\\nd","title":"t\\u0000\\ud800"},{}]'
    site.on('/odd.json', (_, response) => send(response, 200, 'application/json', rows))
    const run = await api.crawl({ url: `${site.url}/odd.json`, extract: { key: 'constructor' } })
    const answer = await text(`/scrapers/${run.scraper_id}/results?format=ndjson`)
    assert.match(
      answer,
      /"data":\{"__proto__":\{"a":1\},"constructor":"c\\r\\nd","title":"t\uFFFD\uFFFD"\}/,
    )
  })

  test('scrapers 17: field rules read text, attributes, markup, lists and typed values', async () => {
    const site = api.site()
    const body = `<div class="p"><b class="n">Lamp  one</b><i class="price">€ 1.234,50</i><a class="more" href="/more">x</a>
      <time>2026-03-01</time><u>a</u><u>b</u><span class="stock">yes</span><em>SKU: 77-A</em></div>
      <div class="p"><b class="n">Lamp two</b><i class="price">free</i></div>
      <div class="p"><i class="price">3</i></div>`
    site.on('/shop', (_, response) => html(response, page({ title: 'Shop', body })))
    const run = await api.crawl({
      url: `${site.url}/shop`,
      extract: {
        ...{ mode: 'fields', item_selector: '.p', key: 'name' },
        fields: {
          ...{
            name: { selector: '.n', required: true },
            more: { selector: 'a.more', attr: 'href', type: 'url' },
          },
          ...{
            price: { selector: '.price', type: 'number', default: -1 },
            markup: '.n@outer_html',
          },
          ...{ date: { selector: 'time', type: 'date' }, tags: { selector: 'u', many: true } },
          ...{
            stock: { selector: '.stock', type: 'boolean' },
            sku: { selector: 'em', regex: 'SKU: (\\d+)', type: 'integer' },
          },
        },
      },
    })
    const items: Item[] = await api.results(run.scraper_id)
    assert.deepEqual(items[0]?.data, {
      ...{ name: 'Lamp one', more: `${site.url}/more`, price: 1234.5 },
      ...{ markup: '<b class="n">Lamp  one</b>', date: '2026-03-01T00:00:00.000Z' },
      ...{ tags: ['a', 'b'], stock: true, sku: 77 },
    })
    assert.deepEqual(
      [items[1]?.data.name, items[1]?.data.price, items[1]?.data.tags],
      ['Lamp two', -1, []],
    )
    assert.deepEqual([items.length, run.pages_skipped], [2, 1])
  })

  test('scrapers 17: a catastrophic expression does not stall the crawl', async () => {
    const site = api.site()
    site.on('/long', (_, response) =>
      html(response, page({ title: 'Long', body: `<p id="x">${'a'.repeat(50_000)}!</p>` })),
    )
    const run = await api.crawl({
      url: `${site.url}/long`,
      extract: { mode: 'fields', fields: { x: { selector: '#x', regex: '^(a+)+$' } } },
    })
    assert.equal(run.status, 'completed')
    assert.deepEqual((await api.results(run.scraper_id))[0].data, { x: null })
  })

  test('scrapers 18: JSON pages, NDJSON and CSV hold the same items', async () => {
    const site = api.site()
    site.reset()
    const values = ['=1+1', '+49 30', '-12.5', '@x', 'plain, "quoted"\nline', '\ttab']
    const body = JSON.stringify(
      values.map((title, n) => ({ title, n, deep: { a: n }, list: [n, 'x'] })),
    )
    site.on('/rows.json', (_, response) => send(response, 200, 'application/json', body))
    const run = await api.crawl({ url: `${site.url}/rows.json` })
    const id = run.scraper_id
    const pages: Item[] = []
    for (let at = 1; at <= 3; at++) {
      pages.push(...(await api.ok('GET', `/scrapers/${id}/results?page=${at}&per_page=2`)).data)
    }
    assert.deepEqual(
      pages.map(({ data }) => data.title),
      values,
    )
    const lines = await text(`/scrapers/${id}/results`, { accept: 'application/x-ndjson' })
    assert.deepEqual(
      lines
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
      pages,
    )
    const plain = await text(`/scrapers/${id}/runs/${run.id}/results?format=csv&csv_safe=false`)
    const rows: Record<string, string>[] = parse(plain, { columns: true })
    assert.deepEqual(
      rows.map((row) => row['title']),
      values,
    )
    assert.deepEqual([rows[2]?.['deep.a'], rows[2]?.['list']], ['2', '[2,"x"]'])
    assert.match(plain, /^id,run_id,url,status_code,fetched_at,change,title,n,deep\.a,list\r\n/)
    const safe: Record<string, string>[] = parse(await text(`/scrapers/${id}/results?format=csv`), {
      columns: true,
    })
    const defused = ["'=1+1", "'+49 30", '-12.5', "'@x", 'plain, "quoted"\nline', "'\ttab"]
    assert.deepEqual(
      safe.map((row) => row['title']),
      defused,
    )
    assert.equal((await api.call('GET', `/scrapers/${id}/results?format=xml`)).status, 400)
    const refused = await api.call('GET', `/scrapers/${id}/results`, {
      headers: { accept: 'image/png' },
    })
    assert.equal(refused.status, 406)
  })

  test('scrapers 18: an item without data adds no column', async () => {
    const site = api.site()
    site.on('/bare.json', (_, response) => send(response, 200, 'application/json', '[{"a":{}},{}]'))
    const run = await api.crawl({ url: `${site.url}/bare.json` })
    const [head, ...rows] = (await text(`/scrapers/${run.scraper_id}/results?format=csv`)).split(
      '\r\n',
    )
    assert.equal(head, 'id,run_id,url,status_code,fetched_at,change,a')
    assert.deepEqual(
      rows.map((row) => row.split(',')[6]),
      ['{}', '', undefined],
    )
  })

  test('scrapers 18: results are chosen by run, change, URL and fields', async () => {
    const site = api.site()
    site.reset()
    let version = 1
    site.on('/x', (_, response) =>
      html(response, page({ title: `X${version}`, links: ['/p/18', '/p/19'] })),
    )
    const id = await api.create({ url: `${site.url}/x` })
    assert.deepEqual((await api.ok('GET', `/scrapers/${id}/results`)).data, [])
    const first = await api.finished(id, await api.start(id))
    assert.deepEqual(first.changes, { new: 3, changed: 0, unchanged: 0, missing: 0 })
    version = 2
    site.on('/p/19', (_, response) => send(response, 404, 'text/plain', 'gone'))
    const second = await api.finished(id, await api.start(id))
    assert.deepEqual(second.changes, { new: 0, changed: 1, unchanged: 1, missing: 1 })
    const changed: Item[] = await api.results(id, '&change=changed&fields=title')
    assert.deepEqual(
      changed.map(({ data }) => data),
      [{ title: 'X2' }],
    )
    assert.equal((await api.results(id, `&run_id=${first.id}`)).length, 3)
    assert.equal((await api.results(id, '&run_id=all')).length, 5)
    const prefixed: Item[] = await api.results(id, `&url=${encodeURIComponent(`${site.url}/p/`)}`)
    assert.deepEqual(
      prefixed.map(({ url }) => url),
      [`${site.url}/p/18`],
    )
    const { meta } = await api.ok('GET', `/scrapers/${id}/results`)
    assert.deepEqual([meta.run_id, meta.run_status, meta.total], [second.id, 'completed', 2])
  })

  test('scrapers 18: reading by after_id during a run sees each item once', async () => {
    const site = api.site()
    site.reset()
    const id = await api.create({ url: `${site.url}/p/0`, rate_limit: 20, crawl: { max_depth: 9 } })
    const runId = await api.start(id)
    const seen: number[] = []
    for (let isOver = false; !isOver; ) {
      isOver = (await api.ok('GET', `/scrapers/${id}/runs/${runId}`)).status === 'completed'
      const after = seen.at(-1) ?? 0
      const { data } = await api.ok('GET', `/scrapers/${id}/results?after_id=${after}&limit=5`)
      seen.push(...data.map((item: Item) => item.id))
      if (data.length === 5) isOver = false
    }
    assert.equal(seen.length, 20)
    assert.equal(new Set(seen).size, 20)
  })

  test('scrapers 4: an incremental run asks conditionally and keeps what did not change', async () => {
    const site = api.site()
    const { tagged } = taggedSite()
    tagged('/i', ['/i/1', '/i/2'])
    tagged('/i/1')
    tagged('/i/2')
    const id = await api.create({ url: `${site.url}/i`, crawl: { incremental: true } })
    assert.equal((await api.finished(id, await api.start(id))).changes.new, 3)
    const again = await api.finished(id, await api.start(id))
    assert.deepEqual(again.changes, { new: 0, changed: 0, unchanged: 3, missing: 0 })
    assert.equal((await api.results(id)).length, 3)
    assert.equal(site.hits.filter(({ headers }) => headers['if-none-match']).length, 3)
  })

  test('scrapers 5.1: of several items with one key each is compared with all of them', async () => {
    const site = api.site()
    let second = 'b'
    site.on('/keys', (_, response) => {
      const list = ['a', second].map((value) => ({ key: 1, value }))
      send(response, 200, 'application/json', JSON.stringify(list))
    })
    const id = await api.create({ url: `${site.url}/keys`, extract: { key: 'key' } })
    await api.finished(id, await api.start(id))
    const changes = async () => (await api.finished(id, await api.start(id))).changes
    assert.deepEqual(await changes(), { new: 0, changed: 0, unchanged: 2, missing: 0 })
    second = 'c'
    assert.deepEqual(await changes(), { new: 0, changed: 1, unchanged: 1, missing: 0 })
  })

  test('scrapers 5.1: items of a run that was deleted are shown no more', async () => {
    const site = api.site()
    site.on('/gone', (_, response) => html(response, page({ title: 'Gone' })))
    const id = await api.create({ url: `${site.url}/gone` })
    const runs = [await api.finished(id, await api.start(id))]
    runs.push(await api.finished(id, await api.start(id)))
    await api.ok('DELETE', `/scrapers/${id}/runs/${runs[0]?.id}`)
    const shown = await api.results(id, '&run_id=all')
    assert.deepEqual(
      shown.map((item: { run_id: number }) => item.run_id),
      [runs[1]?.id],
    )
  })

  test('scrapers 4: a page that did not change still has all of its links, whoever found them first', async () => {
    const { url, tagged } = taggedSite()
    tagged('/k', ['/k/1', '/k/2'])
    tagged('/k/1', ['/k/3'])
    tagged('/k/2', ['/k/3'])
    tagged('/k/3')
    const id = await api.create({ url: `${url}/k`, crawl: { incremental: true, concurrency: 1 } })
    assert.equal((await api.finished(id, await api.start(id))).changes.new, 4)
    tagged('/k/1', [], 'v2')
    for (let round = 0; round < 2; round++) {
      const { changes } = await api.finished(id, await api.start(id))
      assert.deepEqual([changes.unchanged, changes.missing], [4, 0])
    }
  })

  test('scrapers 4: an incremental run does not take what was read otherwise for unchanged', async () => {
    const { url, tagged } = taggedSite()
    tagged('/o', ['/o/1', '/o/2'])
    tagged('/o/1')
    tagged('/o/2')
    const fields = { name: 'title' }
    const id = await api.create({ url: `${url}/o`, extract: { mode: 'fields', fields } })
    await api.finished(id, await api.start(id))
    const change = (body: object) => api.ok('PATCH', `/scrapers/${id}`, { body })
    await change({ crawl: { incremental: true } })
    assert.equal((await api.finished(id, await api.start(id))).changes.unchanged, 3)
    await change({
      crawl: { exclude: ['/o/2'] },
      extract: { fields: { ...fields, link: 'a@href' } },
    })
    const { pages_fetched } = await api.finished(id, await api.start(id))
    const [first] = await api.results(id)
    assert.deepEqual([pages_fetched, first.data], [2, { name: '/o', link: '/o/1' }])
  })

  test('scrapers 4: in an incremental run a page has all of its items that max_items cut off before', async () => {
    const site = api.site()
    site.reset()
    let first = '[{"n":1}]'
    site.on('/first.json', (_, response) => send(response, 200, 'application/json', first))
    site.on('/list.json', (request, response) => {
      if (request.headers['if-none-match'] === '"1"') return response.writeHead(304).end()
      response.setHeader('etag', '"1"')
      return send(response, 200, 'application/json', '[{"n":2},{"n":3}]')
    })
    const id = await api.create({
      ...{ url: `${site.url}/first.json`, start_urls: [`${site.url}/list.json`] },
      crawl: { incremental: true, max_items: 2, concurrency: 1 },
    })
    const numbers = async () => {
      await api.finished(id, await api.start(id))
      const items: Item[] = await api.results(id)
      return items.map(({ data }) => data.n)
    }
    assert.deepEqual(await numbers(), [1, 2])
    first = '[]'
    assert.deepEqual(await numbers(), [2, 3])
    assert.deepEqual(await numbers(), [2, 3])
    assert.equal(site.paths().filter((path) => path === '/list.json').length, 3)
  })

  test('scrapers 1.1: a preview shows what one page gives and stores nothing', async () => {
    const site = api.site()
    site.reset()
    const before = (await api.ok('GET', '/scrapers')).meta.total
    const shown = await api.ok('POST', '/scrapers/preview', { body: { url: `${site.url}/p/0` } })
    assert.deepEqual(
      [shown.status_code, shown.items.length, shown.items[0].data.title],
      [200, 1, 'Page 0'],
    )
    assert.deepEqual(shown.links, [`${site.url}/p/1`, `${site.url}/p/2`])
    assert.equal(typeof shown.duration_ms, 'number')
    const missing = await api.ok('POST', '/scrapers/preview', { body: { url: `${site.url}/none` } })
    assert.deepEqual([missing.status_code, missing.error.code], [404, 'http_status'])
    assert.equal(
      (await api.call('POST', '/scrapers/preview', { body: { url: 'nope' } })).status,
      400,
    )
    assert.equal((await api.ok('GET', '/scrapers')).meta.total, before)
  })

  /** Its pages say by their tag whether they changed. */
  function taggedSite() {
    const site = api.site()
    site.reset()
    return { url: site.url, tagged }

    function tagged(path: string, links: string[] = [], version = 'v1') {
      const etag = `"${version}"`
      site.on(path, (request, response) => {
        if (request.headers['if-none-match'] === etag) return response.writeHead(304).end()
        return html(response, page({ title: path, links }), { etag })
      })
    }
  }

  async function text(path: string, headers: Record<string, string> = {}): Promise<string> {
    const { body } = await api.call('GET', path, { headers })
    return String(body)
  }
})
