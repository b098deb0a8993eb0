import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertPrompt, until } from '#test-kit'
import type { Received } from './receiver.ts'
import { webhookSuite } from './support.ts'

const SUBSCRIPTIONS = '/webhooks/subscriptions'
/** More than may be under way to one endpoint at once. */
const HANGING_EVENTS = 12

/** What hangs may cost the deliveries of others. */
const WITHIN_MS = 1_000

export const hangingEndpoint = webhookSuite('hanging endpoints', (api) => {
  const latest = (arrived: readonly Received[]) => Math.max(...arrived.map(({ atMs }) => atMs))

  async function subscribeMany(count: number, key: string, body: (n: number) => object) {
    let next = 0
    const worker = async () => {
      for (let n = next++; n < count; n = next++) {
        await api.must('POST', SUBSCRIPTIONS, { key, body: body(n) })
      }
    }
    await Promise.all(Array.from({ length: 8 }, worker))
  }

  test('one of 200 that hangs until its time limit does not hold up the others', async () => {
    const { receiver, publish } = api
    let waiting = 0
    let most = 0
    receiver().answer('/hangs', (_one, response) => {
      most = Math.max(most, ++waiting)
      response.on('close', () => waiting--)
    })
    const hanging = await api.must('POST', SUBSCRIPTIONS, {
      body: {
        endpoint_url: `${receiver().url}/hangs`,
        events: ['order.created'],
        timeout_seconds: 60,
      },
    })
    const paths = Array.from({ length: 199 }, (_, n) => `/quick${n}`)
    for (const path of paths) {
      const body = { endpoint_url: receiver().url + path, events: ['order.created'] }
      await api.must('POST', SUBSCRIPTIONS, { body })
    }
    for (let n = 0; n < HANGING_EVENTS; n++) await publish({ n })
    for (const path of paths) await receiver().waitFor(path, HANGING_EVENTS)
    assert.ok(waiting > 0, 'it still hangs')
    assert.ok(most <= 8, `${most} at once`)
    const { body } = await api.get(`${SUBSCRIPTIONS}/${hanging.id}/deliveries?status=pending`)
    assert.ok(body.meta.total >= HANGING_EVENTS, 'none of its own came to an end')
  })

  test('webhooks finding 8: 20 that never answer do not keep the event of another consumer', async () => {
    const { receiver, publish } = api
    const one = await api.createKey('write')
    const other = await api.createKey('write')
    let waiting = 0
    receiver().answer('/never', () => waiting++)
    await api.subscribe(`${receiver().url}/other`, {}, other.key)
    await subscribeMany(20, one.key, () => ({
      endpoint_url: `${receiver().url}/never`,
      events: ['order.created'],
      timeout_seconds: 60,
    }))
    for (let n = 0; n < 100; n++) await publish({ n }, {}, one.key)
    await until(() => waiting > 0)
    for (let n = 1; n <= 3; n++) {
      const publishedAtMs = Date.now()
      await publish({ n }, {}, other.key)
      const arrived = await receiver().waitFor('/other', n)
      const tookMs = latest(arrived) - publishedAtMs
      assertPrompt(tookMs, WITHIN_MS, 'the way to the other one')
    }
    // Somebody whose endpoint nobody has heard of yet finds room beside them too.
    const newcomer = await api.createKey('write')
    const createdAtMs = Date.now()
    await api.must('POST', SUBSCRIPTIONS, {
      key: newcomer.key,
      body: { endpoint_url: `${receiver().url}/newcomer`, events: ['order.created'] },
    })
    const [test] = await receiver().waitFor('/newcomer', 1, 'webhook.test')
    assert.ok(test)
    assertPrompt(test.atMs - createdAtMs, WITHIN_MS)
  })

  test('webhooks finding 8: 300 that were quick and hang all at once leave room for 300 others', async () => {
    const { receiver, publish } = api
    const one = await api.createKey('write')
    const other = await api.createKey('write')
    const count = 300
    let isHanging = false
    receiver().answer('/flips', (_, response) => {
      if (!isHanging) response.end()
    })
    for (const [path, key] of [
      ['/flips', one.key],
      ['/stays', other.key],
    ] as const) {
      await subscribeMany(count, key, () => ({
        endpoint_url: receiver().url + path,
        events: ['order.created'],
        timeout_seconds: 60,
      }))
      await receiver().waitFor(path, count, 'webhook.test')
    }
    const slowest = async (n: number) => {
      const publishedAtMs = Date.now()
      await publish({ n }, {}, other.key)
      return latest(await receiver().waitFor('/stays', n * count)) - publishedAtMs
    }
    const aloneMs = await slowest(1)
    isHanging = true
    const published = await Promise.all([1, 2, 3, 4].map((n) => publish({ n }, {}, one.key)))
    for (const { id } of published) {
      await until(async () => {
        const { body } = await api.get(`/webhooks/events/${id}`, { key: one.key })
        return body.deliveries.total === count
      })
    }
    await receiver().waitFor('/flips', 2)
    const besideMs = await slowest(2)
    // What hangs leaves half of the slots.
    const mostMs = 2 * aloneMs + WITHIN_MS
    assertPrompt(besideMs, mostMs, `what took ${aloneMs} ms alone`)
  })
})
