import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { before, test } from 'node:test'
import MagentoApi from 'magento-api-rest'
import { bulkCalls } from '../contract/commerce/bulk.ts'
import type { Values } from '../contract/commerce/signer.ts'
import { commerceSuite } from '../contract/commerce/support.ts'

// It brings no types.
const require = createRequire(import.meta.url)
const { Magento2Client } = require('magento2-rest-client')
// Its types describe a CommonJS module, what Node loads is an object that holds the class.
const Api = 'default' in MagentoApi ? Object(MagentoApi).default : MagentoApi

/** Real clients of the dialect, unmodified: only host and credentials are given. */
export const commerceClients = commerceSuite('clients of the dialect', (commerce) => {
  const { ok, one, server } = commerce
  const { finished } = bulkCalls(commerce)
  let values: Values
  const made = (...skus: string[]) => skus.map((sku) => ({ sku, name: sku, price: 1 }))
  const assertDone = async (uuid: string, skus: readonly string[]) => {
    const bulk = await finished(uuid)
    assert.equal(bulk.extension_attributes.state, 'finished')
    for (const sku of skus) assert.equal((await one(sku)).name, sku)
  }

  before(async () => {
    const body = { name: 'Clients', access_level: 'write' }
    values = (await ok('POST', '/api/v1/integrations', { body })).data
  })

  for (const sha of [1, 256]) {
    test(`commerce 3: magento-api-rest with SHA ${sha} lists, reads, creates, updates and deletes`, async () => {
      const client = new Api({
        url: server().url,
        consumerKey: values.consumer_key,
        consumerSecret: values.consumer_secret,
        accessToken: values.access_token,
        tokenSecret: values.access_token_secret,
        type: 'V1',
        sha,
      })
      const sku = `C ${sha}/x`
      const path = `products/${encodeURIComponent(sku)}`
      for (const name of ['Beta', 'Alpha']) {
        const product = { sku: name === 'Beta' ? sku : `C ${sha} two`, name, price: sha }
        assert.equal((await client.post('products', { product })).data.sku, product.sku)
      }
      const all = await client.get('products')
      assert.ok(all.data.total_count >= 2)
      const own = { field: 'sku', value: `C ${sha}%`, condition_type: 'like' }
      const found = await client.get('products', {
        filterGroups: [
          { filters: [own] },
          { filters: [{ field: 'price', value: sha, condition_type: 'gteq' }] },
        ],
        sortOrders: [{ field: 'name', direction: 'ASC' }],
        pageSize: 1,
        currentPage: 2,
      })
      assert.deepEqual([found.data.total_count, found.data.items[0].name], [2, 'Beta'])
      assert.equal((await client.get(path)).data.name, 'Beta')
      const changed = await client.put(path, { product: { name: 'Gamma & +' } })
      assert.equal(changed.data.name, 'Gamma & +')
      const either = await client.get('products', {
        $or: [{ sku }, { sku: `C ${sha} two` }],
        $from: '2020-01-01 00:00:00',
        $to: '2999-01-01 00:00:00',
        $sort: { price: 'DESC' },
        $perPage: 5,
        $page: 1,
      })
      assert.equal(either.data.total_count, 2)
      assert.equal((await client.delete(path)).data, true)
      const gone = await client.get(path).catch((error: unknown) => Object(error).response)
      assert.equal(gone.status, 404)
    })
  }

  test('commerce 3: magento-api-rest posts a bulk', async () => {
    const client = new Api({
      url: server().url,
      consumerKey: values.consumer_key,
      consumerSecret: values.consumer_secret,
      accessToken: values.access_token,
      tokenSecret: values.access_token_secret,
      type: 'async/bulk/V1',
      sha: 256,
    })
    const skus = ['C bulk/1', 'C bulk/2']
    const products = made(...skus).map((product) => ({ product }))
    const { status, data } = await client.post('products', products)
    assert.deepEqual([status, data.errors], [202, false])
    await assertDone(data.bulk_uuid, skus)
  })

  test('commerce 3: magento2-rest-client posts a bulk', async () => {
    const client = Magento2Client({
      url: `${server().url}/rest/async`,
      consumerKey: values.consumer_key,
      consumerSecret: values.consumer_secret,
      accessToken: values.access_token,
      accessTokenSecret: values.access_token_secret,
    })
    const skus = ['M2 bulk 1', 'M2 bulk 2']
    const accepted = await client.products.create(made(...skus))
    assert.deepEqual([accepted.errors, accepted.requestItems.length], [false, 2])
    await assertDone(accepted.bulkUuid, skus)
  })

  test('commerce 3: magento2-rest-client lists, creates, updates and deletes', async () => {
    const client = Magento2Client({
      url: `${server().url}/rest`,
      consumerKey: values.consumer_key,
      consumerSecret: values.consumer_secret,
      accessToken: values.access_token,
      accessTokenSecret: values.access_token_secret,
    })
    const product = { sku: 'M2', name: 'Made', price: 3, typeId: 'simple', attributeSetId: 4 }
    assert.equal((await client.products.create({ product })).sku, 'M2')
    const list = await client.products.list('')
    assert.ok(list.totalCount >= 1)
    const changed = await client.products.update('M2', { product: { price: 4 } })
    assert.equal(changed.price, 4)
    assert.equal(await client.products.delete('M2').then(Boolean), true)
    await assert.rejects(client.products.delete('M2'), (error: unknown) =>
      /SKU "M2"/.test(String(error)),
    )
  })
})
