import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, type Sent, until } from '#test-kit'
import { starterSuite } from './support.ts'

const UPDATE = '/api/products/stock/update'

export const stock = starterSuite('the stock resource', (server) => {
  const { ok, json, keys } = server

  /** Bodies of this resource are plain JSON. */
  function call(method: string, path: string, sent: Sent = {}): Promise<Answer> {
    const headers = { 'content-type': 'application/json', ...sent.headers }
    const hasBody = sent.body !== undefined || sent.text !== undefined
    return server.call(method, path, { ...sent, ...(hasBody ? { headers } : {}) })
  }

  async function product(sku: string, stock: number, more: object = {}): Promise<string> {
    const attributes = { sku, name: sku, stock, ...more }
    const body = { data: { type: 'node--product', attributes } }
    return String((await ok('POST', '/jsonapi/node/product', { body })).data.id)
  }

  const stockOf = (sku: string) => `/api/products/${encodeURIComponent(sku)}/stock`

  test('jsonapi 20: stock of known, unknown and unpublished products, whatever the SKU looks like', async () => {
    await product('AB-1', 12)
    const shown = await call('GET', '/api/products/AB-1/stock?_format=json', { key: null })
    assert.equal(shown.status, 200)
    assert.match(shown.headers.get('content-type') ?? '', /^application\/json/)
    assert.deepEqual(shown.body, { sku: 'AB-1', stock: 12, available: true })
    const unknown = await call('GET', stockOf('nothing'), { key: null })
    assert.equal(unknown.status, 404)
    assert.equal(unknown.body.message, unknown.body.error.message)
    await product('hidden', 3, { status: false })
    assert.equal((await call('GET', stockOf('hidden'), { key: null })).status, 404)
    await product('none', 0)
    assert.deepEqual((await call('GET', stockOf('none'))).body, {
      sku: 'none',
      stock: 0,
      available: false,
    })
    await product('off', 5, { is_in_stock: false })
    assert.equal((await call('GET', stockOf('off'))).body.available, false)
    for (const sku of ['a/b', 'with space', 'Größe-ЖЖ', 'a+b', 'stock', '100%']) {
      await product(sku, 7)
      assert.deepEqual((await call('GET', stockOf(sku), { key: null })).body, {
        sku,
        stock: 7,
        available: true,
      })
    }
    assert.equal((await call('GET', stockOf('ab-1'))).status, 404)
    // No text in UTF-8 has these bytes; the router refuses them before it has a route.
    const broken = await call('GET', '/api/products/%ff/stock?x=1', { key: null })
    assert.equal(broken.status, 400)
    assert.equal(broken.body.error.code, 'invalid_url')
    assert.equal(broken.body.message, broken.body.error.message)
    await json('PATCH', '/api/v1/content-types/product', { publicRead: false })
    assert.equal((await call('GET', stockOf('AB-1'), { key: null })).status, 401)
    assert.equal((await call('GET', stockOf('AB-1'), { key: keys.read })).status, 200)
    await json('PATCH', '/api/v1/content-types/product', { publicRead: true })
  })

  test('jsonapi 21: updates by PATCH and POST, seen everywhere; each refusal of the table', async () => {
    const id = await product('UP-1', 1)
    const body = { sku: 'UP-1', quantity: 20 }
    for (const method of ['PATCH', 'POST']) {
      const done = await call(method, UPDATE, { key: keys.write, body })
      assert.deepEqual([done.status, done.body], [200, { updated: true }])
    }
    assert.equal((await call('GET', stockOf('UP-1'))).body.stock, 20)
    const shown = await ok('GET', `/jsonapi/node/product/${id}`)
    assert.deepEqual([shown.data.attributes.stock, shown.data.attributes.is_in_stock], [20, true])
    assert.equal((await json('GET', `/api/v2/products/${id}`)).data.stock, 20)
    await call('PATCH', stockOf('UP-1'), { body: { sku: 'UP-1', quantity: 0 } })
    assert.deepEqual((await call('GET', stockOf('UP-1'))).body, {
      sku: 'UP-1',
      stock: 0,
      available: false,
    })
    await call('PATCH', UPDATE, { body: { sku: 'UP-1', quantity: 4 } })
    assert.equal((await call('GET', stockOf('UP-1'))).body.available, true)
    const { data } = await json('GET', '/webhooks/events?event_type=stock.updated&limit=100')
    const told = data.map(({ payload }: { payload: object }) => payload)
    assert.ok(
      told.some(({ sku, stock }: { sku: string; stock: number }) => sku === 'UP-1' && stock === 4),
    )

    const refusals: readonly (readonly [status: number, code: string, sent: Sent])[] = [
      [400, 'sku_required', { body: {} }],
      [400, 'sku_required', { body: { sku: null, quantity: 'x' } }],
      [400, 'sku_required', { body: { sku: '', quantity: 1 } }],
      [400, 'sku_required', { body: { sku: 5, quantity: 1 } }],
      [400, 'quantity_required', { body: { sku: 'UP-1' } }],
      [400, 'quantity_required', { body: { sku: 'UP-1', quantity: null } }],
      [422, 'invalid_quantity', { body: { sku: 'UP-1', quantity: '5' } }],
      [422, 'invalid_quantity', { body: { sku: 'UP-1', quantity: 1.5 } }],
      [422, 'invalid_quantity', { body: { sku: 'UP-1', quantity: -1 } }],
      [422, 'invalid_quantity', { body: { sku: 'UP-1', quantity: 2 ** 31 } }],
      [404, 'product_not_found', { body: { sku: 'nothing', quantity: 1 } }],
      [400, 'invalid_json', { text: '{"sku":' }],
      [400, 'invalid_body', { body: [] }],
    ]
    for (const [status, code, sent] of refusals) {
      const answer = await call('PATCH', UPDATE, sent)
      const told = JSON.stringify([sent, answer.body])
      assert.equal(answer.status, status, told)
      assert.equal(answer.body.error.code, code, told)
      assert.equal(answer.body.message, answer.body.error.message)
    }
    const first = await call('PATCH', UPDATE, { body: {} })
    assert.equal(first.body.message, 'SKU required')
    const other = await call('PATCH', stockOf('UP-1'), { body: { sku: 'AB-1', quantity: 1 } })
    assert.equal(other.status, 400)
    const open = await call('PATCH', UPDATE, { key: null, body })
    assert.deepEqual(
      [open.status, open.body],
      [401, { message: 'API key required', error: 'API key required' }],
    )
    assert.equal((await call('PATCH', UPDATE, { key: keys.read, body })).status, 403)
    assert.equal((await call('GET', stockOf('UP-1'))).body.stock, 4)
  })

  test('rest-conventions 13: the feed of changes tells of stock, by the product it is of', async () => {
    const { meta } = await json('GET', '/api/v1/changes?after=now')
    const id = await product('FEED', 1)
    await call('PATCH', UPDATE, { body: { sku: 'FEED', quantity: 4 } })
    for (const key of [keys.read, keys.write]) {
      const events = await until(async () => {
        const query = `after=${meta.next_after}&types=product`
        const { data } = await json('GET', `/api/v1/changes?${query}`, undefined, key)
        const own = data.filter(({ document_id }: { document_id: string }) => document_id === id)
        return own.length > 1 && own
      })
      assert.deepEqual(
        events.map(({ event, type }: { event: string; type: string }) => [event, type]),
        [
          ['product.created', 'product'],
          ['stock.updated', 'product'],
        ],
      )
      assert.equal(events[1].id, events[0].id)
      assert.equal(events[1].locale, null)
    }
  })

  test('jsonapi 22: 50 parallel updates all succeed and one of them is the end', async () => {
    const id = await product('RUSH', 0)
    const quantities = Array.from({ length: 50 }, (_, n) => n + 100)
    const answers = await Promise.all(
      quantities.map((quantity) => call('PATCH', UPDATE, { body: { sku: 'RUSH', quantity } })),
    )
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
    const { stock } = (await call('GET', stockOf('RUSH'))).body
    assert.ok(quantities.includes(stock), String(stock))
    const shown = await ok('GET', `/jsonapi/node/product/${id}`)
    assert.equal(shown.data.attributes.stock, stock)
    // Each change began with what the one before it had left: none worked with a stale value.
    const { data } = await json('GET', '/webhooks/events?event_type=stock.updated&limit=100')
    const steps = new Map<number, number>(
      data
        .filter(({ payload }: { payload: StockEvent }) => payload.sku === 'RUSH')
        .map(({ payload }: { payload: StockEvent }) => [payload.previous_stock, payload.stock]),
    )
    let at = 0
    for (let n = 0; n < quantities.length; n++) at = steps.get(at) ?? Number.NaN
    assert.equal(at, stock)
  })
})

interface StockEvent {
  readonly sku: string
  readonly stock: number
  readonly previous_stock: number
}
