import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { createCalls, until } from '#test-kit'
import { startReceiver } from '../webhooks/receiver.ts'
import { html, page } from './site.ts'
import { scraperSuite } from './support.ts'

/** From a page somewhere to a paying reader and back to that reader when the page changes. */
export const journey = scraperSuite('journey', (api) => {
  const calls = createCalls(() => api.server().url)

  test('journey: pages are collected, published, sold, read everywhere and told of by webhook', async () => {
    const site = api.site()
    let version = 1
    const links = ['/story/1', '/story/2']
    site.on('/stories', (_, response) => html(response, page({ title: 'Stories', links })))
    for (const link of links) {
      site.on(link, (_, response) => {
        const head = `<meta name="description" content="About ${link}, version ${version}">`
        html(response, page({ title: `Story ${link}`, head }))
      })
    }
    const attributes = { title: { type: 'string' }, about: { type: 'text' } }
    const names = { singularName: 'story', pluralName: 'stories' }
    const type = { ...names, attributes, publicRead: false, draftAndPublish: true }
    await calls.ok('POST', '/api/v1/content-types', { body: type })

    const id = await api.create({
      ...{ name: 'Stories', url: `${site.url}/stories`, extract: { match: ['/story/*'] } },
      output: { collection: 'stories', map: { title: 'title', about: 'description' } },
    })
    const first = await api.finished(id, await api.start(id))
    assert.deepEqual([first.status, first.items_collected], ['completed', 2])
    const results: { url: string; entry: { id: number } }[] = await api.results(id)

    // A buyer: a plan that sells reading of stories, and a key on it.
    const email = `buyer-${Math.random().toString(36).slice(2)}@journey.example`
    const user = await api.data('POST', '/users', { body: { email, access: 'read' } })
    const plan = await api.data('POST', '/plans', {
      body: {
        ...{ name: `Stories of ${email}`, requests_per_month: 1_000, requests_per_minute: 600 },
        endpoints: [
          ...['GET /api/v1/stories/**', 'GET /api/v1/stories', 'GET /api/stories/**'],
          ...['GET /api/stories', 'GET /jsonapi/**', 'GET /cms/delivery/**', '* /webhooks/**'],
        ],
        price_monthly: '9.00',
      },
    })
    const issued = await api.data('POST', '/keys', {
      body: { user_id: user.id, plan_id: plan.id, name: 'Buyer', access: 'read' },
    })
    const { key } = issued
    const hooks = await startReceiver()
    const subscription = await calls.ok('POST', '/webhooks/subscriptions', {
      ...{ key, body: { endpoint_url: `${hooks.url}/changed`, events: ['story.updated'] } },
    })

    // Without a key nobody reads what is sold; with it every dialect shows both stories.
    assert.equal((await calls.call('GET', '/api/v1/stories', { key: null })).status, 401)
    const before = await usage()
    const titles = links.map((link) => `Story ${link}`)
    const rest = await calls.ok('GET', '/api/v1/stories?sort=title', { key })
    const cms = await calls.ok('GET', '/api/stories?sort=title', { key })
    const jsonapi = await calls.ok('GET', '/jsonapi/node/story?sort=title', { key })
    const delivery = await calls.ok(
      ...['GET', '/cms/delivery/api/v2/content?filter=contentType:story&sort=name:asc'],
      { key },
    )
    type Titled = { title: string; name: string; attributes: { title: string } }
    assert.deepEqual(
      rest.data.map(({ title }: Titled) => title),
      titles,
    )
    for (const { data } of [cms, jsonapi]) {
      assert.deepEqual(
        data.map(({ attributes: { title } }: Titled) => title),
        titles,
      )
    }
    assert.deepEqual(
      delivery.items.map(({ name }: Titled) => name),
      titles,
    )
    assert.equal((await calls.call('GET', '/api/v1/articles', { key })).status, 403)

    // The page changes, and its readers hear of it.
    version = 2
    const second = await api.finished(id, await api.start(id))
    assert.equal(second.changes.changed, 2)
    const deliveries = await until(() => {
      const told = hooks.on('/changed', 'story.updated')
      return told.length >= 2 && told
    })
    const told = new Set<number>()
    for (const delivery of deliveries) {
      const webhook = new Webhook(subscription.secret)
      webhook.verify(delivery.text, delivery.headers)
      assert.throws(() => webhook.verify(`${delivery.text} `, delivery.headers))
      told.add(delivery.body.data.id)
    }
    assert.deepEqual([...told].sort(), results.map(({ entry }) => entry.id).sort())
    const entryId = results[0]?.entry.id
    const { data: changed } = await calls.ok('GET', `/api/v1/stories/${entryId}`, { key })
    assert.match(changed.about, /version 2$/)

    // Five reads were served and counted; the refusal was not.
    await until(async () => (await usage()).month - before.month === 5, { what: 'usage' })
    for (const endpoint of ['/api/v1/stories', '/api/stories', '/api/v1/stories/{id}']) {
      await until(async () => {
        const { data } = await calls.ok('GET', '/api/v1/usage/records?limit=100', { key })
        return data.some((record: { endpoint: string }) => record.endpoint === endpoint)
      })
    }

    async function usage(): Promise<{ month: number }> {
      return (await calls.ok('GET', '/api/v1/usage', { key })).data
    }
  })
})
