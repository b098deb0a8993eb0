import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  eachDatabase,
  emptyInstallation,
  installation,
  runEntrepot,
  startServer,
  type TestServer,
} from '#test-kit'
import { caller } from './support.ts'

const KEY = /sk_[A-Za-z0-9]{48}/g

eachDatabase('first start', (kind) => {
  test('access 1: prints one key and one password, both work, a second start prints nothing', async () => {
    const env = await installation(kind, { ENTREPOT_AUTH_BASIC: 'true' })
    const server = await startServer(env)
    const [key, ...more] = server.output().match(KEY) ?? []
    assert.deepEqual(more, [])
    const [, password = ''] = /^ *Admin password +(\S+)$/m.exec(server.output()) ?? []
    assert.match(password, /^[A-Za-z0-9]{24}$/)

    const { call } = caller(() => server.url)
    const me = await call('GET', '/me', { key: key ?? '' })
    assert.equal(me.status, 200)
    assert.equal(me.body.data.user.email, 'admin@localhost')
    assert.equal(me.body.data.access, 'admin')
    assert.equal(me.body.data.plan.name, 'Internal')
    const authorization = `Basic ${Buffer.from(`admin@localhost:${password}`).toString('base64')}`
    const byPassword = await call('GET', '/me', { key: null, headers: { authorization } })
    assert.equal(byPassword.body.data.kind, 'basic')

    const plans = await call('GET', '/plans', { key: key ?? '' })
    const names = plans.body.data.map((plan: { name: string }) => plan.name)
    assert.deepEqual(names, ['Internal', 'Starter', 'Business', 'Enterprise'])
    assert.deepEqual(logged(server, key, password), [])

    server.signal('SIGTERM')
    await server.exited()
    await server.restart()
    assert.doesNotMatch(server.output(), KEY)
    assert.doesNotMatch(server.output(), /password/i)
    assert.equal((await call('GET', '/me', { key: key ?? '' })).status, 200)
  })

  test('access 1: a set key and password are taken; on the host and by a later start keys are added', async (t) => {
    const [firstKey, added, third] = ['1', '2', '3'].map((n) => `sk_Share${n.repeat(43)}`)
    const env = await installation(kind, {
      ENTREPOT_ADMIN_KEY: firstKey ?? '',
      ENTREPOT_ADMIN_EMAIL: 'Boss@Example.com',
      ENTREPOT_ADMIN_PASSWORD: 'open sesame 1',
      ENTREPOT_AUTH_BASIC: 'true',
    })
    const first = await startServer(env)
    const { call } = caller(() => first.url)
    const me = await call('GET', '/me', { key: firstKey ?? '' })
    assert.equal(me.body.data.user.email, 'Boss@Example.com')
    const login = { email: 'boss@example.COM', password: 'open sesame 1' }
    assert.equal((await call('POST', '/sign-in', { key: null, body: login })).status, 200)
    assert.doesNotMatch(first.output(), /sk_|sesame/)
    await issuesOnTheHost(first, env)
    await stop(first)

    const second = await startServer({ ...env, ENTREPOT_ADMIN_KEY: added ?? '' })
    await t.test(
      'access 4: two keys with one prefix both work, a third secret is 401',
      async () => {
        const own = [firstKey, added].map((key) => call('GET', '/me', { key: key ?? '' }))
        const found = (await Promise.all(own)).map(({ status, body }) => [
          status,
          body.data.key.key_prefix,
          body.data.access,
        ])
        assert.deepEqual(found, [
          [200, 'sk_Share', 'admin'],
          [200, 'sk_Share', 'admin'],
        ])
        const refused = await call('GET', '/me', { key: third ?? '' })
        assert.deepEqual([refused.status, refused.body], [401, { error: 'Invalid API key' }])
      },
    )

    await t.test('access 1: a later start does not revive a revoked key', async () => {
      const path = `/keys/${me.body.data.key.id}`
      assert.equal((await call('DELETE', path, { key: added ?? '' })).status, 204)
      await stop(second)
      await startServer(env)
      const refused = await call('GET', '/me', { key: firstKey ?? '' })
      assert.equal(refused.status, 403)
      assert.equal(refused.body.code, 'key_revoked')
      assert.equal((await call('GET', '/me', { key: added ?? '' })).status, 200)
    })
  })

  test('access 1: a malformed key stops the start with one line that names it', async () => {
    const env = await installation(kind, { ENTREPOT_ADMIN_KEY: 'sk_short' })
    const { code, output } = await runEntrepot(['start'], env)
    assert.equal(code, 1)
    assert.match(output, /^entrepot: .*admin\.key|ENTREPOT_ADMIN_KEY.*48 letters or digits/)
    assert.doesNotMatch(output, /sk_short/)
  })

  test('access 1: a key can be issued on the host only where there is a server', async () => {
    const empty = await emptyInstallation(kind)
    const refused = await runEntrepot(['keys', 'issue', '--admin'], empty)
    assert.equal(refused.code, 1)
    assert.match(refused.output, /start the server once first/)
  })
})

