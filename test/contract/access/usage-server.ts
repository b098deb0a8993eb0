// Usage of a whole server: real keys, real limits, the journal and its drain.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { promptly, until } from '#test-kit'
import { accessSuite, caller, pairSuite } from './support.ts'
import { openStream } from './usage-kit.ts'

const PASSWORD = 'correct horse battery'
/** Access contract §7: figures are at most so far behind. */
const BEHIND_MS = 2_000

interface Recorded {
  readonly endpoint: string
  readonly method: string
  readonly status_code: number
  readonly counted: boolean
  readonly cost: number
  readonly request_id: string
}

export const usageOfServer = accessSuite(
  'usage of a server',
  ({ kind, server, call, data, createPlan, issueKey, createUser }) => {
    const keyOf = async (plan: object) => issueKey({ plan_id: (await createPlan(plan)).id })
    const within2s = <T>(ask: () => Promise<T | false> | T | false, what: string) =>
      promptly(BEHIND_MS, ask, what)

    test('access 8: figures follow within 2 s, and looking at them costs nothing', async () => {
      const { key } = await keyOf({ requests_per_month: 3, requests_per_minute: 100 })
      for (let n = 0; n < 5; n++) await call('GET', '/plans', { key })
      const figures = await within2s(async () => {
        const found = await data('GET', '/usage', { key })
        return found.today === 3 && found.rejectedToday === 2 && found
      }, 'three served and two refused')
      assert.equal(figures.month, 3)
      assert.equal(figures.monthLimit, 3)
      assert.equal(figures.remaining, 0)
      assert.equal(figures.minuteLimit, 100)
      assert.ok(figures.minute === 5 || figures.minute === 0, 'all five, unless a new minute began')
    })

    test('a record says what was asked for, how it was answered and whether it counted', async () => {
      const { key, id } = await keyOf({ requests_per_month: 2, endpoints: ['GET /v1/plans/**'] })
      const ask = async (method: string, path: string, name: string) =>
        (await call(method, path, { key, headers: { 'x-request-id': name } })).status
      assert.equal(await ask('GET', '/plans?api_key=secret', 'list'), 200)
      assert.equal(await ask('GET', '/plans/999999', 'missing'), 404)
      assert.equal(await ask('GET', '/plans', 'over'), 429)
      assert.equal(await ask('GET', '/users', 'level'), 403)
      assert.equal(await ask('GET', '/keys', 'plan'), 403)
      assert.equal(await ask('GET', '/me', 'free'), 200)
      const records = await until(async () => {
        const { body } = await call('GET', `/usage/records?key_id=${id}`)
        return body.data.length === 6 && (body.data as Recorded[])
      })
      const told = records.map((row) => [
        row.request_id,
        row.endpoint,
        row.status_code,
        row.counted,
      ])
      assert.deepEqual(told.toReversed(), [
        ['list', '/api/v1/plans', 200, true],
        ['missing', '/api/v1/plans/{id}', 404, true],
        ['over', '/api/v1/plans', 429, false],
        ['level', '/api/v1/users', 403, false],
        ['plan', '/api/v1/keys', 403, false],
        ['free', '/api/v1/me', 200, false],
      ])
      assert.ok(records.every((row) => row.cost === (row.counted ? 1 : 0)))
    })

    test('access 18: a stream shows a request within 2 s, and 80 % once', async () => {
      const { key, id } = await keyOf({ requests_per_month: 5 })
      const stream = await openStream(server(), key)
      await until(() => stream.named('usage').length === 1)
      await call('GET', '/plans', { key })
      await within2s(() => stream.named('usage').at(-1)?.data['today'] === 1, 'the first request')
      for (let n = 0; n < 3; n++) await call('GET', '/plans', { key })
      await within2s(() => stream.named('threshold').length === 1, 'the threshold')
      await call('GET', '/plans', { key })
      await until(() => stream.named('threshold').length === 3)
      await call('GET', '/plans', { key })
      const percents = stream
        .named('threshold')
        .map(({ data }) => [data['key_id'], data['percent']])
      assert.deepEqual(percents, [
        [id, 80],
        [id, 90],
        [id, 100],
      ])
      const ids = stream.events.map((event) => event.id)
      assert.deepEqual(
        ids,
        ids.toSorted((a, b) => a - b),
      )

      const again = await openStream(server(), key, {
        headers: { 'last-event-id': String(ids[0]) },
      })
      await until(() => again.named('usage').length > 0)
      assert.deepEqual(
        again.events.map(({ event }) => event),
        ['threshold', 'threshold', 'threshold', 'usage'],
      )
      stream.close()
      again.close()
      await until(async () => {
        const { body } = await call(
          'GET',
          `/usage/records?key_id=${id}&endpoint=/api/v1/usage/stream`,
        )
        return body.data.length === 2
      })
    })

    test('access 18: a change of plan is told, revocation ends the stream', async () => {
      const { key, id } = await keyOf({ requests_per_month: 5 })
      const stream = await openStream(server(), key)
      await until(() => stream.events.length > 0)
      const larger = await createPlan({ requests_per_month: 50 })
      await call('PATCH', `/keys/${id}`, { body: { plan_id: larger.id } })
      await within2s(() => stream.named('usage').at(-1)?.data['monthLimit'] === 50, 'the new limit')
      assert.deepEqual(stream.named('key')[0]?.data, { key_id: id, status: 'active' })
      await call('PATCH', `/plans/${larger.id}`, { body: { requests_per_month: 60 } })
      await within2s(
        () => stream.named('usage').at(-1)?.data['monthLimit'] === 60,
        'the new figure',
      )

      await call('DELETE', `/keys/${id}`)
      await stream.over
      assert.deepEqual(
        stream.events.slice(-2).map(({ event, data }) => ({ event, data })),
        [
          { event: 'key', data: { key_id: id, status: 'revoked' } },
          { event: 'end', data: { reason: 'key_revoked' } },
        ],
      )
      assert.equal((await openStream(server(), key)).answer.status, 403)
    })

    test('contract item: a secret that is rotated out without grace loses its stream at once', async () => {
      const { key, id } = await issueKey()
      const stream = await openStream(server(), key)
      await until(() => stream.events.length > 0)
      const seen = stream.events.at(-1)?.id
      const { key: fresh } = await data('POST', `/keys/${id}/rotate`, {
        body: { grace_seconds: 0 },
      })
      await stream.over
      assert.deepEqual(stream.events.at(-1)?.data, { reason: 'key_revoked' })
      assert.equal((await openStream(server(), key)).answer.status, 403)
      const headers = { 'last-event-id': String(seen) }
      const again = await openStream(server(), fresh, { headers })
      await until(() => again.events.length > 0)
      assert.deepEqual([...new Set(again.events.map(({ event }) => event))], ['usage'])
      again.close()
    })

    test('access 11: with its grace the stream of an old secret ends, whenever it was opened', async (t) => {
      const { key, id } = await issueKey()
      const before = await openStream(server(), key)
      const body = { grace_seconds: 600 }
      const { key: fresh } = await data('POST', `/keys/${id}/rotate`, { body })
      const within = await openStream(server(), key)
      const current = await openStream(server(), fresh)
      await until(() => current.events.length > 0)
      assert.deepEqual([before.isOver(), within.isOver()], [false, false])
      t.after(() => server().setClockOffset(0))
      await server().setClockOffset(601_000)
      for (const stream of [before, within]) {
        await stream.over
        assert.deepEqual(stream.events.at(-1)?.data, { reason: 'key_revoked' })
      }
      assert.equal((await openStream(server(), key)).answer.status, 403)
      assert.equal(current.isOver(), false)
      current.close()
    })

    test('a key that expires ends its stream', async () => {
      const expires_at = new Date(Date.now() + 2_000).toISOString()
      const { key } = await issueKey({ expires_at })
      const stream = await openStream(server(), key)
      await stream.over
      assert.deepEqual(stream.events.at(-1)?.data, { reason: 'key_expired' })
    })

    test('who is disabled loses the stream of a sign-in too', async () => {
      const user = await createUser('streaming@example.com', { password: PASSWORD })
      const body = { email: 'streaming@example.com', password: PASSWORD }
      const { headers } = await call('POST', '/sign-in', { key: null, body })
      const cookie = headers.getSetCookie()[0]?.split(';')[0] ?? ''
      const stream = await openStream(server(), '', { headers: { cookie, 'x-api-key': '' } })
      assert.equal(stream.answer.status, 200)
      await until(() => stream.events.length > 0)
      await call('PATCH', `/users/${user.id}`, { body: { status: 'disabled' } })
      await stream.over
      assert.equal(stream.events.at(-1)?.event, 'end')
    })

    if (kind === 'nodes') {
      test('access 18: a stream shows what another node served and revoked', () =>
        showsAnotherNode(server().url, server().url))
    }

    test('an eleventh stream of a key is 429, over all nodes', async () => {
      const { key } = await keyOf({})
      const open = () => openStream(server(), key)
      const answers = await Promise.all(Array.from({ length: 14 }, open))
      const refused = answers.filter(({ answer }) => answer.status === 429)
      assert.equal(refused.length, 4)
      answers.find(({ answer }) => answer.ok)?.close()
      await until(async () => (await open()).answer.ok)
      assert.equal((await open()).answer.status, 429)
      for (const stream of answers) stream.close()
    })
  },
)

