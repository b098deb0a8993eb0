import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { encodeUsage } from '#access-usage'
import { createJournalDrain, createJournalWriter, openJournal } from '#journal'
import { random } from '#kernel'
import { eachDatabase, silentLog, temporaryDirectory } from '#test-kit'
import { DAY, type Figures, startUsage } from './usage-kit.ts'

eachDatabase('usage records', async (kind) => {
  const server = await startUsage(kind)

  const figures = async (id: number) => (await server.json<Figures>('/api/v1/usage', id)).data
  const table = (name: string) => server.database.database.aux.writer.selectFrom(name)

  test('access 16: a record that is handed over twice is stored and counted once', async () => {
    const { id } = server.addKey()
    const ids = [randomUUID(), randomUUID()]
    await server.record([{ keyId: id }, { keyId: id, cost: 3 }], ids)
    await server.record(
      [{ keyId: id }, { keyId: id, cost: 3 }, { keyId: id }],
      [...ids, randomUUID()],
    )

    const { today, month } = await figures(id)
    assert.deepEqual({ today, month }, { today: 3, month: 5 })
    const rows = await table('access_usage_records')
      .selectAll()
      .where('api_key_id', '=', id)
      .execute()
    assert.equal(rows.length, 3)
    for (const name of ['access_usage_sums', 'access_usage_endpoint_sums']) {
      const sums = await table(name).selectAll().where('api_key_id', '=', id).execute()
      for (const [period, rows] of Map.groupBy(sums, (row) => row.period)) {
        const requests = rows.reduce((sum, row) => sum + row.requests, 0)
        assert.equal(requests, 3, `${name} ${period}`)
      }
    }
  })

  test('the same record twice in one batch counts once', async () => {
    const { id } = server.addKey()
    const twice = randomUUID()
    await server.record([{ keyId: id }, { keyId: id }], [twice, twice])
    assert.equal((await figures(id)).today, 1)
  })

  test('what is no usage record is passed over and does not stop the others', async () => {
    const { id } = server.addKey()
    const { aux } = server.database.database
    const good = encodeUsage({
      keyId: id,
      endpoint: '/x',
      method: 'GET',
      status: 200,
      responseMs: 1,
      atMs: server.nowMs(),
      counted: true,
      cost: 1,
      requestId: 'r',
      monthLimit: null,
      epoch: 0,
    })
    const bad = [null, 7, 'text', {}, [], [1], [3, ...good.slice(1)], good.toSpliced(2, 1, -5)]
    const records = [...bad, good].map((data) => ({ id: randomUUID(), data }))
    await aux.transaction(undefined, (tx) => server.usage.handle(tx, records))
    assert.equal((await figures(id)).today, 1)
  })

  test('a batch that is rolled back leaves nothing, and counts when it is repeated', async () => {
    const { id } = server.addKey()
    const ids = [randomUUID()]
    const { aux } = server.database.database
    const record = {
      id: ids[0] ?? '',
      data: [1, id, server.nowMs(), '/x', 'GET', 200, 1, 1, 'r', null],
    }
    await assert.rejects(
      aux.transaction(undefined, async (tx) => {
        await server.usage.handle(tx, [record])
        throw new Error('killed')
      }),
    )
    assert.equal((await figures(id)).today, 0)
    await aux.transaction(undefined, (tx) => server.usage.handle(tx, [record]))
    assert.equal((await figures(id)).today, 1)
  })

  test('batches of several nodes at once add up exactly, histograms included', async () => {
    const keys = [server.addKey(), server.addKey(), server.addKey()]
    const batch = (responseMs: number) =>
      keys.flatMap(({ id: keyId }) =>
        ['/a', '/b'].map((endpoint) => ({ keyId, endpoint, responseMs, cost: 2 })),
      )
    await Promise.all(
      Array.from({ length: 40 }, (_, n) => server.record(batch(n < 20 ? 10 : 1_000))),
    )
    for (const { id } of keys) {
      const { today, month, avgResponseMs } = await figures(id)
      assert.deepEqual(
        { today, month, avgResponseMs },
        { today: 80, month: 160, avgResponseMs: 505 },
      )
      const { data } = await server.json<Found[]>('/api/v1/usage/endpoints', id)
      for (const { requests, p50ResponseMs, p95ResponseMs } of data) {
        assert.equal(requests, 40)
        assert.equal(p50ResponseMs, 10)
        assert.ok(Math.abs(p95ResponseMs - 1_000) <= 50, String(p95ResponseMs))
      }
    }
  })

  test('a batch of any size is stored whole', async () => {
    for (const size of [1, 2, 3, 63, 64, 65, 499, 500]) {
      const { id } = server.addKey()
      await server.record(Array.from({ length: size }, () => ({ keyId: id })))
      assert.equal((await figures(id)).today, size)
    }
  })

  test('served, free and refused calls are told apart', async () => {
    const { id } = server.addKey()
    await server.record([
      { keyId: id, responseMs: 10 },
      { keyId: id, responseMs: 31, status: 404 },
      { keyId: id, counted: false, cost: 0, status: 200, responseMs: 9_000 },
      { keyId: id, counted: false, cost: 0, status: 403, responseMs: 9_000 },
      { keyId: id, counted: false, cost: 0, status: 429, responseMs: 9_000 },
    ])
    const { today, month, rejectedToday, avgResponseMs } = await figures(id)
    assert.deepEqual(
      { today, month, rejectedToday, avgResponseMs },
      { today: 2, month: 2, rejectedToday: 1, avgResponseMs: 21 },
    )
    assert.equal((await server.json<unknown[]>('/api/v1/usage/records', id)).data.length, 5)
  })

  test('a request counts in the day and month it was let through in, however late it arrives', async () => {
    const { id } = server.addKey()
    await server.record([{ keyId: id, atMs: server.nowMs() - 40 * DAY }, { keyId: id }])
    assert.equal((await figures(id)).month, 1)
  })

  test('access 16: the journal ends up in the records, one for each, with month the sum of cost', async () => {
    const { id } = server.addKey()
    const { clock } = server.database
    const journal = openJournal({
      directory: temporaryDirectory(),
      clock,
      random,
      maxTotalBytes: 10_000_000,
    })
    const writer = createJournalWriter({
      address: journal.address,
      name: 'api',
      clock,
      log: silentLog,
    })
    const drain = createJournalDrain({
      journal,
      store: server.database.database.aux,
      handle: server.usage.handle,
      clock,
      log: silentLog,
    })
    const sent = Array.from({ length: 1_200 }, (_, n) => `journal-${kind}-${n}`)
    for (const [n, requestId] of sent.entries()) {
      const entry = { keyId: id, endpoint: '/x', method: 'GET', status: 200, responseMs: 3 }
      const rest = { atMs: server.nowMs(), counted: true, cost: n % 3, requestId, monthLimit: null }
      assert.ok(writer.append(encodeUsage({ ...entry, ...rest, epoch: 0 })))
    }
    writer.close()
    await drain.drainAll()
    await drain.stop()
    journal.close()

    const rows = await table('access_usage_records')
      .select('request_id')
      .where('api_key_id', '=', id)
      .execute()
    assert.deepEqual(rows.map((row) => row.request_id).sort(), sent.toSorted())
    assert.equal((await figures(id)).month, 1_200)
  })
})

interface Found {
  requests: number
  p50ResponseMs: number
  p95ResponseMs: number
}
