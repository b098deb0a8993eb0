import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAccess, type FindToken } from '#access'
import {
  createBus,
  createHttpServer,
  createIds,
  createLocalBus,
  createOutbox,
  createRevisions,
  createSharedCounters,
  type HttpApp,
  random,
  renderError,
} from '#kernel'
import { type DatabaseKind, eachDatabase, openTestDatabase, silentLog } from '#test-kit'

const ADMIN_KEY = `sk_${'a'.repeat(48)}`

eachDatabase('access', (kind) => {
  test('a ticket opens a stream once, with the rights of what asked for it', async () => {
    const { app, ask } = await open(kind)
    const ticket = async (headers: Record<string, string>) =>
      (await ask('POST', '/stream-tickets', { headers })).json().data.ticket
    const admin = { 'x-api-key': ADMIN_KEY }

    const first = await ticket(admin)
    assert.match(first, /^st_[A-Za-z0-9]{32}$/)
    const uses = await Promise.all(
      Array.from({ length: 5 }, () => ask('GET', `/stream?ticket=${first}`, NO_KEY)),
    )
    assert.deepEqual(uses.map(({ statusCode }) => statusCode).sort(), [200, 401, 401, 401, 401])
    const opened = uses.find(({ statusCode }) => statusCode === 200)?.json()
    assert.deepEqual(
      [opened.kind, opened.access, typeof opened.apiKeyId],
      ['ticket', 'admin', 'number'],
    )
    assert.deepEqual(uses.find(({ statusCode }) => statusCode === 401)?.json(), {
      error: 'Invalid API key',
    })

    const elsewhere = await ask('GET', `/me?ticket=${await ticket(admin)}`, NO_KEY)
    assert.deepEqual([elsewhere.statusCode, elsewhere.json()], [401, { error: 'API key required' }])
    await app.close()
  })

  test('a ticket ends after a minute, and with the key that asked for it', async () => {
    const { app, ask, clock, issue } = await open(kind)
    const late = (await ask('POST', '/stream-tickets')).json().data
    clock.setOffset(60_001)
    assert.equal((await ask('GET', `/stream?ticket=${late.ticket}`, NO_KEY)).statusCode, 401)
    clock.setOffset(0)

    const { id, key } = await issue('read')
    const asked = await ask('POST', '/stream-tickets', { headers: { 'x-api-key': key } })
    await ask('DELETE', `/keys/${id}`)
    const refused = await ask('GET', `/stream?ticket=${asked.json().data.ticket}`, NO_KEY)
    assert.deepEqual([refused.statusCode, refused.json().code], [403, 'key_revoked'])
    await app.close()
  })

  test('a ticket of a sign-in below admin opens what the sign-in opens', async () => {
    const { app, ask } = await open(kind)
    const login = { email: 'r@example.com', password: 'long enough' }
    await ask('POST', '/users', { payload: login })
    const signedIn = await ask('POST', '/sign-in', { ...NO_KEY, payload: login })
    const cookie = String(signedIn.headers['set-cookie']).split(';', 1)[0] ?? ''
    const ticket = async () =>
      (await ask('POST', '/stream-tickets', { headers: { cookie } })).json().data.ticket
    const refused = await ask('GET', `/stream?ticket=${await ticket()}`, NO_KEY)
    assert.deepEqual([refused.statusCode, refused.json().error.code], [403, 'key_required'])
    const allowed = await ask('GET', `/usage/stream?ticket=${await ticket()}`, NO_KEY)
    assert.deepEqual([allowed.json().access, allowed.json().apiKeyId], ['read', null])
    await app.close()
  })

  test('an access token calls as the key of its client, with the level it was granted', async () => {
    const granted = new Map<string, { keyId: number; access: 'read' | 'write' }>()
    const { app, ask, access } = await open(kind, async (token) => granted.get(token) ?? null)
    const record = await access.keys.createRecord({
      kind: 'oauth',
      userId: 1,
      planId: 1,
      access: 'write',
      name: 'client',
    })
    assert.equal(record.prefix, null)
    const token = `at_${'t'.repeat(48)}`
    granted.set(token, { keyId: record.id, access: 'read' })
    const by = { headers: { authorization: `Bearer ${token}` } }
    const me = (await ask('GET', '/me', by)).json().data
    assert.deepEqual(
      [me.kind, me.access, me.key.id, me.key.kind],
      ['oauth', 'read', record.id, 'oauth'],
    )
    for (const headers of [{ 'x-api-key': token }, { authorization: 'Bearer at_unknown' }]) {
      const refused = await ask('GET', '/me', { headers })
      assert.deepEqual([refused.statusCode, refused.json()], [401, { error: 'Invalid API key' }])
    }
    const rotated = await ask('POST', `/keys/${record.id}/rotate`)
    assert.equal(rotated.json().error.code, 'key_without_secret')
    await ask('DELETE', `/keys/${record.id}`)
    assert.equal((await ask('GET', '/me', by)).statusCode, 401)
    await app.close()
  })

  test('a hundred thousand keys do not change the time of a check', async () => {
    const { app, ask, database, issue } = await open(kind)
    const keys: string[] = []
    for (let n = 0; n < 200; n++) keys.push((await issue('read')).key)
    const few = await firstUse(keys.slice(0, 100))
    const row = (n: number) => ({
      user_id: 1,
      plan_id: 1,
      kind: 'key',
      key_hash: `${n}`.padStart(64, '0'),
      key_prefix: `sk_${random.text(5)}`,
      access: 'read',
      status: 'active',
      created_at: 0,
      revision: 0,
    })
    for (let at = 0; at < 100_000; at += 500) {
      const rows = Array.from({ length: 500 }, (_, n) => row(at + n))
      await database.main.writer.insertInto('access_keys').values(rows).execute()
    }
    const many = await firstUse(keys.slice(100))
    assert.ok(many < few * 2 + 1, `${many} ms against ${few} ms`)
    await app.close()

    /** The median time of a request with a key that has not been used before. */
    async function firstUse(fresh: readonly string[]): Promise<number> {
      const times: number[] = []
      for (const key of fresh) {
        const startedMs = performance.now()
        const answer = await ask('GET', '/nothing', { headers: { 'x-api-key': key } })
        times.push(performance.now() - startedMs)
        assert.equal(answer.statusCode, 404)
      }
      return times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0
    }
  })
})