/** Kills the second node. */
export const usageOfPair = pairSuite('usage of two nodes', (first, second) => {
  test('access 18: two nodes without Redis show each other’s work, and free the streams of a dead one', async () => {
    await showsAnotherNode(first().url, second().url)

    const { key } = await caller(() => first().url).issueKey()
    for (let n = 0; n < 10; n++) {
      const stream = await openStream(second(), key)
      assert.ok(stream.answer.ok)
      // It breaks with the node.
      stream.over.catch(() => {})
    }
    assert.equal((await openStream(first(), key)).answer.status, 429)
    await second().kill()
    assert.equal((await openStream(first(), key)).answer.status, 429)
    await first().setClockOffset(31_000)
    const again = await openStream(first(), key)
    assert.equal(again.answer.status, 200)
    again.close()
    await again.over
  })
})

async function showsAnotherNode(here: string, there: string) {
  const { createPlan, issueKey } = caller(() => here)
  const { call } = caller(() => there)
  const plan = await createPlan({ requests_per_month: 5 })
  const { key, id } = await issueKey({ plan_id: plan.id })

  const stream = await openStream({ url: here }, key)
  await until(() => stream.events.length > 0)
  for (let n = 0; n < 4; n++) assert.equal((await call('GET', '/plans', { key })).status, 200)
  await promptly(
    BEHIND_MS,
    () =>
      stream.named('usage').at(-1)?.data['today'] === 4 && stream.named('threshold').length === 1,
    'what the other node served',
  )
  await call('DELETE', `/keys/${id}`)
  await stream.over
  assert.deepEqual(stream.events.at(-1)?.data, { reason: 'key_revoked' })
}
