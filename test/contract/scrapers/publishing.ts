import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook, WebhookVerificationError } from 'standardwebhooks'
import { createCalls, until } from '#test-kit'
import { startReceiver } from '../webhooks/receiver.ts'
import { html, page, type Site, send, startSite } from './site.ts'
import { scraperSuite } from './support.ts'

const MAP = { title: 'title', body: 'text', summary: 'description' }

export const publishing = scraperSuite('publishing', (api) => {
  const calls = createCalls(() => api.server().url)

  test('scrapers 19: a run makes entries that every dialect shows', async () => {
    const site = api.site()
    const links = ['/news/1', '/news/2']
    site.on('/news', (_, response) => html(response, page({ title: 'News', links })))
    for (const link of links)
      site.on(link, (_, response) => html(response, page({ title: `Story ${link}` })))
    const run = await api.crawl({
      ...{ url: `${site.url}/news`, extract: { match: ['/news/*'] } },
      output: { collection: 'articles', map: MAP },
    })
    assert.deepEqual([run.status, run.items_collected], ['completed', 2])
    const items = await api.results(run.scraper_id)
    for (const { entry } of items) assert.equal(entry.type, 'article')
    const title = 'Story /news/1'
    const query = encodeURIComponent(title)
    const rest = await calls.ok('GET', `/api/v1/articles?filters[title]=${query}`)
    const cms = await calls.ok('GET', `/api/articles?filters[title][$eq]=${query}`, { key: null })
    const jsonapi = await calls.ok('GET', `/jsonapi/node/article?filter[title]=${query}`, {
      key: null,
    })
    const delivery = await calls.ok(
      'GET',
      '/cms/delivery/api/v2/content?filter=contentType:article',
      { key: null },
    )
    assert.equal(rest.data.length, 1)
    assert.equal(cms.data[0].attributes.title, title)
    assert.equal(jsonapi.data[0].attributes.title, title)
    assert.ok(delivery.items.some((item: { name: string }) => item.name === title))
  })

  test('scrapers 19: a second run writes nothing, a changed page updates its entry', async () => {
    const site = api.site()
    let body = 'first'
    site.on('/one', (_, response) => html(response, page({ title: 'One', body: `<p>${body}</p>` })))
    const id = await api.create({
      url: `${site.url}/one`,
      output: { collection: 'article', map: MAP },
    })
    await api.finished(id, await api.start(id))
    const [{ entry }] = await api.results(id)
    const before = await changes()
    await api.finished(id, await api.start(id))
    assert.deepEqual(await changes(), before)
    body = 'second'
    await api.finished(id, await api.start(id))
    const after = await changes()
    assert.equal(after - before, 1)
    const { data } = await calls.ok('GET', `/api/v1/articles/${entry.id}`)
    assert.match(data.body, /second/)
    assert.deepEqual((await api.results(id))[0].entry, entry)
  })

  test('scrapers 19: what a person changed stays, and the log says so', async () => {
    const site = api.site()
    let version = 1
    site.on('/edit', (_, response) => {
      const head = `<meta name="description" content="About ${version}">`
      html(response, page({ title: `Edit ${version}`, head }))
    })
    const id = await api.create({
      url: `${site.url}/edit`,
      output: { collection: 'articles', map: MAP },
    })
    await api.finished(id, await api.start(id))
    const [{ entry }] = await api.results(id)
    await calls.ok('PATCH', `/api/v1/articles/${entry.id}`, { body: { title: 'By hand' } })
    version = 2
    const run = await api.finished(id, await api.start(id))
    const { data } = await calls.ok('GET', `/api/v1/articles/${entry.id}`)
    assert.deepEqual([data.title, data.summary], ['By hand', 'About 2'])
    const log = await api.ok('GET', `/scrapers/${id}/runs/${run.id}/log?level=warn`)
    assert.match(log.data[0].message, /people changed: title/)
    version = 3
    await api.finished(id, await api.start(id))
    const kept = await calls.ok('GET', `/api/v1/articles/${entry.id}`)
    assert.deepEqual([kept.data.title, kept.data.summary], ['By hand', 'About 3'])
    await api.ok('PATCH', `/scrapers/${id}`, { body: { output: { on_edited: 'overwrite' } } })
    version = 4
    await api.finished(id, await api.start(id))
    const overwritten = await calls.ok('GET', `/api/v1/articles/${entry.id}`)
    assert.equal(overwritten.data.title, 'Edit 4')
  })

  test('scrapers 19: who has seen a run end reads what it has written', async () => {
    const site = api.site()
    let version = 0
    site.on('/fresh', (_, response) => html(response, page({ title: `Fresh ${version}` })))
    const id = await api.create({
      url: `${site.url}/fresh`,
      output: { collection: 'articles', map: { title: 'title' } },
    })
    await api.finished(id, await api.start(id))
    const [{ entry }] = await api.results(id)
    for (version = 1; version <= 10; version++) {
      // The answer is kept by then, and may not be given again.
      for (let asked = 0; asked < 2; asked++) await calls.ok('GET', `/api/v1/articles/${entry.id}`)
      await api.finished(id, await api.start(id))
      const { data } = await calls.ok('GET', `/api/v1/articles/${entry.id}`)
      assert.equal(data.title, `Fresh ${version}`)
    }
  })

  test('scrapers 19: on_missing acts after an exhausted run only', async () => {
    const site = api.site()
    let links = ['/m/1', '/m/2']
    site.on('/m', (_, response) => html(response, page({ title: 'Missing', links })))
    for (const path of ['/m/1', '/m/2'])
      site.on(path, (_, response) => html(response, page({ title: `M ${path}` })))
    const id = await api.create({
      ...{ url: `${site.url}/m`, extract: { match: ['/m/*'] } },
      output: { collection: 'articles', map: { title: 'title' }, on_missing: 'unpublish' },
    })
    await api.finished(id, await api.start(id))
    const items = await api.results(id)
    const gone = items.find((item: { url: string }) => item.url.endsWith('/m/2')).entry
    links = ['/m/1']
    await api.ok('PATCH', `/scrapers/${id}`, { body: { crawl: { max_pages: 1 } } })
    await api.finished(id, await api.start(id))
    assert.equal(await statusOf(gone.id), 200)
    await api.ok('PATCH', `/scrapers/${id}`, { body: { crawl: { max_pages: null } } })
    await api.finished(id, await api.start(id))
    assert.equal(await statusOf(gone.id), 404)
    links = ['/m/1', '/m/2']
    await api.finished(id, await api.start(id))
    assert.equal(await statusOf(gone.id), 200)
  })

  test('scrapers 19: entries that were not found stay while a page that may show them was not read', async () => {
    const site = await startSite()
    const other = await startSite()
    let titles = ['Stays', 'Leaves']
    let rules = ''
    type Answer = Parameters<Site['on']>[1]
    const good: Answer = (_, response) =>
      send(response, 200, 'application/json', `{"rows":[${titles.map((t) => `{"t":"${t}"}`)}]}`)
    site.on('/robots.txt', (_, response) => send(response, 200, 'text/plain', rules))
    const unwanted = '/other.json'
    site.on('/start', (_, response) =>
      html(response, page({ title: 'Start', links: ['/list', unwanted] })),
    )
    site.on('/list', good)
    site.on(unwanted, (_, response) => send(response, 200, 'application/json', '{}'))
    const output = { collection: 'articles', map: { title: 't' }, on_missing: 'delete' }
    const id = await api.create({
      ...{ url: `${site.url}/start`, crawl: { max_retries: 0 } },
      extract: { match: ['/list'], item_path: 'rows', key: 't' },
      output: { ...output, key: 't' },
    })
    await api.finished(id, await api.start(id))
    const entries: { entry: { id: number } }[] = await api.results(id)
    const gone = entries[1]?.entry.id ?? 0
    titles = ['Stays']
    const unread: Record<string, Answer> = {
      'an error': (_, response) => send(response, 500, 'text/plain', 'broken'),
      'no JSON': (_, response) => send(response, 200, 'application/json', '{"rows":[{"t":"Stays"}'),
      'no list': (_, response) => send(response, 200, 'application/json', '{"error":"busy"}'),
      'another type': (_, response) => send(response, 200, 'image/png', ''),
      elsewhere: (_, response) => response.writeHead(302, { location: other.url }).end(),
      'not asked for': (_, response) => response.writeHead(304).end(),
      forbidden: good,
    }
    for (const [what, answer] of Object.entries(unread)) {
      site.on('/list', answer)
      rules = what === 'forbidden' ? 'User-agent: *\nDisallow: /list' : ''
      const run = await api.finished(id, await api.start(id))
      assert.deepEqual([run.status, run.finish_reason], ['completed', 'exhausted'], what)
      assert.equal(await statusOf(gone), 200, what)
      const log = await api.ok('GET', `/scrapers/${id}/runs/${run.id}/log?level=warn`)
      const told = log.data.find(({ type }: { type: string }) => type === 'publish')
      assert.match(told.message, /not found are kept.* crawl\.exclude/, what)
      assert.equal(told.url, `${site.url}/list`)
    }
    rules = ''
    site.on('/list', (_, response) => send(response, 404, 'text/plain', 'moved'))
    await api.finished(id, await api.start(id))
    assert.equal(await statusOf(gone), 404)
  })

  test('scrapers 19: in another collection or language items become entries though they did not change', async () => {
    const site = api.site()
    let links = ['/moved/1', '/moved/2']
    site.on('/moved', (_, response) => html(response, page({ title: 'Moved', links })))
    for (const path of links)
      site.on(path, (_, response) => html(response, page({ title: `M ${path}` })))
    const title = { type: 'string' }
    const localized = { singularName: 'tale', pluralName: 'tales', localized: true }
    const plain = { singularName: 'memo', pluralName: 'memos' }
    for (const type of [plain, localized])
      await api.ok('POST', '/content-types', { body: { ...type, attributes: { title } } })
    await api.call('POST', '/locales', { body: { code: 'fr', name: 'French' } })
    const id = await api.create({
      ...{ url: `${site.url}/moved`, extract: { match: ['/moved/*'] } },
      crawl: { concurrency: 1 },
      output: { collection: 'memos', map: { title: 'title' }, on_missing: 'delete' },
    })
    await api.finished(id, await api.start(id))
    const memos = await entriesOf(id)
    for (const output of [{ collection: 'tales' }, { locale: 'fr' }]) {
      await api.ok('PATCH', `/scrapers/${id}`, { body: { output } })
      const before = await entriesOf(id)
      // In the other order an entry gets the number that another item's had in the collection before.
      links = links.toReversed()
      await api.finished(id, await api.start(id))
      const after = await entriesOf(id)
      assert.deepEqual([after.length, new Set([...before, ...after]).size], [2, 4])
    }
    links = ['/moved/1']
    await api.finished(id, await api.start(id))
    const left = async (path: string) => (await calls.ok('GET', `/api/v1/${path}`)).meta.total
    assert.deepEqual([await left('tales?locale=fr'), await left('memos')], [1, memos.length])
  })

  async function entriesOf(id: number): Promise<string[]> {
    const items: { entry: { type: string; id: number } | null }[] = await api.results(id)
    return items.flatMap(({ entry }) => (entry ? `${entry.type} ${entry.id}` : []))
  }

  test('scrapers 19: an item the type refuses stays a result, the log names the attribute', async () => {
    const site = api.site()
    site.on('/refused.json', (_, response) =>
      send(response, 200, 'application/json', '[{"t":null},{"t":"Good"}]'),
    )
    const run = await api.crawl({
      url: `${site.url}/refused.json`,
      output: { collection: 'articles', map: { title: 't' } },
    })
    const items = await api.results(run.scraper_id)
    assert.equal(items[0].entry, null)
    assert.equal(items[1].entry.type, 'article')
    const log = await api.ok('GET', `/scrapers/${run.scraper_id}/runs/${run.id}/log?level=error`)
    assert.match(log.data[0].message, /title/)
  })

  test('scrapers 19: each item of a page has its own entry, with or without a key', async () => {
    const site = api.site()
    // Beyond what a double holds exactly; as numbers the two would be one key.
    const rows =
      '{"t":"A","id":9007199254740993},{"t":"B","id":9007199254740992},{"t":"C"},{"t":"D"}'
    site.on('/many.json', (_, response) => send(response, 200, 'application/json', `[${rows}]`))
    for (const key of ['url', 'id']) {
      const collection = `keyed-by-${key}`
      const run = await api.crawl({
        ...{ url: `${site.url}/many.json` },
        output: { collection, create: true, key, map: { title: 't' } },
      })
      const entries = (await calls.ok('GET', `/api/v1/${collection}s`)).data
      const titles = entries.map(({ title }: { title: string }) => title)
      assert.deepEqual(titles.sort(), ['A', 'B', 'C', 'D'], key)
      const items: { data: { id?: string } }[] = await api.results(run.scraper_id)
      assert.equal(items[0]?.data.id, '9007199254740993')
      const before = await changes()
      await api.finished(run.scraper_id, await api.start(run.scraper_id))
      assert.equal(await changes(), before)
    }
  })

  test('scrapers 19: the log tells of two items that are one entry, and a second run writes nothing', async () => {
    const site = api.site()
    const rows = (titles: string[]) => JSON.stringify(titles.map((t) => ({ k: 'same', t })))
    let beside = ['First', 'Second', 'Second']
    site.on('/beside.json', (_, response) => send(response, 200, 'application/json', rows(beside)))
    site.on('/later.json', (_, response) =>
      send(response, 200, 'application/json', rows(['Third'])),
    )
    const id = await api.create({
      ...{ url: `${site.url}/beside.json`, crawl: { concurrency: 1 } },
      output: { collection: 'articles', key: 'k', map: { title: 't' } },
    })
    const first = await publishedBy(id)
    assert.deepEqual([first.title, first.told.length], ['Second', 1])
    assert.match(first.told[0] ?? '', /Overwrote .*another item .*\(same\); give output\.key/)
    const before = await changes()
    const again = await publishedBy(id)
    assert.deepEqual([again.title, again.told.length], ['Second', 1])
    assert.equal(await changes(), before)
    const start_urls = [`${site.url}/later.json`]
    await api.ok('PATCH', `/scrapers/${id}`, { body: { start_urls } })
    beside = ['Second']
    const apart = await publishedBy(id)
    assert.deepEqual([apart.title, apart.told.length], ['Third', 1])
    await api.ok('PATCH', `/scrapers/${id}`, { body: { start_urls: [] } })
    assert.deepEqual((await publishedBy(id)).told, [])

    async function publishedBy(scraperId: number) {
      const run = await api.finished(scraperId, await api.start(scraperId))
      const items: { entry: { id: number } }[] = await api.results(scraperId)
      const log = await api.ok('GET', `/scrapers/${scraperId}/runs/${run.id}/log?level=warn`)
      const told: string[] = log.data.map(({ message }: { message: string }) => message)
      assert.equal(new Set(items.map(({ entry }) => entry.id)).size, 1)
      const { data } = await calls.ok('GET', `/api/v1/articles/${items[0]?.entry.id}`)
      return { title: data.title, told }
    }
  })

  test('scrapers 19: why a type cannot be made is told in the log', async () => {
    const site = api.site()
    site.on('/odd.json', (_, response) => send(response, 200, 'application/json', '[{"id":1}]'))
    const run = await api.crawl({
      ...{ url: `${site.url}/odd.json`, output: { collection: 'oddities', create: true } },
    })
    const { data } = await api.ok(
      'GET',
      `/scrapers/${run.scraper_id}/runs/${run.id}/log?level=error`,
    )
    assert.match(data[0].message, /There is no collection oddities, and it cannot be made: .*id/)
  })

  test('scrapers 19: create makes a type from what was seen, and needs an admin', async () => {
    const site = api.site()
    const rows = [
      { sku: 'a', price: 1.5, count: 2, ok: true, at: '2026-03-01T10:00:00.000Z', more: { x: 1 } },
    ]
    site.on('/rows.json', (_, response) =>
      send(response, 200, 'application/json', JSON.stringify(rows)),
    )
    const run = await api.crawl({
      url: `${site.url}/rows.json`,
      output: { collection: 'gadgets', create: true, key: 'sku' },
    })
    assert.equal(run.status, 'completed')
    // The API hears of the type from the thread that made it.
    await until(async () => (await calls.call('GET', '/api/v1/gadgets')).status === 200)
    const { data } = await calls.ok('GET', '/api/v1/gadgets')
    assert.deepEqual(
      [data[0].sku, data[0].price, data[0].count, data[0].ok, data[0].more, data[0].external_id],
      ['a', 1.5, 2, true, { x: 1 }, 'a'],
    )
  })

  test('scrapers 19: publish false leaves new entries drafts and changes working copies', async () => {
    const site = api.site()
    let version = 1
    site.on('/draft', (_, response) => html(response, page({ title: `Draft ${version}` })))
    const output = { collection: 'articles', map: { title: 'title' }, publish: false }
    const id = await api.create({ url: `${site.url}/draft`, output })
    await api.finished(id, await api.start(id))
    const [{ entry }] = await api.results(id)
    assert.equal(await statusOf(entry.id), 404)
    await calls.ok('POST', `/api/v1/articles/${entry.id}/publish`)
    assert.equal(await statusOf(entry.id), 200)
    version = 2
    await api.finished(id, await api.start(id))
    const shown = await calls.ok('GET', `/api/articles/${entry.id}`, { key: null })
    assert.equal(shown.data.attributes.title, 'Draft 1')
    await api.ok('PATCH', `/scrapers/${id}`, { body: { output: { publish: true } } })
    version = 3
    await api.finished(id, await api.start(id))
    // Another process may show what it has kept for a moment longer (content model §10.9).
    await until(async () => {
      const changed = await calls.ok('GET', `/api/articles/${entry.id}`, { key: null })
      return changed.data.attributes.title === 'Draft 3'
    })
  })

  test('scrapers 19: on_missing delete removes what an exhausted run did not see', async () => {
    const site = api.site()
    let links = ['/gone/1', '/gone/2']
    site.on('/gone', (_, response) => html(response, page({ title: 'Gone', links })))
    for (const path of links)
      site.on(path, (_, response) => html(response, page({ title: `G ${path}` })))
    const id = await api.create({
      ...{ url: `${site.url}/gone`, extract: { match: ['/gone/*'] } },
      output: { collection: 'articles', map: { title: 'title' }, on_missing: 'delete' },
    })
    await api.finished(id, await api.start(id))
    const items: { url: string; entry: { id: number } }[] = await api.results(id)
    const idOf = (path: string) => items.find(({ url }) => url.endsWith(path))?.entry.id ?? 0
    links = ['/gone/1']
    await api.finished(id, await api.start(id))
    const left = await calls.call('GET', `/api/v1/articles/${idOf('/gone/1')}`)
    const gone = await calls.call('GET', `/api/v1/articles/${idOf('/gone/2')}`)
    assert.deepEqual([left.status, gone.status], [200, 404])
  })

  test('scrapers 19: an item that is refused this time was seen, and its entry stays', async () => {
    const site = api.site()
    let title: string | null = 'Good'
    site.on('/again.json', (_, response) =>
      send(response, 200, 'application/json', JSON.stringify([{ k: 'again', t: title }])),
    )
    const id = await api.create({
      url: `${site.url}/again.json`,
      output: { collection: 'articles', key: 'k', map: { title: 't' }, on_missing: 'delete' },
    })
    await api.finished(id, await api.start(id))
    const [{ entry }] = await api.results(id)
    title = null
    await api.finished(id, await api.start(id))
    assert.equal((await api.results(id))[0].entry, null)
    const { data } = await calls.ok('GET', `/api/v1/articles/${entry.id}`)
    assert.equal(data.title, 'Good')
  })

  test('scrapers 19: output.locale is the language of the entries', async () => {
    const site = api.site()
    site.on('/de', (_, response) => html(response, page({ title: 'Auf Deutsch' })))
    const attributes = { title: { type: 'string' } }
    const type = { singularName: 'note', pluralName: 'notes', localized: true, attributes }
    await calls.ok('POST', '/api/v1/content-types', { body: type })
    await calls.call('POST', '/api/v1/locales', { body: { code: 'de', name: 'Deutsch' } })
    const output = { collection: 'notes', map: { title: 'title' }, locale: 'de' }
    const run = await api.crawl({ url: `${site.url}/de`, output })
    const [{ entry }] = await api.results(run.scraper_id)
    assert.notEqual(entry, null)
    const { data } = await calls.ok('GET', '/api/v1/notes?locale=de')
    assert.deepEqual([data[0].title, data[0].locale], ['Auf Deutsch', 'de'])
    assert.deepEqual((await calls.ok('GET', '/api/v1/notes')).data, [])
  })

  test('scrapers media: files are taken over once, and again when their server says they changed', async () => {
    const site = api.site()
    let [etag, color] = ['"1"', 1]
    const conditions: (string | undefined)[] = []
    site.on('/picture', (_, response) =>
      html(response, page({ title: 'Picture', body: '<img src="/cover.png" alt="x">' })),
    )
    site.on('/cover.png', (request, response) => {
      conditions.push(request.headers['if-none-match'])
      if (request.headers['if-none-match'] === etag) return void response.writeHead(304).end()
      response.writeHead(200, { 'content-type': 'text/plain', etag }).end(png(color))
    })
    const id = await api.create({
      ...{ url: `${site.url}/picture`, crawl: { max_depth: 0 } },
      extract: { mode: 'fields', fields: { name: 'h1', picture: 'img@src' } },
      output: { collection: 'articles', map: { title: 'name' }, media: { cover: 'picture' } },
    })
    await api.finished(id, await api.start(id))
    const [{ entry }] = await api.results(id)
    const first = await coverOf(entry.id)
    assert.deepEqual([first.mime, first.width], ['image/png', 1])
    assert.deepEqual(await bytesOf(first.url), png(1))
    const before = await changes()
    await api.finished(id, await api.start(id))
    assert.deepEqual(conditions, [undefined, '"1"'])
    assert.deepEqual(await coverOf(entry.id), first)
    assert.equal(await changes(), before)
    ;[etag, color] = ['"2"', 2]
    await api.finished(id, await api.start(id))
    const second = await coverOf(entry.id)
    assert.equal(second.id, first.id)
    assert.notEqual(second.url, first.url)
    assert.deepEqual(await bytesOf(second.url), png(2))
    // Somebody deletes the file, somebody else may not see it come back: the attribute was edited.
    await api.ok('DELETE', `/media/${first.id}`)
    await api.finished(id, await api.start(id))
    assert.equal(await coverOf(entry.id), null)
  })

  test('scrapers media: what cannot be taken over costs its attribute only, and is logged', async () => {
    const site = api.site()
    const rows = [
      { t: 'Gone', pictures: ['/gone.png'] },
      { t: 'Text', pictures: ['/text.png'] },
      { t: 'Inside', pictures: 'http://10.0.0.1/x.png' },
      { t: 'Some', pictures: ['/gone.png', '/good.png'] },
      { t: 'Odd', pictures: [7, 'javascript:x'] },
    ]
    site.on('/files.json', (_, response) =>
      send(response, 200, 'application/json', JSON.stringify(rows)),
    )
    site.on('/text.png', (_, response) => send(response, 200, 'image/png', 'only text'))
    site.on('/good.png', (_, response) => send(response, 200, 'image/png', png(3)))
    const definition = {
      ...{ url: `${site.url}/files.json`, crawl: { max_retries: 0 } },
      output: {
        ...{ collection: 'galleries', create: true, key: 't' },
        ...{ map: { title: 't' }, media: { pictures: 'pictures' } },
      },
    }
    const run = await api.crawl(definition)
    const items = await api.results(run.scraper_id)
    const counts = await Promise.all(
      items.map(async ({ entry }: { entry: { id: number } }) => {
        const { data } = await calls.ok('GET', `/api/v1/galleries/${entry.id}?include=pictures`)
        return [data.title, (data.pictures ?? []).length]
      }),
    )
    assert.deepEqual(counts, [
      ['Gone', 0],
      ['Text', 1],
      ['Inside', 0],
      ['Some', 1],
      ['Odd', 0],
    ])
    const path = `/scrapers/${run.scraper_id}/runs/${run.id}/log?level=warn`
    const lines: { type: string; message: string }[] = (await api.ok('GET', path)).data
    assert.ok(lines.every(({ type }) => type === 'publish'))
    const told = lines.map(({ message }) => message).join('\n')
    for (const part of [/gone\.png.*404/, /10\.0\.0\.1.*not allowed/, /no URL/]) {
      assert.match(told, part)
    }
    // The type decides by the bytes, and an article's cover must be a picture.
    const articles = await api.crawl({
      ...{ url: `${site.url}/files.json`, crawl: { max_retries: 0 } },
      output: {
        collection: 'articles',
        key: 't',
        map: { title: 't' },
        media: { cover: 'pictures' },
      },
    })
    const cover = (await api.results(articles.scraper_id))[1].entry
    assert.equal(await coverOf(cover.id), null)
    const again = await api.start(run.scraper_id)
    const before = await changes()
    await api.finished(run.scraper_id, again)
    assert.equal(await changes(), before)
  })

  test('scrapers media: a file is asked for again as often as a page', async () => {
    const site = api.site()
    const rows = ['busy', 'cut', 'away', 'gone'].map((name) => ({ name, picture: `/${name}.png` }))
    site.on('/passing.json', (_, response) =>
      send(response, 200, 'application/json', JSON.stringify(rows)),
    )
    const asked = new Map<string, number>()
    const count = (path: string) => {
      asked.set(path, (asked.get(path) ?? 0) + 1)
      return asked.get(path) ?? 0
    }
    site.on('/busy.png', (_, response) => {
      if (count('busy') > 1) return send(response, 200, 'image/png', png(4))
      response.writeHead(503, { 'retry-after': '1' }).end()
    })
    site.on('/cut.png', (_, response) => {
      if (count('cut') > 1) return send(response, 200, 'image/png', png(5))
      response.writeHead(200, { 'content-length': '5000' }).write('half')
      setImmediate(() => response.destroy())
    })
    site.on('/away.png', (_, response) => {
      count('away')
      send(response, 500, 'text/plain', 'no')
    })
    site.on('/gone.png', (_, response) => {
      count('gone')
      send(response, 404, 'text/plain', 'no')
    })
    const run = await api.crawl({
      ...{ url: `${site.url}/passing.json`, rate_limit: 100, crawl: { max_retries: 1 } },
      output: {
        ...{ collection: 'articles', key: 'name', map: { title: 'name' } },
        media: { cover: 'picture' },
      },
    })
    const items = await api.results(run.scraper_id)
    const covers = await Promise.all(
      items.map(async ({ entry }: { entry: { id: number } }) => (await coverOf(entry.id))?.mime),
    )
    assert.deepEqual(covers, ['image/png', 'image/png', undefined, undefined])
    assert.deepEqual(Object.fromEntries(asked), { busy: 2, cut: 2, away: 2, gone: 1 })
  })

  test('scrapers media: a run that has its pages waits for files no longer than it may last', async () => {
    const site = api.site()
    site.on('/held.json', (_, response) =>
      send(response, 200, 'application/json', '[{"name":"held","picture":"/held.png"}]'),
    )
    site.on('/held.png', (_, response) => response.writeHead(503, { 'retry-after': '300' }).end())
    const run = await api.crawl({
      url: `${site.url}/held.json`,
      crawl: { max_pages: 1, max_duration_seconds: 3 },
      output: { collection: 'articles', map: { title: 'name' }, media: { cover: 'picture' } },
    })
    assert.deepEqual([run.status, run.items_collected], ['completed', 1])
    const [{ entry }] = await api.results(run.scraper_id)
    assert.equal(await coverOf(entry.id), null)
  })

  test('scrapers media: an attribute that holds no files is refused', async () => {
    const url = `${api.site().url}/p/1`
    const cases = [
      [{ media: { title: 'image' } }, 422],
      [{ media: { nothing: 'image' } }, 422],
      [{ media: { cover: 5 } }, 400],
      [{ map: { cover: 'x' }, media: { cover: 'image' } }, 400],
    ] as const
    for (const [output, status] of cases) {
      const body = { name: 'x', url, output: { collection: 'articles', ...output } }
      const answer = await api.call('POST', '/scrapers', { body })
      assert.equal(answer.status, status, JSON.stringify(answer.body))
    }
  })

  async function coverOf(id: number) {
    return (await calls.ok('GET', `/api/v1/articles/${id}?include=cover`)).data.cover
  }

  async function bytesOf(path: string): Promise<Buffer> {
    const answer = await fetch(new URL(path, api.server().url))
    return Buffer.from(await answer.arrayBuffer())
  }

  test('webhooks 18: what a run tells arrives once at a registered webhook, and its signature is verified', async () => {
    const site = api.site()
    const receiver = await startReceiver()
    const events = ['run.started', 'run.completed', 'run.failed', 'run.stopped']
    const body = { url: `${receiver.url}/runs`, events }
    const { secret } = await api.ok('POST', '/webhooks', { body })
    const completed = await api.crawl({ url: `${site.url}/p/18` })
    const failed = await api.crawl({ url: `${site.url}/nothing-here` })
    site.on('/unanswered', () => {})
    const id = await api.create({ url: `${site.url}/unanswered` })
    const runId = await api.start(id)
    await until(() => site.paths().includes('/unanswered'), { what: 'the request' })
    await api.ok('POST', `/scrapers/${id}/stop`)
    const expected = [
      ...[completed.id, failed.id, runId].map((run) => ['run.started', run]),
      ...[
        ['run.completed', completed.id],
        ['run.failed', failed.id],
        ['run.stopped', runId],
      ],
    ]
    const deliveries = await receiver.waitFor('/runs', expected.length)
    const told = deliveries.map(({ body: { type, data } }) => [type, data.run_id])
    assert.deepEqual(told.sort(), expected.sort())
    const readings = [
      new Webhook(secret),
      new Webhook(`whsec_${secret}`),
      new Webhook(secret, { format: 'raw' }),
    ]
    for (const { text, headers, body: delivered } of deliveries) {
      for (const webhook of readings) {
        assert.deepEqual(webhook.verify(text, headers), delivered)
        const forged = text.replace('"run_id":', '"run_id":1')
        assert.throws(() => webhook.verify(forged, headers), WebhookVerificationError)
      }
    }
    const ofFailed = deliveries.find(({ body: { type } }) => type === 'run.failed')
    assert.equal(ofFailed?.body.data.error.code, 'start_url_failed')
  })

  async function statusOf(id: number): Promise<number> {
    return (await calls.call('GET', `/api/articles/${id}`, { key: null })).status
  }

  /**
   * How many changes there have been. They are numbered a moment after they were made, so a mark is
   * set and waited for: whatever came before it has its number then.
   */
  async function changes(): Promise<number> {
    const { data: mark } = await calls.ok('POST', '/api/v1/categories', { body: { name: 'Mark' } })
    return until(async () => {
      const { data }: { data: { type: string; id: number }[] } = await calls.ok(
        'GET',
        '/api/v1/changes?limit=1000',
      )
      const isMarked = data.some(({ type, id }) => type === 'category' && id === mark.id)
      return isMarked ? data.filter(({ type }) => type !== 'category').length : undefined
    })
  }
})

/** A picture of one pixel; another number makes another file. */
function png(number: number): Buffer {
  const pixel =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  return Buffer.concat([Buffer.from(pixel, 'base64'), Buffer.from([number])])
}
