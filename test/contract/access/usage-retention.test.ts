import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createUsageRetention } from '#access-usage'
import { eachDatabase } from '#test-kit'
import { DAY, type Figures, HOUR, startUsage } from './usage-kit.ts'

eachDatabase('usage retention', async (kind) => {
  const server = await startUsage(kind)
  const { record, json, addKey, nowMs } = server
  const { database: db, clock } = server.database
  const retention = createUsageRetention({ db, clock, retentionDays: () => 90 })
  const count = async (table: string, id: number, period?: string) => {
    const rows = await db.aux.writer
      .selectFrom(table)
      .selectAll()
      .where('api_key_id', '=', id)
      .execute()
    return rows.filter((row) => period === undefined || row.period === period).length
  }

  test('access 20: deleting old records leaves month, series and invoice as they were', async () => {
    const { id } = addKey({ createdAtMs: nowMs() - 400 * DAY })
    const old = nowMs() - 91 * DAY
    const day = (at: number) => new Date(at).toISOString().slice(0, 10)
    const month = new Date(old).toISOString().slice(0, 7)
    for (let batch = 0; batch < 3; batch++) {
      await record(
        Array.from({ length: 400 }, (_, n) => ({ keyId: id, atMs: old + n, responseMs: n })),
      )
    }
    await record([{ keyId: id }, { keyId: id, atMs: nowMs() - 89 * DAY }])
    const look = async () => ({
      figures: (await json<Figures>('/api/v1/usage', id)).data,
      days: (await json(`/api/v1/usage/series?interval=day&from=${day(old)}`, id)).data,
      hours: (
        await json(
          `/api/v1/usage/series?interval=hour&from=${day(old)}&to=${day(old + 3 * DAY)}`,
          id,
        )
      ).data,
      endpoints: (await json(`/api/v1/usage/endpoints?from=${day(old)}`, id)).data,
      invoice: (await json(`/api/v1/usage/invoice?month=${month}`, id)).data,
    })
    const before = await look()
    assert.equal(await count('access_usage_records', id), 1_202)
    await retention.run()
    assert.equal(await count('access_usage_records', id), 2)
    assert.deepEqual(await look(), before)
  })

  test('minutes are kept for two days, hours for 13 months, days and months for ever', async () => {
    const { id } = addKey()
    const ages = [HOUR, 47 * HOUR, 49 * HOUR, 380 * DAY, 430 * DAY, 3_000 * DAY]
    await record(ages.map((age) => ({ keyId: id, atMs: nowMs() - age })))
    await retention.run()
    assert.equal(await count('access_usage_sums', id, 'minute'), 2)
    assert.equal(await count('access_usage_sums', id, 'hour'), 4)
    assert.equal(await count('access_usage_endpoint_sums', id, 'hour'), 4)
    assert.equal(await count('access_usage_sums', id, 'day'), 5)
    assert.equal(await count('access_usage_endpoint_sums', id, 'day'), 5)
    // The three youngest may lie in one month or in two.
    assert.ok((await count('access_usage_sums', id, 'month')) >= 4)
  })

  test('many periods of many keys go in small portions, and only once', async () => {
    const keys = Array.from({ length: 30 }, () => addKey().id)
    const old = nowMs() - 60 * HOUR
    for (let minute = 0; minute < 40; minute++) {
      await record(keys.map((keyId) => ({ keyId, atMs: old + minute * 60_000 })))
    }
    const deleted = await retention.run()
    assert.equal(deleted, 30 * 40)
    assert.equal(await retention.run(), 0)
  })

  test('it ends early when it is told to', async () => {
    const { id } = addKey()
    await record([{ keyId: id, atMs: nowMs() - 100 * DAY }])
    assert.equal(await retention.run(AbortSignal.abort()), 0)
    assert.equal(await count('access_usage_records', id), 1)
  })
})
