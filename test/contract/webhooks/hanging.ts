import assert from 'node:assert/strict'
import { test } from 'node:test'
import { webhookSuite } from './support.ts'

const SUBSCRIPTIONS = '/webhooks/subscriptions'
/** More than may be under way to one endpoint at once. */
const HANGING_EVENTS = 12

export const hangingEndpoint = webhookSuite('a hanging endpoint', (api) => {
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
})
