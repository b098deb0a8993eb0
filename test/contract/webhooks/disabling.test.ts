import assert from 'node:assert/strict'
import { AsyncResource } from 'node:async_hooks'
import { before, test } from 'node:test'
import {
  eachDatabase,
  installation,
  type SmtpSink,
  startServer,
  startSmtp,
  type TestServer,
  until,
} from '#test-kit'
import { type Receiver, startReceiver } from './receiver.ts'
import { ADMIN_KEY, caller, LOOPBACK } from './support.ts'

const SUBSCRIPTIONS = '/webhooks/subscriptions'

eachDatabase('disabling and reactivation', (kind) => {
  let server: TestServer
  let smtp: SmtpSink
  let receiver: Receiver
  const start = AsyncResource.bind(async () => {
    smtp = await startSmtp()
    receiver = await startReceiver()
    const env = await installation(kind, {
      ENTREPOT_ADMIN_KEY: ADMIN_KEY,
      ENTREPOT_GATEWAY_THREADS: '1',
      ENTREPOT_WEBHOOKS_RETRY_SCHEDULE: '3600,3600',
      ENTREPOT_SMTP_URL: smtp.url,
      ENTREPOT_SMTP_SENDER: 'entrepot@example.org',
      ...LOOPBACK,
    })
    server = await startServer(env)
  })
  before(start)
  const api = caller(() => server.url)
  const { must, get, post, patch, createKey, subscribe, publish } = api
  const endpoint = (path: string) => receiver.url + path

  const record = (id: string, key: string) => must('GET', `${SUBSCRIPTIONS}/${id}`, { key })
  const answering = (path: string, status: number) =>
    receiver.answer(path, (_, response) => response.writeHead(status).end())

  function counted(id: string, count: number, key: string) {
    return until(
      async () => {
        const shown = await record(id, key)
        return (shown.failure_count >= count || !shown.is_active) && shown
      },
      { what: `${count} failures` },
    )
  }

  test('webhooks 11: 99 failures leave it active, the 100th disables and tells the owner once', async () => {
    const { key, consumerId, email } = await createKey()
    answering('/dead', 500)
    const { id } = await subscribe(
      endpoint('/dead'),
      { events: ['order.created', 'webhook.subscription.disabled'] },
      key,
    )
    const watcher = await subscribe(
      endpoint('/watch'),
      { events: ['webhook.subscription.disabled', 'webhook.subscription.failing'] },
      key,
    )
    for (let n = 0; n < 98; n++) await publish({ n }, { consumer_id: consumerId })
    const alive = await counted(id, 99, key)
    assert.equal(alive.failure_count, 99)
    assert.equal(alive.is_active, true)
    assert.equal(alive.disabled_at, null)

    await publish({ n: 99 }, { consumer_id: consumerId })
    const dead = await counted(id, 100, key)
    assert.equal(dead.is_active, false)
    assert.equal(dead.disabled_reason, 'failures')
    assert.equal(dead.failure_count, 100)
    assert.notEqual(dead.disabled_at, null)

    const told = await receiver.waitFor('/watch', 3)
    const disabled = told.filter(({ body }) => body.type === 'webhook.subscription.disabled')
    assert.equal(disabled.length, 1)
    assert.deepEqual(disabled[0]?.body.data, {
      subscription_id: id,
      endpoint_url: endpoint('/dead'),
      failure_count: 100,
      disabled_at: dead.disabled_at,
      reason: 'failures',
      last_error: { code: 'http_status', message: 'Answered 500' },
    })
    const failing = told.filter(({ body }) => body.type === 'webhook.subscription.failing')
    assert.deepEqual(failing.map(({ body }) => body.data.failure_count).sort(), [50, 90])

    const notified = await until(async () => {
      const { data } = await must('GET', '/webhooks/notifications', { key })
      return data[0]?.email_status === 'sent' && data
    })
    assert.equal(notified.length, 1)
    const [{ id: notificationId, ...notification }] = notified
    assert.equal(notification.type, 'webhook.subscription.disabled')
    assert.equal(notification.subscription_id, id)
    assert.equal(notification.read_at, null)
    const mails = smtp.mails.filter((mail) => mail.includes(email))
    assert.equal(mails.length, 1)
    assert.match(mails[0] ?? '', /entrepot@example\.org/)
    assert.equal(
      (await post(`/webhooks/notifications/${notificationId}/read`, undefined, { key })).status,
      204,
    )
    const { data } = await must('GET', '/webhooks/notifications', { key })
    assert.notEqual(data[0].read_at, null)
    const other = await createKey()
    assert.equal(
      (await post(`/webhooks/notifications/${notificationId}/read`, undefined, { key: other.key }))
        .status,
      404,
    )

    const { data: open } = await api.deliveries(id, '?status=held&per_page=100', key)
    assert.equal(open.length, 99)
    assert.equal((await api.deliveries(id, '?status=pending', key)).meta.total, 0)
    assert.equal((await record(watcher.id, key)).is_active, true)
    const about = await must(
      'GET',
      `${SUBSCRIPTIONS}/${id}/deliveries?event_type=webhook.subscription.disabled`,
      { key },
    )
    assert.equal(about.meta.total, 0)
  })

  test('webhooks 11: a success sets the count back to 0', async () => {
    const { key, consumerId } = await createKey()
    answering('/mixed', 500)
    const { id } = await subscribe(endpoint('/mixed'), {}, key)
    for (let n = 0; n < 3; n++) await publish({ n }, { consumer_id: consumerId })
    await counted(id, 4, key)
    answering('/mixed', 204)
    await publish({ good: true }, { consumer_id: consumerId })
    const shown = await until(async () => {
      const found = await record(id, key)
      return found.failure_count === 0 && found
    })
    assert.notEqual(shown.last_delivery_at, null)
  })

  test('webhooks 11: 100 failed tests alone disable, that of the creation included', async () => {
    const { key } = await createKey()
    answering('/tests', 500)
    const { id } = await subscribe(endpoint('/tests'), {}, key)
    for (let n = 0; n < 98; n++) await post(`${SUBSCRIPTIONS}/${id}/test`, {}, { key })
    const alive = await counted(id, 99, key)
    assert.deepEqual([alive.failure_count, alive.is_active], [99, true])
    await post(`${SUBSCRIPTIONS}/${id}/test?wait=true`, {}, { key })
    const dead = await record(id, key)
    assert.deepEqual([dead.failure_count, dead.is_active], [100, false])
    await post(`${SUBSCRIPTIONS}/${id}/test?wait=true`, {}, { key })
    assert.equal((await record(id, key)).failure_count, 100)
  })

  test('webhooks 12: reactivation releases what was held, in order', async () => {
    const { key, consumerId } = await createKey()
    answering('/held', 500)
    const { id } = await subscribe(endpoint('/held'), {}, key)
    const path = `${SUBSCRIPTIONS}/${id}`
    for (let n = 0; n < 12; n++) await publish({ n }, { consumer_id: consumerId })
    await counted(id, 13, key)
    const off = await patch(path, { is_active: false }, { key })
    assert.deepEqual([off.body.is_active, off.body.disabled_reason], [false, 'manual'])
    assert.equal((await api.deliveries(id, '?status=held', key)).meta.total, 12)
    const missed = await publish({ missed: true }, { consumer_id: consumerId })
    answering('/held', 200)
    const before = receiver.on('/held').length
    const on = await patch(path, { is_active: true }, { key })
    assert.deepEqual(
      [on.body.is_active, on.body.failure_count, on.body.disabled_at, on.body.disabled_reason],
      [true, 0, null, null],
    )
    await api.settled(id, 'succeeded', 12, key)
    const released = receiver.on('/held').slice(before)
    const order = released.map(({ body }) => body.sequence)
    assert.deepEqual(order, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
    const lastedMs = (released.at(-1)?.atMs ?? 0) - (released[0]?.atMs ?? 0)
    assert.ok(lastedMs >= 800, `12 at 10 a second took ${lastedMs} ms`)

    const since = new Date(Date.now() - 60_000).toISOString()
    const replay = await post(`${path}/replay`, { since, scope: 'missed' }, { key })
    assert.equal(replay.status, 202)
    assert.deepEqual(
      { ...replay.body, id: '' },
      { id: '', scope: 'missed', matched: 1, status: 'running' },
    )
    const found = await until(() =>
      receiver.on('/held').find(({ body }) => body.data.missed === true),
    )
    assert.equal(found.headers['webhook-id'], missed.id)
    assert.equal(found.body.sequence, 13)
    const done = await until(async () => {
      const shown = await must('GET', `${path}/replays/${replay.body.id}`, { key })
      return shown.status === 'completed' && shown
    })
    assert.deepEqual([done.matched, done.processed], [1, 1])
    const again = await post(`${path}/replay`, { since, scope: 'missed' }, { key })
    assert.equal(again.body.matched, 0)
  })

  test('webhooks 12: `discard` cancels what was held', async () => {
    const { key, consumerId } = await createKey()
    answering('/discard', 500)
    const { id } = await subscribe(endpoint('/discard'), {}, key)
    for (let n = 0; n < 3; n++) await publish({ n }, { consumer_id: consumerId })
    await counted(id, 4, key)
    const path = `${SUBSCRIPTIONS}/${id}`
    await patch(path, { is_active: false }, { key })
    answering('/discard', 200)
    const before = receiver.on('/discard').length
    await patch(path, { is_active: true, held_deliveries: 'discard' }, { key })
    assert.equal((await api.deliveries(id, '?status=cancelled', key)).meta.total, 3)
    assert.equal((await api.deliveries(id, '?status=held', key)).meta.total, 0)
    await publish({ fresh: true }, { consumer_id: consumerId })
    await api.settled(id, 'succeeded', 1, key)
    const later = receiver.on('/discard').slice(before)
    assert.deepEqual(
      later.map(({ body }) => body.data),
      [{ fresh: true }],
    )
  })

  test('webhooks 13: `auto_resume` tries a disabled endpoint with growing pauses and goes on when it answers', async (t) => {
    t.after(() => server.setClockOffset(0))
    const { key, consumerId } = await createKey()
    answering('/back', 500)
    const { id } = await subscribe(endpoint('/back'), { auto_resume: true }, key)
    for (let n = 0; n < 99; n++) await publish({ n }, { consumer_id: consumerId })
    const disabled = await counted(id, 100, key)
    assert.equal(disabled.is_active, false)
    const tests = () => receiver.on('/back', 'webhook.test').length
    const tried = tests()
    let offsetMs = 0
    const advance = async (ms: number) => {
      offsetMs += ms
      await server.setClockOffset(offsetMs)
    }
    await advance(61_000)
    await until(() => tests() === tried + 1, { what: 'the first try' })
    assert.equal((await record(id, key)).is_active, false)
    // Twice as long, less what chance takes off; the one after that comes later.
    await advance(121_000)
    // By steps: the pause begins when the server has noted the last try, which may be after the clock was set.
    const isTried = async () => {
      await advance(5_000)
      return tests() === tried + 2
    }
    await until(isTried, { what: 'the second try' })
    answering('/back', 200)
    const resumed = await until(async () => {
      await advance(5_000)
      const shown = await record(id, key)
      return shown.is_active && shown
    })
    assert.equal(resumed.failure_count, 0)
    assert.equal(resumed.disabled_reason, null)
    assert.equal(resumed.auto_resume, true)
    const sent = () => receiver.on('/back').filter((one) => one.headers['webhook-attempt'] !== '1')
    const held = await until(async () => {
      await advance(1_000)
      return sent().length >= 20 && sent()
    })
    const sequences = held.map(({ body }) => body.sequence)
    assert.deepEqual(
      sequences,
      sequences.toSorted((a, b) => a - b),
    )
    const { data } = await must('GET', '/webhooks/notifications', { key })
    const types = data.map(({ type }: { type: string }) => type)
    assert.deepEqual(types.toSorted(), [
      'webhook.subscription.disabled',
      'webhook.subscription.resumed',
    ])
    await api.remove(`${SUBSCRIPTIONS}/${id}`, { key })
  })

  test('whoever was switched off or answered 410 is not tried again', async (t) => {
    t.after(() => server.setClockOffset(0))
    const { key, consumerId } = await createKey()
    const { id: off } = await subscribe(endpoint('/off'), { auto_resume: true }, key)
    await patch(`${SUBSCRIPTIONS}/${off}`, { is_active: false }, { key })
    const { id: gone } = await subscribe(endpoint('/gone-for-good'), { auto_resume: true }, key)
    answering('/gone-for-good', 410)
    await publish({}, { consumer_id: consumerId })
    await until(async () => !(await record(gone, key)).is_active)
    const before = receiver.received.length
    await server.setClockOffset(90_000_000)
    // A third one shows that the time has been noticed.
    const { id: third } = await subscribe(endpoint('/third'), {}, key)
    await post(`${SUBSCRIPTIONS}/${third}/test?wait=true`, {}, { key })
    const arrived = new Set(receiver.received.slice(before).map(({ path }) => path))
    assert.ok(arrived.has('/third'))
    assert.ok(!arrived.has('/off') && !arrived.has('/gone-for-good'))
  })

  test('failed deliveries are replayed with a fresh budget; windows and doubles are refused', async () => {
    const { key, consumerId } = await createKey()
    answering('/replay', 410)
    const { id } = await subscribe(endpoint('/replay'), { is_active: false }, key)
    const path = `${SUBSCRIPTIONS}/${id}`
    const since = new Date(Date.now() - 60_000).toISOString()
    const inactive = await post(`${path}/replay`, { since }, { key })
    assert.deepEqual([inactive.status, inactive.body.error.code], [409, 'subscription_inactive'])
    await patch(path, { is_active: true }, { key })
    await publish({ failed: 1 }, { consumer_id: consumerId })
    await api.settled(id, 'failed', 1, key)
    answering('/replay', 200)
    await patch(path, { is_active: true }, { key })
    const future = new Date(Date.now() + 60_000).toISOString()
    const old = new Date(Date.now() - 40 * 86_400_000).toISOString()
    for (const body of [
      {},
      { since: 'x' },
      { since: future },
      { since: old },
      { since, scope: 'x' },
    ]) {
      assert.equal((await post(`${path}/replay`, body, { key })).status, 400, JSON.stringify(body))
    }
    const started = await post(`${path}/replay`, { since, scope: 'failed' }, { key })
    assert.equal(started.body.matched, 1)
    const [delivery] = await api.settled(id, 'succeeded', 1, key)
    assert.equal(delivery.attempts.at(-1).trigger, 'replay')
    const all = await until(async () => {
      const answer = await post(`${path}/replay`, { since, scope: 'all' }, { key })
      return answer.status === 202 && answer
    })
    assert.equal(all.body.matched, 1)
    await until(() => receiver.on('/replay').length === 3)
    const stats = await until(async () => {
      const shown = await must('GET', `${path}/stats`, { key })
      return shown.pending === 0 && shown
    })
    assert.deepEqual([stats.succeeded, stats.failed], [1, 1], 'the test of the creation failed')
    assert.ok(stats.p50_ms >= 0 && stats.p95_ms >= stats.p50_ms)
  })

  test('a deleted user receives nothing more', async () => {
    const { key, consumerId, userId } = await createKey()
    await subscribe(endpoint('/leaver'), {}, key)
    await publish({ n: 1 }, { consumer_id: consumerId })
    await receiver.waitFor('/leaver', 1)
    await must('DELETE', `/api/v1/users/${userId}`)
    await publish({ everybody: true })
    const other = await createKey()
    await subscribe(endpoint('/stayer'), {}, other.key)
    await publish({ everybody: true })
    await receiver.waitFor('/stayer', 1)
    assert.equal(receiver.on('/leaver').length, 1)
    assert.equal((await get('/webhooks/subscriptions', { key })).status, 403)
  })
})
