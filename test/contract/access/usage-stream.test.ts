import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { eachDatabase, promptly, until } from '#test-kit'
import { DAY, type Figures, HOUR, openStream, startUsage } from './usage-kit.ts'

eachDatabase('usage stream', async (kind) => {
  const server = await startUsage(kind, { pingMs: 200 })
  const { record, addKey, keys, nowMs } = server
  const { main, aux } = server.database.database

  const changeKey = async (id: number, change: { status?: 'active' | 'revoked' | 'expired' }) => {
    const key = keys.get(id)
    assert.ok(key)
    const changed = { ...key, ...change }
    keys.set(id, changed)
    const { userId, status } = changed
    await main.transaction(undefined, (tx) =>
      server.usage.noteKeyChange(tx, { keyId: id, userId, status }),
    )
  }
  const outboxOf = async (id: number) => {
    const rows = await main.writer.selectFrom('kernel_events').selectAll().orderBy('ord').execute()
    return rows
      .filter((row) => row.type === 'usage.threshold')
      .map((row) => ({ owner: row.owner, ...JSON.parse(row.payload) }))
      .filter((event) => event.key_id === id)
  }

  test('access 18: the snapshot comes at once, with the headers that streams need', async () => {
    const { id } = addKey()
    await record([{ keyId: id }])
    const stream = await openStream(server, id)
    assert.equal(stream.answer.status, 200)
    const { headers } = stream.answer
    assert.equal(headers.get('content-type'), 'text/event-stream; charset=utf-8')
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.equal(headers.get('x-accel-buffering'), 'no')
    assert.equal(headers.get('content-encoding'), null)
    const [first] = await until(() => stream.events.length > 0 && stream.events)
    assert.equal(first?.event, 'usage')
    const { data } = await server.json('/api/v1/usage', id)
    assert.deepEqual(first?.data, data)
    assert.match(stream.text(), /^retry: 3000\n\n/)
  })

  test('access 18: a request shows within 2 s, also one that another thread recorded', async () => {
    const { id } = addKey()
    const stream = await openStream(server, id)
    await until(() => stream.events.length > 0)
    const shows = (today: number) =>
      promptly(2_000, () => stream.named('usage').some(({ data }) => data['today'] === today))
    await record([{ keyId: id }])
    await shows(1)
    await server.elsewhere().record([{ keyId: id }])
    await shows(2)
  })

  test('figures come at most once a second, and the last ones always', async () => {
    const { id } = addKey()
    const stream = await openStream(server, id)
    await until(() => stream.events.length > 0)
    const startedMs = performance.now()
    for (let n = 0; n < 15; n++) {
      await record([{ keyId: id }])
      await delay(100)
    }
    await until(() => stream.named('usage').at(-1)?.data['today'] === 15)
    const seconds = Math.ceil((performance.now() - startedMs) / 1000)
    const { length } = stream.named('usage')
    assert.ok(length <= 3 + seconds, `${length} in ${seconds} s`)
  })

  test('nothing is sent while nothing changes, except a ping', async () => {
    const { id } = addKey()
    const stream = await openStream(server, id)
    await until(() => stream.text().split(': ping\n\n').length > 3)
    assert.equal(stream.events.length, 1)
  })

  test('a new minute starts at 0', async () => {
    const { id } = addKey()
    server.minuteCounts.set(id, 9)
    const stream = await openStream(server, id)
    await until(() => stream.events[0]?.data['minute'] === 9)
    server.minuteCounts.set(id, 0)
    const { clock } = server.database
    clock.setOffset(clock.offsetMs() + 60_000)
    await until(() => stream.events.at(-1)?.data['minute'] === 0)
  })

  test('access 18: thresholds are told once, to streams and subscribers', async () => {
    const key = addKey({ plan: { requestsPerMonth: 10 } })
    const { id } = key
    const stream = await openStream(server, id)
    const serve = (count: number) =>
      record(Array.from({ length: count }, () => ({ keyId: id, monthLimit: 10 })))
    const percents = () => stream.named('threshold').map(({ data }) => data['percent'])
    await serve(7)
    await serve(1)
    await until(() => percents().length === 1)
    await serve(1)
    await serve(1)
    await until(() => percents().length === 3)
    await serve(1)
    assert.deepEqual(percents(), [80, 90, 100])

    const [first] = stream.named('threshold')
    const { at, ...data } = first?.data ?? {}
    assert.deepEqual(data, { key_id: id, window: 'month', percent: 80, used: 8, limit: 10 })
    assert.ok(Math.abs(Date.parse(String(at)) - nowMs()) < 60_000)
    const events = await outboxOf(id)
    assert.deepEqual(
      events.map(({ percent }) => percent),
      [80, 90, 100],
    )
    assert.deepEqual(events[0], { owner: key.consumerId, ...first?.data })
  })

  test('one batch that crosses everything tells everything', async () => {
    const { id } = addKey({ plan: { requestsPerMonth: 3 } })
    await record([{ keyId: id, cost: 5, monthLimit: 3 }])
    assert.deepEqual(
      (await outboxOf(id)).map(({ percent }) => percent),
      [80, 90, 100],
    )
  })

  test('a key without a limit crosses nothing', async () => {
    const { id } = addKey()
    await record([{ keyId: id, cost: 1_000_000, monthLimit: null }])
    assert.deepEqual(await outboxOf(id), [])
  })

  test('a threshold crossed by a killed process is announced by the next start, once', async () => {
    const { id } = addKey({ plan: { requestsPerMonth: 10 } })
    // The roll-up was committed and the process died before anything else.
    const row = { api_key_id: id, month_at: Date.UTC(2026, 2), percent: 80, used: 8 }
    const rest = { month_limit: 10, crossed_at: nowMs(), announced: 0 }
    await aux.writer
      .insertInto('access_usage_thresholds')
      .values({ ...row, ...rest })
      .execute()
    await server.elsewhere().usage.start()
    assert.equal((await outboxOf(id)).length, 1)
    // It died once more, before it could note that it had told.
    await aux.writer
      .updateTable('access_usage_thresholds')
      .set({ announced: 0 })
      .where('api_key_id', '=', id)
      .execute()
    await server.elsewhere().usage.start()
    assert.equal((await outboxOf(id)).length, 1)
  })

  test('access 18: Last-Event-ID replays what was missed, then the figures', async () => {
    const { id } = addKey({ plan: { requestsPerMonth: 10 } })
    const before = await openStream(server, id)
    await until(() => before.events.length > 0)
    const lastId = before.events.at(-1)?.id
    before.close()
    await record([{ keyId: id, cost: 8, monthLimit: 10 }])
    await changeKey(id, {})
    const other = addKey({ plan: { requestsPerMonth: 10 } })
    await record([{ keyId: other.id, cost: 8, monthLimit: 10 }])

    const byHeader = { headers: { 'last-event-id': String(lastId) } }
    const byQuery = { query: `?last_event_id=${lastId}` }
    for (const options of [byHeader, byQuery]) {
      const again = await openStream(server, id, options)
      await until(() => again.named('usage').length > 0)
      assert.deepEqual(
        again.events.map(({ event }) => event),
        ['threshold', 'key', 'usage'],
      )
      const ids = [lastId ?? 0, ...again.events.map((event) => event.id)]
      assert.deepEqual(
        ids,
        ids.toSorted((a, b) => a - b),
      )
      assert.equal(new Set(ids).size, ids.length)
      const seen = await openStream(server, id, { query: `?last_event_id=${ids.at(-1)}` })
      await until(() => seen.events.length > 0)
      assert.deepEqual(
        seen.events.map(({ event }) => event),
        ['usage'],
      )
      assert.ok((seen.events[0]?.id ?? 0) > (ids.at(-1) ?? 0))
      again.close()
      seen.close()
    }
  })

  test('an unknown id is treated as none, and what is older than a day is not replayed', async () => {
    const { id } = addKey({ plan: { requestsPerMonth: 10 } })
    await record([{ keyId: id, cost: 8, monthLimit: 10 }])
    for (const unknown of ['9007199254740991', 'abc', '-1', '1e3', ''] as const) {
      const stream = await openStream(server, id, { headers: { 'last-event-id': unknown } })
      await until(() => stream.events.length > 0)
      assert.equal(stream.events[0]?.event, 'usage', unknown)
      stream.close()
    }
    await main.writer
      .updateTable('access_stream_events')
      .set({ at: nowMs() - DAY - HOUR })
      .where('api_key_id', '=', id)
      .execute()
    const stream = await openStream(server, id, { headers: { 'last-event-id': '0' } })
    await until(() => stream.events.length > 0)
    assert.equal(stream.events[0]?.event, 'usage')
  })

  test('access 18: revocation is told, then the stream ends and cannot be opened again', async () => {
    const { id, userId } = addKey()
    const stream = await openStream(server, id)
    const signIn = await openStream(server, `user:${userId}`)
    await until(() => stream.events.length > 0 && signIn.events.length > 0)
    await changeKey(id, { status: 'revoked' })
    await stream.over
    assert.deepEqual(
      stream.events.slice(1).map(({ event, data }) => ({ event, data })),
      [
        { event: 'key', data: { key_id: id, status: 'revoked' } },
        { event: 'end', data: { reason: 'key_revoked' } },
      ],
    )
    assert.equal((await openStream(server, id)).answer.status, 403)
    await until(() => signIn.named('key').length === 1)
    assert.equal(signIn.isOver(), false)
  })

  test('a change of plan is told and its limit shown', async () => {
    const { id } = addKey()
    const stream = await openStream(server, id)
    await until(() => stream.events.length > 0)
    const key = keys.get(id)
    assert.ok(key)
    keys.set(id, { ...key, plan: { ...key.plan, requestsPerMonth: 77 } })
    await changeKey(id, {})
    await until(() => stream.named('usage').at(-1)?.data['monthLimit'] === 77)
    assert.deepEqual(stream.named('key')[0]?.data, { key_id: id, status: 'active' })
  })

  test('a key that expires ends its stream at that instant, unless it was given more time', async () => {
    const short = addKey({ expiresAtMs: nowMs() + HOUR })
    const longer = addKey({ expiresAtMs: nowMs() + HOUR })
    const streams = [await openStream(server, short.id), await openStream(server, longer.id)]
    await until(() => streams.every(({ events }) => events.length > 0))
    keys.set(longer.id, { ...longer, expiresAtMs: nowMs() + DAY })
    const { clock } = server.database
    clock.setOffset(clock.offsetMs() + HOUR)
    await streams[0]?.over
    const events = streams[0]?.events.slice(-2).map(({ event, data }) => ({ event, data }))
    assert.deepEqual(events, [
      { event: 'key', data: { key_id: short.id, status: 'expired' } },
      { event: 'end', data: { reason: 'key_expired' } },
    ])
    await delay(1_200)
    assert.equal(streams[1]?.isOver(), false)
  })

  test('a user who is stopped loses every stream', async () => {
    const { id, userId } = addKey()
    const streams = [await openStream(server, id), await openStream(server, `user:${userId}`)]
    await until(() => streams.every(({ events }) => events.length > 0))
    await main.transaction(undefined, (tx) => server.usage.noteUserStopped(tx, userId))
    for (const stream of streams) {
      await stream.over
      assert.deepEqual(stream.events.at(-1)?.data, { reason: 'key_revoked' })
    }
  })

  test('a change noted by another thread arrives although its notice is lost', async () => {
    const { id, userId } = addKey()
    const stream = await openStream(server, id)
    await until(() => stream.events.length > 0)
    const silent = { keyId: id, userId, status: 'active' } as const
    await main.transaction(undefined, async (tx) => {
      const quiet = { ...tx, afterCommit: () => {} }
      await server.usage.noteKeyChange(quiet, silent)
    })
    await promptly(3_000, () => stream.named('key').length === 1)
  })

  test('an eleventh stream of a key is 429, and its place is free when one leaves', async () => {
    const { id } = addKey()
    const streams = []
    for (let n = 0; n < 10; n++) streams.push(await openStream(server, id))
    const refused = await server.get('/api/v1/usage/stream', id)
    assert.equal(refused.status, 429)
    assert.equal(JSON.parse(await refused.text()).error.code, 'too_many_streams')
    const note = { keyId: id, counted: false, cost: 0, status: 429 }
    await record([{ ...note, endpoint: '/api/v1/usage/stream' }])
    assert.equal((await server.json<Figures>('/api/v1/usage', id)).data.rejectedToday, 0)
    assert.equal((await openStream(server, addKey().id)).answer.status, 200)
    streams[0]?.close()
    await until(async () => {
      const again = await openStream(server, id)
      return again.answer.status === 200
    })
  })

  test('when the server stops, streams are told before they end', async () => {
    const own = await startUsage(kind)
    const { id } = own.addKey()
    const stream = await openStream(own, id)
    await until(() => stream.events.length > 0)
    await own.close()
    await stream.over
    assert.deepEqual(stream.events.at(-1)?.data, { reason: 'shutdown' })
    assert.equal(stream.events.at(-1)?.event, 'end')
  })
})