const NO_KEY = { headers: {} }

interface Asked {
  readonly headers?: Record<string, string>
  readonly payload?: object
}

/** The whole module on a database of its own, asked without a network. */
async function open(kind: DatabaseKind, findToken?: FindToken) {
  const { database, clock } = await openTestDatabase(kind)
  const ids = createIds({ clock, random })
  const log = silentLog
  const local = createLocalBus({ channel: ids.uuid(), log })
  const bus = await createBus({ local, nodeId: ids.uuid(), log })
  const revisions = createRevisions({ bus, log, pollFrom: database.main })
  const access = await createAccess({
    db: database,
    clock,
    random,
    log,
    revisions,
    counters: createSharedCounters({ clock, capacity: 1024, ownerId: 1 }),
    settings: { describe: () => ({}), patch: async () => {} },
    appendEvents: createOutbox({ ids, clock, bus }).appendAll,
    basic: false,
    publicUrl: undefined,
    ...(findToken ? { findToken } : {}),
  })
  await access.firstStart({ email: 'admin@localhost', password: 'password', key: ADMIN_KEY })
  const plugin = async (app: HttpApp) => {
    access.guard(app)
    await access.routes(app)
    for (const path of ['/stream', '/usage/stream']) {
      app.get(path, { config: { access: 'read', ticket: true } }, async ({ actor }) => actor)
    }
    app.addHook('onClose', async () => {
      await access.close()
      revisions.close()
      await bus.close()
    })
  }
  const mounts = [{ prefix: '/api/v1', renderError, plugin }]
  const app = await createHttpServer({ log, ids, mounts })
  return { app, access, database, clock, ask, issue }

  function ask(method: 'GET' | 'POST' | 'DELETE', path: string, asked: Asked = {}) {
    const headers = asked.headers ?? { 'x-api-key': ADMIN_KEY }
    const payload = asked.payload ? { payload: asked.payload } : {}
    return app.inject({ method, url: `/api/v1${path}`, headers, ...payload })
  }

  async function issue(level: string): Promise<{ id: number; key: string }> {
    const payload = { plan_id: 1, access: level }
    return (await ask('POST', '/keys', { payload })).json().data
  }
}
