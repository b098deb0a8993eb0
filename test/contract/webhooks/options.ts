import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { until } from '#test-kit'
import { webhookSuite } from './support.ts'

const SUBSCRIPTIONS = '/webhooks/subscriptions'

export const subscriptionOptions = webhookSuite('what subscriptions may ask for', (api) => {
  const { get, post, patch, must, createKey, subscribe, publish, receiver } = api
  const endpoint = (path: string) => receiver().url + path

  test('webhooks finding 9: headers that can never be sent are refused at creation and PATCH', async () => {
    const { key } = await createKey()
    const { id } = await subscribe(endpoint('/never'), {}, key)
    const refused: object[] = [
      ...['Expect', 'expect', 'Connection', 'Keep-Alive', 'Transfer-Encoding', 'TE', 'Trailer'],
      ...[
        'Upgrade',
        'Content-Length',
        'Host',
        'HTTP2-Settings',
        'Proxy-Connection',
        'Bad Name',
        '',
      ],
    ].map((name) => ({ [name]: '100-continue' }))
    refused.push({ 'X-A': 'line\nbreak' }, { 'X-A': 'ä' }, { 'X-A': 1 }, { 'X-A': 'a', 'x-a': 'b' })
    for (const headers of refused) {
      const body = { endpoint_url: endpoint('/never'), events: ['order.created'], headers }
      const answers = [
        await post(SUBSCRIPTIONS, body, { key }),
        await patch(`${SUBSCRIPTIONS}/${id}`, { headers }, { key }),
      ]
      for (const { status, body: answer } of answers) {
        assert.equal(status, 400, JSON.stringify(headers))
        assert.equal(answer.error.code, 'validation_error')
        assert.equal(answer.error.details[0].field, 'headers')
      }
    }
    assert.deepEqual((await must('GET', `${SUBSCRIPTIONS}/${id}`, { key })).headers, {})
  })

  test('webhooks finding 10: a record that is read and sent back keeps its credentials', async () => {
    const { key, consumerId } = await createKey()
    const headers = { Authorization: 'Bearer abc', 'X-Env': 'prod', 'X-Stars': '***' }
    const { id } = await subscribe(endpoint('/kept'), { headers }, key)
    const path = `${SUBSCRIPTIONS}/${id}`
    const shown = await must('GET', path, { key })
    assert.deepEqual(shown.headers, { ...headers, Authorization: '***' })
    const again = await must('PATCH', path, { key, body: { ...shown, description: 'again' } })
    assert.deepEqual(again.headers, shown.headers)
    await must('PATCH', path, { key, body: { headers: { authorization: '***', 'X-Env': 'x' } } })
    await publish({ n: 1 }, { consumer_id: consumerId })
    const [arrived] = await receiver().waitFor('/kept', 1)
    assert.equal(arrived?.headers['authorization'], 'Bearer abc')
    assert.equal(arrived?.headers['x-env'], 'x')

    const unknown = await patch(path, { headers: { 'X-Api-Key': '***' } }, { key })
    assert.deepEqual([unknown.status, unknown.body.error.details[0].code], [400, 'masked'])
    const body = { endpoint_url: endpoint('/kept'), events: ['*'], headers: { Cookie: '***' } }
    assert.equal((await post(SUBSCRIPTIONS, body, { key })).status, 400)
    assert.equal((await get(path, { key })).body.headers['authorization'], '***')
  })

  test('webhooks finding 12: patterns match what their stars stand for, once', async () => {
    const { key, consumerId } = await createKey()
    const to = { consumer_id: consumerId }
    const given = { events: undefined, event_patterns: ['order.*'] }
    const body = { ...given, endpoint_url: endpoint('/pattern') }
    const { status, body: created } = await post(SUBSCRIPTIONS, body, { key })
    assert.equal(status, 201)
    assert.deepEqual(created.events, [])
    assert.deepEqual(created.event_patterns, ['order.*'])
    const both = { events: ['order.created'], event_patterns: ['order.*', '*.created', '*.*'] }
    await subscribe(endpoint('/doubly'), both, key)
    await subscribe(endpoint('/others'), { events: [], event_patterns: ['stock.*'] }, key)
    await publish({ n: 1 }, to)
    await publish({ n: 2 }, { ...to, event_type: 'order.updated' })
    await receiver().waitFor('/pattern', 2)
    await receiver().waitFor('/doubly', 2)
    await publish({ n: 3 }, { ...to, event_type: 'stock.updated' })
    await receiver().waitFor('/others', 1)
    await receiver().waitFor('/doubly', 3)
    assert.equal(receiver().on('/pattern').length, 2)
    assert.equal(receiver().on('/doubly').length, 3)
    const found = await must('GET', `${SUBSCRIPTIONS}?event=order.*`, { key })
    assert.deepEqual(found.data.length, 2)

    const deep = 'deep.b.c.d.e'
    await must('POST', '/webhooks/event-types', { body: { name: deep } })
    await subscribe(endpoint('/deep'), { events: [], event_patterns: ['deep.*.e'] }, key)
    await publish({ n: 4 }, { ...to, event_type: deep })
    await receiver().waitFor('/deep', 1)
    await receiver().waitFor('/doubly', 4)
  })

  test('webhooks finding 12: a subscription is to something, and patterns are checked', async () => {
    const { key } = await createKey()
    const endpoint_url = endpoint('/none')
    const refused: object[] = [
      { events: [] },
      { event_patterns: [] },
      { events: [], event_patterns: [] },
      { event_patterns: ['order'] },
      { event_patterns: ['ORDER.*'] },
      { event_patterns: 'order.*' },
      { event_patterns: [1] },
      { event_patterns: Array.from({ length: 21 }, (_, n) => `a${n}.*`) },
    ]
    for (const given of refused) {
      const { status, text } = await post(SUBSCRIPTIONS, { endpoint_url, ...given }, { key })
      assert.equal(status, 400, `${JSON.stringify(given)} ${text}`)
    }
    const { id } = await subscribe(endpoint('/some'), { event_patterns: ['order.*'] }, key)
    const path = `${SUBSCRIPTIONS}/${id}`
    assert.equal((await patch(path, { events: [], event_patterns: [] }, { key })).status, 400)
    assert.equal((await patch(path, { events: [] }, { key })).status, 200)
    assert.equal((await patch(path, { event_patterns: [] }, { key })).status, 400)
    const shown = await must('GET', path, { key })
    assert.deepEqual([shown.events, shown.event_patterns], [[], ['order.*']])
  })

  test('webhooks finding 12: a filter lets through what its conditions say', async () => {
    const { key, consumerId } = await createKey()
    const to = { consumer_id: consumerId }
    const filter = [
      { path: 'status', op: 'in', value: ['paid', 'sent'] },
      { path: 'total', op: 'gte', value: 100 },
    ]
    const { id } = await subscribe(endpoint('/filter'), { filter }, key)
    assert.deepEqual((await must('GET', `${SUBSCRIPTIONS}/${id}`, { key })).filter, filter)
    await publish({ n: 1, status: 'paid', total: 99 }, to)
    await publish({ n: 2, status: 'new', total: 200 }, to)
    await publish({ n: 3, status: 'sent', total: 100 }, to)
    await receiver().waitFor('/filter', 1)
    await must('PATCH', `${SUBSCRIPTIONS}/${id}`, { key, body: { filter: null } })
    await publish({ n: 4 }, to)
    await receiver().waitFor('/filter', 2)
    const arrived = receiver()
      .on('/filter')
      .map(({ body }) => [body.data.n, body.sequence])
    assert.deepEqual(arrived.sort(), [
      [3, 1],
      [4, 2],
    ])
    const bad = [{ path: 'a', op: 'regex', value: '(' }, 'x']
    const { status, body } = await patch(`${SUBSCRIPTIONS}/${id}`, { filter: bad }, { key })
    assert.equal(status, 400)
    assert.deepEqual(
      body.error.details.map(({ field }: { field: string }) => field),
      ['filter.0.op', 'filter.1'],
    )
  })

  test('webhooks finding 12: replays of missed events go by patterns and filter', async () => {
    const { key, consumerId } = await createKey()
    const to = { consumer_id: consumerId }
    const since = new Date(Date.now() - 60_000).toISOString()
    await publish({ n: 1, big: true }, to)
    await publish({ n: 2, big: false }, to)
    await publish({ n: 3, big: true }, { ...to, event_type: 'order.updated' })
    const filter = [{ path: 'big', op: 'eq', value: true }]
    const { id } = await subscribe(
      endpoint('/missed'),
      { events: [], event_patterns: ['order.*'], filter },
      key,
    )
    const body = { since, scope: 'missed' }
    const started = await must('POST', `${SUBSCRIPTIONS}/${id}/replay`, { key, body })
    await receiver().waitFor('/missed', 2)
    const done = await until(async () => {
      const replay = await must('GET', `${SUBSCRIPTIONS}/${id}/replays/${started.id}`, { key })
      return replay.status === 'completed' && replay
    })
    assert.deepEqual([done.processed, done.matched], [2, 2])
    await api.settled(id, 'succeeded', 2, key)
    const all = { since, scope: 'all' }
    await must('POST', `${SUBSCRIPTIONS}/${id}/replay`, { key, body: all })
    await receiver().waitFor('/missed', 4)
    const star = await post(`${SUBSCRIPTIONS}/${id}/replay`, { since, event_types: ['*'] }, { key })
    assert.deepEqual([star.status, star.body.invalid_events], [422, ['*']])
  })

  test('webhooks finding 12: a secret of one’s own signs, and is shown as given once', async () => {
    const { key, consumerId } = await createKey()
    const secret = 'my-own_secret! with 32 characters'.slice(0, 32)
    const created = await subscribe(endpoint('/own'), { secret }, key)
    assert.equal(created.secret, secret)
    assert.ok(!(await get(`${SUBSCRIPTIONS}/${created.id}`, { key })).text.includes(secret))
    await publish({ n: 1 }, { consumer_id: consumerId })
    const [arrived] = await receiver().waitFor('/own', 1)
    assert.ok(arrived)
    const { headers, text } = arrived
    const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`
    const expected = createHmac('sha256', secret).update(content).digest('base64')
    assert.equal(headers['webhook-signature'], `v1,${expected}`)
    const forged = createHmac('sha256', '').update(content).digest('base64')
    const names = ['webhook-id', 'webhook-timestamp'] as const
    const presented = Object.fromEntries(names.map((name) => [name, headers[name]]))
    const verdicts = await Promise.all(
      [expected, forged].map((signature) =>
        must('POST', `${SUBSCRIPTIONS}/${created.id}/verify`, {
          key,
          body: { headers: { ...presented, 'webhook-signature': `v1,${signature}` }, body: text },
        }),
      ),
    )
    assert.deepEqual(
      verdicts.map(({ valid }) => valid),
      [true, false],
    )
    for (const wrong of ['short', 'x'.repeat(33), 'ä'.repeat(32), 5, null, `${'x'.repeat(31)}\n`]) {
      const body = { endpoint_url: endpoint('/own'), events: ['*'], secret: wrong }
      assert.equal((await post(SUBSCRIPTIONS, body, { key })).status, 400, String(wrong))
    }
  })
})
