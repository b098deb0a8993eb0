// What the usage of a key shows, on whole servers; on two nodes every call meets the other one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '#test-kit'
import { BAD_QUERIES } from './bad-queries.ts'
import { accessSuite } from './support.ts'
import { openStream } from './usage-kit.ts'

/** Access contract §7. */
const PING_WITHIN_MS = 20_000

export const usageShown = accessSuite('usage shown', ({ server, call, createPlan, issueKey }) => {
  const keyOf = async (plan: object) => issueKey({ plan_id: (await createPlan(plan)).id })

  test('access 18: the snapshot comes at once, with the headers that streams need', async () => {
    const { key } = await keyOf({})
    const stream = await openStream(server(), key)
    const { headers } = stream.answer
    assert.equal(headers.get('content-type'), 'text/event-stream; charset=utf-8')
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.equal(headers.get('x-accel-buffering'), 'no')
    const [first] = await until(() => stream.events.length > 0 && stream.events)
    assert.equal(first?.event, 'usage')
    assert.deepEqual(first?.data, (await call('GET', '/usage', { key })).body.data)
    stream.close()
  })

  test('access 18: Last-Event-ID replays what was missed, then the figures, and a ping follows', async () => {
    const { key } = await keyOf({ requests_per_month: 5 })
    const watching = await openStream(server(), key)
    const missing = await openStream(server(), key)
    await until(() => watching.events.length > 0 && missing.events.length > 0)
    const lastId = missing.events.at(-1)?.id
    missing.close()
    for (let n = 0; n < 4; n++) await call('GET', '/plans', { key })
    await until(() => watching.named('threshold').length === 1)
    watching.close()

    const byHeader = { headers: { 'last-event-id': String(lastId) } }
    const byQuery = { query: `?last_event_id=${lastId}` }
    const again = [
      await openStream(server(), key, byHeader),
      await openStream(server(), key, byQuery),
    ]
    for (const stream of again) {
      await until(() => stream.named('usage').length > 0)
      const told = stream.events.map(({ event }) => event)
      assert.deepEqual(told.slice(0, 2), ['threshold', 'usage'])
      assert.ok(stream.events.every(({ id }) => id > (lastId ?? 0)))
    }
    for (const stream of again) {
      await until(() => stream.text().includes(': ping\n\n'), { withinMs: PING_WITHIN_MS })
      stream.close()
    }
  })

  test('access 19: a bad value is 400 and names its parameter', async () => {
    const { key } = await keyOf({})
    for (const [query, name] of BAD_QUERIES) {
      const { status, body } = await call('GET', `/usage${query}`, { key })
      assert.equal(status, 400, `${query}: ${JSON.stringify(body)}`)
      assert.equal(body.error.code, 'invalid_parameter', query)
      assert.match(body.error.message, new RegExp(`\\b${name}\\b`), query)
    }
  })
})