test('access 1: two nodes that start at once on an empty database create one admin', async () => {
  const first = await emptyInstallation('postgres')
  const second = {
    ...(await emptyInstallation('postgres')),
    ENTREPOT_DATABASE_URL: first['ENTREPOT_DATABASE_URL'] ?? '',
  }
  const master = { ENTREPOT_MASTER_KEY: 'c'.repeat(64) }
  const servers = await Promise.all(
    [first, second].map((env) => startServer({ ...env, ...master })),
  )
  const printed = servers.flatMap((server) => server.output().match(KEY) ?? [])
  assert.equal(printed.length, 1)
  for (const server of servers) {
    const { call } = caller(() => server.url)
    const users = await call('GET', '/users', { key: printed[0] ?? '' })
    assert.equal(users.body.meta.total, 1)
    assert.equal((await call('GET', '/plans', { key: printed[0] ?? '' })).body.meta.total, 4)
    assert.equal((await call('GET', '/keys', { key: printed[0] ?? '' })).body.meta.total, 1)
  }
})

/** A lost key is replaced while the server runs. */
async function issuesOnTheHost(server: TestServer, env: Record<string, string>) {
  const { code, output } = await runEntrepot(['keys', 'issue', '--admin', '--name', 'spare'], env)
  assert.equal(code, 0, output)
  const [key = ''] = output.match(KEY) ?? []
  const me = await caller(() => server.url).call('GET', '/me', { key })
  assert.equal(me.status, 200)
  assert.equal(me.body.data.access, 'admin')
  assert.equal(me.body.data.key.name, 'spare')
  await issuesBesideAClosedPlan(server, env, key)
}

/** Also one that a closed plan Internal would make useless. */
async function issuesBesideAClosedPlan(
  server: TestServer,
  env: Record<string, string>,
  key: string,
) {
  const { data } = caller(() => server.url)
  const open = { name: 'Open', requests_per_month: -1, requests_per_minute: -1 }
  const plan = await data('POST', '/plans', { key, body: open })
  const other = { plan_id: plan.id, access: 'admin' }
  const { key: second } = await data('POST', '/keys', { key, body: other })
  const { key: own } = await data('GET', '/me', { key })
  const closed = { key: second, body: { endpoints: [] } }
  await data('PATCH', `/plans/${own.plan_id}`, closed)
  const { output } = await runEntrepot(['keys', 'issue', '--admin'], env)
  const [issued = ''] = output.match(KEY) ?? []
  const repaired = { key: issued, body: { endpoints: ['*'] } }
  await data('PATCH', `/plans/${own.plan_id}`, repaired)
}

async function stop(server: TestServer) {
  server.signal('SIGTERM')
  await server.exited()
}

/** Those of the secrets that the log file holds. */
function logged(server: TestServer, ...secrets: (string | undefined)[]): string[] {
  const log = readFileSync(join(server.dataDir, 'logs', 'entrepot.log'), 'utf8')
  return secrets.flatMap((secret) => (secret && log.includes(secret) ? [secret] : []))
}
