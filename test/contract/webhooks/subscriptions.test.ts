import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { eachDatabase, until } from '#test-kit'
import { webhookServer } from './support.ts'

const SUBSCRIPTIONS = '/webhooks/subscriptions'

eachDatabase('webhook subscriptions', (kind) => {
  const api = webhookServer(kind)
  const { get, post, patch, remove, must, createKey, subscribe, publish, receiver } = api
  const endpoint = (path: string) => receiver().url + path

  test('webhooks 1: create answers exactly six keys, and the secret is shown nowhere else', async () => {
    const { key } = await createKey()
    const body = { endpoint_url: endpoint('/one'), events: ['order.created', 'order.created'] }
    const { status, body: created } = await post(SUBSCRIPTIONS, body, { key })
    assert.equal(status, 201)
    assert.deepEqual(Object.keys(created).sort(), [
      'created_at',
      'endpoint_url',
      'events',
      'id',
      'secret',
      'test_sent',
    ])
    assert.match(created.secret, /^[A-Za-z0-9]{32}$/)
    assert.deepEqual(created.events, ['order.created'])
    assert.equal(created.test_sent, true)
    const path = `${SUBSCRIPTIONS}/${created.id}`
    const shown = [
      await get(path, { key }),
      await get(SUBSCRIPTIONS, { key }),
      await patch(path, { description: 'x' }, { key }),
    ]
    for (const { status, text } of shown) {
      assert.equal(status, 200)
      assert.ok(!text.includes(created.secret))
      assert.ok(!text.includes('"secret"'))
    }
    assert.deepEqual(Object.keys(shown[0]?.body), [
      'id',
      'consumer_id',
      'endpoint_url',
      'description',
      'events',
      'is_active',
      'headers',
      'timeout_seconds',
      'created_at',
      'updated_at',
      'last_delivery_at',
      'failure_count',
      'disabled_at',
      'disabled_reason',
      'secret_rotated_at',
      'source',
      'last_probe',
    ])
  })

  test('webhooks 2: the test delivery of a creation arrives by itself', async () => {
    const { id } = await subscribe(endpoint('/tested'))
    const [arrived] = await receiver().waitFor('/tested', 1, 'webhook.test')
    assert.equal(arrived?.body.type, 'webhook.test')
    assert.equal(arrived?.body.sequence, null)
    assert.deepEqual(arrived?.body.data, { subscription_id: id, message: 'Test event' })
    const record = await until(async () => {
      const found = await must('GET', `${SUBSCRIPTIONS}/${id}`)
      return found.last_probe && found
    })
    assert.equal(record.last_probe.reachable, true)
    assert.equal(record.last_probe.status, 405)
    assert.equal(record.failure_count, 0)
    assert.notEqual(record.last_delivery_at, null)
  })

  test('webhooks 9: each matching active subscription gets one delivery, `*` gets all', async () => {
    const { key, consumerId } = await createKey()
    const matching = await subscribe(endpoint('/match'), {}, key)
    await subscribe(endpoint('/both'), { events: ['order.created', '*'] }, key)
    await subscribe(endpoint('/other'), { events: ['order.updated'] }, key)
    const inactive = await subscribe(endpoint('/inactive'), { is_active: false }, key)
    const { id } = await publish({ id: 7 }, { consumer_id: consumerId })
    await publish({ id: 8 }, { consumer_id: consumerId, event_type: 'order.updated' })
    await receiver().waitFor('/both', 2)
    await receiver().waitFor('/match', 1)
    await receiver().waitFor('/other', 1)
    await api.settled(matching.id, 'succeeded', 1, key)
    const counts = await must('GET', `/webhooks/events/${id}`, { key })
    assert.equal(counts.deliveries.total, 2)
    assert.equal(receiver().on('/match').length, 1)
    assert.equal(receiver().on('/both').length, 2)
    assert.equal(receiver().on('/other').length, 1)
    assert.equal(receiver().on('/inactive').length, 0)
    assert.equal((await api.deliveries(inactive.id, '?is_test=false', key)).meta.total, 0)
    assert.deepEqual(
      receiver()
        .on('/both')
        .map(({ body }) => body.sequence)
        .sort(),
      [1, 2],
    )
  })

  test("webhooks 8: another consumer's id answers as a random one does", async () => {
    const [mine, other] = [await createKey(), await createKey()]
    const { id } = await subscribe(endpoint('/mine'), {}, mine.key)
    const calls = [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/test'],
      ['POST', '/rotate-secret'],
      ['POST', '/verify'],
      ['POST', '/replay'],
      ['GET', '/deliveries'],
      ['GET', '/stats'],
      ['GET', `/deliveries/${randomUUID()}`],
      ['POST', `/deliveries/${randomUUID()}/resend`],
      ['GET', `/replays/${randomUUID()}`],
    ] as const
    for (const [method, tail] of calls) {
      const sent = method === 'GET' || method === 'DELETE' ? {} : { body: {} }
      const ask = (of: string, key: string) =>
        api.call(method, `${SUBSCRIPTIONS}/${of}${tail}`, { ...sent, key })
      const unknown = await ask(randomUUID(), other.key)
      const foreign = await ask(id, other.key)
      const byAdmin = await ask(id, (await adminKey()).key)
      const malformed = await ask('no-uuid', other.key)
      assert.equal(unknown.status, 404, `${method} ${tail}`)
      for (const answer of [foreign, byAdmin, malformed]) {
        assert.equal(answer.status, 404, `${method} ${tail}`)
        assert.equal(answer.text, unknown.text)
      }
    }
    const { status, body } = await post(
      '/webhooks/events',
      { event_type: 'order.created', payload: {} },
      { key: mine.key },
    )
    assert.equal(status, 403)
    assert.equal(body.error.code, 'forbidden')
    assert.equal(
      (await patch(`${SUBSCRIPTIONS}/${id}`, { description: 'own' }, { key: mine.key })).status,
      200,
    )
    assert.equal((await remove(`${SUBSCRIPTIONS}/${id}`, { key: mine.key })).status, 204)
    assert.equal((await get(`${SUBSCRIPTIONS}/${id}`, { key: mine.key })).status, 404)
  })

  let admin: Awaited<ReturnType<typeof createKey>> | undefined
  async function adminKey() {
    admin ??= await createKey('admin')
    return admin
  }
})
