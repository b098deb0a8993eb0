import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EventSource } from 'eventsource'
import { Webhook } from 'standardwebhooks'
import { ADMIN_KEY, until } from '#test-kit'
import { startReceiver } from '../webhooks/receiver.ts'
import { bulkCalls } from './bulk.ts'
import { commerceSuite } from './support.ts'

const TYPE = 'product_action_notification'
const MEMBERS = [
  ...['bulk_uuid', 'operation_id', 'sku', 'action', 'status', 'result', 'message', 'error_code'],
  ...['product_id', 'data_hash'],
]

interface Heard {
  readonly id: string
  // biome-ignore lint/suspicious/noExplicitAny: the body of an event
  readonly body: any
}

export const feedback = commerceSuite('feedback', (commerce) => {
  const { call, ok, server } = commerce
  const { post, finished } = bulkCalls(commerce)

  /** A user of their own with a key. */
  async function createUser(name: string) {
    const body = { email: `${name}@example.org`, access: 'write' }
    const { data: user } = await ok('POST', '/api/v1/users', { body })
    const figures = { name: 'Feedback', requests_per_month: -1, requests_per_minute: -1 }
    const { data: plan } = await ok('POST', '/api/v1/plans', { body: figures })
    const asked = { plan_id: plan.id, user_id: user.id, access: 'write' }
    const { key } = (await ok('POST', '/api/v1/keys', { body: asked })).data
    return key as string
  }

  function listen(t: { after(work: () => void): void }, key: string, lastEventId?: string) {
    const heard: Heard[] = []
    const from = lastEventId === undefined ? '' : `&last_event_id=${lastEventId}`
    const url = `${server().url}/webhooks/stream?events=${TYPE},bulk.completed${from}`
    const source = new EventSource(url, {
      fetch: (input, init) =>
        fetch(input, { ...init, headers: { ...init.headers, 'x-api-key': key } }),
    })
    for (const type of [TYPE, 'bulk.completed']) {
      source.addEventListener(type, ({ lastEventId: id, data }) =>
        heard.push({ id, body: JSON.parse(data) }),
      )
    }
    t.after(() => source.close())
    return {
      source,
      heard,
      opened: new Promise((resolve) => source.addEventListener('open', resolve)),
    }
  }

  test('commerce 15: feedback comes by webhook, signed, for every operation', async (t) => {
    const key = await createUser('hooked')
    const receiver = await startReceiver()
    const body = { endpoint_url: `${receiver.url}/feedback`, events: [TYPE, 'bulk.completed'] }
    const { id, secret } = await ok('POST', '/webhooks/subscriptions', { body, key })
    t.after(() => call('DELETE', `/webhooks/subscriptions/${id}`, { key }))
    const sent = [{ sku: 'fb-1', name: 'A', price: 1 }, { sku: 'fb-2', price: 1 }, 5]
    const accepted = await post(sent, { key })
    const told = () => receiver.on('/feedback').filter(({ body }) => body.type !== 'webhook.test')
    await until(() => told().length === 4)
    for (const { text, headers } of told()) new Webhook(secret).verify(text, headers)
    const operations = told()
      .map(({ body }) => body)
      .filter(({ type }) => type === TYPE)
      .map(({ data }) => data)
      .toSorted((a, b) => a.operation_id - b.operation_id)
    for (const operation of operations) assert.deepEqual(Object.keys(operation), MEMBERS)
    const [done, failed, rejected] = operations
    assert.deepEqual(
      [done.sku, done.action, done.status, done.result, done.message, done.error_code],
      ['fb-1', 'create', 1, 'complete', '', null],
    )
    assert.equal(done.product_id, (await ok('GET', '/rest/V1/products/fb-1')).id)
    assert.equal(done.data_hash, accepted.request_items[0].data_hash)
    assert.deepEqual([failed.action, failed.status, failed.result], ['create', 3, 'failed'])
    assert.match(failed.message, /"name" is required/)
    assert.deepEqual([rejected.status, rejected.result, rejected.sku], [5, 'rejected', null])
    const completed = told().find(({ body }) => body.type === 'bulk.completed')?.body.data
    assert.equal(completed.bulk_uuid, accepted.bulk_uuid)
    assert.deepEqual(
      [completed.operation_count, completed.complete, completed.failed, completed.rejected],
      [3, 1, 1, 1],
    )
  })

  test('commerce 15: a stream shows it to the user of the bulk and to staff, also after a reconnect', async (t) => {
    const [own, other] = [await createUser('own'), await createUser('other')]
    const streams = [listen(t, own), listen(t, other), listen(t, ADMIN_KEY)]
    const [mine, others, admins] = streams
    await Promise.all(streams.map(({ opened }) => opened))
    const bulk = (from: number) =>
      Array.from({ length: 5 }, (_, n) => ({ sku: `fb-s${from + n}`, name: 'S', price: 1 }))
    await post(bulk(0), { key: own })
    await until(() => mine?.heard.length === 6 && admins?.heard.length === 6)
    assert.equal(others?.heard.length, 0)
    mine?.source.close()
    const { bulk_uuid: later } = await post(bulk(5), { key: own })
    await finished(later)
    const again = listen(t, own, mine?.heard[2]?.id)
    await until(() => again.heard.length === 9)
    const ids = [...(mine?.heard.slice(0, 3) ?? []), ...again.heard].map(({ id }) => id)
    assert.equal(new Set(ids).size, 12)
    const skus = again.heard.slice(0, 2).map(({ body }) => body.data.sku)
    assert.deepEqual(skus, ['fb-s3', 'fb-s4'])
  })
})
