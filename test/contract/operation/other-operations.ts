import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { until } from '#test-kit'
import { createCertificate } from '../../conformance/support/certificate.ts'
import { fillShop } from './every-part.ts'
import type { OperationServer } from './support.ts'

const ADMIN = '/gateway/admin'
const LIMITED = { plugins: { 'limit-count': { count: 100, time_window: 60 } } }

/** What suites of other areas do not ask with success, or only with servers of their own. */
export function otherOperationsSuite({ call, data, ok }: OperationServer): void {
  describe('operations that are the same everywhere', () => {
    test('operation finding 20: the gateway answers every operation of every kind of object', async () => {
      const pair = createCertificate(['shop.example.org'])
      const nodes = { '192.0.2.10:8080': 1 }
      const bodies: Record<string, object> = {
        upstreams: { type: 'roundrobin', nodes, desc: 'The shop' },
        services: { upstream: { type: 'roundrobin', nodes } },
        routes: { uri: '/shop/*', upstream: { type: 'roundrobin', nodes } },
        consumer_groups: LIMITED,
        plugin_configs: LIMITED,
        global_rules: { plugins: { 'request-id': {} } },
        ssls: { sni: 'shop.example.org', ...pair },
      }
      for (const [kind, body] of Object.entries(bodies)) await everyOperation(kind, body)
      const metadata = `${ADMIN}/plugin_metadata/file-logger`
      await ok('PUT', metadata, { body: { log_format: { host: '$host' } } })
      await ok('PATCH', metadata, { body: { log_format: { uri: '$uri' } } })
      await ok('GET', `${ADMIN}/plugin_metadata`)
      await ok('GET', metadata)
      await ok('DELETE', metadata)
      const ada = { username: 'ada', desc: 'A shop' }
      await ok('PUT', `${ADMIN}/consumers`, { body: ada })
      await ok('PUT', `${ADMIN}/consumers/ada`, { body: ada })
      const credential = `${ADMIN}/consumers/ada/credentials/first`
      await ok('PUT', credential, { body: { plugins: { 'key-auth': { key: 'a-key-of-ada' } } } })
      await ok('GET', credential)
      await ok('GET', `${ADMIN}/consumers/ada/credentials`)
      await ok('GET', `${ADMIN}/consumers`)
      await ok('GET', `${ADMIN}/consumers/ada`)
      await ok('DELETE', credential)
      await ok('DELETE', `${ADMIN}/consumers/ada`)
    })

    async function everyOperation(kind: string, body: object) {
      const made = await ok('POST', `${ADMIN}/${kind}`, { body })
      const one = `${ADMIN}/${kind}/${made.value.id}`
      await ok('GET', one)
      await ok('GET', `${ADMIN}/${kind}`)
      await ok('PUT', one, { body })
      await ok('PATCH', one, { body: { labels: { team: 'shop' } } })
      await ok('DELETE', one)
    }

    test('operation finding 20: the gateway answers what concerns all of its configuration', async () => {
      const whole = await ok('GET', `${ADMIN}/configs`)
      await ok('POST', `${ADMIN}/configs/validate`, { body: whole })
      await ok('PUT', `${ADMIN}/configs?confirm_within=60`, { body: whole })
      await ok('POST', `${ADMIN}/confirm`)
      const { list } = await ok('GET', `${ADMIN}/history`)
      await ok('POST', `${ADMIN}/rollback`, { body: { revision: list[0].revision } })
      await ok('POST', `${ADMIN}/explain`, {
        body: { method: 'GET', uri: '/shop/7?a=1', host: 'shop.example.org' },
      })
      await ok('POST', `${ADMIN}/scripts/test`, {
        body: {
          ...{ phase: 'rewrite', function: "(conf, ctx) => [403, ctx.request.headers['x-a']]" },
          request: { method: 'GET', uri: '/shop', headers: { 'X-A': 'no' } },
        },
      })
      await ok('GET', `${ADMIN}/plugins/list`)
    })

    test('operation finding 20: the shop answers every operation it describes', async () => {
      await fillShop({ ok, data, call })
      const product = { sku: 'lamp', name: 'A lamp', price: 13 }
      const { bulk_uuid } = await ok('PUT', '/rest/async/V1/products/lamp', { body: { product } })
      await ok('PUT', '/rest/async/bulk/V1/products/bySku', { body: [{ product }] })
      await ok('PUT', '/rest/async/bulk/V1/products', { body: [{ product }] })
      await ok('DELETE', '/rest/async/V1/products/chair')
      await ok('GET', '/rest/V1/products/lamp/media')
      const path = `/rest/V1/bulk/${bulk_uuid}`
      await until(async () => {
        const { operations_list: list } = await ok('GET', `${path}/detailed-status`)
        return list.every(({ status }: { status: number }) => status === 1) || undefined
      })
      await ok('GET', '/rest/V1/stockStatuses/lamp')
      const { item_id } = await ok('GET', '/rest/V1/stockItems/lamp')
      await ok('PUT', `/rest/V1/products/lamp/stockItems/${item_id}`, {
        body: { stockItem: { qty: 5, is_in_stock: true } },
      })
      const entity = {
        customer_email: 'cy@example.org',
        items: [{ sku: 'lamp', qty_ordered: 1 }],
      }
      await ok('PUT', '/rest/V1/orders/create', { body: { entity } })
      for (const name of ['modules', 'store/storeViews', 'store/storeConfigs', 'store/websites']) {
        await ok('GET', `/rest/V1/${name}`)
      }
      await ok('GET', '/rest/V1/products/types')
      await ok('GET', '/rest/V1/products/attribute-sets/sets/list')
    })

    for (const version of ['v1', 'v2']) {
      test(`operation finding 20: /api/${version}/media answers every operation it describes`, async () => {
        const media = `/api/${version}/media`
        const folder = await data('POST', `${media}/folders`, {
          body: { path: `/${version}/trips` },
        })
        const parent = `${media}/folders/${folder.id}`
        await ok('GET', `${media}/folders`)
        await ok('GET', parent)
        const moved = await data('PATCH', parent, { body: { path: `/${version}/journeys` } })
        const file = await data('POST', media, { form: formWith('A text') })
        const one = `${media}/${file.id}`
        await ok('GET', `${media}?per_page=1`)
        await ok('GET', one)
        await ok('PATCH', one, { body: { alternative_text: 'A text' } })
        await ok('PUT', `${one}/file`, { form: formWith('Another text') })
        await ok('GET', `${one}/related`)
        assert.ok((await call('DELETE', one)).status < 300)
        assert.equal((await call('DELETE', `${media}/folders/${moved.id}`)).status, 204)
      })
    }

    function formWith(text: string): FormData {
      const form = new FormData()
      form.set('file', new File([text], 'text.txt'))
      return form
    }

    test('operation finding 20: clients of OAuth and short subscriptions', async () => {
      const client = await data('POST', '/api/v1/oauth/clients', {
        body: { name: 'A client', plan_id: 1, user_id: 1 },
      })
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      const own = { client_id: client.client_id, client_secret: client.client_secret }
      const asked = new URLSearchParams({ grant_type: 'client_credentials', ...own })
      const token = await ok('POST', '/oauth/token', { text: String(asked), headers, key: null })
      const revoked = new URLSearchParams({ token: token.access_token, ...own })
      await ok('POST', '/oauth/introspect', { text: String(revoked), headers })
      await ok('POST', '/oauth/revoke', { text: String(revoked), headers, key: null })
      const { id } = await ok('POST', '/api/v1/webhooks', {
        body: { url: 'https://receiver.example/hook', events: ['key.created'] },
      })
      await ok('GET', `/api/v1/webhooks/${id}`)
      assert.equal((await call('DELETE', `/api/v1/webhooks/${id}`)).status, 204)
    })

    test('operation finding 20: /api/v1 and JSON:API answer what is not of one content type', async () => {
      const { data: users } = await ok('GET', '/api/v1/users')
      await ok('GET', `/api/v1/users/${users[0].id}`)
      await ok('GET', '/api/v1/usage/series?interval=hour')
      const key = await data('POST', '/api/v1/keys', { body: { name: 'Lost', plan_id: 1 } })
      await ok('POST', `/api/v1/keys/${key.id}/revoke`, { body: { reason: 'It was lost' } })
      await ok('GET', '/api/v1/search?q=paper')
      const note = { name: 'note', attributes: { text: { type: 'string' } } }
      await ok('POST', '/api/v1/components', { body: note })
      const component = '/api/v1/components/default.note'
      await ok('GET', component)
      await ok('PUT', component, { body: note })
      await ok('PATCH', component, { body: { displayName: 'Note' } })
      await ok('GET', '/api/v1/components')
      assert.equal((await call('DELETE', component)).status, 204)
      await ok('GET', '/api/v1/content-types')
      await ok('GET', '/api/v1/content-types/author')
      await ok('PUT', '/api/v1/content-types/author', {
        body: {
          ...{ singularName: 'author', pluralName: 'authors' },
          attributes: { name: { type: 'string', required: true } },
        },
      })
      await ok('POST', '/api/v1/locales', { body: { code: 'de', name: 'German' } })
      await ok('GET', '/api/v1/locales')
      await ok('GET', '/api/v1/locales/de')
      await ok('PATCH', '/api/v1/locales/de', { body: { name: 'Deutsch' } })
      assert.equal((await call('DELETE', '/api/v1/locales/de')).status, 204)
      await ok('GET', '/webhooks/event-types')
      await ok('GET', '/webhooks/notifications')
      await ok('GET', '/jsonapi')
      for (const kind of ['file/file', 'user/user', 'node_type/node_type']) {
        const { data: found } = await ok('GET', `/jsonapi/${kind}`)
        if (found[0]) await ok('GET', `/jsonapi/${kind}/${found[0].id}`)
      }
    })
  })
}
