import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import http from 'node:http'
import { test } from 'node:test'
import { ADMIN_KEY, type Sent, until } from '#test-kit'
import { anotherUser, type CommerceServer, commerceSuite } from './support.ts'

const PRODUCTS = '/async/V1/products'
/** A line of the log by whoever should have carried it out. */
const WARNING = /"level":[45]0,.*"thread":"worker"/

/** Shorthands for bulks of one server. */
export function bulkCalls({
  call,
  ok,
  server,
}: Pick<CommerceServer, 'call' | 'ok'> & Partial<Pick<CommerceServer, 'server'>>) {
  return { post, status, finished, countOf }

  async function post(body: unknown, sent: Sent = {}, path = PRODUCTS) {
    const answer = await call('POST', path, { ...sent, body })
    assert.equal(answer.status, 202, JSON.stringify(answer.body))
    return answer.body
  }

  function status(uuid: string, query = '', sent: Sent = {}) {
    return ok('GET', `/rest/V1/bulk/${uuid}/status${query}`, sent)
  }

  /** The status when nothing is open any more; on the way nothing may be called finished that is open. */
  function finished(uuid: string, withinMs = 30_000) {
    let last: unknown
    return until(
      async () => {
        const bulk = await status(uuid)
        last = bulk.extension_attributes
        const { state, open, complete, failed, rejected } = bulk.extension_attributes
        assert.equal(open + complete + failed + rejected, bulk.operation_count)
        assert.equal(state.startsWith('finished'), open === 0)
        return open === 0 && bulk
      },
      { withinMs, what: 'the bulk' },
    ).catch((error: Error) => {
      const said = server?.()
        .log()
        .split('\n')
        .filter((line) => WARNING.test(line))
      throw new Error(`${error.message}; it is ${JSON.stringify(last)}; ${said?.join('\n')}`, {
        cause: error,
      })
    })
  }

  function countOf(uuid: string, status: number) {
    return ok('GET', `/rest/V1/bulk/${uuid}/operation-status/${status}`)
  }
}

