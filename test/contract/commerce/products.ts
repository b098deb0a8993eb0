import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commerceSuite } from './support.ts'

export const products = commerceSuite('products', ({ call, ok, save, one, refused, keys }) => {
  test('a product is created, changed by what is sent, read and deleted by its SKU', async () => {
    const given = { sku: ' MUG 1/B ', name: 'Mug', price: '12.5', weight: 0.4 }
    const created = await save(given)
    assert.deepEqual(
      { ...created, id: 0, created_at: '', updated_at: '' },
      {
        id: 0,
        sku: 'MUG 1/B',
        name: 'Mug',
        attribute_set_id: 4,
        price: 12.5,
        status: 1,
        visibility: 4,
        type_id: 'simple',
        created_at: '',
        updated_at: '',
        weight: 0.4,
        extension_attributes: {
          website_ids: [1],
          category_links: [],
          stock_item: {
            item_id: created.id,
            product_id: created.id,
            stock_id: 1,
            qty: 0,
            is_in_stock: true,
            is_qty_decimal: false,
            manage_stock: true,
            use_config_manage_stock: true,
            min_qty: 0,
            min_sale_qty: 1,
            max_sale_qty: 10_000,
            backorders: 0,
          },
        },
        product_links: [],
        options: [],
        media_gallery_entries: [],
        tier_prices: [],
        custom_attributes: [],
      },
    )
    assert.match(created.created_at, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
    assert.deepEqual(await one('MUG 1/B'), created)
    const path = '/rest/V1/products/MUG%201%2FB'
    const changed = await ok('PUT', path, { body: { product: { sku: 'other', price: 13 } } })
    assert.deepEqual([changed.id, changed.name, changed.price], [created.id, 'Mug', 13])
    const { name: _, ...rest } = changed
    assert.equal((await save({ ...rest, Name: 'Cup' })).name, 'Cup')
    assert.equal((await call('DELETE', path)).body, true)
    await refused(404, 'GET', path)
    await refused(404, 'DELETE', path)
  })

  test('commerce 17: what is wrong with a product is said with field and value, never 500', async () => {
    const post = (product: unknown) =>
      refused(400, 'POST', '/rest/V1/products', { body: { product } })
    const base = { sku: 'BAD', name: 'Bad', price: 1 }
    assert.deepEqual(await post({ ...base, price: 'abc' }), {
      message: '"%fieldName" must be %type, got "%value".',
      parameters: { fieldName: 'price', value: 'abc', type: 'a number' },
    })
    await post({ ...base, price: -1 })
    await post({ ...base, sku: 'x'.repeat(65) })
    await post({ ...base, colour: 'red' })
    await post(5)
    const several = await post({ sku: 'BAD' })
    assert.deepEqual(
      several.errors.map((fault: { parameters: object }) => fault.parameters),
      [{ fieldName: 'name' }, { fieldName: 'price' }],
    )
    await refused(400, 'POST', '/rest/V1/products', { body: { name: 'x' } })
    const xml = { headers: { 'content-type': 'application/xml' }, text: '<a/>' }
    await refused(400, 'POST', '/rest/V1/products', xml)
    await refused(406, 'GET', '/rest/V1/products/BAD', { headers: { accept: 'text/xml' } })
    await refused(404, 'GET', '/rest/V1/products/BAD')
    const route = { message: 'No such route.' }
    assert.deepEqual(await refused(404, 'GET', '/rest/V1/nothing'), route)
    assert.deepEqual(await refused(404, 'GET', '/rest/nowhere/V1/products/BAD'), route)
  })

  test('custom attributes are kept as given, and empty values clear them', async () => {
    const attributes = (...pairs: [string, unknown][]) => ({
      sku: 'CUSTOM',
      name: 'Custom',
      price: 1,
      customAttributes: pairs.map(([attributeCode, value]) => ({ attributeCode, value })),
    })
    const first = await save(attributes(['description', 'long'], ['colour', 'red'], ['size', 7]))
    const codes = (product: { custom_attributes: { attribute_code: string; value: unknown }[] }) =>
      Object.fromEntries(
        product.custom_attributes.map(({ attribute_code: code, value }) => [code, value]),
      )
    assert.deepEqual(codes(first), { description: 'long', colour: 'red', size: 7 })
    const second = await save(attributes(['description', ''], ['colour', null], ['shape', 'o']))
    assert.deepEqual(codes(second), { size: 7, shape: 'o' })
  })

  test('who may only read sees published products and changes nothing', async () => {
    await save({ sku: 'HIDDEN', name: 'Hidden', price: 1, status: 2 })
    assert.equal((await one('HIDDEN', { key: keys.write })).status, 2)
    await refused(404, 'GET', '/rest/V1/products/HIDDEN', { key: keys.read })
    const body = { product: { sku: 'HIDDEN', status: 1 } }
    await refused(401, 'POST', '/rest/V1/products', { key: keys.read, body })
    await refused(401, 'GET', '/rest/V1/products/HIDDEN', { key: null })
    assert.equal((await save({ sku: 'HIDDEN', status: 1 })).status, 1)
    assert.equal((await one('HIDDEN', { key: keys.read })).status, 1)
  })
})
