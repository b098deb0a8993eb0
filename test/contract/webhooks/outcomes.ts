import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '#test-kit'
import { startTcp } from './receiver.ts'
import { SCHEDULE_S, webhookSuite } from './support.ts'

const SUBSCRIPTIONS = '/webhooks/subscriptions'
const JITTER = 0.2

export const outcomes = webhookSuite('outcomes of deliveries', (api) => {
  const { must, patch, post, createKey, subscribe, publish, settled, receiver, server } = api
  const endpoint = (path: string) => receiver().url + path
  let offsetMs = 0

  async function advance(ms: number) {
    offsetMs += ms
    await server().setClockOffset(offsetMs)
  }

  const record = (id: string) => must('GET', `${SUBSCRIPTIONS}/${id}`)
  const answering = (path: string, status: number, headers: Record<string, string> = {}) =>
    receiver().answer(path, (_, response) => response.writeHead(status, headers).end('no'))

  /** The latest delivery of an event, with its attempts. */
  async function latest(id: string) {
    const { data } = await api.deliveries(id, '?is_test=false&include=attempts,payload')
    return data[0]
  }

  function attempted(id: string, count: number) {
    return until(
      async () => {
        const found = await latest(id)
        return found?.attempt_count >= count && found
      },
      { what: `${count} attempts` },
    )
  }

  test('webhooks 10: 500 is tried again on the schedule, with the same body and id', async () => {
    answering('/500', 500)
    const { id } = await subscribe(endpoint('/500'))
    await publish({ n: 1 })
    let delivery = await attempted(id, 1)
    assert.equal(delivery.status, 'pending')
    assert.deepEqual(delivery.last_error, { code: 'http_status', message: 'Answered 500' })
    for (const [at, seconds] of SCHEDULE_S.entries()) {
      const waitMs = Date.parse(delivery.next_attempt_at) - (Date.now() + offsetMs)
      assert.ok(waitMs <= seconds * 1000 * (1 + JITTER), `waits ${waitMs} ms`)
      assert.ok(waitMs >= seconds * 1000 * (1 - JITTER) - 5_000, `waits ${waitMs} ms`)
      await advance(waitMs + 1)
      delivery = await attempted(id, at + 2)
    }
    assert.equal(delivery.status, 'failed')
    assert.equal(delivery.next_attempt_at, null)
    assert.notEqual(delivery.completed_at, null)
    const arrived = receiver().on('/500')
    assert.equal(arrived.length, 3)
    assert.equal(new Set(arrived.map(({ text }) => text)).size, 1)
    assert.equal(new Set(arrived.map(({ headers }) => headers['webhook-id'])).size, 1)
    assert.equal(new Set(arrived.map(({ headers }) => headers['webhook-timestamp'])).size, 3)
    assert.deepEqual(
      arrived.map(({ headers }) => headers['webhook-attempt']),
      ['1', '2', '3'],
    )
    const { attempts } = delivery
    assert.deepEqual(
      attempts.map((one: { number: number; trigger: string; response_status: number }) => [
        one.number,
        one.trigger,
        one.response_status,
      ]),
      [
        [1, 'scheduled', 500],
        [2, 'scheduled', 500],
        [3, 'scheduled', 500],
      ],
    )
    assert.equal((await record(id)).failure_count, 4)
  })

  test('webhooks 10: Retry-After is obeyed, and at most a day', async () => {
    for (const [value, seconds] of [
      ['3600', 3_600],
      ['999999999', 86_400],
      // contract item: however many digits it has.
      ['99999999999', 86_400],
      ['9'.repeat(400), 86_400],
    ] as const) {
      const path = `/later-${value.length}`
      const { id } = await subscribe(endpoint(path))
      answering(path, 503, { 'retry-after': value })
      await publish()
      const { next_attempt_at } = await attempted(id, 1)
      const waitMs = Date.parse(next_attempt_at) - (Date.now() + offsetMs)
      assert.ok(Math.abs(waitMs - seconds * 1000) < 15_000, `waits ${waitMs} ms`)
      await api.remove(`${SUBSCRIPTIONS}/${id}`)
    }
  })

  test('webhooks 10: a redirect fails and its target is never contacted', async () => {
    const target = await startTcp((socket) => socket.end())
    const { id } = await subscribe(endpoint('/301'))
    answering('/301', 301, { location: `http://127.0.0.1:${target.port}/elsewhere` })
    await publish()
    const { attempts } = await attempted(id, 1)
    assert.equal(attempts[0].error.code, 'redirect')
    assert.equal(attempts[0].response_status, 301)
    assert.match(attempts[0].response_headers.location, /elsewhere/)
    assert.equal(target.connections, 0)
    await api.remove(`${SUBSCRIPTIONS}/${id}`)
  })

  test('webhooks 10: 410 fails for good and disables at once', async () => {
    const { id } = await subscribe(endpoint('/410'))
    answering('/410', 410)
    await publish()
    const delivery = await attempted(id, 1)
    assert.equal(delivery.status, 'failed')
    const { is_active, disabled_reason, disabled_at } = await record(id)
    assert.equal(is_active, false)
    assert.equal(disabled_reason, 'gone')
    assert.notEqual(disabled_at, null)
  })

  test('webhooks 10: hanging, closing, bad TLS and nobody there have codes of their own', async () => {
    const closing = await startTcp((socket) => socket.once('data', () => socket.destroy()))
    const hanging = await startTcp(() => {})
    const garbage = await startTcp((socket) => socket.once('data', () => socket.end('hello\r\n')))
    const noStatus = await startTcp((socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 000 x\r\ncontent-length: 0\r\n\r\n')),
    )
    const cases = [
      [`http://127.0.0.1:${closing.port}/`, 'connection_reset'],
      [`http://127.0.0.1:${hanging.port}/`, 'timeout'],
      [`http://127.0.0.1:${garbage.port}/`, 'invalid_response'],
      // contract item: a status that there is not is no fault of ours.
      [`http://127.0.0.1:${noStatus.port}/`, 'invalid_response'],
      [`https://127.0.0.1:${receiver().port}/`, 'tls_error'],
      ['http://127.0.0.1:1/', 'connection_refused'],
      ['http://no-such-host.invalid/', 'dns_error'],
    ] as const
    const created = await Promise.all(
      cases.map(([url]) => subscribe(url, { timeout_seconds: 1, events: ['order.updated'] })),
    )
    await publish({}, { event_type: 'order.updated' })
    for (const [at, [url, code]] of cases.entries()) {
      const id = created[at]?.id ?? ''
      const delivery = await attempted(id, 1)
      assert.equal(delivery.last_error.code, code, url)
      assert.equal(delivery.status, 'pending')
      await api.remove(`${SUBSCRIPTIONS}/${id}`)
    }
  })

  test('webhooks 2: an endpoint that is down at creation does not change the answer', async () => {
    const body = { endpoint_url: 'http://127.0.0.1:1/', events: ['order.created'] }
    const { status, body: created } = await post(SUBSCRIPTIONS, body)
    assert.equal(status, 201)
    assert.equal(created.test_sent, true)
    const found = await until(async () => {
      const shown = await record(created.id)
      return shown.failure_count === 1 && shown.last_probe && shown
    })
    assert.deepEqual(
      [found.last_probe.reachable, found.last_probe.error],
      [false, 'connection_refused'],
    )
    assert.equal(found.is_active, true)
    await api.remove(`${SUBSCRIPTIONS}/${created.id}`)
  })

  test('a slow body is no failure, and only its beginning is kept', async () => {
    receiver().answer('/slow', (_, response) => {
      response.writeHead(200, { 'x-request-id': 'r1', 'set-cookie': 'a=b' })
      response.write(`\0${'x'.repeat(20_000)}`)
    })
    const { key, consumerId } = await createKey()
    const { id } = await subscribe(endpoint('/slow'), {}, key)
    await publish({}, { consumer_id: consumerId })
    const [delivery] = await settled(id, 'succeeded', 1, key)
    const [attempt] = delivery.attempts
    assert.equal(attempt.response_truncated, true)
    assert.equal(Buffer.byteLength(attempt.response_body.replace('\ufffd', '.')), 16_384)
    assert.equal(attempt.response_headers['x-request-id'], 'r1')
    assert.equal(attempt.response_headers['set-cookie'], undefined)
  })

  test('a changed URL applies to what is already queued', async () => {
    answering('/before', 500)
    const { id } = await subscribe(endpoint('/before'))
    await publish({ moved: true })
    const delivery = await attempted(id, 1)
    await patch(`${SUBSCRIPTIONS}/${id}`, { endpoint_url: endpoint('/after') })
    await advance(Date.parse(delivery.next_attempt_at) - (Date.now() + offsetMs) + 1)
    await settled(id, 'succeeded')
    assert.deepEqual(receiver().on('/after')[0]?.body.data, { moved: true })
  })

  test('a manual attempt goes out at once, counts nothing and keeps the plan', async () => {
    answering('/manual', 500)
    const { id } = await subscribe(endpoint('/manual'))
    await publish({ again: 1 })
    const planned = await attempted(id, 1)
    const { failure_count: before } = await record(id)
    const path = `${SUBSCRIPTIONS}/${id}/deliveries/${planned.id}/resend`
    assert.equal((await post(path)).status, 202)
    const failed = await attempted(id, 2)
    assert.equal(failed.attempts[1].trigger, 'manual')
    assert.equal(failed.status, 'pending')
    assert.equal(failed.next_attempt_at, planned.next_attempt_at)
    assert.equal((await record(id)).failure_count, before)
    await patch(`${SUBSCRIPTIONS}/${id}`, { is_active: false })
    const held = await latest(id)
    assert.equal(held.status, 'held')
    receiver().answer('/manual', (_, response) => response.end('fine'))
    assert.equal((await post(path)).status, 202)
    const done = await attempted(id, 3)
    assert.equal(done.status, 'succeeded')
    assert.equal((await record(id)).is_active, false)
    const texts = receiver()
      .on('/manual')
      .map(({ text }) => text)
    assert.equal(new Set(texts).size, 1)
  })

  test('a test can be waited for, sends an example and needs no active subscription', async () => {
    const { id } = await subscribe(endpoint('/example'), { is_active: false })
    const path = `${SUBSCRIPTIONS}/${id}/test`
    const queued = await post(path, {})
    assert.equal(queued.status, 202)
    assert.deepEqual(Object.keys(queued.body), ['delivery_id', 'event_type', 'status', 'test_sent'])
    const { status, body } = await post(`${path}?wait=true`, { event_type: 'order.created' })
    assert.equal(status, 200)
    assert.equal(body.status, 'succeeded')
    assert.equal(body.is_test, true)
    assert.equal(body.sequence, null)
    assert.equal(body.attempts[0].trigger, 'test')
    assert.deepEqual(Object.keys(body.payload), ['id', 'status', 'total', 'created_at'])
    const unknown = await post(path, { event_type: 'no.such' })
    assert.equal(unknown.status, 422)
    assert.deepEqual(unknown.body.invalid_events, ['no.such'])
  })
})
