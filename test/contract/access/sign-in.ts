import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { accessSuite, caller } from './support.ts'

const PASSWORD = 'correct horse battery'
const MINUTE_MS = 60_000

const basic = (email: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${email}:${password}`).toString('base64')}`,
})

export const passwords = accessSuite(
  'passwords',
  ({ kind, server, call, createUser, issueKey }) => {
    let reader = ''
    let admin = ''

    before(async () => {
      await createUser('reader@example.com', { password: PASSWORD })
      await createUser('admin2@example.com', { password: PASSWORD, access: 'admin' })
      reader = await signIn('reader@example.com')
      admin = await signIn('admin2@example.com')
    })

    async function signIn(email: string): Promise<string> {
      const answer = await call('POST', '/sign-in', {
        key: null,
        body: { email, password: PASSWORD },
      })
      assert.equal(answer.status, 200)
      return (answer.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? ''
    }

    const by = (cookie: string, more: Record<string, string> = {}) => ({
      key: null,
      headers: { cookie, ...more },
    })

    test('access 14: works where it is on, with the level of the user and no key', async () => {
      await createUser('Dev@example.com', { access: 'write', password: PASSWORD })
      const headers = basic('dev@EXAMPLE.com', PASSWORD)
      for (const _ of [1, 2]) {
        const me = await call('GET', '/me', { key: null, headers })
        assert.equal(me.status, 200)
        const { kind, access, key, plan, limits } = me.body.data
        assert.deepEqual([kind, access, key, plan, limits], ['basic', 'write', null, null, null])
      }
      for (const wrong of [
        basic('dev@example.com', 'wrong'),
        basic('nobody@example.com', PASSWORD),
        { authorization: 'Basic !!!' },
        { authorization: 'Basic' },
      ]) {
        const refused = await call('GET', '/me', { key: null, headers: wrong })
        assert.deepEqual([refused.status, refused.body], [401, { error: 'Invalid API key' }])
      }
      const keyFirst = await call('GET', '/me', { headers })
      assert.equal(keyFirst.body.data.kind, 'key')
    })

    test('access 14: a changed password and a disabled user end it at once', async () => {
      const user = await createUser('changing@example.com', { password: PASSWORD })
      const headers = basic('changing@example.com', PASSWORD)
      assert.equal((await call('GET', '/me', { key: null, headers })).status, 200)
      await call('PATCH', `/users/${user.id}`, { body: { password: 'another one' } })
      assert.equal((await call('GET', '/me', { key: null, headers })).status, 401)
      const fresh = basic('changing@example.com', 'another one')
      assert.equal((await call('GET', '/me', { key: null, headers: fresh })).status, 200)
      await call('PATCH', `/users/${user.id}`, { body: { status: 'disabled' } })
      const refused = await call('GET', '/me', { key: null, headers: fresh })
      assert.deepEqual([refused.status, refused.body.code], [403, 'user_disabled'])
    })

    test('access 14: the cookie has its attributes, the answer its user, and no cache keeps it', async () => {
      const body = { email: 'READER@example.com', password: PASSWORD }
      const answer = await call('POST', '/sign-in', { key: null, body })
      const [cookie = '', ...attributes] = (answer.headers.get('set-cookie') ?? '').split('; ')
      assert.match(cookie, /^entrepot_signin=\w{40,}$/)
      assert.deepEqual(attributes, ['Path=/', 'Max-Age=604800', 'HttpOnly', 'SameSite=Lax'])
      assert.equal(answer.headers.get('cache-control'), 'no-store')
      assert.equal(answer.body.data.user.email, 'reader@example.com')
      assert.ok(Date.parse(answer.body.data.expires_at) > Date.now())
      assert.equal('password' in answer.body.data.user, false)

      const seen = await call('GET', '/sign-in', by(cookie))
      assert.equal(seen.body.data.expires_at, answer.body.data.expires_at)
      const ended = await call('DELETE', '/sign-in', by(cookie))
      assert.equal(ended.status, 204)
      assert.match(ended.headers.get('set-cookie') ?? '', /^entrepot_signin=; .*Max-Age=0/)
      assert.equal((await call('GET', '/sign-in', by(cookie))).status, 401)
      assert.equal((await call('GET', '/sign-in')).status, 403)
    })

    test('access 14: signing out ends the event streams of that session, and of no other', async () => {
      const mine = await signIn('admin2@example.com')
      const paths = ['/api/v1/usage/stream', '/webhooks/stream']
      const leaving = new AbortController()
      const { signal } = leaving
      const open = (cookie: string) =>
        Promise.all(paths.map((path) => fetch(server().url + path, { ...by(cookie), signal })))
      const others = await open(admin)
      const streams = await open(mine)
      for (const { status } of [...others, ...streams]) assert.equal(status, 200)
      const outcomes = others.map((stream) =>
        stream.text().then(
          () => 'ended',
          () => 'left',
        ),
      )
      assert.equal((await call('DELETE', '/sign-in', by(mine))).status, 204)
      await Promise.all(streams.map((stream) => stream.text()))
      leaving.abort()
      assert.deepEqual(await Promise.all(outcomes), ['left', 'left'])
    })

    test('access 14: works from our own pages, is refused from those of others', async () => {
      const { id } = await issueKey({ name: 'by cookie' })
      const path = `/keys/${id}`
      const body = { name: 'renamed' }
      const { url } = server()
      const { call } = caller(() => url)
      const { host } = new URL(url)
      const own: Record<string, string>[] = [
        {},
        { origin: `http://${host}` },
        { 'sec-fetch-site': 'same-origin', origin: `http://${host}` },
      ]
      for (const more of own) {
        assert.equal((await call('PATCH', path, { ...by(admin, more), body })).status, 200)
      }
      const foreign: Record<string, string>[] = [
        { origin: 'https://evil.example' },
        { origin: `http://${host}.evil.example` },
        { origin: 'null' },
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
        { origin: `http://${host}`, 'sec-fetch-site': 'cross-site' },
      ]
      for (const more of foreign) {
        const refused = await call('PATCH', path, { ...by(admin, more), body })
        assert.deepEqual([refused.status, refused.body.error.code], [403, 'cross_site_request'])
      }
      const read = await call('GET', path, by(admin, { origin: 'https://evil.example' }))
      assert.equal(read.status, 200)
      const withKey = { body, headers: { origin: 'https://evil.example' } }
      assert.equal((await call('PATCH', path, withKey)).status, 200)
    })

    test('access 14: of a read user it opens only what needs no plan, and own subscriptions', async () => {
      for (const path of ['/me', '/keys', '/plans', '/plans/1', '/sign-in']) {
        assert.equal((await call('GET', path, by(reader))).status, 200, path)
      }
      assert.equal((await call('POST', '/stream-tickets', by(reader))).status, 201)
      for (const path of ['/settings/limits', '/users', '/nothing', '/keys/../users']) {
        const refused = await call('GET', path, by(reader))
        assert.deepEqual([refused.status, refused.body.error.code], [403, 'key_required'], path)
      }
      assert.equal((await call('GET', '/settings/limits', by(admin))).status, 200)
      const subscriptions = await fetch(`${server().url}/webhooks/subscriptions`, by(reader))
      assert.equal(subscriptions.status, 200)
      const me = await call('GET', '/me', by(reader))
      assert.deepEqual([me.body.data.kind, me.body.data.key], ['cookie', null])
    })

    test('access 14: of a write user it opens what that level does, of a read user no sold content', async () => {
      const names = { singularName: 'sold-thing', pluralName: 'sold-things', displayName: 'Sold' }
      const attributes = { title: { type: 'string' } }
      const type = { ...names, attributes, publicRead: false }
      assert.equal((await call('POST', '/content-types', { body: type })).status, 201)
      await createUser('signed-in-writer@example.com', { password: PASSWORD, access: 'write' })
      const writer = await signIn('signed-in-writer@example.com')
      const body = { title: 'By the console' }
      const made = await call('POST', '/sold-things', { ...by(writer), body })
      assert.equal(made.status, 201, JSON.stringify(made.body))
      assert.equal((await call('GET', '/sold-things', by(writer))).status, 200)
      for (const path of ['/users', '/settings/limits']) {
        const refused = await call('GET', path, by(writer))
        assert.deepEqual([refused.status, refused.body.error.required], [403, 'admin'], path)
      }
      const foreign = { ...by(writer, { origin: 'https://evil.example' }), body }
      assert.equal((await call('POST', '/sold-things', foreign)).status, 403)

      const refused = await call('GET', '/sold-things', by(reader))
      assert.deepEqual([refused.status, refused.body.error.code], [403, 'key_required'])
      const elsewhere = await fetch(`${server().url}/api/sold-things`, by(reader))
      assert.equal(elsewhere.status, 403)
      assert.equal((await call('POST', '/sold-things', { ...by(reader), body })).status, 403)
      assert.equal((await call('DELETE', '/content-types/sold-thing?force=true')).status, 204)
    })

    test('access 14: an admin’s opens the administration of the gateway, to our own pages only', async () => {
      for (const path of ['/gateway/admin/routes', '/gateway/control/v1/healthcheck']) {
        const { url } = server()
        const ask = async (cookie: string, more: Record<string, string> = {}) =>
          (await fetch(`${url}${path}`, by(cookie, more))).status
        const origin = new URL(url).origin
        assert.equal(await ask(admin), 200, path)
        assert.equal(await ask(admin, { origin, 'sec-fetch-site': 'same-origin' }), 200)
        assert.equal(await ask(admin, { 'sec-fetch-site': 'cross-site' }), 403)
        assert.equal(await ask(admin, { origin: 'https://evil.example' }), 403)
        assert.equal(await ask(reader), 403)
        assert.equal(await ask('entrepot_signin=abc'), 401)
      }
    })

    test('access 14: an unknown or expired cookie is no credential', async () => {
      const unknown = await call('GET', '/me', by('entrepot_signin=abc'))
      assert.deepEqual([unknown.status, unknown.body], [401, { error: 'API key required' }])
      await server().setClockOffset(8 * 24 * 60 * MINUTE_MS)
      assert.equal((await call('GET', '/me', by(reader))).status, 401)
      await server().setClockOffset(0)
      assert.equal((await call('GET', '/me', by(reader))).status, 200)
    })

    test('access 14: ten failures for an address end guessing for a quarter of an hour', async () => {
      const attempt = (email: string, password: string) =>
        call('POST', '/sign-in', { key: null, body: { email, password } })
      await createUser('victim@example.com', { password: PASSWORD })
      // Time moves first: the tries of the other tests came from the same address.
      await server().setClockOffset(30 * MINUTE_MS)
      for (const _ of Array.from({ length: 10 })) {
        const wrong = await attempt('victim@example.com', 'guess')
        assert.deepEqual([wrong.status, wrong.body.error.code], [401, 'invalid_credentials'])
      }
      const limited = await attempt('victim@example.com', PASSWORD)
      assert.equal(limited.status, 429)
      const wait = Number(limited.headers.get('retry-after'))
      assert.ok(wait > 800 && wait <= 900, String(wait))
      const elsewhere = await attempt('reader@example.com', PASSWORD)
      assert.equal(elsewhere.status, 429, 'the address is limited too')

      await server().setClockOffset(46 * MINUTE_MS)
      assert.equal((await attempt('victim@example.com', PASSWORD)).status, 200)
      for (const _ of Array.from({ length: 15 })) {
        assert.equal((await attempt('victim@example.com', PASSWORD)).status, 200)
      }
      await server().setClockOffset(0)
    })

    // Shared counters are exact only while their store answers in time, which a busy machine may not.
    if (kind === 'sqlite') {
      test('access 14: guessing at once gets no more tries', async () => {
        await server().setClockOffset(70 * MINUTE_MS)
        const body = { email: 'reader@example.com', password: 'guess' }
        const answers = await Promise.all(
          Array.from({ length: 30 }, () => call('POST', '/sign-in', { key: null, body })),
        )
        assert.equal(answers.filter(({ status }) => status === 401).length, 10)
        assert.equal(answers.filter(({ status }) => status === 429).length, 20)
        await server().setClockOffset(0)
      })
    }

    test('access 14: whoever is right is let in, however many sign in from there at the same time', async () => {
      await server().setClockOffset(62 * MINUTE_MS)
      const body = { email: 'reader@example.com', password: PASSWORD }
      const answers = await Promise.all(
        Array.from({ length: 30 }, () => call('POST', '/sign-in', { key: null, body })),
      )
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
      await server().setClockOffset(0)
    })

    test('access 14: an unknown address takes as long as a wrong password', async () => {
      await server().setClockOffset(90 * MINUTE_MS)
      // The quickest of each: whatever else the machine does only adds to the others.
      const quickest = { known: Number.POSITIVE_INFINITY, unknown: Number.POSITIVE_INFINITY }
      for (const _ of [1, 2, 3, 4]) {
        quickest.known = Math.min(quickest.known, await timeOf('reader@example.com'))
        quickest.unknown = Math.min(quickest.unknown, await timeOf('stranger@example.com'))
      }
      await server().setClockOffset(0)
      const ratio = quickest.unknown / quickest.known
      assert.ok(ratio > 0.4 && ratio < 2.5, `ratio ${ratio}`)
    })

    test('a disabled user is signed out and cannot sign in', async () => {
      await server().setClockOffset(150 * MINUTE_MS)
      const user = await createUser('leaving@example.com', { password: PASSWORD })
      const cookie = await signIn('leaving@example.com')
      await call('PATCH', `/users/${user.id}`, { body: { status: 'disabled' } })
      assert.equal((await call('GET', '/me', by(cookie))).status, 401)
      const body = { email: 'leaving@example.com', password: PASSWORD }
      const refused = await call('POST', '/sign-in', { key: null, body })
      assert.deepEqual([refused.status, refused.body.code], [403, 'user_disabled'])
      await server().setClockOffset(0)
    })

    async function timeOf(email: string): Promise<number> {
      const startedMs = performance.now()
      await call('POST', '/sign-in', { key: null, body: { email, password: 'wrong' } })
      return performance.now() - startedMs
    }
  },
)
