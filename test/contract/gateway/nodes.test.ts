import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { installation, promptly, startServer, testRedis, until } from '#test-kit'
import { startCutProxy } from '../../conformance/journal/cut-proxy.ts'
import { caller } from '../access/support.ts'
import { administration, INSTALLATION, named, startUpstream } from './support.ts'

test('gateway 34: without its store the gateway goes on with what it has and refuses changes', async () => {
  const upstream = await startUpstream(named('ok'))
  const env = await installation('postgres', INSTALLATION)
  const database = new URL(env['ENTREPOT_DATABASE_URL'] ?? '')
  const proxy = await startCutProxy({ host: database.hostname, port: Number(database.port) })
  database.port = String(proxy.port)
  const server = await startServer({ ...env, ENTREPOT_DATABASE_URL: database.href })
  const { admin, put } = administration(() => server.url)
  await put('/routes/kept', { uri: '/kept', upstream: { nodes: { [upstream.node]: 1 } } })
  await put('/routes/sold', {
    uri: '/sold',
    upstream: { nodes: { [upstream.node]: 1 } },
    plugins: { 'plan-access': {} },
  })
  const { issueKey, data } = caller(() => server.url)
  const [known, unknown] = [await issueKey(), await issueKey()]
  const buy = async (key: string) => {
    const headers = { 'x-api-key': key, connection: 'close' }
    const answer = await fetch(`${server.gatewayUrl}/sold`, { headers })
    return {
      status: answer.status,
      text: await answer.text(),
      thread: answer.headers.get('x-test-thread'),
    }
  }
  const threads = new Set<string | null>()
  let sold = 0
  while (threads.size < 3) {
    threads.add((await buy(known.key)).thread)
    sold++
  }
  proxy.cut()
  for (let n = 0; n < 20; n++) {
    assert.equal((await fetch(`${server.gatewayUrl}/kept`)).status, 200)
  }
  for (let n = 0; n < 20; n++) assert.equal((await buy(known.key)).status, 200)
  const { status, text } = await buy(unknown.key)
  assert.equal(status, 503)
  assert.equal(JSON.parse(text).error.code, 'keys_unavailable')
  const refused = await admin('PUT', '/routes/new', { body: { uri: '/new', plugins: {} } })
  assert.equal(refused.status, 503)
  assert.ok(refused.body.error_msg)
  assert.equal((await fetch(`${server.gatewayUrl}/kept`)).status, 200)
  proxy.mend()
  await until(async () => {
    const { status } = await admin('PUT', '/routes/new', { body: { uri: '/new', plugins: {} } })
    return status < 300
  })
  await until(async () => (await buy(unknown.key)).status === 200)
  await until(async () => (await data('GET', `/usage?key_id=${known.id}`)).month === sold + 20)
})

for (const hasRedis of [false, true]) {
  test(`a change on one node acts on another within a second (${hasRedis ? 'redis' : 'postgres'})`, async () => {
    const upstream = await startUpstream(named('ok'))
    const redis = testRedis()
    const shared = {
      ...INSTALLATION,
      ENTREPOT_MASTER_KEY: 'a'.repeat(64),
      ...(hasRedis ? { ENTREPOT_REDIS_URL: redis.url, ENTREPOT_REDIS_PREFIX: redis.prefix } : {}),
    }
    const first = await installation('postgres', shared)
    const url = { ENTREPOT_DATABASE_URL: first['ENTREPOT_DATABASE_URL'] ?? '' }
    const second = { ...(await installation('sqlite', shared)), ...url, ENTREPOT_ROLES: 'gateway' }
    const [one, two] = [await startServer(first), await startServer(second)]
    const { put, admin } = administration(() => one.url)
    const node = { nodes: { [upstream.node]: 1 } }
    for (let n = 0; n < 3; n++) {
      await put('/upstreams/shared', node)
      await put('/routes/shared', { uri: `/shared/${n}`, upstream_id: 'shared' })
      await promptly(
        1_000,
        async () => (await fetch(`${two.gatewayUrl}/shared/${n}`)).status === 200,
      )
    }
    await admin('DELETE', '/routes/shared')
    await promptly(1_000, async () => (await fetch(`${two.gatewayUrl}/shared/2`)).status === 404)
    const other = administration(() => two.url)
    const written = await other.admin('PUT', '/routes/back', {
      body: { uri: '/back', ...{ upstream_id: 'shared' } },
    })
    assert.equal(written.status, 201)
    assert.equal((await fetch(`${two.gatewayUrl}/back`)).status, 200)
    await promptly(1_000, async () => (await fetch(`${one.gatewayUrl}/back`)).status === 200)
    const both = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        (n % 2 ? other : { admin }).admin('PUT', `/upstreams/p${n}`, { body: node }),
      ),
    )
    assert.equal(
      both.every(({ status }) => status === 201),
      true,
    )
    const indexes = both.map(({ body }) => body.createdIndex)
    assert.equal(new Set(indexes).size, 40, 'one counter over all nodes')
    await until(async () => (await other.admin('GET', '/upstreams')).body.total === 41)
  })
}

