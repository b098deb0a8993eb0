import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { until } from '#test-kit'
import { webhookSuite } from './support.ts'

const BIG = '9007199254740993'

export const publishing = webhookSuite('publishing events', (api) => {
  const { get, post, patch, must, call, createKey, subscribe, publish, receiver } = api
  const endpoint = (path: string) => receiver().url + path

  async function createType(more: Record<string, unknown> = {}) {
    const name = `made.t${Math.random().toString(36).slice(2)}`
    await must('POST', '/webhooks/event-types', { body: { name, ...more } })
    return name
  }

  test('webhooks finding 11: names of our own can be neither created nor published', async () => {
    for (const name of ['webhook.test', 'webhook', 'webhook.mine.too', 'gap']) {
      const made = await post('/webhooks/event-types', { name })
      assert.deepEqual([made.status, made.body.error.code], [422, 'reserved_name'], name)
      const told = await post('/webhooks/events', { event_type: name, payload: {} })
      assert.deepEqual([told.status, told.body.error.code], [422, 'reserved_name'], name)
    }
    const failing = { event_type: 'webhook.subscription.failing', payload: {} }
    assert.equal((await post('/webhooks/events', failing)).status, 422)
    const star = await post('/webhooks/events', { event_type: '*', payload: {} })
    assert.deepEqual([star.status, star.body.invalid_events], [422, ['*']])
    assert.equal((await get('/webhooks/event-types/webhook.test')).status, 404)
    const { key } = await createKey()
    const { id } = await subscribe(endpoint('/star'), {}, key)
    const test = await post(`/webhooks/subscriptions/${id}/test`, { event_type: '*' }, { key })
    assert.deepEqual([test.status, test.body.invalid_events], [422, ['*']])
  })

  test('webhooks finding 11: integers beyond 2^53 survive everywhere', async () => {
    const { key, consumerId } = await createKey()
    const { id } = await subscribe(endpoint('/big'), {}, key)
    const payload = `{"n":${BIG},"deep":[{"m":-${BIG}9}],"e":1e400,"x":0.1}`
    const text = `{"event_type":"order.created","consumer_id":"${consumerId}","payload":${payload}}`
    const published = await call('POST', '/webhooks/events', { text })
    assert.equal(published.status, 201, published.text)
    const [arrived] = await receiver().waitFor('/big', 1)
    assert.ok(arrived)
    assert.ok(arrived.text.includes(`"data":${payload}}`), arrived.text)
    await api.settled(id, 'succeeded', 1, key)
    const [delivery] = (await api.deliveries(id, '?is_test=false', key)).data
    const paths = [
      `/webhooks/events/${published.body.id}`,
      '/webhooks/events?limit=1&order=desc',
      `/webhooks/subscriptions/${id}/deliveries/${delivery.id}`,
      `/webhooks/subscriptions/${id}/deliveries?is_test=false&include=payload`,
      `/webhooks/deliveries?event_id=${published.body.id}&include=payload`,
    ]
    for (const path of paths) {
      const shown = await get(path, { key })
      assert.ok(shown.text.includes(`"payload":${payload}`), `${path} ${shown.text}`)
    }
    const since = new Date(Date.now() - 60_000).toISOString()
    await must('POST', `/webhooks/subscriptions/${id}/replay`, {
      key,
      body: { since, scope: 'all' },
    })
    const again = (await receiver().waitFor('/big', 2)).at(-1)
    assert.equal(again?.text, arrived.text)
    const wrong = { text: `{"event_type":${BIG},"payload":${BIG},"consumer_id":${BIG}}` }
    assert.equal((await call('POST', '/webhooks/events', wrong)).status, 400)
    const type = await call('POST', '/webhooks/event-types', {
      text: `{"name":"big.example${Date.now()}","example_payload":{"n":${BIG}}}`,
    })
    assert.ok(type.text.includes(`"n":${BIG}`))
    const filtered = await call('PATCH', `/webhooks/subscriptions/${id}`, {
      key,
      text: `{"filter":[{"path":"n","op":"eq","value":${BIG}}]}`,
    })
    assert.ok(filtered.text.includes(`"value":${BIG}`), filtered.text)
  })

  test('webhooks finding 12: a batch is published whole, in order', async () => {
    const { key, consumerId } = await createKey()
    await subscribe(endpoint('/batch'), {}, key)
    const events = Array.from({ length: 1_000 }, (_, n) => ({
      ...{ event_type: n < 5 ? 'order.created' : 'order.updated', consumer_id: consumerId },
      payload: { n },
    }))
    const { status, body } = await post('/webhooks/events/batch', { events })
    assert.equal(status, 201)
    assert.equal(body.data.length, 1_000)
    assert.equal(new Set(body.data.map(({ id }: { id: string }) => id)).size, 1_000)
    assert.deepEqual(Object.keys(body.data[0]), ['id', 'event_type', 'created_at'])
    await receiver().waitFor('/batch', 5)
    const last = await must('GET', `/webhooks/events/${body.data[999].id}`, { key })
    assert.deepEqual(last.payload, { n: 999 })
    const sequences = receiver()
      .on('/batch')
      .map(({ body: sent }) => [sent.sequence, sent.data.n])
    assert.deepEqual(
      sequences.sort((a, b) => a[0] - b[0]),
      [0, 1, 2, 3, 4].map((n) => [n + 1, n]),
    )
  })

  test('webhooks finding 12: a batch with one bad event stores none of it', async () => {
    const { key, consumerId } = await createKey('write')
    const other = await createKey()
    const good = { event_type: 'order.created', payload: {} }
    const count = async () => {
      const { data } = await must('GET', '/webhooks/events?limit=100&order=desc', { key })
      const own = { type: 'order.created', owner: consumerId }
      return data.filter(
        (event: { event_type: string; consumer_id: string }) =>
          event.event_type === own.type && event.consumer_id === own.owner,
      ).length
    }
    const large = { event_type: 'order.created', payload: { x: 'x'.repeat(300_000) } }
    const cases: [unknown, number, string | undefined][] = [
      [{ events: [] }, 400, 'events'],
      [{ events: 'x' }, 400, 'events'],
      [{}, 400, 'events'],
      [{ events: Array.from({ length: 1_001 }, () => good) }, 400, 'events'],
      [{ events: [good, 1] }, 400, 'events.1'],
      [{ events: [good, { ...good, payload: 1 }] }, 400, 'events.1.payload'],
      [{ events: [good, { ...good, occurred_at: 'x' }] }, 400, 'events.1.occurred_at'],
      [{ events: [good, large] }, 413, undefined],
      [{ events: [good, { ...good, consumer_id: other.consumerId }] }, 403, undefined],
      [{ events: [good, { ...good, event_type: 'webhook.test' }] }, 422, undefined],
    ]
    for (const [body, status, field] of cases) {
      const answer = await post('/webhooks/events/batch', body, { key })
      assert.equal(answer.status, status, answer.text)
      assert.equal(answer.body.error.details?.[0].field, field)
    }
    const names = ['a.b', 'order.created', '*', 'c.d', 'a.b']
    const unknown = await post(
      '/webhooks/events/batch',
      { events: names.map((event_type) => ({ event_type, payload: {} })) },
      { key },
    )
    assert.deepEqual([unknown.status, unknown.body.invalid_events], [422, ['a.b', '*', 'c.d']])
    assert.equal(await count(), 0)
    const reader = await createKey('read')
    const denied = await post('/webhooks/events/batch', { events: [good] }, { key: reader.key })
    assert.equal(denied.status, 403)
    const headers = { 'idempotency-key': `batch-${consumerId}` }
    const first = await post('/webhooks/events/batch', { events: [good] }, { key, headers })
    const second = await post('/webhooks/events/batch', { events: [good] }, { key, headers })
    assert.equal(second.headers.get('idempotent-replayed'), 'true')
    assert.equal(second.text, first.text)
    assert.equal(await count(), 1)
  })

  test('webhooks finding 12: payloads are held against the schema of their type', async () => {
    const schema = {
      type: 'object',
      required: ['id'],
      properties: { id: { type: 'integer' }, lines: { items: { $ref: '#/$defs/line' } } },
      $defs: { line: { required: ['sku'] } },
    }
    const name = await createType({ schema })
    assert.deepEqual((await must('GET', `/webhooks/event-types/${name}`)).schema, schema)
    assert.equal((await must('GET', '/webhooks/event-types/order.created')).schema, null)
    await publish({ id: 1, lines: [{ sku: 'a' }] }, { event_type: name })
    const bad = { id: 'x', lines: [{ sku: 'a' }, {}] }
    const one = await post('/webhooks/events', { event_type: name, payload: bad })
    assert.deepEqual([one.status, one.body.error.code], [422, 'schema_violation'])
    const fields = ({ body }: typeof one) =>
      body.error.details.map(({ field }: { field: string }) => field)
    assert.deepEqual(fields(one), ['payload.id', 'payload.lines.1.sku'])
    const events = [{ id: 1 }, {}].map((payload) => ({ event_type: name, payload }))
    const many = await post('/webhooks/events/batch', { events })
    assert.equal(many.status, 422)
    assert.deepEqual(fields(many), ['events.1.payload.id'])
    await must('PATCH', `/webhooks/event-types/${name}`, { body: { schema: null } })
    await publish(bad, { event_type: name })
    const refused: unknown[] = [
      ...[1, 'x', [], { type: 'nothing' }, { $ref: 'http://127.0.0.1/x' }, { unknown: 1 }],
      ...[{ pattern: '(?<=a)b' }, { properties: { a: { pattern: '(a)\\1' } } }],
    ]
    for (const given of refused) {
      const answer = await patch(`/webhooks/event-types/${name}`, { schema: given })
      assert.equal(answer.status, 400, JSON.stringify(given))
      assert.match(answer.body.error.details[0].field, /^schema/)
    }
  })

  test('webhooks finding 12: deliveries of all subscriptions, by event and status', async () => {
    const [mine, other] = [await createKey(), await createKey()]
    receiver().answer('/fails', (_request, response) => response.writeHead(500).end())
    const headers = { Authorization: 'Bearer abc' }
    const first = await subscribe(endpoint('/lists'), { headers }, mine.key)
    const second = await subscribe(endpoint('/fails'), {}, mine.key)
    const foreign = await subscribe(endpoint('/foreign'), {}, other.key)
    const { id } = await publish({ n: 1 })
    const list = async (query: string, key?: string) =>
      (await must('GET', `/webhooks/deliveries${query}`, key ? { key } : {})).data
    const owners = (rows: { subscription_id: string }[]) =>
      rows.map((row) => row.subscription_id).sort()
    await until(async () => (await list(`?event_id=${id}&status=succeeded`, mine.key)).length === 1)
    assert.deepEqual(owners(await list(`?event_id=${id}`, mine.key)), [first.id, second.id].sort())
    assert.deepEqual(owners(await list(`?event_id=${id}&status=pending`, mine.key)), [second.id])
    await must('PATCH', `/webhooks/subscriptions/${second.id}`, {
      key: mine.key,
      body: { is_active: false },
    })
    assert.deepEqual(owners(await list(`?event_id=${id}&status=held`, mine.key)), [second.id])
    assert.deepEqual(await list(`?event_id=${id}&status=pending`, mine.key), [])
    const shown = await list(`?event_id=${id}&include=attempts,payload&limit=1&order=asc`, mine.key)
    assert.equal(shown.length, 1)
    assert.ok(!JSON.stringify(shown).includes('Bearer abc'))
    const everybodys = owners(await list(`?event_id=${id}`))
    for (const one of [first.id, second.id, foreign.id]) assert.ok(everybodys.includes(one))
    const acting = await list(`?event_id=${id}&consumer_id=${other.consumerId}`)
    assert.deepEqual(owners(acting), [foreign.id])
    const walked: string[] = []
    let after = ''
    for (;;) {
      const page = await must('GET', `/webhooks/deliveries?limit=1${after}`, { key: mine.key })
      walked.push(...page.data.map((row: { id: string }) => row.id))
      if (!page.meta.has_more) break
      after = `&after_id=${page.meta.next_after_id}`
    }
    assert.equal(walked.length, 4)
    assert.equal(new Set(walked).size, 4)
    for (const query of ['?event_id=x', '?status=x', '?include=secret', '?limit=0']) {
      const { status } = await get(`/webhooks/deliveries${query}`, { key: mine.key })
      assert.equal(status, 400, query)
    }
  })

  test('webhooks finding 12: the figures of a subscription', async () => {
    const { key, consumerId } = await createKey()
    const { id } = await subscribe(endpoint('/figures'), {}, key)
    await publish({ n: 1 }, { consumer_id: consumerId })
    await api.settled(id, 'succeeded', 1, key)
    const stats = await must('GET', `/webhooks/subscriptions/${id}/stats`, { key })
    const { p50_ms, p95_ms, ...counts } = stats
    assert.deepEqual(counts, {
      pending: 0,
      succeeded: 2,
      failed: 0,
      held: 0,
      oldest_pending_at: null,
    })
    assert.ok(p50_ms >= 0 && p95_ms >= p50_ms)
  })

  test('webhooks finding 12: the OpenAPI document says what receivers are sent', async () => {
    const schema = { required: ['a'], properties: { a: { $ref: '#/$defs/b' } }, $defs: { b: {} } }
    const name = await createType({ schema, description: 'Made for a test' })
    const hidden = await createType({ visibility: 'staff' })
    const document = await must('GET', '/api/v1/openapi.json')
    const { post: operation } = document.webhooks['order.created']
    assert.equal(operation.operationId, 'event.order.created')
    assert.ok(operation.requestBody.content['application/json'].example.data.total)
    assert.ok(document.webhooks['article.published'])
    assert.ok(!document.webhooks[hidden] && !document.webhooks['webhook.test'])
    const own = document.components.schemas[`event.${name}`]
    assert.equal(own.properties.a.$ref, `#/components/schemas/event.${name}/$defs/b`)
    const { valid, errors } = await new Validator().validate(document)
    assert.equal(valid, true, JSON.stringify(errors))
  })
})
