import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { until } from '#test-kit'
import { webhookSuite } from './support.ts'

const SUBSCRIPTIONS = '/webhooks/subscriptions'

export const subscriptions = webhookSuite('webhook subscriptions', (api) => {
  const { get, post, patch, remove, must, createKey, subscribe, publish, receiver } = api
  const endpoint = (path: string) => receiver().url + path

  test('webhooks 1: the first who subscribes, while others publish, gets every event from then on', async () => {
    const { key, consumerId } = await createKey()
    const to = { consumer_id: consumerId }
    let isOver = false
    const noise = (async () => {
      while (!isOver) await publish({ n: -1 }, to)
    })()
    const body = { endpoint_url: endpoint('/first'), events: ['order.created'] }
    await must('POST', SUBSCRIPTIONS, { key, body })
    const wanted = Array.from({ length: 20 }, (_, n) => n)
    for (const n of wanted) await publish({ n }, to)
    isOver = true
    await noise
    const arrived = await until(() => {
      const numbers = receiver()
        .on('/first')
        .map(({ body: { data } }) => data.n)
        .filter((n) => n >= 0)
      return numbers.length >= wanted.length && numbers
    })
    assert.deepEqual(
      arrived.toSorted((a, b) => a - b),
      wanted,
    )
  })

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
      'event_patterns',
      'filter',
      'include_entry',
      'is_active',
      'headers',
      'timeout_seconds',
      'ordered',
      'max_per_second',
      'auto_resume',
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

  test('webhooks 5: unknown names are all named, in their order, and nothing is stored', async () => {
    const { key } = await createKey()
    const events = ['b.unknown', 'order.created', '*', 'order.*', 'a.unknown']
    const body = { endpoint_url: endpoint('/none'), events }
    const answer = await post(SUBSCRIPTIONS, body, { key })
    assert.equal(answer.status, 422)
    assert.deepEqual(answer.body, {
      error: 'Unknown event types: b.unknown, order.*, a.unknown',
      invalid_events: ['b.unknown', 'order.*', 'a.unknown'],
    })
    assert.equal((await get(SUBSCRIPTIONS, { key })).body.meta.total, 0)
    const { id } = await subscribe(endpoint('/some'), {}, key)
    assert.equal((await patch(`${SUBSCRIPTIONS}/${id}`, { events }, { key })).status, 422)
    assert.deepEqual((await get(`${SUBSCRIPTIONS}/${id}`, { key })).body.events, ['order.created'])
  })

  test('webhooks 6: bad input is 400 and names its field', async () => {
    const { key } = await createKey()
    const good = { endpoint_url: endpoint('/good'), events: ['order.created'] }
    const bad: [object, string][] = [
      [{}, 'endpoint_url'],
      [{ ...good, events: [] }, 'events'],
      [{ ...good, events: 'a' }, 'events'],
      [{ ...good, events: [1] }, 'events'],
      [{ ...good, events: Array.from({ length: 201 }, (_, n) => `a.n${n}`) }, 'events'],
      [{ ...good, endpoint_url: 'ftp://x' }, 'endpoint_url'],
      [{ ...good, endpoint_url: 'not a url' }, 'endpoint_url'],
      [{ ...good, endpoint_url: 7 }, 'endpoint_url'],
      [{ ...good, endpoint_url: 'http://user:pass@example.org/' }, 'endpoint_url'],
      [{ ...good, endpoint_url: `http://example.org/${'x'.repeat(2_048)}` }, 'endpoint_url'],
      [{ ...good, headers: { 'X-A': 'a\r\nb' } }, 'headers'],
      [{ ...good, headers: { Host: 'x' } }, 'headers'],
      [{ ...good, headers: { 'webhook-id': 'x' } }, 'headers'],
      [{ ...good, headers: { 'a b': 'x' } }, 'headers'],
      [{ ...good, headers: [] }, 'headers'],
      [{ ...good, timeout_seconds: 0 }, 'timeout_seconds'],
      [{ ...good, timeout_seconds: 61 }, 'timeout_seconds'],
      [{ ...good, timeout_seconds: '10' }, 'timeout_seconds'],
      [{ ...good, timeout_seconds: 1.5 }, 'timeout_seconds'],
      [{ ...good, is_active: 1 }, 'is_active'],
      [{ ...good, description: 7 }, 'description'],
      [{ ...good, ordered: 1 }, 'ordered'],
      [{ ...good, auto_resume: 'yes' }, 'auto_resume'],
      [{ ...good, max_per_second: '1' }, 'max_per_second'],
      [{ ...good, max_per_second: 0 }, 'max_per_second'],
      [{ ...good, max_per_second: 1_001 }, 'max_per_second'],
    ]
    for (const [body, field] of bad) {
      const { status, body: answer } = await post(SUBSCRIPTIONS, body, { key })
      assert.equal(status, 400, JSON.stringify(body))
      assert.equal(answer.error.code, 'validation_error')
      assert.ok(answer.error.details.some((one: { field: string }) => one.field === field))
    }
    const both = await post(
      SUBSCRIPTIONS,
      { ...good, endpoint_url: 'x', timeout_seconds: 0 },
      { key },
    )
    assert.equal(both.body.error.details.length, 2)
    for (const text of ['', '{', '[]', '"x"', 'null']) {
      const { status } = await api.call('POST', SUBSCRIPTIONS, { key, text })
      assert.equal(status, 400, text)
    }
    assert.equal((await get(SUBSCRIPTIONS, { key })).body.meta.total, 0)
    const ignored = { ...good, id: 'mine', secret_old: 'mine', consumer_id: 'mine', unknown: 1 }
    const { status, body } = await post(SUBSCRIPTIONS, ignored, { key })
    assert.equal(status, 201)
    assert.notEqual(body.id, 'mine')
    const path = `${SUBSCRIPTIONS}/${body.id}`
    const before = await get(path, { key })
    assert.deepEqual((await patch(path, {}, { key })).body.updated_at, before.body.updated_at)
    assert.equal((await patch(path, { timeout_seconds: 61 }, { key })).status, 400)
  })

  test('webhooks 14: an idempotency key creates one subscription and replays its answer', async () => {
    const { key } = await createKey()
    const sent = { key, headers: { 'idempotency-key': 'create-1' } }
    const body = { endpoint_url: endpoint('/once'), events: ['order.created'] }
    const first = await post(SUBSCRIPTIONS, body, sent)
    const second = await post(SUBSCRIPTIONS, body, sent)
    assert.deepEqual([first.status, second.status], [201, 201])
    assert.equal(second.text, first.text)
    assert.equal(second.headers.get('idempotent-replayed'), 'true')
    const other = await post(SUBSCRIPTIONS, { ...body, description: 'x' }, sent)
    assert.deepEqual([other.status, other.body.error.code], [422, 'idempotency_mismatch'])
    assert.equal((await get(SUBSCRIPTIONS, { key })).body.meta.total, 1)
    const publication = { event_type: 'order.created', payload: { n: 1 } }
    const keyed = { headers: { 'idempotency-key': 'publish-1' } }
    const published = await post('/webhooks/events', publication, keyed)
    const again = await post('/webhooks/events', publication, keyed)
    assert.equal(again.text, published.text)
  })

  test('creating and reactivating beside each other never pass the limit', async () => {
    const { key } = await createKey()
    const limit = (most: number | null) =>
      must('PATCH', '/api/v1/settings/webhooks', { body: { max_subscriptions_per_consumer: most } })
    const body = { endpoint_url: endpoint('/limit'), events: ['order.created'] }
    const asleep: string[] = []
    for (let n = 0; n < 6; n++) {
      const { body: made } = await post(SUBSCRIPTIONS, { ...body, is_active: false }, { key })
      asleep.push(`${SUBSCRIPTIONS}/${made.id}`)
    }
    await limit(3)
    const answers = await Promise.all([
      ...asleep.map((path) => patch(path, { is_active: true }, { key })),
      ...asleep.map(() => post(SUBSCRIPTIONS, body, { key })),
    ])
    await limit(null)
    const refused = answers.filter(({ status }) => status === 422)
    assert.equal(refused.length, answers.length - 3)
    assert.ok(refused.every((answer) => answer.body.error.code === 'subscription_limit'))
    const { meta } = await must('GET', `${SUBSCRIPTIONS}?is_active=true`, { key })
    assert.equal(meta.total, 3)
  })

  test('lists filter, sort and page; admins can act for a consumer', async () => {
    const { key, consumerId } = await createKey()
    const ids: string[] = []
    for (let n = 0; n < 5; n++) {
      const more = { events: n === 2 ? ['*'] : ['order.created'], is_active: n !== 3 }
      ids.push((await subscribe(endpoint(`/list/${n}`), more, key)).id)
    }
    const list = async (query: string, sent: object = { key }) => {
      const { body } = await get(`${SUBSCRIPTIONS}${query}`, sent)
      return body.data.map((one: { id: string }) => ids.indexOf(one.id))
    }
    assert.deepEqual(await list(''), [4, 3, 2, 1, 0])
    assert.deepEqual(await list('?order=asc&per_page=2&page=2'), [2, 3])
    assert.deepEqual(await list('?is_active=false'), [3])
    assert.deepEqual(await list('?event=*'), [2])
    assert.deepEqual(await list(`?endpoint_url=${endpoint('/list/1')}`), [1])
    assert.deepEqual(await list(`?after_id=${ids[2]}&limit=10`), [3, 4])
    assert.deepEqual(await list(`?consumer_id=${consumerId}&order=asc`, {}), [0, 1, 2, 3, 4])
    const keyset = await get(`${SUBSCRIPTIONS}?limit=2`, { key })
    assert.deepEqual(keyset.body.meta, {
      limit: 2,
      after_id: null,
      next_after_id: ids[1],
      has_more: true,
    })
    assert.match(keyset.headers.get('link') ?? '', /rel="next"/)
    for (const query of [
      '?sort=secret',
      '?order=up',
      '?is_active=1',
      '?created_after=x',
      '?page=0',
      '?after_id=1',
    ]) {
      assert.equal((await get(`${SUBSCRIPTIONS}${query}`, { key })).status, 400, query)
    }
    const forbidden = await get(`${SUBSCRIPTIONS}?consumer_id=${consumerId}`, { key })
    assert.equal(forbidden.status, 403)
    assert.equal((await get(`${SUBSCRIPTIONS}?consumer_id=${randomUUID()}`)).status, 404)
    const byAdmin = await get(`${SUBSCRIPTIONS}/${ids[0]}?consumer_id=${consumerId}`)
    assert.equal(byAdmin.status, 200)
    assert.equal((await get(SUBSCRIPTIONS, { key: null })).text, '{"error":"API key required"}')
  })

  test('event types are administered; a deactivated one is neither subscribed nor published', async () => {
    const { key } = await createKey()
    const types = '/webhooks/event-types'
    const { data } = await must('GET', types, { key })
    const names = data.map((one: { name: string }) => one.name)
    assert.deepEqual(names, names.toSorted())
    for (const name of ['run.completed', 'order.created', 'key.created', 'usage.threshold']) {
      assert.ok(names.includes(name), name)
    }
    assert.ok(!names.includes('webhook.test'))
    const body = { name: 'ship.arrived', description: 'A ship', example_payload: { id: 1 } }
    assert.equal((await post(types, body, { key })).status, 403)
    const created = await post(types, body)
    assert.deepEqual(
      [created.status, created.body],
      [201, { ...body, schema: null, is_active: true, visibility: 'all', built_in: false }],
    )
    assert.equal((await post(types, body)).status, 409)
    for (const name of ['Ship', 'a..b', 'a b', `a${'b'.repeat(100)}`, 7]) {
      assert.equal((await post(types, { name })).status, 400, String(name))
    }
    const { id } = await subscribe(endpoint('/ship'), { events: ['ship.arrived'] }, key)
    await patch(`${types}/ship.arrived`, { is_active: false })
    const refused = await post('/webhooks/events', { event_type: 'ship.arrived', payload: {} })
    assert.deepEqual([refused.status, refused.body.invalid_events], [422, ['ship.arrived']])
    const again = { endpoint_url: endpoint('/ship'), events: ['ship.arrived'] }
    assert.equal((await post(SUBSCRIPTIONS, again, { key })).status, 422)
    assert.deepEqual((await get(`${SUBSCRIPTIONS}/${id}`, { key })).body.events, ['ship.arrived'])
    assert.equal((await get(`${types}/ship.arrived`, { key })).status, 404)
    assert.equal((await remove(`${types}/ship.arrived`)).status, 204)
    assert.equal((await remove(`${types}/order.created`)).status, 409)
    assert.equal((await get(`${types}/nothing`)).status, 404)
  })

  test('publishing checks its body and keeps events to whom they belong', async () => {
    const [writer, other] = [await createKey('write'), await createKey()]
    await subscribe(endpoint('/writer'), { events: ['*'] }, writer.key)
    await subscribe(endpoint('/reader'), { events: ['*'] }, other.key)
    const own = await publish({ own: true }, {}, writer.key)
    const toOther = await publish({ given: true }, { consumer_id: other.consumerId })
    await receiver().waitFor('/writer', 1)
    await receiver().waitFor('/reader', 1)
    assert.deepEqual(
      receiver()
        .on('/writer')
        .map(({ body }) => body.data),
      [{ own: true }],
    )
    assert.deepEqual(
      receiver()
        .on('/reader')
        .map(({ body }) => body.data),
      [{ given: true }],
    )
    assert.equal((await get(`/webhooks/events/${own.id}`, { key: other.key })).status, 404)
    assert.equal((await get(`/webhooks/events/${own.id}`)).status, 404)
    const shown = await must('GET', `/webhooks/events/${own.id}`, { key: writer.key })
    assert.equal(shown.consumer_id, writer.consumerId)
    assert.equal(shown.created_at, own.created_at)
    const list = await must('GET', '/webhooks/events?event_type=order.created&limit=100', {
      key: other.key,
    })
    const listed = list.data.map((one: { id: string }) => one.id)
    assert.ok(listed.includes(toOther.id) && !listed.includes(own.id))
    for (const body of [
      {},
      { event_type: 'order.created', payload: [] },
      { event_type: 1, payload: {} },
      { event_type: 'order.created', payload: {}, occurred_at: 'x' },
    ]) {
      assert.equal((await post('/webhooks/events', body)).status, 400, JSON.stringify(body))
    }
    const large = { event_type: 'order.created', payload: { text: 'x'.repeat(262_144) } }
    assert.equal((await post('/webhooks/events', large)).status, 413)
    const foreign = { event_type: 'order.created', payload: {}, consumer_id: other.consumerId }
    assert.equal((await post('/webhooks/events', foreign, { key: writer.key })).status, 403)
  })

  test('webhooks 16: a change that fails emits no event, one that is committed always does', async () => {
    const { key, consumerId } = await createKey()
    await subscribe(endpoint('/keys'), { events: ['key.created', 'key.revoked'] }, key)
    const { data: plan } = await must('POST', '/api/v1/plans', {
      body: { name: 'One', requests_per_month: -1, requests_per_minute: -1, keys_per_user: 1 },
    })
    const body = { plan_id: plan.id, access: 'read' }
    const issued = await post('/api/v1/keys', body, { key })
    const refused = await post('/api/v1/keys', body, { key })
    assert.ok(issued.status === 201 && refused.status >= 400, `${issued.text} ${refused.text}`)
    await must('POST', `/api/v1/keys/${issued.body.data.id}/revoke`)
    const told = await receiver().waitFor('/keys', 2)
    assert.deepEqual(told.map(({ body }) => [body.type, body.data.key_id]).sort(), [
      ['key.created', issued.body.data.id],
      ['key.revoked', issued.body.data.id],
    ])
    const { data } = await must(
      'GET',
      `/webhooks/events?event_type=key.created&consumer_id=${consumerId}`,
    )
    assert.equal(data.length, 2, 'the first key of the user and this one')
  })

  test('webhooks 20: events of drafts reach staff only, of live content everybody', async () => {
    const [staff, consumer] = [await createKey('admin'), await createKey()]
    const name = 'article.changed'
    await post('/webhooks/event-types', { name, visibility: 'live' })
    await subscribe(endpoint('/staff'), { events: [name] }, staff.key)
    await subscribe(endpoint('/consumer'), { events: [name] }, consumer.key)
    for (const live of [false, true]) await publish({ live }, { event_type: name })
    await receiver().waitFor('/staff', 2)
    await receiver().waitFor('/consumer', 1)
    assert.deepEqual(
      receiver()
        .on('/consumer')
        .map(({ body }) => body.data.live),
      [true],
    )
    await patch(`/webhooks/event-types/${name}`, { visibility: 'staff' })
    await publish({ live: true, late: true }, { event_type: name })
    await receiver().waitFor('/staff', 3)
    assert.equal(receiver().on('/consumer').length, 1)
  })

  test('webhooks 16, 20: content emits when it is committed, drafts to staff, live copies to all', async () => {
    const [staff, consumer] = [await createKey('admin'), await createKey()]
    const events = ['article.created', 'article.published', 'article.deleted']
    await subscribe(endpoint('/editors'), { events }, staff.key)
    await subscribe(endpoint('/readers'), { events }, consumer.key)
    const slug = `draft-${randomUUID()}`
    const draft = { title: 'Draft', slug, status: 'draft' }
    const created = await post('/api/v1/articles', draft)
    assert.equal(created.status, 201, created.text)
    assert.equal((await post('/api/v1/articles', draft)).status, 409)
    const path = `/api/v1/articles/${created.body.data.id}`
    await must('POST', `${path}/publish`)
    await must('DELETE', path)
    const edited = await receiver().waitFor('/editors', 3)
    const read = await receiver().waitFor('/readers', 2)
    const told = (all: typeof edited) =>
      all
        .toSorted((a, b) => a.body.sequence - b.body.sequence)
        .map(({ body }) => [body.type, body.data.live])
    assert.deepEqual(told(edited), [
      ['article.created', false],
      ['article.published', true],
      ['article.deleted', true],
    ])
    assert.deepEqual(told(read), [
      ['article.published', true],
      ['article.deleted', true],
    ])
    assert.equal(edited[0]?.body.data.id, created.body.data.id)
  })

  test('webhooks 18: area A takes all three forms and manages the same subscription', async () => {
    const { key, consumerId } = await createKey()
    const url = endpoint('/runs')
    const events = ['run.completed', 'run.failed']
    const encoded = encodeURIComponent(url)
    const answers = [
      await post('/api/v1/webhooks', { url, events }, { key }),
      await post(`/api/v1/webhooks?url=${encoded}&events=run.completed,run.failed`, undefined, {
        key,
      }),
      await post(
        `/api/v1/webhooks?url=${encoded}&events=run.completed&events=run.failed`,
        undefined,
        { key },
      ),
      await post(`/api/v1/webhooks?url=${encoded}`, events, { key }),
    ]
    for (const { status, body } of answers) {
      assert.equal(status, 201)
      assert.deepEqual(Object.keys(body).sort(), [
        'created_at',
        'events',
        'id',
        'is_active',
        'secret',
        'subscription_id',
        'url',
      ])
      assert.deepEqual(body.events, events)
      assert.ok(Number.isInteger(body.id))
    }
    for (const body of [{ url }, { url, events: [] }, { events }, {}]) {
      assert.equal((await post('/api/v1/webhooks', body, { key })).status, 400)
    }
    const unknown = await post('/api/v1/webhooks', { url, events: ['x.y'] }, { key })
    assert.deepEqual(
      [unknown.status, unknown.body],
      [422, { error: 'Unknown event types: x.y', invalid_events: ['x.y'] }],
    )
    const [first, second, third, fourth] = answers.map(({ body }) => body)
    const listed = await must('GET', '/api/v1/webhooks', { key })
    assert.equal(listed.meta.total, 4)
    assert.ok(!JSON.stringify(listed).includes(first.secret))
    const twin = await must('GET', `${SUBSCRIPTIONS}/${first.subscription_id}`, { key })
    assert.deepEqual([twin.source, twin.endpoint_url], ['scrapers', url])
    assert.equal((await remove(`/api/v1/webhooks/${second.id}`, { key })).status, 204)
    assert.equal((await get(`${SUBSCRIPTIONS}/${second.subscription_id}`, { key })).status, 404)
    assert.equal((await remove(`${SUBSCRIPTIONS}/${third.subscription_id}`, { key })).status, 204)
    assert.equal((await get(`/api/v1/webhooks/${third.id}`, { key })).status, 404)
    assert.equal((await remove(`/api/v1/webhooks/${fourth.id}`, { key })).status, 204)
    const stranger = await createKey()
    assert.equal((await get(`/api/v1/webhooks/${first.id}`, { key: stranger.key })).status, 404)

    for (const event_type of events)
      await publish({ run_id: 1 }, { event_type, consumer_id: consumerId })
    const runs = await receiver().waitFor('/runs', 2)
    for (const run of runs) new Webhook(first.secret).verify(run.text, run.headers)
    assert.deepEqual(runs.map(({ body }) => body.type).sort(), events)
  })

  let admin: Awaited<ReturnType<typeof createKey>> | undefined
  async function adminKey() {
    admin ??= await createKey('admin')
    return admin
  }
})
