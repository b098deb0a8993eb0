import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertPrompt } from '#test-kit'
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

  test('commerce §4.3: an update takes neither name nor price away, and what is not sent stays', async () => {
    await save({ sku: 'WHOLE', name: 'Whole', price: 2 })
    for (const [name, value] of [
      ['name', null],
      ['name', ''],
      ['price', null],
    ] as const) {
      const body = { product: { [name]: value } }
      const { parameters } = await refused(400, 'PUT', '/rest/V1/products/WHOLE', { body })
      assert.deepEqual(parameters, { fieldName: name })
    }
    await save({ sku: 'WHOLE', weight: 1 })
    const { name, price } = await one('WHOLE')
    assert.deepEqual([name, price], ['Whole', 2])
    // The price of these follows from other products.
    await save({ sku: 'WHOLE', type_id: 'bundle', price: null })
  })

  test('commerce 17: hostile texts are refused at once and names of prototypes are none of ours', async () => {
    const startedMs = performance.now()
    const digits = `${'1'.repeat(500_000)}x`
    const product = { sku: 'BAD', name: 'Bad', price: digits }
    await refused(400, 'POST', '/rest/V1/products', { body: { product } })
    const filter = 'searchCriteria[filterGroups][0][filters][0]'
    const like = `${filter}[field]=attribute_code&${filter}[value]=${'%25'.repeat(200)}x&${filter}[conditionType]=like`
    await ok('GET', `/rest/V1/products/attributes?${like}`)
    const headers = { authorization: `OAuth ${'a'.repeat(50_000)}` }
    await refused(401, 'GET', '/rest/V1/products', { key: null, headers })
    assertPrompt(performance.now() - startedMs, 3_000)
    for (const field of ['constructor', 'toString']) {
      await refused(400, 'GET', `/rest/V1/products?${filter}[field]=${field}&${filter}[value]=1`)
    }
    for (const code of ['stock', 'is_in_stock', 'stock_item', 'custom_attributes']) {
      const custom_attributes = [{ attribute_code: code, value: 1 }]
      const body = { product: { sku: 'BAD', name: 'Bad', price: 1, custom_attributes } }
      await refused(400, 'POST', '/rest/V1/products', { body })
    }
    const unsaved = { body: { product: { sku: 'BAD', name: 'Bad', price: 1 } } }
    await refused(400, 'POST', '/rest/V1/products?fields=a[', unsaved)
    await refused(404, 'GET', '/rest/V1/products/BAD')
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

  test('commerce §4.1: a custom attribute without value, or given twice, is refused and clears nothing', async () => {
    const red = { attribute_code: 'tint', value: 'red' }
    await save({ sku: 'TINT', name: 'Tint', price: 1, custom_attributes: [red] })
    for (const [custom_attributes, named] of [
      [[{ attribute_code: 'tint' }], 'custom_attributes.tint.value'],
      [[{ attribute_code: 'tint', values: 'blue' }], 'custom_attributes.tint.value'],
      [[red, { attribute_code: 'tint', value: 'blue' }], 'tint'],
    ] as const) {
      const body = { product: { sku: 'TINT', custom_attributes } }
      const { parameters } = await refused(400, 'POST', '/rest/V1/products', { body })
      assert.equal(parameters.fieldName, named)
    }
    assert.deepEqual((await one('TINT')).custom_attributes, [red])
  })

  test('commerce §4.1: a category link without category is refused and takes the product out of none', async () => {
    const { data } = await ok('POST', '/api/v1/categories', { body: { name: 'Linked' } })
    const links = (...category_links: object[]) => ({ extension_attributes: { category_links } })
    const link = { position: 0, category_id: String(data.id) }
    await save({ sku: 'LINKED', name: 'Linked', price: 1, ...links(link) })
    for (const wrong of [{ position: 0 }, { id: link.category_id }, { category_id: null }]) {
      const body = { product: { sku: 'LINKED', ...links(wrong) } }
      const { parameters } = await refused(400, 'POST', '/rest/V1/products', { body })
      assert.match(parameters.fieldName, /category_links\.category_id$/)
    }
    assert.deepEqual((await one('LINKED')).extension_attributes.category_links, [link])
    const none = { body: { product: { sku: 'LINKED', ...links() } } }
    assert.deepEqual(
      (await ok('POST', '/rest/V1/products', none)).extension_attributes.category_links,
      [],
    )
    await ok('DELETE', `/api/v1/categories/${data.id}`)
  })

  test('times and days are read, written and compared in the form of the dialect', async () => {
    await ok('PATCH', '/api/v1/content-types/product', {
      body: { attributes: { sold_from: { type: 'datetime' }, made_on: { type: 'date' } } },
    })
    const timed = (sku: string, sold_from: unknown, made_on: unknown) => ({
      ...{ sku, name: 'Timed', price: 1 },
      custom_attributes: Object.entries({ sold_from, made_on }).map(([attribute_code, value]) => ({
        attribute_code,
        value,
      })),
    })
    const shown = ({ custom_attributes: given }: { custom_attributes: { value: unknown }[] }) =>
      given.map(({ value }) => value)
    const inWire = await save(timed('TIME-1', '2026-05-04 10:20:30', '2026-05-04 00:00:00'))
    assert.deepEqual(shown(inWire), ['2026-05-04 10:20:30', '2026-05-04 00:00:00'])
    const inIso = await save(timed('TIME-2', '2026-05-05T01:20:30.250+02:00', '2026-05-05'))
    assert.deepEqual(shown(inIso), ['2026-05-04 23:20:30', '2026-05-05 00:00:00'])
    assert.deepEqual(shown(await save(inIso)), shown(inIso))
    await save(timed('TIME-3', null, ''))
    const elsewhere = await ok('GET', `/api/v1/products/${inWire.id}`)
    assert.deepEqual(
      [elsewhere.data.sold_from, elsewhere.data.made_on],
      ['2026-05-04T10:20:30.000Z', '2026-05-04'],
    )
    for (const [soldFrom, madeOn] of [
      ['yesterday', null],
      ['2026-02-30 10:00:00', null],
      [null, '2026-05-04 10:00:00'],
      [null, 5],
    ]) {
      const body = { product: timed('TIME-4', soldFrom, madeOn) }
      await refused(400, 'POST', '/rest/V1/products', { body })
    }
    const found = async (field: string, condition: string, value: string) => {
      const filter = (at: number, one: string, two: string, three: string) =>
        `searchCriteria[filterGroups][${at}][filters][0][field]=${one}&searchCriteria[filterGroups][${at}][filters][0][conditionType]=${two}&searchCriteria[filterGroups][${at}][filters][0][value]=${encodeURIComponent(three)}`
      const query = `${filter(0, field, condition, value)}&${filter(1, 'sku', 'like', 'TIME-%')}`
      const { items } = await ok('GET', `/rest/V1/products?${query}`)
      return items.map(({ sku }: { sku: string }) => sku.slice(5)).join('')
    }
    const expected: [string, string, string, string][] = [
      ['sold_from', 'eq', '2026-05-04 10:20:30', '1'],
      ['sold_from', 'eq', '2026-05-04T23:20:30Z', '2'],
      ['sold_from', 'gt', '2026-05-04 23:20:30', ''],
      ['sold_from', 'gteq', '2026-05-04 23:20:30', '2'],
      ['sold_from', 'from', '2026-05-04', '12'],
      ['sold_from', 'in', '2026-05-04 10:20:30,2026-05-04 23:20:30', '12'],
      ['sold_from', 'null', '1', '3'],
      ['sold_from', 'notnull', '1', '12'],
      ['made_on', 'eq', '2026-05-04 00:00:00', '1'],
      ['made_on', 'gteq', '2026-05-04 00:00:00', '12'],
      ['made_on', 'gteq', '2026-05-04 10:00:00', '2'],
      ['made_on', 'lteq', '2026-05-04 10:00:00', '1'],
      ['made_on', 'lt', '2026-05-05T00:00:00Z', '1'],
      ['made_on', 'in', '2026-05-04,2026-05-05 00:00:00', '12'],
      ['made_on', 'null', '1', '3'],
    ]
    for (const [field, condition, value, skus] of expected) {
      assert.equal(await found(field, condition, value), skus, `${field} ${condition} ${value}`)
    }
    const wrong = 'searchCriteria[filterGroups][0][filters][0]'
    for (const field of ['sold_from', 'made_on']) {
      await refused(400, 'GET', `/rest/V1/products?${wrong}[field]=${field}&${wrong}[value]=soon`)
    }
  })

  test('components that were read are sent back with a change, and keep their ids', async () => {
    const attributes = {
      labelText: { type: 'string' },
      width: { type: 'integer' },
      note: { type: 'string', private: true },
      shelf: { type: 'relation', relation: 'manyToOne', target: 'category' },
    }
    await ok('POST', '/api/v1/components', { body: { category: 'shop', name: 'size', attributes } })
    const size = { type: 'component', component: 'shop.size' }
    await ok('PATCH', '/api/v1/content-types/product', {
      body: { attributes: { box: size, sizes: { ...size, repeatable: true } } },
    })
    const shelf = (await ok('POST', '/api/v1/categories', { body: { name: 'Shelf' } })).data
    const { id } = await save({ sku: 'SIZED', name: 'Sized', price: 1 })
    const box = { labelText: 'Box', width: 3, note: 'fragile', shelf: shelf.id }
    const sizes = [{ labelText: 'S' }, { labelText: 'L', width: 9 }]
    await ok('PATCH', `/api/v1/products/${id}`, { body: { box, sizes } })
    const read = await one('SIZED')
    const customOf = (product: typeof read, code: string) =>
      product.custom_attributes.find(
        (each: { attribute_code: string }) => each.attribute_code === code,
      )?.value
    const shown = customOf(read, 'box')
    assert.deepEqual({ ...shown, id: 0 }, { id: 0, labelText: 'Box', width: 3, shelf: [shelf.id] })
    customOf(read, 'sizes')[1].width = 10
    const path = '/rest/V1/products/SIZED'
    const changed = await ok('PUT', path, { body: { product: { ...read, price: 2 } } })
    assert.equal(changed.price, 2)
    assert.deepEqual(changed.custom_attributes, read.custom_attributes)
    const stored = await ok('GET', `/api/v1/products/${id}?populate=box`)
    assert.equal(stored.data.price, 2)
    const cut = await ok('GET', `${path}?fields=sku,custom_attributes[sizes]`)
    assert.deepEqual(cut, {
      sku: 'SIZED',
      custom_attributes: [{ attribute_code: 'sizes', value: customOf(changed, 'sizes') }],
    })
    const wrong = [{ attribute_code: 'box', value: { colour: 'red' } }]
    await refused(400, 'PUT', path, { body: { product: { custom_attributes: wrong } } })
    const none = [
      { attribute_code: 'box', value: null },
      { attribute_code: 'sizes', value: '' },
    ]
    const cleared = await ok('PUT', path, { body: { product: { custom_attributes: none } } })
    assert.deepEqual(cleared.custom_attributes, [])
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

  test('commerce §4: a hundred who save a new SKU at once make one product', async () => {
    const saved = await Promise.all(
      Array.from({ length: 100 }, (_, n) => save({ sku: 'AT-ONCE', name: `N${n}`, price: n })),
    )
    const ids = new Set(saved.map(({ id }) => id))
    assert.equal(ids.size, 1)
    const first = 'searchCriteria[filter_groups][0][filters][0]'
    const list = await ok('GET', `/rest/V1/products?${first}[field]=sku&${first}[value]=AT-ONCE`)
    assert.equal(list.total_count, 1)
  })

  test('commerce §4: names of prototypes and line breaks are texts like others', async () => {
    for (const sku of ['__proto__', 'constructor', 'a\nb']) {
      await save({ sku, name: 'One\r\nTwo\n', price: 1 })
      const { name, price } = await one(sku)
      assert.deepEqual([name, price], ['One\r\nTwo\n', 1], sku)
    }
    const codes = [{ attribute_code: 'constructor', value: 'l\nm' }]
    const shown = await save({ sku: 'NAMES', name: 'N', price: 1, custom_attributes: codes })
    assert.deepEqual(shown.custom_attributes, codes)
    const wrong = [{ attribute_code: '__proto__', value: '1' }]
    const product = { sku: 'NAMES', custom_attributes: wrong }
    await refused(400, 'POST', '/rest/V1/products', { body: { product } })
    assert.deepEqual(await ok('GET', '/rest/V1/products/NAMES?fields=__proto__,constructor'), {})
  })
})
