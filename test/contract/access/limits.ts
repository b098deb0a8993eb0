import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer, TestServer } from '#test-kit'
import { accessSuite, caller, pairSuite } from './support.ts'

export const limits = accessSuite('limits', ({ server, call, createPlan, issueKey }) => {
  async function keyOf(plan: object): Promise<string> {
    const { id } = await createPlan(plan)
    return (await issueKey({ plan_id: id })).key
  }
  const read = (key: string) => call('GET', '/plans', { key })

  test('access 6: of 200 parallel requests exactly 60 pass, the next minute passes again', async () => {
    const key = await keyOf({ requests_per_minute: 60 })
    await moveTo(server(), '2027-03-01T09:00:05.000Z')
    const answers = await Promise.all(Array.from({ length: 200 }, () => read(key)))
    checkSixty(answers)
    await moveTo(server(), '2027-03-01T09:01:01.000Z')
    assert.equal((await read(key)).status, 200)
    await server().setClockOffset(0)
  })

  test('access 7: the sixth of a quota of five is refused until the first of next month UTC', async () => {
    for (const [now, reset] of [
      ['2026-12-31T23:59:30.000Z', '2027-01-01T00:00:00.000Z'],
      ['2027-02-28T12:00:00.000Z', '2027-03-01T00:00:00.000Z'],
      ['2028-02-29T12:00:00.000Z', '2028-03-01T00:00:00.000Z'],
    ] as const) {
      const key = await keyOf({ requests_per_month: 5 })
      await moveTo(server(), now)
      for (let n = 0; n < 5; n++) assert.equal((await read(key)).status, 200)
      const refused = await read(key)
      assert.equal(refused.status, 429)
      const seconds = Date.parse(reset) / 1000
      assert.deepEqual(refused.body, {
        error: {
          code: 'monthly_quota_exceeded',
          message: 'Monthly quota of 5 requests exceeded',
          quota: 5,
          reset: seconds,
        },
      })
      const wait = Number(refused.headers.get('retry-after'))
      const left = seconds - Date.parse(now) / 1000
      assert.ok(wait <= left && wait > left - 20, `${wait} of ${left}`)
      await moveTo(server(), reset)
      assert.equal((await read(key)).status, 200)
    }
    await server().setClockOffset(0)
  })

  test('access 7: requests refused by the minute do not lower remaining, and -1 never ends', async () => {
    const key = await keyOf({ requests_per_minute: 2, requests_per_month: 10 })
    await moveTo(server(), '2027-05-03T10:00:05.000Z')
    await read(key)
    await read(key)
    for (let n = 0; n < 5; n++) assert.equal((await read(key)).status, 429)
    await moveTo(server(), '2027-05-03T10:01:05.000Z')
    assert.equal((await read(key)).headers.get('x-ratelimit-remaining'), '7')
    const unlimited = await keyOf({})
    const many = await Promise.all(Array.from({ length: 100 }, () => read(unlimited)))
    assert.ok(many.every(({ status }) => status === 200))
    assert.equal(many[0]?.headers.get('x-ratelimit-limit'), null)
    await server().setClockOffset(0)
  })

  test('access 8: headers as tabled on 200, 404 and 429', async () => {
    const key = await keyOf({ requests_per_minute: 3, requests_per_month: 100 })
    await moveTo(server(), '2027-06-10T10:00:10.000Z')
    const monthEnd = String(Date.parse('2027-07-01T00:00:00Z') / 1000)
    const first = await read(key)
    assert.deepEqual(headersOf(first), ['100', '99', monthEnd, 'month', null])
    assert.match(
      first.headers.get('ratelimit-policy') ?? '',
      /^"minute";q=3;w=60, "month";q=100;w=2592000$/,
    )
    assert.match(
      first.headers.get('ratelimit') ?? '',
      /^"minute";r=2;t=(4\d|50), "month";r=99;t=\d+$/,
    )
    const missing = await call('GET', '/nothing-here', { key })
    assert.equal(missing.status, 404)
    assert.deepEqual(headersOf(missing), ['100', '98', monthEnd, 'month', null])
    await read(key)
    const refused = await read(key)
    const minuteEnd = String(Date.parse('2027-06-10T10:01:00Z') / 1000)
    assert.equal(refused.status, 429)
    assert.deepEqual(headersOf(refused).slice(0, 4), ['3', '0', minuteEnd, 'minute'])
    assert.ok(Number(refused.headers.get('retry-after')) <= 50)
    for (const path of ['/me', '/usage']) {
      assert.equal((await call('GET', path, { key })).status, 200, path)
    }
    await moveTo(server(), '2027-06-10T10:01:10.000Z')
    assert.equal((await read(key)).headers.get('x-ratelimit-remaining'), '96')
    await server().setClockOffset(0)
  })

  test('access 8: with an unlimited month the headers describe the minute', async () => {
    const key = await keyOf({ requests_per_minute: 3 })
    await moveTo(server(), '2027-06-11T10:00:10.000Z')
    const minuteEnd = String(Date.parse('2027-06-11T10:01:00Z') / 1000)
    const answer = await read(key)
    assert.deepEqual(headersOf(answer), ['3', '2', minuteEnd, 'minute', null])
    assert.match(answer.headers.get('ratelimit-policy') ?? '', /^"minute";q=3;w=60$/)
    await server().setClockOffset(0)
  })

  test('access 10: after an upgrade only served requests count; a downgrade below use refuses', async () => {
    const small = await createPlan({ requests_per_month: 3 })
    const large = await createPlan({ requests_per_month: 10 })
    const { id, key } = await issueKey({ plan_id: small.id })
    for (let n = 0; n < 3; n++) assert.equal((await read(key)).status, 200)
    for (let n = 0; n < 20; n++) assert.equal((await read(key)).status, 429)
    await call('PATCH', `/keys/${id}`, { body: { plan_id: large.id } })
    assert.equal((await read(key)).headers.get('x-ratelimit-remaining'), '6')
    await call('PATCH', `/plans/${large.id}`, { body: { requests_per_month: 2 } })
    assert.equal((await read(key)).status, 429)
    await call('PATCH', `/plans/${large.id}`, { body: { requests_per_month: 5 } })
    assert.equal((await read(key)).headers.get('x-ratelimit-remaining'), '0')
  })
})