export const bulks = commerceSuite('asynchronous changes', (commerce) => {
  const { call, ok, one, refused, keys } = commerce
  const { post, status, finished, countOf } = bulkCalls(commerce)
  const statusesOf = (bulk: { operations_list: { status: number }[] }) =>
    bulk.operations_list.map((operation) => operation.status)

  test('commerce 9: of three products the one without a name fails alone, and says which field', async () => {
    const sent = [
      { sku: 'bulk-9a', name: 'A', price: 1 },
      { sku: 'bulk-9b', price: 2 },
      { product: { sku: 'bulk-9c', name: 'C', price: '3.5' } },
    ]
    const accepted = await post(sent)
    assert.match(accepted.bulk_uuid, /^[0-9a-f-]{36}$/)
    assert.equal(accepted.errors, false)
    assert.deepEqual(
      accepted.request_items,
      sent.map((element, id) => ({
        id,
        data_hash: createHash('sha256').update(JSON.stringify(element)).digest('hex'),
        status: 'accepted',
      })),
    )
    const bulk = await finished(accepted.bulk_uuid)
    assert.deepEqual(statusesOf(bulk), [1, 3, 1])
    assert.match(bulk.operations_list[1].result_message, /"name" is required/)
    assert.equal(bulk.operations_list[1].error_code, 400)
    assert.equal(bulk.extension_attributes.state, 'finished_with_errors')
    assert.equal((await one('bulk-9a')).price, 1)
    assert.equal((await one('bulk-9c')).price, 3.5)
    await refused(404, 'GET', '/rest/V1/products/bulk-9b')
  })

  test('commerce 9: what is no product is rejected at once, and the others are done', async () => {
    const good = (sku: string) => ({ sku, name: sku, price: 1 })
    for (const [n, bad] of [5, { name: 'no sku' }, null, { sku: ' ' }].entries()) {
      const skus = [`bulk-9r${n}a`, `bulk-9r${n}b`]
      const accepted = await post([good(skus[0] ?? ''), bad, good(skus[1] ?? '')])
      assert.equal(accepted.errors, true)
      const item = accepted.request_items[1]
      assert.deepEqual(
        [item.id, item.data_hash, item.status, item.error_code],
        [1, null, 'rejected', 400],
      )
      assert.equal(typeof item.error_message, 'string')
      assert.deepEqual(statusesOf(await finished(accepted.bulk_uuid)), [1, 5, 1])
      for (const sku of skus) assert.equal((await one(sku)).name, sku)
    }
    const none = await post([1, 2])
    const bulk = await finished(none.bulk_uuid)
    assert.equal(bulk.extension_attributes.state, 'finished_with_errors')
    assert.equal(bulk.extension_attributes.rejected, 2)
  })

  test('commerce 9: a bad price names the value, an unknown SKU cannot be deleted', async () => {
    const { bulk_uuid: saved } = await post([{ sku: 'bulk-9p', name: 'P', price: 'abc' }])
    const [operation] = (await finished(saved)).operations_list
    assert.equal(operation.status, 3)
    assert.match(operation.result_message, /"price" must be .*, got "abc"/)
    await post([{ sku: 'bulk-9d', name: 'D', price: 1 }]).then(({ bulk_uuid }) =>
      finished(bulk_uuid),
    )
    const body = [{ sku: 'bulk-9d' }, { sku: 'bulk-9 none' }]
    const gone = await call('DELETE', '/async/bulk/V1/products', { body })
    assert.equal(gone.status, 202)
    const bulk = await finished(gone.body.bulk_uuid)
    assert.deepEqual(statusesOf(bulk), [1, 3])
    assert.equal(bulk.operations_list[1].error_code, 404)
    await refused(404, 'GET', '/rest/V1/products/bulk-9d')
  })

  test('commerce 10: objects and arrays, wrapped and bare, by every path, in every spelling', async () => {
    const product = (sku: string) => ({ Sku: sku, name: sku, price: 1, typeId: 'virtual' })
    const bodies = [
      ['POST', PRODUCTS, product('bulk-10a')],
      ['POST', '/rest/async/V1/products', { product: product('bulk-10b') }],
      ['POST', '/rest/default/async/V1/products', [product('bulk-10c')]],
      ['POST', '/async/bulk/V1/products', [{ product: product('bulk-10d') }]],
      ['PUT', '/rest/all/async/bulk/V1/products', [product('bulk-10e')]],
      ['PUT', '/async/bulk/V1/products/bySku', [{ Product: product('bulk-10f') }]],
      [
        'PUT',
        '/async/V1/products/bulk-10%2Fg',
        { product: { name: 'G', price: 1, type_id: 'virtual' } },
      ],
      ['POST', '/index.php/rest/async/V1/products', [product('bulk-10h')]],
    ] as const
    for (const [method, path, body] of bodies) {
      const answer = await call(method, path, { body })
      assert.equal(answer.status, 202, `${method} ${path} ${JSON.stringify(answer.body)}`)
      assert.deepEqual(statusesOf(await finished(answer.body.bulk_uuid)), [1], path)
    }
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', '/g', 'h']) {
      assert.equal((await one(`bulk-10${name}`)).type_id, 'virtual')
    }
    const removed = await call('DELETE', '/async/V1/products/bulk-10%2Fg')
    assert.deepEqual(statusesOf(await finished(removed.body.bulk_uuid)), [1])
    await refused(404, 'GET', '/rest/V1/products/bulk-10%2Fg')
  })

  /** Answered by the head alone: who sends on meanwhile may lose the answer. */
  async function statusOfSize(bytes: number): Promise<number | undefined> {
    const request = http.request(`${commerce.server().url}${PRODUCTS}`, {
      method: 'POST',
      headers: {
        'x-api-key': ADMIN_KEY,
        'content-type': 'application/json',
        'content-length': bytes,
      },
    })
    request.flushHeaders()
    const [response] = await once(request, 'response')
    request.destroy()
    return response.statusCode
  }

  test('commerce 10: an empty array, a text, broken JSON and too many elements are refused', async () => {
    await refused(400, 'POST', PRODUCTS, { body: [] })
    await refused(400, 'POST', PRODUCTS, { body: 'x' })
    await refused(400, 'POST', PRODUCTS, { text: '[{"sku":' })
    await refused(400, 'POST', PRODUCTS, { body: Array.from({ length: 10_001 }, () => 1) })
    assert.equal(await statusOfSize(16 * 1024 * 1024 + 1), 413)
    await refused(400, 'GET', PRODUCTS)
    await refused(401, 'POST', PRODUCTS, { body: [{ sku: 'x' }], key: keys.read })
  })

  test('commerce 11: counts add up at every moment, and nothing open is called finished', async () => {
    const count = 1_200
    const body = Array.from({ length: count }, (_, n) => ({
      sku: `bulk-11-${n}`,
      name: 'N',
      price: n,
    }))
    const { bulk_uuid: uuid } = await post(body)
    const bulk = await finished(uuid)
    assert.equal(bulk.extension_attributes.state, 'finished')
    assert.equal(bulk.operation_count, count)
    assert.equal(bulk.operations_list.length, 1_000)
    assert.deepEqual(await Promise.all([1, 2, 3, 4, 5].map((each) => countOf(uuid, each))), [
      count,
      0,
      0,
      0,
      0,
    ])
    const page = await status(uuid, '?page_size=500&current_page=3')
    assert.deepEqual(
      page.operations_list.map(({ id }: { id: number }) => id),
      [...Array.from({ length: 200 }, (_, n) => 1_000 + n)],
    )
    assert.equal((await one(`bulk-11-${count - 1}`)).price, count - 1)
    for (const bad of ['0', '6', 'x'])
      await refused(400, 'GET', `/rest/V1/bulk/${uuid}/operation-status/${bad}`)
    await refused(400, 'GET', `/rest/V1/bulk/${uuid}/status?page_size=1001`)
    const beyond = await status(uuid, '?current_page=999999')
    assert.deepEqual([beyond.operations_list, beyond.operation_count], [[], count])
    await refused(400, 'GET', `/rest/V1/bulk/${uuid}/status?current_page=9999999`)
  })

  test('commerce 13: the same SKU 50 times: the last price holds, over bulks too', async () => {
    const body = Array.from({ length: 50 }, (_, n) => ({
      sku: 'bulk-13',
      name: `N${n}`,
      price: n + 1,
    }))
    const first = await post(body)
    const second = await post([{ sku: 'bulk-13', price: 99 }])
    assert.deepEqual(new Set(statusesOf(await finished(first.bulk_uuid))), new Set([1]))
    await finished(second.bulk_uuid)
    const product = await one('bulk-13')
    assert.deepEqual([product.price, product.name], [99, 'N49'])
  })

  test('commerce 14: a request sent again with its key is answered again and queues nothing', async () => {
    const headers = { 'idempotency-key': 'bulk-14' }
    const body = [{ sku: 'bulk-14', name: 'K', price: 1 }, 7]
    const first = await post(body, { headers })
    await finished(first.bulk_uuid)
    const again = await call('POST', PRODUCTS, { body, headers })
    assert.equal(again.status, 202)
    assert.equal(again.headers.get('idempotent-replayed'), 'true')
    assert.deepEqual(again.body, first)
    await refused(422, 'POST', PRODUCTS, { body: [...body, 8], headers })
    const other = await post(body)
    assert.notEqual(other.bulk_uuid, first.bulk_uuid)
  })

  test('commerce 14: a key is of one store, however its path is spelled', async () => {
    const headers = { 'idempotency-key': 'bulk-14 stores' }
    const body = [{ sku: 'bulk-14s', name: 'K', price: 1 }]
    const first = await post(body, { headers }, '/rest/default/async/V1/products')
    for (const path of [
      PRODUCTS,
      '/rest/async/V1/products',
      '/index.php/rest/default/async/V1/products',
    ]) {
      assert.deepEqual(await post(body, { headers }, path), first)
    }
    const all = await post(body, { headers }, '/rest/all/async/V1/products')
    assert.notEqual(all.bulk_uuid, first.bulk_uuid)
    assert.deepEqual(await post(body, { headers }, '/rest/all/async/V1/products'), all)
    for (const { bulk_uuid: uuid } of [first, all]) {
      assert.deepEqual(statusesOf(await finished(uuid)), [1])
    }
  })

  test('commerce §5.3: the details show what came in and what came of it', async () => {
    const { bulk_uuid: uuid } = await post([{ sku: 'bulk-d', name: 'D', price: 4 }, 3])
    await finished(uuid)
    const bulk = await ok('GET', `/rest/V1/bulk/${uuid}/detailed-status`)
    const [operation, rejected] = bulk.operations_list
    assert.equal(operation.bulk_uuid, uuid)
    assert.equal(operation.topic_name, 'async.V1.products.POST')
    assert.equal(JSON.parse(operation.serialized_data).sku, 'bulk-d')
    assert.equal(JSON.parse(operation.result_serialized_data).price, 4)
    assert.deepEqual([rejected.serialized_data, rejected.result_serialized_data], ['3', null])
    assert.match(bulk.start_time, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
    assert.match(bulk.extension_attributes.finished_at, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
    assert.equal(bulk.bulk_id, uuid)
    const brief = await ok('GET', `/rest/V1/bulk/${uuid}/status?fields=bulk_id,operations_list[id]`)
    assert.deepEqual(brief, { operations_list: [{ id: 0 }, { id: 1 }], bulk_id: uuid })
    for (const query of ['page_size[]=1', 'pageSize=1&page_size=2', 'fields[x]=bulk_id']) {
      await refused(400, 'GET', `/rest/V1/bulk/${uuid}/status?${query}`)
    }
  })

  test('commerce §5.3: the details of a longer bulk after those of a shorter one show all products', async () => {
    for (const count of [1, 3]) {
      const skus = Array.from({ length: count }, (_, at) => `bulk-n${count}-${at}`)
      const { bulk_uuid: uuid } = await post(skus.map((sku) => ({ sku, name: sku, price: 1 })))
      await finished(uuid)
      const { operations_list: list } = await ok('GET', `/rest/V1/bulk/${uuid}/detailed-status`)
      const shown = list.map((operation: { result_serialized_data: string }) =>
        JSON.parse(operation.result_serialized_data),
      )
      assert.deepEqual(
        shown.map(({ sku }: { sku: string }) => sku),
        skus,
      )
    }
  })

  test('commerce §4.1, §5.3: the details show no unpublished product to the level read', async () => {
    const { bulk_uuid: uuid } = await post([
      { sku: 'bulk-seen', name: 'Seen', price: 4 },
      { sku: 'bulk-unseen', name: 'Unseen', price: 4, status: 2 },
    ])
    await finished(uuid)
    const shown = async (key?: string) => {
      const sent = key === undefined ? {} : { key }
      const bulk = await ok('GET', `/rest/V1/bulk/${uuid}/detailed-status`, sent)
      return bulk.operations_list.map(
        ({ result_serialized_data: text }: { result_serialized_data: string | null }) =>
          text && JSON.parse(text).sku,
      )
    }
    assert.deepEqual(await shown(), ['bulk-seen', 'bulk-unseen'])
    assert.deepEqual(await shown(keys.read), ['bulk-seen', null])
  })

  test('commerce §5.3: operations over all bulks are listed by criteria', async () => {
    const { bulk_uuid: uuid } = await post([
      { sku: 'bulk-l1', name: 'L', price: 1 },
      5,
      { sku: 'bulk-l2' },
    ])
    await finished(uuid)
    const filters = (given: Record<string, string>) =>
      Object.entries(given)
        .flatMap(([field, value], n) => [
          `searchCriteria[filter_groups][${n}][filters][0][field]=${field}`,
          `searchCriteria[filter_groups][${n}][filters][0][value]=${value}`,
        ])
        .join('&')
    const list = (given: Record<string, string>) => ok('GET', `/rest/V1/bulk?${filters(given)}`)
    const all = await list({ bulk_uuid: uuid, topic_name: 'async.V1.products.POST' })
    assert.equal(all.total_count, 3)
    assert.deepEqual(
      all.items.map(({ status }: { status: number }) => status),
      [1, 5, 3],
    )
    assert.equal(all.items[0].bulk_uuid, uuid)
    const failed = await list({ bulk_uuid: uuid, status: '3' })
    assert.deepEqual([failed.total_count, failed.items[0].id], [1, 2])
    assert.equal(
      (await list({ bulk_uuid: uuid, topic_name: 'async.V1.products.PUT' })).total_count,
      0,
    )
    assert.ok((await ok('GET', '/rest/V1/bulk')).total_count > 3)
    await refused(400, 'GET', `/rest/V1/bulk?${filters({ colour: 'red' })}`)
    await refused(400, 'GET', `/rest/V1/bulk?${filters({ status: '99999999999' })}`)
  })

  test('commerce §5.3: bulks of others and unknown ones are not there; nothing to retry changes nothing', async () => {
    const { key, user } = await anotherUser(commerce, 'bulks@example.org')
    const { bulk_uuid: uuid } = await post([{ sku: 'bulk-o', name: 'O', price: 1 }])
    await finished(uuid)
    await refused(404, 'GET', `/rest/V1/bulk/${uuid}/status`, { key })
    await refused(404, 'POST', `/rest/V1/bulk/${uuid}/retry`, { key })
    await refused(404, 'GET', '/rest/V1/bulk/0197a2c4-6c1e-7b3a-9a51-3f0d7c1e2b44/status')
    await refused(404, 'GET', '/rest/V1/bulk/x/status')
    const own = await post([{ sku: 'bulk-p', name: 'P', price: 1 }], { key })
    assert.equal((await finished(own.bulk_uuid)).user_id, user.id)
    assert.equal((await call('POST', `/rest/V1/bulk/${uuid}/retry`)).status, 202)
    assert.equal((await finished(uuid)).extension_attributes.complete, 1)
  })
})
