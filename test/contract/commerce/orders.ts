import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startServer, until } from '#test-kit'
import { startReceiver } from '../webhooks/receiver.ts'
import { caller, commerceInstallation, commerceSuite } from './support.ts'

export const orders = commerceSuite('orders', (commerce) => {
  const { call, ok, save, refused, keys } = commerce
  const product = (sku: string, qty: number, item: object = {}) =>
    save({
      ...{ sku, name: `Product ${sku}`, price: 12.5 },
      extension_attributes: { stock_item: { qty, ...item } },
    })
  const order = (sku: string, qty: unknown, more: object = {}) => ({
    entity: { customer_email: 'cy@example.org', items: [{ sku, qty_ordered: qty }], ...more },
  })
  const place = (sku: string, qty: number, more: object = {}) =>
    ok('POST', '/rest/V1/orders', { body: order(sku, qty, more) })
  const stockOf = async (sku: string) => (await ok('GET', `/rest/V1/stockItems/${sku}`)).qty

  test('commerce 16: an order lowers the stock, its cancelling gives it back, both are told', async (t) => {
    const receiver = await startReceiver()
    const events = ['order.created', 'order.updated']
    const { id } = await ok('POST', '/webhooks/subscriptions', {
      body: { endpoint_url: `${receiver.url}/orders`, events },
    })
    t.after(() => call('DELETE', `/webhooks/subscriptions/${id}`))
    await product('order-16', 7)
    const placed = await place('order-16', 3, { shipping_amount: 4, discount_amount: '1.5' })
    assert.match(placed.increment_id, /^\d{9}$/)
    assert.equal(Number(placed.increment_id), placed.entity_id)
    assert.deepEqual([placed.state, placed.status], ['new', 'pending'])
    assert.deepEqual([placed.subtotal, placed.grand_total, placed.total_qty_ordered], [37.5, 40, 3])
    const [item] = placed.items
    assert.deepEqual([item.name, item.price, item.row_total], ['Product order-16', 12.5, 37.5])
    assert.equal(item.order_id, placed.entity_id)
    assert.equal(await stockOf('order-16'), 4)
    assert.equal(await ok('POST', `/rest/V1/orders/${placed.entity_id}/cancel`), true)
    assert.equal(await stockOf('order-16'), 7)
    const told = () => receiver.on('/orders').filter(({ body }) => body.type !== 'webhook.test')
    await until(() => told().length === 2)
    const [created, updated] = told()
      .map(({ body }) => body)
      .toSorted((a, b) => a.sequence - b.sequence)
    assert.deepEqual([created.type, updated.type], events)
    assert.deepEqual(Object.keys(created.data), ['id', 'status', 'total', 'created_at'])
    assert.deepEqual(
      [created.data.id, created.data.status, created.data.total],
      [placed.entity_id, 'pending', 40],
    )
    assert.deepEqual([updated.data.id, updated.data.status], [placed.entity_id, 'canceled'])
    await refused(400, 'POST', `/rest/V1/orders/${placed.entity_id}/cancel`)
    assert.equal(await stockOf('order-16'), 7)
  })

  test('commerce 7: fields cut the answer to an order that is placed or changed; a wrong one stores nothing', async () => {
    await product('order-fields', 5)
    const sent = { body: order('order-fields', 1) }
    await refused(400, 'POST', '/rest/V1/orders?fields=status[', sent)
    await refused(400, 'POST', '/rest/V1/orders?fields[]=status', sent)
    assert.equal(await stockOf('order-fields'), 5)
    const placed = await ok('POST', '/rest/V1/orders?fields=entity_id,items[sku]', sent)
    assert.deepEqual(placed, { entity_id: placed.entity_id, items: [{ sku: 'order-fields' }] })
    const renamed = { body: { entity: { customer_email: 'di@example.org' } } }
    const changed = await ok(
      'PUT',
      `/rest/V1/orders/${placed.entity_id}?fields=customer_email`,
      renamed,
    )
    assert.deepEqual(changed, renamed.body.entity)
  })

  test('commerce 16: of 20 parallel orders for 10 pieces 10 succeed', async () => {
    await product('order-race', 10)
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        call('POST', '/V1/orders', { body: order('order-race', 1) }),
      ),
    )
    const statuses = answers.map(({ status }) => status).sort()
    assert.deepEqual(statuses, [...Array(10).fill(200), ...Array(10).fill(400)])
    const failed = answers.find(({ status }) => status === 400)
    assert.deepEqual(failed?.body.parameters, { sku: 'order-race' })
    assert.equal(await stockOf('order-race'), 0)
  })

  test('commerce §7: an order that lacks one of its items takes nothing', async () => {
    await product('order-a', 5)
    await product('order-b', 1)
    const items = [
      { sku: 'order-a', qty_ordered: 2 },
      { sku: 'order-b', qty_ordered: 1 },
      { sku: 'order-b', qty_ordered: 1 },
    ]
    const fault = await refused(400, 'POST', '/rest/V1/orders', { body: { entity: { items } } })
    assert.deepEqual(fault.parameters, { sku: 'order-b' })
    assert.deepEqual([await stockOf('order-a'), await stockOf('order-b')], [5, 1])
  })

  test('commerce §7: unmanaged stock is left alone, and backorders go below nothing', async () => {
    await product('order-free', 1, { manage_stock: false })
    await product('order-back', 1, { backorders: 1 })
    await place('order-free', 5)
    await place('order-back', 5)
    assert.deepEqual([await stockOf('order-free'), await stockOf('order-back')], [1, -4])
    const foreign = await place('order-unknown', 2, {
      items: [{ sku: 'order-unknown', qty_ordered: 2.5, price: '2.2' }],
    })
    assert.deepEqual([foreign.grand_total, foreign.items[0].product_id], [5.5, null])
  })

  test('contract item: totals are exact to the last decimal, however large they are', async () => {
    const items = [
      { sku: 'order-large', qty_ordered: 9, price: 99_999_999_999 },
      { sku: 'order-small', qty_ordered: '0.5', price: '0.0001' },
    ]
    const { subtotal, items: rows } = await place('', 0, { items })
    const totals = rows.map((row: { row_total: number }) => row.row_total)
    assert.deepEqual([subtotal, totals], [899_999_999_991.0001, [899_999_999_991, 0.0001]])
  })

  test('commerce §7: what was given besides is kept and can be changed', async () => {
    await product('order-keep', 5)
    const given = {
      billingAddress: { city: 'Bonn' },
      payment: { method: 'checkmo' },
      remote_ip: '::1',
    }
    const placed = await place('order-keep', 1, given)
    assert.deepEqual(placed.billing_address, { city: 'Bonn' })
    assert.equal(placed.remote_ip, '::1')
    const path = `/rest/V1/orders/${placed.entity_id}`
    const entity = {
      customer_email: 'di@example.org',
      billing_address: { city: 'Ulm' },
      x_forwarded: 'y',
    }
    const changed = await ok('PUT', path, { body: { entity: { ...entity, status: 'fraud' } } })
    assert.deepEqual(
      [changed.customer_email, changed.billing_address.city, changed.x_forwarded, changed.status],
      ['di@example.org', 'Ulm', 'y', 'fraud'],
    )
    assert.deepEqual([changed.state, changed.payment.method], ['new', 'checkmo'])
    assert.equal(await ok('GET', `${path}/statuses`), 'fraud')
    assert.deepEqual(await ok('GET', path), changed)
  })

  test('commerce §7: invoice and shipment complete an order; what its state forbids is refused', async () => {
    await product('order-flow', 5)
    const { entity_id: id } = await place('order-flow', 1)
    const stateOf = async () => (await ok('GET', `/rest/V1/orders/${id}`)).state
    const post = (path: string) => ok('POST', `/rest/V1/${path}`)
    assert.equal(await post(`orders/${id}/hold`), true)
    assert.equal(await stateOf(), 'holded')
    for (const path of [`order/${id}/invoice`, `orders/${id}/cancel`, `orders/${id}/hold`]) {
      await refused(400, 'POST', `/rest/V1/${path}`)
    }
    assert.equal(await post(`orders/${id}/unhold`), true)
    await refused(400, 'POST', `/rest/V1/orders/${id}/unhold`)
    const invoice = await post(`order/${id}/invoice`)
    assert.ok(Number.isInteger(invoice))
    assert.equal(await stateOf(), 'processing')
    await refused(400, 'POST', `/rest/V1/order/${id}/invoice`)
    await refused(400, 'POST', `/rest/V1/orders/${id}/cancel`)
    assert.ok((await post(`order/${id}/ship`)) > invoice)
    assert.equal(await stateOf(), 'complete')
    await refused(400, 'POST', `/rest/V1/orders/${id}/hold`)
    const body = { statusHistory: { comment: 'Thank you', status: 'closed_well' } }
    assert.equal(await ok('POST', `/rest/V1/orders/${id}/comments`, { body }), true)
    const { status, status_histories: told } = await ok('GET', `/rest/V1/orders/${id}`)
    assert.deepEqual([status, told[0].comment, told[0].parent_id], ['closed_well', 'Thank you', id])
  })

  test('commerce §7: an order is invoiced and shipped whole; less of it is refused', async () => {
    await product('order-whole', 9)
    const items = [
      { sku: 'order-whole', qty_ordered: 2 },
      { sku: 'order-loose', qty_ordered: 0.5, price: 3 },
    ]
    const placed = await ok('POST', '/rest/V1/orders', { body: { entity: { items } } })
    const id = placed.entity_id
    const [one, two] = placed.items.map(({ item_id }: { item_id: number }) => item_id)
    const whole = [
      { order_item_id: one, qty: 2 },
      { orderItemId: String(two), qty: '0.5' },
    ]
    const parts = [
      whole.slice(0, 1),
      [{ order_item_id: one, qty: 1 }, whole[1]],
      [...whole, { order_item_id: two + 100, qty: 1 }],
      [{ order_item_id: one }],
      'all',
    ]
    for (const part of parts) {
      for (const path of [`order/${id}/invoice`, `order/${id}/ship`]) {
        await refused(400, 'POST', `/rest/V1/${path}`, { body: { items: part } })
      }
    }
    assert.equal((await ok('GET', `/rest/V1/orders/${id}`)).state, 'new')
    await ok('POST', `/rest/V1/order/${id}/invoice`, { body: { items: whole, capture: true } })
    await ok('POST', `/rest/V1/order/${id}/ship`, { body: { items: [], notify: true } })
    assert.equal((await ok('GET', `/rest/V1/orders/${id}`)).state, 'complete')
  })

  test('commerce §7: a change that says another state is checked as the call for it', async () => {
    await product('order-put', 5)
    const { entity_id: id } = await place('order-put', 2)
    const path = `/rest/V1/orders/${id}`
    const put = (state: string) => ok('PUT', path, { body: { entity: { state } } })
    await put('holded')
    await refused(400, 'PUT', path, { body: { entity: { state: 'canceled' } } })
    await ok('POST', `${path}/unhold`)
    const back = await ok('GET', path)
    assert.deepEqual([back.state, back.status], ['new', 'pending'])
    await ok('POST', `/rest/V1/order/${id}/invoice`)
    await refused(400, 'PUT', path, { body: { entity: { state: 'canceled' } } })
    assert.equal(await stockOf('order-put'), 3)
    const other = await place('order-put', 1)
    const body = { entity: { state: 'canceled' } }
    const gone = await ok('PUT', `/rest/V1/orders/${other.entity_id}`, { body })
    assert.deepEqual([gone.state, await stockOf('order-put')], ['canceled', 3])
    await refused(400, 'PUT', `/rest/V1/orders/${other.entity_id}`, {
      body: { entity: { state: 'new' } },
    })
    const closed = await place('order-put', 1)
    const last = `/rest/V1/orders/${closed.entity_id}`
    await ok('PUT', last, { body: { entity: { state: 'closed' } } })
    for (const state of ['new', 'processing', 'holded', 'canceled']) {
      await refused(400, 'PUT', last, { body: { entity: { state } } })
    }
    const kept = { entity: { state: 'closed', status: 'paid_back', note: 'Returned' } }
    assert.equal((await ok('PUT', last, { body: kept })).status, 'paid_back')
    assert.deepEqual((await ok('GET', last)).state, 'closed')
    const large = { entity: { note: 'x'.repeat(70_000) } }
    await refused(400, 'PUT', path, { body: large })
  })

  test('commerce §7: states lead forward only; what is on hold goes back to what it was', async () => {
    await product('order-course', 9)
    const course = ['new', 'processing', 'complete', 'closed']
    for (const [at, state] of course.entries()) {
      const { entity_id: id } = await place('order-course', 1, { state, status: 'as_given' })
      const path = `/rest/V1/orders/${id}`
      const put = (to: string) => ({ body: { entity: { state: to } } })
      for (const before of course.slice(0, at)) {
        const { message } = await refused(400, 'PUT', path, put(before))
        assert.match(message, new RegExp(`moved to "${before}"`))
      }
      assert.equal((await ok('PUT', path, put(state))).status, 'as_given')
      if (at >= 2) continue
      await ok('PUT', path, put('holded'))
      for (const other of course.filter((each) => each !== state)) {
        await refused(400, 'PUT', path, put(other))
      }
      const back = await ok('PUT', path, put(state))
      assert.deepEqual([back.state, back.status], [state, 'as_given'])
      await refused(400, 'POST', `${path}/unhold`)
    }
  })

  test('commerce §7: times of orders are compared to the second that is shown', async () => {
    await product('order-second', 9)
    const customer_email = 'second@example.org'
    const { created_at: at } = await place('order-second', 1, { customer_email })
    const filter = (n: number, field: string, value: string, condition = 'eq') =>
      [
        ['field', field],
        ['value', value],
        ['condition_type', condition],
      ]
        .map(([name, text]) => `searchCriteria[filterGroups][${n}][filters][0][${name}]=${text}`)
        .join('&')
    const count = async (condition: string, value = at) => {
      const own = filter(0, 'customer_email', customer_email)
      const asked = `${own}&${filter(1, 'created_at', value, condition)}`
      return (await ok('GET', `/rest/V1/orders?${asked}`)).total_count
    }
    for (const met of ['eq', 'gteq', 'from', 'lteq', 'to', 'in', 'finset']) {
      assert.equal(await count(met), 1, met)
    }
    for (const unmet of ['neq', 'gt', 'lt', 'nin', 'nfinset']) {
      assert.equal(await count(unmet), 0, unmet)
    }
    assert.equal(await count('in', `2001-01-01 00:00:00,${at}`), 1)
    assert.equal(await count('gt', '2001-01-01 00:00:00'), 1)
  })

  test('commerce §7: orders are listed by criteria', async () => {
    await product('order-list', 50)
    const customer_email = 'List@example.org'
    const ids: number[] = []
    for (const qty of [1, 2, 3]) {
      ids.push((await place('order-list', qty, { customer_email })).entity_id)
    }
    const filter = (n: number, field: string, condition: string, value: string) =>
      `searchCriteria[filterGroups][${n}][filters][0][field]=${field}&searchCriteria[filterGroups][${n}][filters][0][conditionType]=${condition}&searchCriteria[filterGroups][${n}][filters][0][value]=${value}`
    const own = filter(0, 'customer_email', 'like', 'list%25')
    const list = (query: string) => ok('GET', `/rest/V1/orders?${own}&${query}`)
    const idsOf = (answer: { items: { entity_id: number }[] }) =>
      answer.items.map(({ entity_id: id }) => id)
    const all = await list('')
    assert.deepEqual([idsOf(all), all.total_count], [ids, 3])
    assert.equal(all.items[0].items[0].sku, 'order-list')
    assert.equal(all.search_criteria.filter_groups[0].filters[0].field, 'customer_email')
    assert.deepEqual(idsOf(await list(filter(1, 'grand_total', 'gteq', '25'))), ids.slice(1))
    assert.deepEqual(idsOf(await list(filter(1, 'entity_id', 'in', `${ids[0]},${ids[2]}`))), [
      ids[0],
      ids[2],
    ])
    assert.deepEqual(
      idsOf(await list(filter(1, 'increment_id', 'eq', String(ids[1]).padStart(9, '0')))),
      [ids[1]],
    )
    assert.deepEqual(idsOf(await list(filter(1, 'status', 'neq', 'pending'))), [])
    assert.deepEqual(idsOf(await list(filter(1, 'created_at', 'from', '2001-01-01 10:00:00'))), ids)
    assert.deepEqual(idsOf(await list(filter(1, 'order_currency_code', 'notnull', ''))), [])
    const sorted =
      'searchCriteria[sortOrders][0][field]=grand_total&searchCriteria[sortOrders][0][direction]=DESC'
    const second = await list(
      `${sorted}&searchCriteria[pageSize]=1&searchCriteria[currentPage]=2&fields=items[entity_id],total_count`,
    )
    assert.deepEqual(second, { items: [{ entity_id: ids[1] }], total_count: 3 })
    await refused(400, 'GET', `/rest/V1/orders?${filter(0, 'colour', 'eq', 'x')}`)
    await refused(400, 'GET', `/rest/V1/orders?${filter(0, 'grand_total', 'gt', 'x')}`)
    await refused(400, 'GET', `/rest/V1/orders?${filter(0, 'grand_total', 'like', '1%25')}`)
    await refused(
      400,
      'GET',
      `/rest/V1/orders?${filter(0, 'total_item_count', 'eq', '99999999999')}`,
    )
  })

  test('commerce §7: an order of products that have no stock any more can be canceled', async () => {
    await product('order-gone', 3)
    const { entity_id: id } = await place('order-gone', 1)
    const rename = (from: string, to: string) =>
      ok('PATCH', '/api/v1/content-types/product', {
        body: {
          attributes: {
            [to]: { type: 'integer', default: 0, unversioned: true, renamedFrom: from },
          },
        },
      })
    await rename('stock', 'stock_kept')
    assert.equal(await ok('POST', `/rest/V1/orders/${id}/cancel`), true)
    await rename('stock_kept', 'stock')
    assert.equal((await ok('GET', `/rest/V1/orders/${id}`)).state, 'canceled')
    assert.equal(await stockOf('order-gone'), 2)
  })

  test('commerce §7: an order gives nothing to products of a type made anew since, and can be canceled', async () => {
    const server = await startServer(await commerceInstallation(commerce.kind))
    const other = caller(() => server.url)
    const sell = async (sku: string) => {
      const stock = { stock_item: { qty: 5 } }
      await other.save({ sku, name: sku, price: 1, extension_attributes: stock })
      const placed = await other.ok('POST', '/rest/V1/orders', { body: order(sku, 2) })
      return `/rest/V1/orders/${placed.entity_id}`
    }
    const former = await sell('before')
    const { data: type } = await other.ok('GET', '/api/v1/content-types/product')
    await other.ok('DELETE', '/api/v1/content-types/product?force=true')
    const { uid, uuid, createdAt, updatedAt, ...body } = type
    await other.ok('POST', '/api/v1/content-types', { body })
    const later = await sell('after')
    for (const [path, left] of [
      [former, 3],
      [later, 5],
    ] as const) {
      assert.equal(await other.ok('POST', `${path}/cancel`), true)
      assert.equal((await other.ok('GET', '/rest/V1/stockItems/after')).qty, left)
    }
    const last = await sell('after')
    const stock = { ...body.attributes.stock, unversioned: false }
    const change = { body: { attributes: { stock } } }
    await other.ok('PATCH', '/api/v1/content-types/product?force=true', change)
    assert.equal(await other.ok('POST', `${last}/cancel`), true)
    const { message } = await other.refused(400, 'POST', '/rest/V1/orders', {
      body: order('after', 1),
    })
    assert.match(message, /unversioned/)
  })

  test('commerce §7: a repeated request with its key places one order', async () => {
    await product('order-key', 5)
    const sent = { body: order('order-key', 1), headers: { 'idempotency-key': 'order-key' } }
    const first = await ok('POST', '/rest/V1/orders', sent)
    assert.deepEqual(await ok('POST', '/rest/V1/orders', sent), first)
    assert.equal(await stockOf('order-key'), 4)
  })

  test('commerce 17: what is wrong with an order is a 400 that names it, and nothing is stored', async () => {
    await product('order-bad', 5)
    const bodies = [
      ...[undefined, [], 'x', {}, { entity: 5 }, { entity: {} }, { entity: { items: [] } }],
      ...[{ entity: { items: 'x' } }, { entity: { items: [5] } }, { entity: { items: [{}] } }],
      ...[0, -1, 'x', 0.5, null, {}, 1e300].map((qty) => order('order-bad', qty)),
      order('order-nowhere', 1),
      order('order-bad', 1, { customer_email: 'nobody' }),
      order('order-bad', 1, { state: 'sold' }),
      order('order-bad', 1, { state: 'canceled' }),
      order('order-bad', 1, { status: 'not a code' }),
      order('order-bad', 1, { grand_total: 'much' }),
      // contract item: numeric text is what it is in a product.
      ...['0x10', '0b1', '1e1'].map((text) => order('order-bad', text)),
      ...['0x10', '1e1'].map((grand_total) => order('order-bad', 1, { grand_total })),
      order('x'.repeat(65), 1),
      { entity: { items: [{ sku: 'order-bad', qty_ordered: 1, note: 'x'.repeat(70_000) }] } },
      {
        entity: {
          items: [{ sku: 'order-bad', qty_ordered: 99_999_999_999, price: 99_999_999_999 }],
        },
      },
    ]
    for (const body of bodies) await refused(400, 'POST', '/rest/V1/orders', { body })
    const tooMuch = order('order-bad', 1, { grand_total: 1e12 })
    const { parameters } = await refused(400, 'POST', '/rest/V1/orders', { body: tooMuch })
    assert.equal(parameters.type, 'a number of at most 100000000000')
    assert.equal(await stockOf('order-bad'), 5)
    for (const id of ['0', 'x', '999999999999999', '99999999999999999999']) {
      await refused(404, 'GET', `/rest/V1/orders/${id}`)
    }
    await refused(404, 'POST', '/rest/V1/orders/999999/cancel')
    await refused(401, 'POST', '/rest/V1/orders', { body: order('order-bad', 1), key: keys.read })
  })

  test('commerce §7: what a list of long orders may hold is bounded, and smaller pages show all of them', async () => {
    await product('order-long', 9, { manage_stock: false })
    const customer_email = 'long@example.org'
    const item = { sku: 'order-long', qty_ordered: 1, note: 'x'.repeat(60_000) }
    const items = Array.from({ length: 100 }, () => item)
    for (let n = 0; n < 6; n++) await place('order-long', 1, { customer_email, items })
    const filter = '/rest/V1/orders?searchCriteria[filterGroups][0][filters][0]'
    const asked = `${filter}[field]=customer_email&${filter.split('?')[1]}[value]=${customer_email}`
    const { message } = await refused(400, 'GET', asked)
    assert.match(message, /smaller pageSize/)
    const page = await ok(
      'GET',
      `${asked}&searchCriteria[pageSize]=2&fields=items[entity_id],total_count`,
    )
    assert.deepEqual([page.items.length, page.total_count], [2, 6])
  })
})