export const limitsOfPair = pairSuite('limits of two nodes', (first, second) => {
  test('access 6: of 200 parallel requests over two nodes without Redis exactly 60 pass', async () => {
    const { createPlan, issueKey } = caller(() => first().url)
    const plan = await createPlan({ requests_per_minute: 60 })
    const { key } = await issueKey({ plan_id: plan.id })
    await moveTo(first(), '2027-03-01T09:00:05.000Z')
    await moveTo(second(), '2027-03-01T09:00:05.000Z')
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, n) => {
        const { call } = caller(() => (n % 2 ? first : second)().url)
        return call('GET', '/plans', { key })
      }),
    )
    checkSixty(answers)
    for (const node of [first(), second()]) await node.setClockOffset(0)
  })
})

async function moveTo(server: TestServer, instant: string): Promise<void> {
  await server.setClockOffset(Date.parse(instant) - Date.now())
}

function headersOf({ headers }: Answer) {
  const names = ['limit', 'remaining', 'reset', 'window'].map((name) => `x-ratelimit-${name}`)
  return [...names, 'retry-after'].map((name) => headers.get(name))
}

function checkSixty(answers: readonly Answer[]): void {
  const passed = answers.filter(({ status }) => status === 200)
  const refused = answers.filter(({ status }) => status === 429)
  assert.equal(passed.length, 60)
  assert.equal(refused.length, 140)
  const reset = Date.parse('2027-03-01T09:01:00.000Z') / 1000
  for (const { body, headers } of refused) {
    assert.equal(body.error.code, 'rate_limit_exceeded')
    assert.equal(body.error.limit, 60)
    assert.equal(body.error.reset, reset)
    const wait = Number(headers.get('retry-after'))
    assert.ok(wait >= 1 && wait <= 60, `${wait}`)
  }
}
