import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCalls, until } from '#test-kit'
import { html, page, send } from './site.ts'
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
    await api.ok('PATCH', `/scrapers/${id}`, { body: { output: { on_edited: 'overwrite' } } })
    version = 3
    await api.finished(id, await api.start(id))
    const overwritten = await calls.ok('GET', `/api/v1/articles/${entry.id}`)
    assert.equal(overwritten.data.title, 'Edit 3')
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
    const changed = await calls.ok('GET', `/api/articles/${entry.id}`, { key: null })
    assert.equal(changed.data.attributes.title, 'Draft 3')
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

  test('webhooks 18: run.completed arrives signed at a registered webhook, once', async () => {
    const site = api.site()
    const received: { type: string; data: { run_id: number; items_collected: number } }[] = []
    site.on('/hook', (request, response) => {
      let text = ''
      request.on('data', (chunk) => {
        text += chunk
      })
      request.on('end', () => {
        // The first request only looks whether somebody answers.
        if (text !== '') received.push(JSON.parse(text))
        response.end()
      })
    })
    const body = { url: `${site.url}/hook`, events: ['run.completed', 'run.failed'] }
    await api.ok('POST', '/webhooks', { body })
    const run = await api.crawl({ url: `${site.url}/p/18` })
    const failed = await api.crawl({ url: `${site.url}/nothing-here` })
    const own = () => received.filter(({ type }) => type.startsWith('run.'))
    await until(() => own().length >= 2, { what: 'two deliveries' })
    const told = own().map(({ type, data }) => [type, data.run_id])
    assert.deepEqual(told.sort(), [
      ['run.completed', run.id],
      ['run.failed', failed.id],
    ])
  })

  async function statusOf(id: number): Promise<number> {
    return (await calls.call('GET', `/api/articles/${id}`, { key: null })).status
  }

  /** How many changes of articles there have been. */
  async function changes(): Promise<number> {
    let count = 0
    for (let cursor = ''; ; ) {
      const page = await calls.ok('GET', `/api/v1/changes?limit=1000${cursor}`)
      count += page.data.length
      const next = page.meta.next_after_id ?? page.meta.cursor ?? null
      if (page.data.length < 1000 || next === null) return count
      cursor = `&after_id=${next}`
    }
  }
})
