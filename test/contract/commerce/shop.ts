import assert from 'node:assert/strict'
import { test } from 'node:test'
import { beginMinute, until } from '#test-kit'
import { commerceSuite } from './support.ts'

const FORMS = [
  '/V1',
  '/rest/V1',
  '/rest/v1',
  '/rest/default/V1',
  '/rest/all/V1',
  '/rest/en/V1',
  '/index.php/rest/V1',
  '/index.php/rest/default/V1',
]

export const shop = commerceSuite('the shop around products', (commerce) => {
  const { call, ok, save, one, refused, keys } = commerce

  test('commerce 7: by any path form a plan permits and usage shows /rest/V1/products', async () => {
    const figures = { name: 'Shop', requests_per_month: -1, requests_per_minute: -1 }
    const endpoints = ['GET /rest/V1/products']
    const plan = await ok('POST', '/api/v1/plans', { body: { ...figures, endpoints } })
    const made = await ok('POST', '/api/v1/keys', {
      body: { plan_id: plan.data.id, access: 'read' },
    })
    const { id, key } = made.data
    for (const form of FORMS) {
      assert.equal((await call('GET', `${form}/products`, { key })).status, 200, form)
      assert.equal((await call('GET', `${form}/products/`, { key })).status, 200, form)
      await refused(403, 'GET', `${form}/modules`, { key })
    }
    const usage = await until(async () => {
      const { body } = await call('GET', `/api/v1/usage/endpoints?key_id=${id}`)
      const rows: { endpoint: string; requests: number }[] = body.data ?? []
      const total = rows.reduce((sum, { requests }) => sum + requests, 0)
      return total >= FORMS.length * 2 ? rows : undefined
    })
    const shown = usage.filter(({ requests }) => requests > 0).map(({ endpoint }) => endpoint)
    assert.deepEqual(shown, ['/rest/V1/products'])
  })

  test('commerce 7: a limit that is reached is 429 in the shape of the dialect', async (t) => {
    await beginMinute(t, commerce.server())
    const figures = { name: 'Few', requests_per_month: -1, requests_per_minute: 2 }
    const plan = await ok('POST', '/api/v1/plans', { body: figures })
    const made = await ok('POST', '/api/v1/keys', {
      body: { plan_id: plan.data.id, access: 'read' },
    })
    const { key } = made.data
    const ask = () => call('GET', '/V1/modules', { key })
    await ask()
    await ask()
    const limited = await ask()
    assert.equal(limited.status, 429)
    assert.ok(Number(limited.headers.get('retry-after')) > 0)
    assert.equal(typeof limited.body.message, 'string')
    await ok('DELETE', `/api/v1/keys/${made.data.id}`)
    await refused(403, 'GET', '/V1/modules', { key })
  })

  test('commerce 8: a product made here is in every other interface, and changes elsewhere show here', async () => {
    const made = await save({
      ...{ sku: 'EVERYWHERE', name: 'Everywhere', price: 2.5 },
      extension_attributes: { stock_item: { qty: 3 } },
    })
    const v1 = await ok('GET', `/api/v1/products/${made.id}`)
    assert.deepEqual([v1.data.sku, v1.data.price, v1.data.stock], ['EVERYWHERE', 2.5, 3])
    const cms = await ok('GET', '/api/products?filters[sku][$eq]=EVERYWHERE')
    assert.equal(cms.data[0].attributes.name, 'Everywhere')
    const jsonapi = await ok('GET', '/jsonapi/node/product?filter[sku]=EVERYWHERE')
    assert.equal(jsonapi.data.length, 1)
    const delivered = await ok(
      'GET',
      '/cms/delivery/api/v2/content?filter=contentType:product,properties.sku:EVERYWHERE',
    )
    assert.equal(delivered.total, 1)
    const body = { query: '{ products(filters: { sku: { eq: "EVERYWHERE" } }) { data { id } } }' }
    assert.equal((await ok('POST', '/graphql', { body })).data.products.data.length, 1)
    const stock = '/api/products/EVERYWHERE/stock'
    assert.deepEqual(await ok('GET', stock), { sku: 'EVERYWHERE', stock: 3, available: true })
    await ok('PATCH', stock, { body: { sku: 'EVERYWHERE', quantity: 0 } })
    const { stock_item: item } = (await one('EVERYWHERE')).extension_attributes
    assert.deepEqual([item.qty, item.is_in_stock], [0, false])
    await ok('POST', `/api/v1/products/${made.id}/unpublish`)
    assert.equal((await one('EVERYWHERE')).status, 2)
    await refused(404, 'GET', '/V1/products/EVERYWHERE', { key: keys.read })
  })

  test('commerce 8: what editors have drafted stays a draft when a shop changes the product', async () => {
    const { id } = await save({ sku: 'DRAFTED', name: 'Live', price: 1 })
    const drafted = { body: { data: { name: 'Drafted' } } }
    await ok('PUT', `/api/products/${id}?status=draft`, drafted)
    await save({ sku: 'DRAFTED', price: 7 })
    const live = await one('DRAFTED', { key: keys.read })
    assert.deepEqual([live.name, live.price], ['Live', 7])
    const working = await one('DRAFTED')
    assert.deepEqual([working.name, working.price, working.status], ['Drafted', 7, 1])
    const revisions = `/api/v1/products/${id}/revisions`
    const said = []
    for (const revision of (await ok('GET', revisions)).data) {
      const { record } = (await ok('GET', `${revisions}/${revision.id}`)).data
      said.push(`${record.name} ${record.price}`)
    }
    // Neither copy says something else under a number that it had before.
    assert.deepEqual(said, ['Drafted 7', 'Live 7', 'Drafted 1', 'Live 1'])
  })

  test('commerce 8: a custom attribute changes in both copies without the others that are drafted', async () => {
    const custom = (attribute_code: string, value: unknown) => ({ attribute_code, value })
    const { id } = await save({
      sku: 'DRAFTED-2',
      name: 'Live',
      price: 1,
      custom_attributes: [custom('shade', 'red'), custom('size', 'M'), custom('old', 'x')],
    })
    const data = { custom_attributes: { shade: 'drafted', size: 'M', old: 'x', added: 'drafted' } }
    await ok('PUT', `/api/products/${id}?status=draft`, { body: { data } })
    const changed = [custom('size', 'L'), custom('old', null)]
    await save({ sku: 'DRAFTED-2', custom_attributes: changed })
    const shown = async (key: string) => {
      const { custom_attributes: all } = await one('DRAFTED-2', { key })
      const named: [string, unknown][] = all.map((each: Record<string, unknown>) => [
        String(each['attribute_code']),
        each['value'],
      ])
      return Object.fromEntries(named.filter(([name]) => /^(shade|size|old|added)$/.test(name)))
    }
    assert.deepEqual(await shown(keys.read), { shade: 'red', size: 'L' })
    assert.deepEqual(await shown(keys.write), { shade: 'drafted', size: 'L', added: 'drafted' })
  })

  test('stock items are read and set by SKU, the quantity deciding what is in stock', async () => {
    const { id } = await save({ sku: 'S/1', name: 'Stocked', price: 1 })
    const put = (stockItem: object) =>
      call('PUT', '/V1/products/S%2F1/stockItems/1', { body: { stockItem } })
    assert.equal((await put({ qty: 7, min_qty: 2, colour: 'x' })).body, id)
    const item = await ok('GET', '/V1/stockItems/S%2F1')
    assert.deepEqual([item.qty, item.is_in_stock, item.min_qty, item.colour], [7, true, 2, 'x'])
    await put({ qty: 0 })
    const status = await ok('GET', '/V1/stockStatuses/S%2F1')
    assert.deepEqual([status.product_id, status.qty, status.stock_status], [id, 0, 0])
    assert.equal(status.stock_item.is_in_stock, false)
    await put({ qty: '5.0000', is_in_stock: false })
    assert.equal((await ok('GET', '/V1/stockItems/S%2F1')).is_in_stock, false)
    assert.equal((await put({ qty: 1.5 })).status, 400)
    assert.equal((await put({ qty: -1 })).status, 400)
    await refused(404, 'GET', '/V1/stockItems/none')
    await refused(404, 'PUT', '/V1/products/none/stockItems/1', { body: { stockItem: { qty: 1 } } })
    await refused(400, 'PUT', '/V1/products/S%2F1/stockItems/x', {
      body: { stockItem: { qty: 1 } },
    })
  })

  test('what others have stored of a stock item never stands for its quantity, ids or state', async () => {
    const { id } = await save({ sku: 'S-2', name: 'Stocked', price: 1 })
    await ok('PUT', '/V1/products/S-2/stockItems/1', { body: { stockItem: { qty: 0 } } })
    const own = { item_id: 7, product_id: 8, stock_id: 9, qty: 99, is_in_stock: true }
    const body = { stock_item: { ...own, min_qty: 2 } }
    await ok('PATCH', `/api/v1/products/${id}`, { body })
    const item = await ok('GET', '/V1/stockItems/S-2')
    const { item_id, product_id, stock_id, qty, is_in_stock, min_qty } = item
    assert.deepEqual(
      { item_id, product_id, stock_id, qty, is_in_stock, min_qty },
      { item_id: id, product_id: id, stock_id: 1, qty: 0, is_in_stock: false, min_qty: 2 },
    )
  })

  test('clients connect and fill their forms', async () => {
    assert.ok((await ok('GET', '/V1/modules')).length > 0)
    const [view] = await ok('GET', '/V1/store/storeViews')
    assert.deepEqual([view.id, view.code, view.website_id], [1, 'default', 1])
    const [config] = await ok('GET', '/rest/all/V1/store/storeConfigs')
    assert.deepEqual([config.code, config.locale], ['default', 'en'])
    assert.match(config.base_url, /^http:\/\/127\.0\.0\.1:\d+\/$/)
    for (const [codes, count] of [
      ['storeCodes[]=default', 1],
      ['storeCodes[0]=default&storeCodes[1]=none', 1],
      ['store_codes=none', 0],
    ] as const) {
      const configs = await ok('GET', `/V1/store/storeConfigs?${codes}`)
      assert.equal(configs.length, count, codes)
    }
    await refused(400, 'GET', '/V1/store/storeConfigs?storeCodes[x][y]=default')
    assert.equal((await ok('GET', '/V1/store/websites')).length, 1)
    assert.deepEqual((await ok('GET', '/V1/products/types'))[0], {
      name: 'simple',
      label: 'Simple Product',
    })
    const sets = await ok('GET', '/V1/products/attribute-sets/sets/list?searchCriteria')
    assert.deepEqual([sets.total_count, sets.items[0].attribute_set_id], [1, 4])
    const filter = 'searchCriteria[filterGroups][0][filters][0]'
    const price = `${filter}[field]=attribute_code&${filter}[value]=pri%25&${filter}[conditionType]=like`
    const attributes = await ok('GET', `/V1/products/attributes?${price}`)
    assert.deepEqual(
      [attributes.total_count, attributes.items[0].frontend_input, attributes.items[0].is_required],
      [1, 'price', false],
    )
    await refused(400, 'GET', `/V1/products/attributes?${filter}[field]=nothing&${filter}[value]=1`)
    const parent = (await ok('POST', '/api/v1/categories', { body: { name: 'Outer' } })).data
    const inner = { name: 'Inner', tree_parent_id: parent.document_id }
    await ok('POST', '/api/v1/categories', { body: inner })
    const tree = await ok('GET', '/V1/categories')
    assert.deepEqual([tree.id, tree.parent_id, tree.level], [1, 0, 0])
    const outer = tree.children_data.find(({ name }: { name: string }) => name === 'Outer')
    assert.deepEqual(
      outer.children_data.map(({ name, level }: { name: string; level: number }) => [name, level]),
      [['Inner', 2]],
    )
    const shallow = await ok('GET', '/V1/categories?depth=1')
    assert.ok(
      shallow.children_data.every((each: { children_data: [] }) => each.children_data.length === 0),
    )
    assert.deepEqual(await ok('GET', `/V1/categories?depth=1&root_category_id=${tree.id}`), shallow)
    for (const query of ['depth[]=1', 'depth=1&depth=2', 'rootCategoryId[0]=1']) {
      await refused(400, 'GET', `/V1/categories?${query}`)
    }
    const list = await ok('GET', '/V1/categories/list?searchCriteria[pageSize]=1')
    assert.deepEqual([list.items.length, list.total_count >= 2], [1, true])
  })

  test('a store for each locale shows its own values, and the default ones where there are none', async () => {
    await ok('POST', '/api/v1/locales', { body: { code: 'de-DE', name: 'German' } })
    await ok('PATCH', '/api/v1/content-types/product', { body: { localized: true } })
    await ok('PATCH', '/api/v1/content-types/product', {
      body: {
        attributes: { sku: { type: 'string', required: true, unique: true, localized: false } },
      },
    })
    const { id } = await save({ sku: 'LOCAL', name: 'Cup', price: 3 })
    const german = '/rest/de_de/V1/products/LOCAL'
    assert.equal((await ok('GET', german)).name, 'Cup')
    const put = { body: { product: { name: 'Tasse' } } }
    const translated = await ok('PUT', german, put)
    assert.deepEqual([translated.name, translated.price], ['Tasse', 3])
    assert.deepEqual([(await one('LOCAL')).name, (await one('LOCAL')).id], ['Cup', id])
    await ok('PUT', german, { body: { product: { name: 'Becher' } } })
    assert.equal((await ok('GET', german)).name, 'Becher')
    await ok('PUT', '/rest/all/V1/products/LOCAL', { body: { product: { price: 4 } } })
    assert.equal((await one('LOCAL')).price, 4)
    const views = await ok('GET', '/V1/store/storeViews')
    assert.deepEqual(
      views.map(({ code }: { code: string }) => code),
      ['default', 'de_de'],
    )
    await ok('PUT', '/rest/de_de/V1/products/LOCAL/stockItems/1', {
      body: { stockItem: { qty: 8 } },
    })
    await ok('PUT', german, { body: { product: { name: 'Tasse' } } })
    assert.equal((await one('LOCAL')).extension_attributes.stock_item.qty, 8)
    await save({ sku: 'HIDDEN-LOCAL', name: 'Cup', price: 3, status: 2 })
    const hidden = '/rest/de_de/V1/products/HIDDEN-LOCAL'
    assert.equal((await ok('PUT', hidden, { body: { product: { name: 'Tasse' } } })).status, 2)
    await refused(404, 'GET', hidden, { key: keys.read })
    const live = await save({ sku: 'LIVE-LOCAL', name: 'Live', price: 3 })
    const drafted = { body: { data: { name: 'Drafted' } } }
    await ok('PUT', `/api/products/${live.id}?status=draft`, drafted)
    const inGerman = '/rest/de_de/V1/products/LIVE-LOCAL'
    await ok('PUT', inGerman, { body: { product: { weight: 2 } } })
    const begun = await ok('GET', inGerman, { key: keys.read })
    assert.deepEqual([begun.name, begun.weight], ['Live', 2])
    assert.equal((await one('LIVE-LOCAL', { key: keys.read })).name, 'Live')
    assert.equal((await one('LIVE-LOCAL')).name, 'Drafted')
    const secret = { type: 'relation', relation: 'manyToOne', target: 'category', private: true }
    await ok('PATCH', '/api/v1/content-types/product', { body: { attributes: { secret } } })
    assert.equal((await one('LOCAL')).name, 'Cup')
    await refused(404, 'GET', '/rest/fr_fr/V1/products/LOCAL')
    await refused(404, 'GET', '/rest/de-DE/V1/products/LOCAL')
  })
})
