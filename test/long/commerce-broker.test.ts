import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { startRabbit, startServer, until } from '#test-kit'
import { bulkCalls } from '../contract/commerce/bulk.ts'
import { caller, commerceInstallation } from '../contract/commerce/support.ts'

/** Longer than a broker may be silent that has not told to wait. */
const BLOCKED_MS = 40_000

test('commerce 15: a broker that is blocked for long is waited for over the one connection', async () => {
  const rabbit = await startRabbit()
  after(() => rabbit.stop())
  const env = { ENTREPOT_AMQP_URL: rabbit.url }
  const server = await startServer(await commerceInstallation('sqlite', env))
  const { post, finished } = bulkCalls(caller(() => server.url))
  await until(async () => (await rabbit.connections()) === 1)
  await rabbit.setBlocked(true)
  await post([{ sku: 'blocked', name: 'B', price: 1 }]).then(({ bulk_uuid: id }) => finished(id))
  await until(() => server.log().includes('takes no messages for now'))
  await delay(BLOCKED_MS)
  assert.equal(await rabbit.connections(), 1)
  await rabbit.setBlocked(false)
  await until(() => server.log().includes('takes messages again'))
  assert.equal(server.log().split('takes no messages for now').length, 2)
  assert.doesNotMatch(server.log(), /confirmed nothing/)
})
