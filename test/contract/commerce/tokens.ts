import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { until } from '#test-kit'
import { ADMIN_EMAIL, ADMIN_PASSWORD, commerceSuite } from './support.ts'

const MINUTE_MS = 60_000
const TOKEN = '/V1/integration/admin/token'

export const tokens = commerceSuite('tokens', (commerce) => {
  const { call, ok, refused, server } = commerce
  const login = { username: ADMIN_EMAIL, password: ADMIN_PASSWORD }
  const ask = (body: unknown, path = TOKEN) => call('POST', path, { key: null, body })
  const bearer = (token: string) => ({ key: null, headers: { authorization: `Bearer ${token}` } })

  const user = (email: string, access = 'write') =>
    ok('POST', '/api/v1/users', { body: { email, password: 'right password', access } })
  const wrong = (username: string) => ask({ username, password: 'wrong' })
  const right = (username: string) => ask({ username, password: 'right password' })
  const times = async (count: number, act: () => Promise<{ status: number }>) => {
    for (let at = 0; at < count; at++) assert.equal((await act()).status, 401)
  }

  before(async () => {
    await ok('POST', '/rest/V1/products', { body: { product: { sku: 'T', name: 'T', price: 1 } } })
  })

  test('commerce 1: a token by all path forms is a bare text and works as Bearer at once', async () => {
    const forms = [
      TOKEN,
      `/rest${TOKEN}`,
      `/rest/default${TOKEN}`,
      `/rest/all${TOKEN}`,
      `/index.php/rest${TOKEN}`,
      `/rest/v1/integration/admin/token/`,
    ]
    for (const form of forms) {
      const { status, body, headers } = await ask(login, form)
      assert.equal(status, 200, form)
      assert.match(body, /^[a-z0-9]{32}$/)
      assert.equal(headers.get('cache-control'), 'no-store')
      assert.match(headers.get('content-type') ?? '', /^application\/json; ?charset=utf-8$/)
      assert.equal((await call('GET', '/rest/V1/products/T', bearer(body))).status, 200)
    }
    assert.equal((await call('POST', '/v1/integration/admin/token', { body: login })).status, 404)
  })

  test('commerce 1: any number at the same time get theirs', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(login)))
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
    assert.equal(new Set(answers.map(({ body }) => body)).size, 20)
  })

  test('commerce 1: it works 59 minutes later and no longer after 60', async () => {
    const { body: token } = await ask(login)
    const status = async () => (await call('GET', '/rest/V1/products/T', bearer(token))).status
    try {
      await server().setClockOffset(59 * MINUTE_MS)
      assert.equal(await status(), 200)
      await server().setClockOffset(60 * MINUTE_MS)
      assert.equal(await status(), 401)
      const anew = await call('POST', TOKEN, { ...bearer(token), body: login })
      assert.equal(anew.status, 200, 'an expired token keeps nobody from the next one')
    } finally {
      await server().setClockOffset(0)
    }
  })

  test('commerce 1: missing fields are 400, a wrong password or too low a level 401, all alike', async () => {
    const send = (body: unknown) => ({ key: null, body })
    assert.deepEqual(await refused(400, 'POST', TOKEN, send({ password: 'x' })), {
      message: '"%fieldName" is required.',
      parameters: { fieldName: 'username' },
    })
    const both = await refused(400, 'POST', TOKEN, send({ username: '' }))
    assert.equal(both.errors.length, 2)
    await user('reader@example.org', 'read')
    const bodies = [
      await refused(401, 'POST', TOKEN, send({ ...login, password: 'wrong' })),
      await refused(401, 'POST', TOKEN, send({ username: 'nobody@example.org', password: 'x' })),
      await refused(
        401,
        'POST',
        TOKEN,
        send({ username: 'reader@example.org', password: 'right password' }),
      ),
    ]
    assert.equal(new Set(bodies.map((body) => JSON.stringify(body))).size, 1)
    await ask(login)
  })

  test('commerce 1: a token carries the level of its user and ends with access or password', async () => {
    const { data } = await user('writer@example.org')
    const { body: token } = await right('writer@example.org')
    const body = { product: { sku: 'T', price: 2 } }
    assert.equal((await call('POST', '/rest/V1/products', { ...bearer(token), body })).status, 200)
    const admin = await call('GET', '/api/v1/integrations', bearer(token))
    assert.equal(admin.status, 401)
    await ok('PATCH', `/api/v1/users/${data.id}`, { body: { password: 'another password' } })
    assert.equal((await call('GET', '/rest/V1/products/T', bearer(token))).status, 401)
    const again = await ask({ username: 'writer@example.org', password: 'another password' })
    await ok('PATCH', `/api/v1/users/${data.id}`, { body: { status: 'disabled' } })
    assert.equal((await call('GET', '/rest/V1/products/T', bearer(again.body))).status, 401)
  })

  test('commerce 2: 5 wrong and the right password give a token, 6 lock the name for 30 minutes', async () => {
    await user('five@example.org')
    await user('six@example.org')
    await times(5, () => wrong('five@example.org'))
    assert.equal((await right('five@example.org')).status, 200)
    await times(5, () => wrong('five@example.org'))
    assert.equal((await right('five@example.org')).status, 200)
    await times(6, () => wrong('six@example.org'))
    const locked = await right('SIX@example.org')
    assert.equal(locked.status, 401)
    await times(7, () => wrong('unknown@example.org'))
    assert.deepEqual((await wrong('unknown@example.org')).body, locked.body)
    assert.equal((await right('five@example.org')).status, 200)
    const told = () => server().log().split('sign-ins for a token locked').length - 1
    await until(() => told() === 2, { what: 'each locked name in the log, once' })
    try {
      await server().setClockOffset(29 * MINUTE_MS)
      assert.equal((await right('six@example.org')).status, 401)
      await server().setClockOffset(31 * MINUTE_MS)
      assert.equal((await right('six@example.org')).status, 200)
    } finally {
      await server().setClockOffset(0)
    }
  })

  test('commerce 2: however a name is written, its failures are counted together', async () => {
    await user('folded@example.org')
    for (const name of ['folded@example.org', 'FOLDED@example.org', 'Folded@Example.ORG']) {
      await times(2, () => wrong(name))
    }
    assert.equal((await right('folded@example.org')).status, 401)
  })

  test('commerce 2: many guesses at once get no more tries, and a restart unlocks nobody', async () => {
    await user('many@example.org')
    const guesses = Array.from({ length: 12 }, () => wrong('many@example.org'))
    assert.ok((await Promise.all(guesses)).every(({ status }) => status === 401))
    await server().kill()
    await server().restart()
    assert.equal((await right('many@example.org')).status, 401)
  })
})