test('gateway 7: a digest is that of what is stored, whichever node has stored it', async () => {
  const shared = { ...INSTALLATION, ENTREPOT_MASTER_KEY: 'a'.repeat(64) }
  const first = await installation('postgres', shared)
  const url = { ENTREPOT_DATABASE_URL: first['ENTREPOT_DATABASE_URL'] ?? '' }
  const second = { ...(await installation('sqlite', shared)), ...url, ENTREPOT_ROLES: 'gateway' }
  const servers = [await startServer(first), await startServer(second)]
  const nodes = servers.map(({ url }) => administration(() => url))
  // What the other node has just written, a node may not have heard of.
  for (let n = 0; n < 40; n++) {
    const name = `digest-${n % 2}`
    const body = { routes: [{ id: '1', uri: `/${name}`, plugins: {} }] }
    const answer = await nodes[n % 2]?.admin('PUT', '/configs', {
      ...{ body, headers: { 'x-digest': name } },
    })
    assert.equal(answer?.status, 202, `${n}`)
  }
  const last = await nodes[1]?.admin('PUT', '/configs', {
    ...{ body: {}, headers: { 'x-digest': 'digest-1' } },
  })
  assert.equal(last?.status, 204)
})

test('an object that a node cannot use is skipped there, and not served as it was before', async () => {
  const upstream = await startUpstream(named('ok'))
  const shared = { ...INSTALLATION, ENTREPOT_MASTER_KEY: 'a'.repeat(64) }
  const first = await installation('postgres', shared)
  const url = { ENTREPOT_DATABASE_URL: first['ENTREPOT_DATABASE_URL'] ?? '' }
  const second = { ...(await installation('sqlite', shared)), ...url, ENTREPOT_ROLES: 'gateway' }
  const one = await startServer({ ...first, GATEWAY_TEST_VALUE: '203.0.113.7' })
  const two = await startServer(second)
  const { put } = administration(() => one.url)
  const open = { uri: '/shared', upstream: { nodes: { [upstream.node]: 1 } } }
  const statuses = async () =>
    Promise.all(
      [one, two].map(async ({ gatewayUrl }) => (await fetch(`${gatewayUrl}/shared`)).status),
    )
  await put('/routes/shared', open)
  await until(async () => String(await statuses()) === '200,200')
  const whitelist = ['$env://GATEWAY_TEST_VALUE']
  await put('/routes/shared', { ...open, plugins: { 'ip-restriction': { whitelist } } })
  await until(async () => String(await statuses()) === '403,404')
  two.signal('SIGTERM')
  await two.exited()
  await two.restart()
  assert.equal(String(await statuses()), '403,404')
  await put('/routes/shared', open)
  await until(async () => String(await statuses()) === '200,200')
})

test('a stored object that is no longer valid is skipped, the others work', async () => {
  const upstream = await startUpstream(named('ok'))
  const env = await installation('sqlite', INSTALLATION)
  const server = await startServer(env)
  const { put } = administration(() => server.url)
  await put('/routes/good', { uri: '/good', upstream: { nodes: { [upstream.node]: 1 } } })
  await put('/routes/old', { uri: '/old', upstream: { nodes: { [upstream.node]: 1 } } })
  server.signal('SIGTERM')
  await server.exited()
  const { DatabaseSync } = await import('node:sqlite')
  const db = new DatabaseSync(join(server.dataDir, 'entrepot.db'))
  db.exec(`update gateway_objects set value = '{"uri":7}' where id = 'old'`)
  db.close()
  await server.restart()
  assert.equal((await fetch(`${server.gatewayUrl}/good`)).status, 200)
  assert.equal((await fetch(`${server.gatewayUrl}/old`)).status, 404)
  const log = readFileSync(join(server.dataDir, 'logs', 'entrepot.log'), 'utf8')
  assert.match(log, /"id":"old".*a stored gateway object is not valid/)
})
