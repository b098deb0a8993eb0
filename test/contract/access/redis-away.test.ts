import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ADMIN_KEY, startPair, startRedis, type TestServer, until } from '#test-kit'
import { caller } from './support.ts'

test('access 17: Redis stopped under load gives no 500, and its month is right afterwards', async () => {
  const redis = await startRedis()
  const [first, second] = await startPair({
    ENTREPOT_ADMIN_KEY: ADMIN_KEY,
    ENTREPOT_REDIS_URL: redis.url,
    ENTREPOT_REDIS_PREFIX: 'x:',
  })
  const { createPlan, issueKey, call } = caller(() => first.url)
  const plan = await createPlan({ requests_per_month: 10_000 })
  const { key } = await issueKey({ plan_id: plan.id })
  const statuses: number[] = []
  const load = async (node: TestServer, count: number) => {
    const ask = caller(() => node.url).call
    for (let n = 0; n < count; n++) statuses.push((await ask('GET', '/plans', { key })).status)
  }
  await Promise.all([load(first, 30), load(second, 30)])
  const during = Promise.all([load(first, 60), load(second, 60)])
  await redis.stop()
  await during
  const keyId = await idOf(first, key)
  await until(async () => (await call('GET', `/usage?key_id=${keyId}`)).body.data.month === 180)
  await redis.restart()
  // Until its connection is back a node counts by itself; its log says when it does no longer.
  await until(() => [first, second].every((node) => /store answers again/.test(node.log())))
  await Promise.all([load(first, 1), load(second, 1)])
  const { headers } = await caller(() => second.url).call('GET', '/plans', { key })
  assert.equal(headers.get('x-ratelimit-remaining'), String(10_000 - 183))
  assert.deepEqual([...new Set(statuses)], [200])
  await redis.stop()
})

async function idOf(node: TestServer, key: string): Promise<number> {
  const { body } = await caller(() => node.url).call('GET', '/me', { key })
  return body.data.key.id
}
