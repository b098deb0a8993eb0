import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ADMIN_KEY, promptly } from '#test-kit'
import { accessSuite } from './support.ts'

const WRONG = `sk_${'w'.repeat(48)}`
const HOUR_MS = 3_600_000

export const authentication = accessSuite(
  'presenting a key',
  ({ kind, server, call, issueKey, createUser }) => {
    test('access 3: no key and a wrong key have exactly the bodies of the document', async () => {
      const none = await call('GET', '/me', { key: null })
      assert.equal(none.status, 401)
      assert.deepEqual(none.body, { error: 'API key required' })
      assert.equal(none.headers.get('www-authenticate'), 'Bearer realm="entrepot"')
      for (const key of [WRONG, 'sk_short', 'hello', `${ADMIN_KEY}x`, ADMIN_KEY.toLowerCase()]) {
        const wrong = await call('GET', '/me', { key })
        assert.equal(wrong.status, 401, key)
        assert.deepEqual(wrong.body, { error: 'Invalid API key' })
        assert.equal(
          wrong.headers.get('www-authenticate'),
          'Bearer realm="entrepot", error="invalid_token"',
        )
      }
    })

    test('access 3: header beats bearer beats query, and a wrong one is not passed over', async () => {
      const other = (await issueKey({ access: 'read' })).key
      const levelOf = async (path: string, headers: Record<string, string>) =>
        (await call('GET', path, { key: null, headers })).body.data?.access
      const bearer = (key: string) => `Bearer ${key}`
      const query = (key: string) => `/me?api_key=${key}`

      assert.equal(await levelOf('/me', { 'x-api-key': ADMIN_KEY }), 'admin')
      assert.equal(await levelOf('/me', { authorization: bearer(ADMIN_KEY) }), 'admin')
      assert.equal(await levelOf('/me', { authorization: `bearer   ${ADMIN_KEY}` }), 'admin')
      assert.equal(await levelOf(query(ADMIN_KEY), {}), 'admin')
      const both = { 'x-api-key': other, authorization: bearer(ADMIN_KEY) }
      assert.equal(await levelOf(query(ADMIN_KEY), both), 'read')
      assert.equal(await levelOf(query(ADMIN_KEY), { authorization: bearer(other) }), 'read')

      for (const [path, headers] of [
        ['/me', { 'x-api-key': WRONG, authorization: bearer(ADMIN_KEY) }],
        [query(ADMIN_KEY), { authorization: bearer(WRONG) }],
        [query(ADMIN_KEY), { 'x-api-key': WRONG }],
      ] as const) {
        const refused = await call('GET', path, { key: null, headers })
        assert.equal(refused.status, 401)
        assert.deepEqual(refused.body, { error: 'Invalid API key' })
      }
    })

    test('access 3: an empty value counts as absent', async () => {
      const empty = { 'x-api-key': '', authorization: 'Bearer ' }
      const found = await call('GET', `/me?api_key=${ADMIN_KEY}`, { key: null, headers: empty })
      assert.equal(found.status, 200)
      const none = await call('GET', '/me?api_key=', { key: null, headers: empty })
      assert.deepEqual(none.body, { error: 'API key required' })
    })

    test('access 3: unknown paths ask for a key first, then answer 404 or 405', async () => {
      assert.equal((await call('GET', '/nothing', { key: null })).status, 401)
      assert.equal((await call('GET', '/nothing')).body.error.code, 'route_not_found')
      assert.equal((await call('PATCH', '/me')).status, 405)
    })

    test('access 5: an expired key is told so, from its instant on and without a restart', async () => {
      const expires_at = new Date(Date.now() + HOUR_MS).toISOString()
      const owner = await createUser(`expiring-${kind}@example.com`)
      const { id, key } = await issueKey({ expires_at, user_id: owner.id })
      assert.equal((await call('GET', '/me', { key })).status, 200)
      await server().setClockOffset(HOUR_MS + 1_000)
      try {
        const refused = await call('GET', '/me', { key })
        assert.equal(refused.status, 403)
        assert.deepEqual(refused.body, {
          error: 'API key expired',
          code: 'key_expired',
          expired_at: expires_at,
        })
        assert.equal((await call('GET', `/keys/${id}`)).body.data.status, 'expired')
        const expired = await call('GET', `/keys?status=expired&user_id=${owner.id}`)
        assert.deepEqual(
          expired.body.data.map((each: { id: number }) => each.id),
          [id],
        )

        const later = new Date(Date.now() + 3 * HOUR_MS).toISOString()
        const revived = await call('PATCH', `/keys/${id}`, { body: { expires_at: later } })
        assert.equal(revived.body.data.status, 'active')
        assert.equal((await call('GET', '/me', { key })).status, 200)
      } finally {
        await server().setClockOffset(0)
      }
    })

    test('access 5: one second ahead turns into 403 one second later', async () => {
      const expiresAtMs = Date.now() + HOUR_MS
      const { key } = await issueKey({ expires_at: new Date(expiresAtMs).toISOString() })
      await server().setClockOffset(expiresAtMs - 1_000 - Date.now())
      try {
        const refused = async () => (await call('GET', '/me', { key })).status === 403
        await promptly(3_000, refused)
      } finally {
        await server().setClockOffset(0)
      }
    })

    test('access 5: revoked, rotated-out and disabled-owner keys are told why', async () => {
      const revoked = await issueKey()
      await call('POST', `/keys/${revoked.id}/revoke`, { body: { reason: 'leaked' } })
      assert.deepEqual((await call('GET', '/me', { key: revoked.key })).body, {
        error: 'API key revoked',
        code: 'key_revoked',
      })

      const rotated = await issueKey()
      await call('POST', `/keys/${rotated.id}/rotate`, { body: { grace_seconds: 0 } })
      const out = await call('GET', '/me', { key: rotated.key })
      assert.equal(out.status, 403)
      assert.deepEqual(out.body, { error: 'API key was rotated', code: 'key_rotated' })

      const user = await createUser(`off-${kind}@example.com`)
      const owned = await issueKey({ user_id: user.id })
      assert.equal((await call('GET', '/me', { key: owned.key })).status, 200)
      await call('PATCH', `/users/${user.id}`, { body: { status: 'disabled' } })
      assert.deepEqual((await call('GET', '/me', { key: owned.key })).body, {
        error: 'Account disabled',
        code: 'user_disabled',
      })
      await call('PATCH', `/users/${user.id}`, { body: { status: 'active' } })
      assert.equal((await call('GET', '/me', { key: owned.key })).status, 200)
    })

    test('access 5: only the full secret is told why, its prefix is not', async () => {
      const { id, key } = await issueKey()
      await call('DELETE', `/keys/${id}`)
      const guess = `${key.slice(0, 8)}${'g'.repeat(43)}`
      const refused = await call('GET', '/me', { key: guess })
      assert.equal(refused.status, 401)
      assert.deepEqual(refused.body, { error: 'Invalid API key' })
    })

    test('a key that was wrong a moment ago works once it was issued', async () => {
      const { id, key } = await issueKey()
      const rotated = await call('POST', `/keys/${id}/rotate`)
      assert.equal((await call('GET', '/me', { key: WRONG })).status, 401)
      assert.equal((await call('GET', '/me', { key: rotated.body.data.key })).status, 200)
      assert.equal((await call('GET', '/me', { key })).status, 200)
    })

    test('a demoted owner lowers the level of all keys at once', async () => {
      const user = await createUser(`demoted-${kind}@example.com`, { access: 'admin' })
      const { key } = await issueKey({ user_id: user.id, access: 'admin' })
      assert.equal((await call('GET', '/users', { key })).status, 200)
      await call('PATCH', `/users/${user.id}`, { body: { access: 'read' } })
      const refused = await call('GET', '/users', { key })
      assert.equal(refused.status, 403)
      assert.deepEqual(refused.body, {
        error: {
          code: 'forbidden',
          message: 'This operation needs admin access',
          required: 'admin',
        },
      })
    })
  },
)
