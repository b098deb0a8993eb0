import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { ADMIN_KEY, until } from '#test-kit'
import { gatewaySuite, named, startUpstream, type Upstream } from './support.ts'

/** What was written and the way back to it; resources that end by themselves. */
export const history = gatewaySuite('history', ({ server, admin, put, send }) => {
  let upstream: Upstream

  before(async () => {
    upstream = await startUpstream(named('ok'))
    await put('/upstreams/h', { nodes: { [upstream.node]: 1 } })
  })

  const revisionNow = async (): Promise<number> => {
    const { body } = await admin('GET', '/history')
    return body.list[0].revision
  }
  const statusOf = async (path: string) => (await send(path)).status

  test('gateway history: every write with revision, time, writer, key, before and after', async () => {
    const began = Date.now()
    await put('/routes/h1', { uri: '/h1', upstream_id: 'h' })
    await admin('PATCH', '/routes/h1', { body: { desc: 'second' } })
    const { status, body } = await admin('GET', '/history')
    assert.equal(status, 200)
    const [second, first] = body.list
    assert.ok(body.total >= 3)
    assert.equal(second.revision, first.revision + 1)
    assert.equal(first.key, '/gateway/routes/h1')
    assert.equal(first.before, null)
    assert.equal(first.after.uri, '/h1')
    assert.equal(second.before.desc, undefined)
    assert.equal(second.after.desc, 'second')
    assert.equal(second.by, 'static')
    assert.ok(Date.parse(second.at) >= began - 1_000)

    const keyed = { headers: { 'x-api-key': ADMIN_KEY }, body: { uri: '/h2', upstream_id: 'h' } }
    await admin('PUT', '/routes/h2', keyed)
    await admin('DELETE', '/routes/h2')
    const after = await admin('GET', '/history?page=1&page_size=10')
    const [gone, made] = after.body.list
    assert.equal(gone.after, null)
    assert.equal(gone.before.uri, '/h2')
    assert.equal(typeof made.by, 'number', 'the id of the key')
    const next = await admin('GET', '/history?page=2&page_size=10')
    assert.notDeepEqual(next.body.list[0], gone)
    assert.equal((await admin('GET', '/history?page_size=5')).status, 400)
    assert.equal((await admin('POST', '/history', { body: {} })).status, 405)
  })

  test('gateway history: secrets are masked for everybody and come back by a rollback', async () => {
    const key = 'a-secret-of-the-past'
    await put('/consumers/past', { plugins: { 'key-auth': { key } } })
    await put('/plugin_metadata/key-auth', { token: 'metadata-of-the-past' })
    const revision = await revisionNow()
    await admin('DELETE', '/consumers/past')
    await admin('DELETE', '/plugin_metadata/key-auth')
    const { body } = await admin('GET', '/history')
    const text = JSON.stringify(body)
    assert.doesNotMatch(text, /of-the-past/)
    assert.match(text, /\*{6}/)
    const back = await admin('POST', '/rollback', { body: { revision } })
    assert.equal(back.status, 200)
    assert.ok(back.body.revision > revision)
    const restored = await admin('GET', '/consumers/past')
    assert.equal(restored.body.value.plugins['key-auth'].key, key)
    assert.equal(
      (await admin('GET', '/plugin_metadata/key-auth')).body.value.token.slice(0, 8),
      'metadata',
    )
  })

  test('gateway rollback: the whole configuration of a revision is one new write', async () => {
    await put('/routes/r1', { uri: '/r1', upstream_id: 'h' })
    await put('/routes/r2', { uri: '/r2', upstream_id: 'h' })
    const { body: kept } = await admin('GET', '/routes/r1')
    const revision = await revisionNow()
    await admin('DELETE', '/routes/r1')
    await put('/routes/r2', { uri: '/r2-moved', upstream_id: 'h' })
    await put('/routes/r3', { uri: '/r3', upstream_id: 'h' })
    assert.deepEqual([await statusOf('/r1'), await statusOf('/r2')], [404, 404])
    const { body } = await admin('POST', '/rollback', { body: { revision } })
    assert.equal(await revisionNow(), body.revision)
    assert.deepEqual(
      await Promise.all(['/r1', '/r2', '/r2-moved', '/r3'].map(statusOf)),
      [200, 200, 404, 404],
    )
    const again = await admin('GET', '/routes/r1')
    assert.equal(
      again.body.createdIndex,
      kept.createdIndex,
      'its place in the order is what it was',
    )
    for (const wrong of [
      {},
      { revision: 'x' },
      { revision: -1 },
      { revision: 1.5 },
      { revision, a: 1 },
    ]) {
      assert.equal((await admin('POST', '/rollback', { body: wrong })).status, 400)
    }
    const future = await admin('POST', '/rollback', { body: { revision: 10 ** 9 } })
    assert.equal(future.status, 404)
    assert.match(future.body.error_msg, /are kept/)
    assert.equal((await admin('GET', '/rollback')).status, 405)
  })

  test('gateway confirm: a configuration that nobody confirms reverts by itself', async () => {
    await put('/routes/c1', { uri: '/c1', upstream_id: 'h' })
    const whole = {
      upstreams: [{ id: 'h', nodes: { [upstream.node]: 1 } }],
      routes: [{ id: 'c2', uri: '/c2', upstream_id: 'h' }],
    }
    assert.equal((await admin('POST', '/confirm')).status, 404)
    for (const wrong of ['0', 'x', '-1', '99999999']) {
      const { status } = await admin('PUT', `/configs?confirm_within=${wrong}`, { body: whole })
      assert.equal(status, 400, wrong)
    }
    const { status } = await admin('PUT', '/configs?confirm_within=60', { body: whole })
    assert.equal(status, 202)
    assert.deepEqual([await statusOf('/c1'), await statusOf('/c2')], [404, 200])
    await server().setClockOffset(61_000)
    await until(async () => (await statusOf('/c1')) === 200)
    await server().setClockOffset(0)
    assert.equal(await statusOf('/c2'), 404)
    const [newest] = (await admin('GET', '/history')).body.list
    assert.equal(newest.by, 'confirm_within')

    await admin('PUT', '/configs?confirm_within=60', { body: whole })
    const confirmed = await admin('POST', '/confirm')
    assert.equal(confirmed.status, 200)
    await server().setClockOffset(61_000)
    await new Promise((resolve) => setTimeout(resolve, 600))
    await server().setClockOffset(0)
    assert.equal(await statusOf('/c2'), 200)
    assert.equal((await admin('POST', '/confirm')).status, 404)
  })

  test('gateway ttl: a resource ends by itself, also one that is referred to', async () => {
    const short = { uri: '/short', upstream_id: 'h' }
    for (const wrong of ['x', '0', '-1', '1.5', '']) {
      const { status, body } = await admin('PUT', `/routes/short?ttl=${wrong}`, { body: short })
      assert.equal(status, 400, wrong)
      assert.match(body.error_msg, /ttl must be a number of seconds/)
    }
    assert.equal((await admin('PUT', '/routes/short?ttl=30', { body: short })).status, 201)
    const made = await admin('POST', '/routes?ttl=30', { body: { uri: '/made', upstream_id: 'h' } })
    assert.equal(made.status, 201)
    await put('/routes/lasting', { uri: '/lasting', upstream_id: 'brief' }).catch(() => {})
    await admin('PUT', '/upstreams/brief?ttl=30', { body: { nodes: { [upstream.node]: 1 } } })
    await put('/routes/lasting', { uri: '/lasting', upstream_id: 'brief' })
    await admin('PUT', '/routes/long?ttl=30', { body: { uri: '/long', upstream_id: 'h' } })
    await put('/routes/long', { uri: '/long', upstream_id: 'h' })
    await admin('PATCH', '/routes/short', { body: { desc: 'edited' } })
    assert.equal((await admin('PATCH', '/routes/short?ttl=9', { body: {} })).status, 400)
    const paths = ['/short', '/made', '/lasting', '/long']
    assert.deepEqual(await Promise.all(paths.map(statusOf)), [200, 200, 200, 200])
    await server().setClockOffset(31_000)
    await until(async () => (await admin('GET', '/routes/short')).status === 404)
    await server().setClockOffset(0)
    assert.deepEqual(await Promise.all(paths.map(statusOf)), [404, 404, 502, 200])
    const entries = (await admin('GET', '/history')).body.list
    assert.equal(entries[0].by, 'ttl')
  })
})
