import assert from 'node:assert/strict'
import http from 'node:http'
import { test } from 'node:test'
import { until } from '#test-kit'
import { webhookSuite } from './support.ts'

interface Message {
  readonly id: string | undefined
  readonly event: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into payloads of every shape
  readonly data: any
}

export const liveFeed = webhookSuite('the live feed', (api) => {
  const { server, get, must, createKey, publish } = api

  /** Opens a stream as an EventSource would. */
  async function open(key: string, query = '', headers: Record<string, string> = {}) {
    const messages: Message[] = []
    let text = ''
    let all = ''
    let ended = false
    const request = http.get(`${server().url}/webhooks/stream${query}`, {
      headers: { 'x-api-key': key, ...headers },
      agent: new http.Agent(),
    })
    const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
      request.on('response', resolve).on('error', reject)
    })
    response.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
      all += chunk
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const message = parse(text.slice(0, end))
        text = text.slice(end + 2)
        if (message) messages.push(message)
      }
    })
    response.on('close', () => {
      ended = true
    })
    return {
      status: response.statusCode,
      type: response.headers['content-type'],
      messages,
      ended: () => ended,
      text: () => all,
      close: () => request.destroy(),
    }
  }

  test('webhooks 17: a stream resumes after a reconnect without loss or repetition', async () => {
    const { key, consumerId } = await createKey()
    const to = { consumer_id: consumerId }
    const first = await open(key)
    assert.equal(first.status, 200)
    assert.match(first.type ?? '', /^text\/event-stream/)
    for (let n = 0; n < 3; n++) await publish({ n }, to)
    // That the key was made may get its number after the stream was opened.
    const orders = () => first.messages.filter(({ event }) => event === 'order.created')
    await until(() => orders().length === 3)
    const [shown] = orders()
    assert.equal(shown?.data.id, shown?.id)
    assert.equal(shown?.data.sequence, null)
    assert.deepEqual(shown?.data.data, { n: 0 })
    first.close()
    for (let n = 3; n < 40; n++) await publish({ n }, to)
    const again = await open(key, '', { 'last-event-id': orders()[1]?.id ?? '' })
    for (let n = 40; n < 45; n++) await publish({ n }, to)
    await until(() => again.messages.length >= 43)
    const numbers = again.messages.map(({ data }) => data.data.n)
    assert.deepEqual(
      numbers,
      Array.from({ length: 43 }, (_, at) => at + 2),
    )
    again.close()
    const byQuery = await open(key, `?last_event_id=${again.messages.at(-2)?.id}`)
    await until(() => byQuery.messages.length === 1)
    assert.equal(byQuery.messages[0]?.data.data.n, 44)
    byQuery.close()
  })

  test('webhooks 17: an unknown id starts with `gap` and the oldest kept event', async () => {
    const { key, consumerId } = await createKey()
    await publish({ n: 1 }, { consumer_id: consumerId })
    await until(async () => (await must('GET', '/webhooks/events', { key })).data.length > 0)
    const asked = `evt_${'0'.repeat(32)}`
    const stream = await open(key, '', { 'last-event-id': asked })
    await until(() => stream.messages.length >= 2)
    assert.deepEqual(stream.messages[0], {
      id: undefined,
      event: 'gap',
      data: { last_event_id: asked },
    })
    assert.ok(stream.messages.some(({ data }) => data.data?.n === 1))
    stream.close()
  })

  test('webhooks 17: with its grace a stream of an old secret ends, and that of the new one stays', async (t) => {
    const { key, keyId } = await createKey()
    const body = { grace_seconds: 600 }
    const { data } = await must('POST', `/api/v1/keys/${keyId}/rotate`, { body })
    const old = await open(key)
    const fresh = await open(data.key)
    assert.deepEqual([old.status, fresh.status], [200, 200])
    t.after(() => server().setClockOffset(0))
    await server().setClockOffset(601_000)
    await until(() => old.ended())
    assert.equal((await get('/webhooks/stream', { key })).status, 403)
    assert.equal(fresh.ended(), false)
    fresh.close()
  })

  test('webhooks finding 11: an id answered just now is known, and an empty one means none', async () => {
    const { key, consumerId } = await createKey()
    const to = { consumer_id: consumerId }
    for (let n = 0; n < 20; n++) {
      const { id } = await publish({ n }, to)
      const stream = await open(key, '', { 'last-event-id': id })
      await publish({ next: n }, to)
      await until(() => stream.messages.length >= 1)
      assert.equal(stream.messages[0]?.event, 'order.created')
      assert.deepEqual(stream.messages[0]?.data.data, { next: n })
      stream.close()
    }
    const empty = await open(key, '?last_event_id=', { 'last-event-id': '' })
    await publish({ last: true }, to)
    await until(() => empty.messages.length >= 1)
    assert.deepEqual(empty.messages[0]?.data.data, { last: true })
    empty.close()
    // Of two ids one is wrong: a guess would leave out events.
    const twice = await get('/webhooks/stream?last_event_id=evt_1&last_event_id=evt_2', { key })
    assert.deepEqual([twice.status, twice.body.error.code], [400, 'invalid_parameter'])
  })

  test('webhooks finding 11: a payload as large as one may be comes through a stream', async () => {
    const { key, consumerId } = await createKey()
    const stream = await open(key, '?events=order.created')
    const x = 'x'.repeat(262_000)
    for (let n = 0; n < 4; n++) await publish({ n, x }, { consumer_id: consumerId })
    const big = '{"n":9007199254740993}'
    const text = `{"event_type":"order.created","consumer_id":"${consumerId}","payload":${big}}`
    await api.call('POST', '/webhooks/events', { text })
    await until(() => stream.messages.length === 5)
    assert.equal(stream.messages[3]?.data.data.x.length, x.length)
    assert.ok(stream.text().includes(`"data":${big}}`))
    assert.ok(!stream.ended())
    stream.close()
  })

  test('a stream shows only what its consumer may see, of the types it asked for', async () => {
    const [mine, other] = [await createKey(), await createKey()]
    const stream = await open(mine.key, '?events=order.updated')
    await publish({ hidden: 1 }, { consumer_id: other.consumerId, event_type: 'order.updated' })
    await publish({ hidden: 2 }, { consumer_id: mine.consumerId })
    await publish({ shown: 1 }, { consumer_id: mine.consumerId, event_type: 'order.updated' })
    await publish({ shown: 2 }, { event_type: 'order.updated' })
    await until(() => stream.messages.length >= 2)
    assert.deepEqual(
      stream.messages.map(({ data }) => data.data),
      [{ shown: 1 }, { shown: 2 }],
    )
    stream.close()
    const unknown = await get('/webhooks/stream?events=x.y', { key: mine.key })
    assert.deepEqual([unknown.status, unknown.body.invalid_events], [422, ['x.y']])
  })

  test('ten streams for one consumer, a ticket opens one, a revoked key ends its own', async () => {
    const { key, userId } = await createKey()
    const streams = await Promise.all(Array.from({ length: 9 }, () => open(key)))
    const { data } = await must('POST', '/api/v1/stream-tickets', { key })
    const ticket = await open('', `?ticket=${data.ticket}`, {})
    assert.equal(ticket.status, 200)
    const refused = await get('/webhooks/stream', { key })
    assert.deepEqual([refused.status, refused.body.error.code], [429, 'too_many_streams'])
    const { data: keys } = await must('GET', `/api/v1/keys?user_id=${userId}`)
    await must('POST', `/api/v1/keys/${keys[0].id}/revoke`)
    await until(() => streams.every((stream) => stream.ended()))
    assert.equal((await get('/webhooks/stream', { key })).status, 403)
    ticket.close()
  })
})

function parse(block: string): Message | undefined {
  const fields = new Map<string, string>()
  for (const line of block.split('\n')) {
    const at = line.indexOf(': ')
    if (at > 0) fields.set(line.slice(0, at), line.slice(at + 2))
  }
  const event = fields.get('event')
  if (!event) return undefined
  return { id: fields.get('id'), event, data: JSON.parse(fields.get('data') ?? 'null') }
}
