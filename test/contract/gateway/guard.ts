import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { ADMIN_KEY, until } from '#test-kit'
import { gatewaySuite, startUpstream, tally, type Upstream } from './support.ts'

/** A canary that ends by itself (contract §7.6). */
export const splitGuard = gatewaySuite('guard of a split', ({ server, admin, put, send }) => {
  let stable: Upstream
  let canary: Upstream
  let isBroken = true

  before(async () => {
    stable = await startUpstream((request, response) => {
      request.resume()
      response.end('stable')
    })
    canary = await startUpstream((request, response) => {
      request.resume()
      response.writeHead(isBroken ? 503 : 200).end('canary')
    })
    await put('/upstreams/stable', { nodes: { [stable.node]: 1 } })
    await put('/upstreams/canary', { nodes: { [canary.node]: 1 } })
  })

  const split = (id: string, guard: unknown, plugins: object = {}) =>
    put(`/routes/${id}`, {
      uri: `/${id}`,
      upstream_id: 'stable',
      plugins: {
        ...plugins,
        'traffic-split': {
          rules: [{ weighted_upstreams: [{ upstream_id: 'canary', guard }, {}] }],
        },
      },
    })
  const ask = async (id: string, count: number) => {
    const answers = []
    for (let n = 0; n < count; n++) {
      const answer = await send(`/${id}`, { headers: { connection: 'close' } })
      answers.push(await answer.text())
    }
    return tally(answers)
  }
  const aborted = async (id: string) => {
    const { body } = await admin('GET', '/gateway/prometheus/metrics')
    return String(body).includes(`gateway_split_aborted{owner="routes/${id}",rule="0",entry="0"} 1`)
  }
  const events = async () => {
    const path = '/webhooks/events?event=gateway.split.aborted'
    const answer = await fetch(`${server().url}${path}`, { headers: { 'x-api-key': ADMIN_KEY } })
    return JSON.stringify(await answer.json())
  }

  test('gateway 25: a guard takes a failing entry out of use, over all threads and for good', async () => {
    isBroken = true
    await split('canary', { error_ratio: 0.5, min_requests: 20, window: 30 })
    // Below the least number of requests nothing is judged.
    assert.deepEqual(await ask('canary', 38), { canary: 19, stable: 19 })
    assert.equal(await aborted('canary'), false)
    await ask('canary', 2)
    await until(() => aborted('canary'))
    assert.deepEqual(await ask('canary', 20), { stable: 20 })
    isBroken = false
    await admin('PATCH', '/upstreams/stable', { body: { desc: 'another edit' } })
    assert.deepEqual(await ask('canary', 10), { stable: 10 })
    const told = await until(async () => {
      const found = await events()
      return found.includes('gateway/routes/canary') ? found : undefined
    })
    assert.equal(told.split('gateway/routes/canary').length, 2, 'it is told once')
    assert.match(told, /"upstream_id":"canary"/)

    server().signal('SIGTERM')
    await server().exited()
    await server().restart()
    assert.equal(await aborted('canary'), true)
    assert.deepEqual(await ask('canary', 10), { stable: 10 })
    const { body } = await admin('GET', '/routes/canary')
    assert.equal(
      body.value.plugins['traffic-split'].rules[0].weighted_upstreams[0].weight,
      undefined,
    )
    await split('canary', { error_ratio: 0.5, min_requests: 20, window: 30 })
    assert.equal(await aborted('canary'), false)
    assert.deepEqual(await ask('canary', 10), { canary: 5, stable: 5 })
  })

  test('gateway 25: a guard counts in a window of any length', async () => {
    isBroken = true
    // Times 1000 it is no whole number.
    await split('odd', { error_ratio: 0.5, min_requests: 2, window: 16.1 })
    await ask('odd', 4)
    await until(() => aborted('odd'))
  })

  test('gateway 25: a guard goes by what the upstream answers, not by what plugins make of it', async () => {
    isBroken = true
    const guard = { error_ratio: 0.5, min_requests: 2, window: 30 }
    await split('covered', guard, { 'response-rewrite': { status_code: 200 } })
    await ask('covered', 4)
    await until(() => aborted('covered'))
    isBroken = false
    const refuse = { functions: ["() => [503, 'closed']"] }
    await split('closed', guard, { 'serverless-post-function': refuse })
    assert.deepEqual(await ask('closed', 20), { closed: 20 })
    await split('uncovered', guard, { 'response-rewrite': { status_code: 503 } })
    assert.deepEqual(await ask('uncovered', 20), { canary: 10, stable: 10 })
    assert.deepEqual([await aborted('closed'), await aborted('uncovered')], [false, false])
  })

  test('gateway 25: failures that are borne, or that are long ago, abort nothing', async () => {
    isBroken = true
    await split('borne', { error_ratio: 1, min_requests: 2, window: 30 })
    assert.deepEqual(await ask('borne', 20), { canary: 10, stable: 10 })
    await split('old', { error_ratio: 0.2, min_requests: 10, window: 30 })
    await ask('old', 18)
    await server().setClockOffset(31_000)
    isBroken = false
    assert.deepEqual(await ask('old', 20), { canary: 10, stable: 10 })
    await server().setClockOffset(0)
    assert.equal(await aborted('old'), false)
    for (const guard of [
      {},
      { error_ratio: 2 },
      { error_ratio: 0.5, window: 0 },
      { error_ratio: 0.5, min_requests: 0 },
      { error_ratio: 0.5, x: 1 },
      7,
    ]) {
      await assert.rejects(split('bad', guard), /guard/)
    }
  })
})
