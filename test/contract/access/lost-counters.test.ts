import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { Redis } from 'ioredis'
import {
  type RedisServer,
  shareServer,
  startPair,
  startRedis,
  type TestServer,
  until,
} from '#test-kit'
import { administration, INSTALLATION, startUpstream } from '../gateway/support.ts'
import { caller } from './support.ts'

const QUOTA = 100_000
const IN_FLIGHT = 10

describe('month counters that the store has lost', () => {
  let redis: RedisServer
  let nodes: readonly [TestServer, TestServer]
  const held: ServerResponse[] = []
  shareServer(async () => {
    redis = await startRedis()
    nodes = await startPair({
      ...INSTALLATION,
      ENTREPOT_GATEWAY_THREADS: '1',
      ENTREPOT_REDIS_URL: redis.url,
      ENTREPOT_REDIS_PREFIX: 'lost:',
    })
    return nodes[0]
  })
  after(() => redis.stop())
  before(sellSlowly)

  test('access finding 3: emptied under load, the month is what was served after the next drain', async () => {
    const customer = await newCustomer()
    const slow = nodes.map((node) => customer.startSlow(node))
    await until(() => held.length === 2 * IN_FLIGHT)
    let isOver = false
    const load = nodes.map(async (node) => {
      while (!isOver) await customer.ask(node)
    })
    for (let round = 1; round <= 3; round++) {
      const target = customer.served() + 60
      await until(() => customer.served() > target)
      await flush()
    }
    isOver = true
    await Promise.all(load)
    release()
    await Promise.all(slow.flat())
    await customer.showsWhatWasServed()
  })

  test('access finding 3: also when a node was away meanwhile, with what it had not drained', async () => {
    const customer = await newCustomer()
    const [first, second] = nodes
    await customer.ask(first)
    const slow = nodes.map((node) => customer.startSlow(node))
    await until(() => held.length === 2 * IN_FLIGHT)
    await Promise.all(Array.from({ length: 40 }, () => customer.ask(second)))
    process.kill(second.pid, 'SIGSTOP')
    await flush()
    await Promise.all(Array.from({ length: 40 }, () => customer.ask(first)))
    release()
    process.kill(second.pid, 'SIGCONT')
    await Promise.all(slow.flat())
    await customer.showsWhatWasServed()
  })

  test('access finding 3: a plan that changes meanwhile counts what was served, in flight too', async () => {
    const customer = await newCustomer()
    const slow = nodes.map((node) => customer.startSlow(node))
    await until(() => held.length === 2 * IN_FLIGHT)
    await Promise.all(nodes.map((node) => customer.ask(node)))
    await customer.changePlan()
    await customer.showsWhatWasServed()
    await flush()
    await Promise.all(nodes.map((node) => customer.ask(node)))
    release()
    await Promise.all(slow.flat())
    await customer.showsWhatWasServed()
  })

  /** Both nodes sell a route whose answers wait for `release`. */
  async function sellSlowly() {
    const upstream = await startUpstream((request, response) => {
      request.resume()
      held.push(response)
    })
    const { put } = administration(() => nodes[0].url)
    await put('/routes/slow', {
      uri: '/slow',
      upstream: { nodes: { [upstream.node]: 1 } },
      plugins: { 'plan-access': {} },
    })
    await until(async () => {
      const { status } = await fetch(`${nodes[1].gatewayUrl}/slow`)
      return status === 401
    })
  }

  function release() {
    for (const response of held.splice(0)) response.end()
  }

  async function flush() {
    const client = new Redis(redis.url)
    await client.flushall()
    client.disconnect()
  }

  async function newCustomer() {
    const { createPlan, issueKey, call } = caller(() => nodes[0].url)
    const plan = await createPlan({ requests_per_month: QUOTA })
    const other = await createPlan({ requests_per_month: 2 * QUOTA })
    const { id, key } = await issueKey({ plan_id: plan.id })
    let quota = QUOTA
    let served = 0
    return { ask, startSlow, changePlan, showsWhatWasServed, served: () => served }

    async function ask(node: TestServer) {
      const answer = await caller(() => node.url).call('GET', '/plans', { key })
      assert.equal(answer.status, 200)
      served++
      return answer
    }

    /** Served from the moment it is let through. */
    function startSlow(node: TestServer): Promise<void>[] {
      return Array.from({ length: IN_FLIGHT }, async () => {
        served++
        const answer = await fetch(`${node.gatewayUrl}/slow`, { headers: { 'x-api-key': key } })
        await answer.text()
        assert.equal(answer.status, 200)
      })
    }

    async function changePlan() {
      await call('PATCH', `/keys/${id}`, { body: { plan_id: other.id } })
      quota = 2 * QUOTA
      await until(async () => {
        const limit = (await ask(nodes[1])).headers.get('x-ratelimit-limit')
        return limit === String(quota)
      })
    }

    async function showsWhatWasServed() {
      let left = ''
      await until(
        async () => {
          const { headers } = await ask(nodes[served % 2 === 0 ? 0 : 1])
          left = `${headers.get('x-ratelimit-remaining')} of ${quota - served}`
          return left === `${quota - served} of ${quota - served}`
        },
        { withinMs: 10_000, what: 'the month' },
      ).catch((error: Error) => {
        throw new Error(`${error.message}: ${left} remain`)
      })
    }
  }
})
