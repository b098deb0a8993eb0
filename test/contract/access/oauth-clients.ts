import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, basic, oauthOf } from './oauth-kit.ts'
import { accessSuite } from './support.ts'

const GRANT = { grant_type: 'client_credentials' }

export const oauthClients = accessSuite('OAuth clients', (access) => {
  const oauth = oauthOf(access)
  const { asAdmin, api, adminKey } = oauth
  const me = (bearer: string) => api(bearer, 'GET', '/me')
  const create = (body: Record<string, unknown>) => api(adminKey, 'POST', '/oauth/clients', body)

  test('access 13: the secret is shown once, with a key record that cannot be used', async () => {
    const plan_id = await oauth.plan()
    const user_id = await oauth.user('write')
    const input = { name: 'Acme', user_id, plan_id, scopes: ['write', 'read'] }
    const created = await create(input)
    assert.equal(created.status, 201)
    assert.equal(created.headers.get('cache-control'), 'no-store')
    const { client_secret, ...client } = Object(created.json['data'])
    assert.match(client_secret, /^cs_[A-Za-z0-9]{48}$/)
    assert.match(client.client_id, /^cl_[A-Za-z0-9]{24}$/)
    const { id, client_id, api_key_id, created_at, updated_at, ...rest } = client
    assert.deepEqual(rest, {
      ...input,
      scopes: ['read', 'write'],
      disabled: false,
      secret_rotated_at: null,
    })
    assert.match(created_at, /^\d{4}-.*\.\d{3}Z$/)
    assert.equal(updated_at, created_at)

    const location = created.headers.get('location') ?? ''
    assert.equal(location, `/api/v1/oauth/clients/${id}`)
    for (const path of [`/oauth/clients/${id}`, `/oauth/clients/${client_id}`]) {
      assert.deepEqual(await asAdmin('GET', path), client)
    }
    const listed = await api(adminKey, 'GET', `/oauth/clients?user_id=${user_id}`)
    assert.deepEqual(listed.json['data'], [client])
    assert.equal(listed.headers.get('x-total-count'), '1')
    const key = await asAdmin('GET', `/keys/${api_key_id}`)
    assert.equal(key['kind'], 'oauth')
    assert.equal(key['key_prefix'], null)
    assert.equal(key['access'], 'write')
    assert.equal(key['plan_id'], plan_id)
    const rotated = await api(adminKey, 'POST', `/keys/${api_key_id}/rotate`)
    assert.equal(rotated.status, 409)
  })

  test('access 13: left out, the user is the caller and the scope is read', async () => {
    const { data } = (await create({ name: 'x', plan_id: await oauth.plan() })).json
    const { user } = Object((await me(adminKey)).json['data'])
    assert.equal(Object(data).user_id, user.id)
    assert.deepEqual(Object(data).scopes, ['read'])
  })

  test('access 13: only an admin sees or changes clients', async () => {
    const client = await oauth.client()
    const token = await oauth.token(client)
    const calls: [string, string, Record<string, unknown>?][] = [
      ['GET', '/oauth/clients'],
      ['POST', '/oauth/clients', { name: 'x', plan_id: 1 }],
      ['GET', `/oauth/clients/${client.id}`],
      ['PATCH', `/oauth/clients/${client.id}`, { name: 'x' }],
      ['POST', `/oauth/clients/${client.id}/rotate-secret`],
      ['DELETE', `/oauth/clients/${client.id}`],
    ]
    for (const [method, path, body] of calls) {
      const answer = await api(token, method, path, body)
      assert.equal(answer.status, 403, `${method} ${path}`)
      assert.equal(codeOf(answer), 'forbidden')
    }
    assert.equal((await me(token)).status, 200)
  })

  test('access 13: bad input is named and creates nothing', async () => {
    const user_id = await oauth.user('read')
    const good = { name: 'x', user_id, plan_id: await oauth.plan(), scopes: ['read'] }
    const cases: [Record<string, unknown>, number, string, string][] = [
      [{ name: undefined }, 400, 'validation_error', 'name'],
      [{ name: '' }, 400, 'validation_error', 'name'],
      [{ name: 'x'.repeat(201) }, 400, 'validation_error', 'name'],
      [{ plan_id: undefined }, 400, 'validation_error', 'plan_id'],
      [{ plan_id: '1' }, 400, 'validation_error', 'plan_id'],
      [{ scopes: [] }, 400, 'validation_error', 'scopes'],
      [{ scopes: ['read', 'read'] }, 400, 'validation_error', 'scopes'],
      [{ scopes: ['openid'] }, 400, 'validation_error', 'scopes.0'],
      [{ scopes: 'read' }, 400, 'validation_error', 'scopes'],
      [{ client_secret: 'mine' }, 400, 'unknown_field', 'client_secret'],
      [{ user_id: 999_999 }, 422, 'unknown_user', 'user_id'],
      [{ plan_id: 999_999 }, 422, 'unknown_plan', 'plan_id'],
      [{ scopes: ['write'] }, 422, 'access_exceeds_user', 'scopes'],
    ]
    for (const [wrong, status, code, field] of cases) {
      const answer = await create({ ...good, ...wrong })
      assert.equal(answer.status, status, answer.text)
      assert.equal(codeOf(answer), code)
      assert.equal(Object(answer.json['error']).details[0].field, field)
    }
    const listed = await api(adminKey, 'GET', `/oauth/clients?user_id=${user_id}`)
    assert.deepEqual(listed.json['data'], [])
    const keys = await api(adminKey, 'GET', `/keys?user_id=${user_id}`)
    assert.deepEqual(keys.json['data'], [])
    for (const query of ['per_page=0', 'sort=secret_hash', 'order=up', 'user_id=x']) {
      const answer = await api(adminKey, 'GET', `/oauth/clients?${query}`)
      assert.equal(answer.status, 400, query)
    }
  })

  test('access 13: an unknown client is 404 whatever is done with it', async () => {
    for (const id of ['999999', `cl_${'x'.repeat(24)}`, 'abc', '1e3', `${2 ** 60}`]) {
      const calls: [string, string, Record<string, unknown>?][] = [
        ['GET', ''],
        ['PATCH', '', { name: 'x' }],
        ['DELETE', ''],
        ['POST', '/rotate-secret'],
      ]
      for (const [method, rest, body] of calls) {
        const answer = await api(adminKey, method, `/oauth/clients/${id}${rest}`, body)
        assert.equal(answer.status, 404, `${method} ${id}${rest}`)
        assert.equal(codeOf(answer), 'client_not_found')
      }
    }
  })

  test('access 13: name, plan and scopes of a client are those of its key', async () => {
    const client = await oauth.client({ scopes: ['read'] })
    const plan_id = await oauth.plan()
    const input = { name: 'Other', plan_id, scopes: ['write'] }
    const changed = await asAdmin('PATCH', `/oauth/clients/${client.client_id}`, input)
    const { name, scopes } = changed
    assert.deepEqual({ name, plan_id: changed['plan_id'], scopes }, input)
    const key = await asAdmin('GET', `/keys/${client.api_key_id}`)
    assert.equal(key['name'], 'Other')
    assert.equal(key['plan_id'], plan_id)
    assert.equal(key['access'], 'write')
    const exceeding = { scopes: ['admin'] }
    const refused = await api(adminKey, 'PATCH', `/oauth/clients/${client.id}`, exceeding)
    assert.equal(codeOf(refused), 'access_exceeds_user')
    const foreign = await api(adminKey, 'PATCH', `/oauth/clients/${client.id}`, { user_id: 1 })
    assert.equal(codeOf(foreign), 'unknown_field')
  })

  test('access 13: a scope that is taken away leaves the tokens at once', async () => {
    const client = await oauth.client()
    const [both, write] = [await oauth.token(client), await oauth.token(client, 'write')]
    await asAdmin('PATCH', `/oauth/clients/${client.id}`, { scopes: ['read'] })
    assert.equal(Object((await me(both)).json['data']).access, 'read')
    assert.equal((await me(write)).status, 401)
  })

  test('access 13: a rotated secret fails at once, tokens and the new secret work', async () => {
    const client = await oauth.client()
    const token = await oauth.token(client)
    const rotated = await api(adminKey, 'POST', `/oauth/clients/${client.id}/rotate-secret`)
    assert.equal(rotated.status, 201)
    assert.equal(rotated.headers.get('cache-control'), 'no-store')
    const { client_secret, secret_rotated_at } = Object(rotated.json['data'])
    assert.match(secret_rotated_at, /Z$/)
    assert.equal((await oauth.post('/oauth/token', GRANT, basic(client))).status, 401)
    assert.match(await oauth.token({ ...client, client_secret }), /^at_/)
    assert.equal((await me(token)).status, 200)
  })

  test('access 13: answers with a secret are not kept for Idempotency-Key', async () => {
    const body = JSON.stringify({ name: 'x', plan_id: await oauth.plan() })
    const ids = new Set<number>()
    for (let turn = 0; turn < 2; turn++) {
      const answer = await fetch(`${oauth.url}/api/v1/oauth/clients`, {
        method: 'POST',
        headers: {
          'x-api-key': adminKey,
          'content-type': 'application/json',
          'idempotency-key': 'same',
        },
        body,
      })
      assert.equal(answer.status, 201)
      assert.equal(answer.headers.get('idempotent-replayed'), null)
      ids.add(Object(await answer.json()).data.id)
    }
    assert.equal(ids.size, 2)
  })

  test('access 13: disabling a client ends its tokens at once and for good', async () => {
    const client = await oauth.client()
    const token = await oauth.token(client)
    assert.equal((await me(token)).status, 200)
    await asAdmin('PATCH', `/oauth/clients/${client.id}`, { disabled: true })
    assert.equal((await me(token)).status, 401)
    await asAdmin('PATCH', `/oauth/clients/${client.id}`, { disabled: false })
    assert.equal((await me(token)).status, 401)
    assert.equal((await me(await oauth.token(client))).status, 200)
  })

  test('access 13: a disabled user stops its tokens, which work again when it is back', async () => {
    const client = await oauth.client()
    const token = await oauth.token(client)
    await asAdmin('PATCH', `/users/${client.user_id}`, { status: 'disabled' })
    const answer = await me(token)
    assert.equal(answer.status, 403)
    assert.deepEqual(answer.json, { error: 'Account disabled', code: 'user_disabled' })
    const info = await oauth.post('/oauth/introspect', { token }, { 'x-api-key': adminKey })
    assert.deepEqual(info.json, { active: false })
    await asAdmin('PATCH', `/users/${client.user_id}`, { status: 'active' })
    assert.equal((await me(token)).status, 200)
  })

  test('access 13: whatever ends the key of a client ends its tokens and its secret', async () => {
    const endings: ((client: Awaited<ReturnType<typeof oauth.client>>) => Promise<unknown>)[] = [
      ({ api_key_id }) => asAdmin('POST', `/keys/${api_key_id}/revoke`),
      ({ id }) => asAdmin('DELETE', `/oauth/clients/${id}`),
      ({ user_id }) => asAdmin('DELETE', `/users/${user_id}`),
    ]
    for (const end of endings) {
      const client = await oauth.client()
      const token = await oauth.token(client)
      await end(client)
      assert.notEqual((await me(token)).status, 200)
      assert.equal((await oauth.post('/oauth/token', GRANT, basic(client))).status, 401)
      assert.equal((await asAdmin('GET', `/keys/${client.api_key_id}`))['status'], 'revoked')
    }
  })

  test('access 13: a deleted client is gone, also those of a deleted user', async () => {
    const [one, other] = [await oauth.client(), await oauth.client()]
    await asAdmin('DELETE', `/oauth/clients/${one.client_id}`)
    await asAdmin('DELETE', `/users/${other.user_id}`)
    for (const { id } of [one, other]) {
      assert.equal((await api(adminKey, 'GET', `/oauth/clients/${id}`)).status, 404)
    }
  })
})

function codeOf({ json }: Answer): unknown {
  return Object(json['error']).code
}
