import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import * as openid from 'openid-client'
import { ClientCredentials } from 'simple-oauth2'
import { promptly, runBeside, until } from '#test-kit'
import { type Answer, basic, type OAuthServer, oauthOf } from './oauth-kit.ts'
import { accessSuite, pairSuite } from './support.ts'

const GRANT = { grant_type: 'client_credentials' }
const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

export const oauthTokens = accessSuite('OAuth tokens', (access) => {
  const oauth = oauthOf(access)
  const me = (bearer: string) => oauth.api(bearer, 'GET', '/me')

  test('access 13: openid-client finds everything by discovery, by Basic and by body', async () => {
    const { client_id, client_secret } = await oauth.client()
    const methods = [
      openid.ClientSecretBasic(client_secret),
      openid.ClientSecretPost(client_secret),
    ]
    for (const method of methods) {
      const config = await openid.discovery(new URL(oauth.url), client_id, undefined, method, {
        algorithm: 'oauth2',
        execute: [openid.allowInsecureRequests],
      })
      const issued = await openid.clientCredentialsGrant(config, { scope: 'read' })
      assert.match(issued.access_token, /^at_[A-Za-z0-9]{48}$/)
      assert.equal(issued.expires_in, 3600)
      assert.equal(issued.scope, 'read')
      assert.equal((await me(issued.access_token)).status, 200)

      const info = await openid.tokenIntrospection(config, issued.access_token)
      assert.equal(info.active, true)
      assert.equal(info.client_id, client_id)
      await openid.tokenRevocation(config, issued.access_token)
      assert.equal((await me(issued.access_token)).status, 401)
      const after = await openid.tokenIntrospection(config, issued.access_token)
      assert.deepEqual(after, { active: false })
    }
  })

  test('access 13: openid-client shows a refusal by its OAuth code', async () => {
    const { client_id } = await oauth.client()
    const server = { issuer: oauth.url, token_endpoint: `${oauth.url}/oauth/token` }
    const config = new openid.Configuration(
      server,
      client_id,
      undefined,
      openid.ClientSecretPost('wrong'),
    )
    openid.allowInsecureRequests(config)
    await assert.rejects(openid.clientCredentialsGrant(config), {
      name: 'ResponseBodyError',
      error: 'invalid_client',
      status: 401,
    })
  })

  test('access 13: simple-oauth2 obtains and revokes a token by Basic and by body', async () => {
    const { client_id, client_secret } = await oauth.client()
    for (const authorizationMethod of ['header', 'body'] as const) {
      const library = new ClientCredentials({
        client: { id: client_id, secret: client_secret },
        auth: { tokenHost: oauth.url },
        // Else it wants JSON of a revocation too, whose answer is empty.
        http: { json: true },
        options: { authorizationMethod },
      })
      const issued = await library.getToken({ scope: ['read', 'write'] })
      const raw = String(issued.token['access_token'])
      assert.equal(issued.token['scope'], 'read write')
      assert.equal(issued.expired(), false)
      assert.equal((await me(raw)).status, 200)
      await issued.revoke('access_token')
      assert.equal((await me(raw)).status, 401)
      await assert.rejects(library.getToken({ scope: 'admin' }), /Bad Request/)
    }
  })

  test('access 13: the API description has the endpoints below /oauth and their forms', async () => {
    const { json } = await oauth.api(oauth.adminKey, 'GET', '/openapi.json')
    const paths = Object(json['paths'])
    assert.ok(paths['/.well-known/oauth-authorization-server']?.get)
    for (const [path, member] of [
      ['/oauth/token', 'grant_type'],
      ['/oauth/revoke', 'token'],
      ['/oauth/introspect', 'token'],
    ] as const) {
      const { content } = paths[path].post.requestBody
      const form = content['application/x-www-form-urlencoded'].schema
      assert.ok(member in form.properties, path)
    }
  })

  test('access 13: a token is answered with exactly the tabled body and headers', async () => {
    const client = await oauth.client()
    const answer = await oauth.post('/oauth/token', GRANT, basic(client))
    assert.equal(answer.status, 200)
    assertNeverStored(answer)
    const { access_token, ...rest } = answer.json
    assert.match(String(access_token), /^at_[A-Za-z0-9]{48}$/)
    assert.deepEqual(rest, { token_type: 'Bearer', expires_in: 3600, scope: 'read write' })
  })

  test('access 13: requests that are no token request are invalid_request', async () => {
    const { client_id, client_secret } = await oauth.client()
    const own = { client_id, client_secret }
    const all = new URLSearchParams({ ...GRANT, ...own }).toString()
    const json = { 'content-type': 'application/json' }
    const plain = { 'content-type': 'text/plain' }
    const cases: [string, Promise<Answer>][] = [
      ['no grant type', oauth.post('/oauth/token', own)],
      ['empty grant type', oauth.post('/oauth/token', { ...own, grant_type: '' })],
      ['no client', oauth.post('/oauth/token', GRANT)],
      ['no secret', oauth.post('/oauth/token', { ...GRANT, client_id })],
      ['no client id', oauth.post('/oauth/token', { ...GRANT, client_secret })],
      ['repeated', oauth.post('/oauth/token', `${all}&scope=read&scope=read`)],
      ['repeated grant', oauth.post('/oauth/token', `${all}&grant_type=client_credentials`)],
      ['both ways', oauth.post('/oauth/token', { ...GRANT, ...own }, basic(own))],
      ['JSON', oauth.post('/oauth/token', JSON.stringify({ ...GRANT, ...own }), json)],
      ['text', oauth.post('/oauth/token', all, plain)],
      ['nothing', oauth.post('/oauth/token', '')],
      ['query', oauth.post(`/oauth/token?${all}`, '')],
      ['no token', oauth.post('/oauth/revoke', own)],
      ['no token', oauth.post('/oauth/introspect', own)],
    ]
    for (const [name, pending] of cases) assertRefused(await pending, 400, 'invalid_request', name)
    const large = await oauth.post('/oauth/token', `${all}&x=${'x'.repeat(20_000)}`)
    assertRefused(large, 413, 'invalid_request')
  })

  test('access 13: another grant type and a scope that is not the client’s are refused', async () => {
    const { client_id, client_secret } = await oauth.client({ scopes: ['read'] })
    const own = { client_id, client_secret }
    for (const grant_type of ['password', 'authorization_code', 'Client_Credentials']) {
      const answer = await oauth.post('/oauth/token', { ...own, grant_type })
      assertRefused(answer, 400, 'unsupported_grant_type')
    }
    for (const scope of ['write', 'read write', 'openid', ' ', 'read,write', 'READ']) {
      const answer = await oauth.post('/oauth/token', { ...own, ...GRANT, scope })
      assertRefused(answer, 400, 'invalid_scope', scope)
    }
  })

  test('access 13: whoever is not the client gets the same invalid_client', async () => {
    const client = await oauth.client()
    const disabled = await oauth.client()
    await oauth.asAdmin('PATCH', `/oauth/clients/${disabled.id}`, { disabled: true })
    const ofDisabledUser = await oauth.client()
    await oauth.asAdmin('PATCH', `/users/${ofDisabledUser.user_id}`, { status: 'disabled' })
    const unknown = { ...client, client_id: `cl_${'x'.repeat(24)}` }
    const odd = { ...client, client_id: 'nul\0byte' }
    const wrong = { ...client, client_secret: `cs_${'x'.repeat(48)}` }
    const bodies = new Set<string>()
    for (const each of [unknown, odd, wrong, disabled, ofDisabledUser]) {
      const { client_id, client_secret } = each
      const byBody = await oauth.post('/oauth/token', { ...GRANT, client_id, client_secret })
      assertRefused(byBody, 401, 'invalid_client')
      assert.equal(byBody.headers.get('www-authenticate'), null)
      const byBasic = await oauth.post('/oauth/token', GRANT, basic(each))
      assertRefused(byBasic, 401, 'invalid_client')
      assert.match(byBasic.headers.get('www-authenticate') ?? '', /^Basic /)
      bodies.add(byBody.text).add(byBasic.text)
    }
    assert.equal(bodies.size, 1)
    const garbled = await oauth.post('/oauth/token', GRANT, { authorization: 'Basic %%%' })
    assertRefused(garbled, 401, 'invalid_client')
  })

  test('access 13: without a scope all are granted; the level is the highest of them', async () => {
    const client = await oauth.client({ user_id: await oauth.user('admin') })
    const [read, write] = [await oauth.token(client, 'read'), await oauth.token(client)]
    assert.equal(levelOf(await me(read)), 'read')
    assert.equal(levelOf(await me(write)), 'write')
    const refused = await oauth.api(write, 'GET', '/users')
    assert.equal(refused.status, 403)
    assert.equal(Object(refused.json['error'])['required'], 'admin')
  })

  test('access 13: a token never exceeds what its user may do now', async () => {
    const user_id = await oauth.user('admin')
    const client = await oauth.client({ user_id, scopes: ['read', 'admin'] })
    const token = await oauth.token(client)
    assert.equal((await oauth.api(token, 'GET', '/users')).status, 200)
    await oauth.asAdmin('PATCH', `/users/${user_id}`, { access: 'read' })
    assert.equal((await oauth.api(token, 'GET', '/users')).status, 403)
    assert.equal(levelOf(await me(token)), 'read')
    const { client_id, client_secret } = client
    const form = { ...GRANT, client_id, client_secret }
    const tooMuch = await oauth.post('/oauth/token', { ...form, scope: 'admin' })
    assertRefused(tooMuch, 400, 'invalid_scope')
    assert.equal((await oauth.post('/oauth/token', form)).json['scope'], 'read')
  })

  test('access 13: a revoked or unknown token is 401 with the exact body', async () => {
    const client = await oauth.client()
    const [token, other] = [await oauth.token(client), await oauth.token(client)]
    const revoked = await oauth.post('/oauth/revoke', { token }, basic(client))
    assert.equal(revoked.status, 200)
    assert.equal(revoked.text, '')
    assertInvalidToken(await me(token))
    assertInvalidToken(await me(`at_${'x'.repeat(48)}`))
    assertInvalidToken(await me('at_short'))
    assert.equal((await me(other)).status, 200)
    for (const unknown of [token, 'nonsense', 'nul\0byte']) {
      const answer = await oauth.post('/oauth/revoke', { token: unknown }, basic(client))
      assert.equal(answer.status, 200)
    }
  })

  test('access 13: a client can neither end nor see the tokens of another', async () => {
    const [owner, stranger] = [await oauth.client(), await oauth.client()]
    const token = await oauth.token(owner)
    assert.equal((await oauth.post('/oauth/revoke', { token }, basic(stranger))).status, 200)
    assert.equal((await me(token)).status, 200)
    const seen = await oauth.post('/oauth/introspect', { token }, basic(stranger))
    assert.equal(seen.status, 200)
    assert.deepEqual(seen.json, { active: false })
    for (const path of ['/oauth/revoke', '/oauth/introspect']) {
      const anonymous = await oauth.post(path, { token })
      assertRefused(anonymous, 401, 'invalid_client')
      const wrong = await oauth.post(path, { token }, basic({ ...owner, client_secret: 'x' }))
      assertRefused(wrong, 401, 'invalid_client')
    }
    assert.equal((await me(token)).status, 200)
  })

  test('access 13: introspection tells the owner and an admin what the token is', async () => {
    const client = await oauth.client()
    const token = await oauth.token(client, 'write')
    const asAdmin = { 'x-api-key': oauth.adminKey }
    for (const headers of [basic(client), asAdmin]) {
      const answer = await oauth.post('/oauth/introspect', { token }, headers)
      assertNeverStored(answer)
      const { exp, ...rest } = answer.json
      const { client_id } = client
      assert.deepEqual(rest, { active: true, scope: 'write', client_id, token_type: 'Bearer' })
      const expected = (Date.now() + HOUR_MS) / 1000
      assert.ok(Math.abs(Number(exp) - expected) < 30)
    }
    const byToken = await oauth.post('/oauth/introspect', { token }, bearer(token))
    assert.equal(byToken.status, 403)
    const byWrongKey = await oauth.post('/oauth/introspect', { token }, { 'x-api-key': 'sk_x' })
    assert.equal(byWrongKey.status, 401)
    assert.deepEqual(byWrongKey.json, { error: 'Invalid API key' })
    const apiKey = await oauth.post('/oauth/introspect', { token: oauth.adminKey }, asAdmin)
    assert.deepEqual(apiKey.json, { active: false })
    assert.equal((await oauth.post('/oauth/revoke', { token }, asAdmin)).status, 200)
    assertInvalidToken(await me(token))
  })

  test('access 13: a token ends with its lifetime, a moment before it still works', async (t) => {
    const client = await oauth.client()
    const token = await oauth.token(client)
    t.after(() => oauth.server.setClockOffset(0))
    await oauth.server.setClockOffset(HOUR_MS - 20_000)
    assert.equal((await me(token)).status, 200)
    await oauth.server.setClockOffset(HOUR_MS)
    assertInvalidToken(await me(token))
    const info = await oauth.post('/oauth/introspect', { token }, basic(client))
    assert.deepEqual(info.json, { active: false })
  })

  test('access 13: a token works as bearer only', async () => {
    const token = await oauth.token(await oauth.client())
    const url = `${oauth.url}/api/v1/me`
    const byHeader = await fetch(url, { headers: { 'x-api-key': token } })
    const byQuery = await fetch(`${url}?api_key=${token}`)
    assert.deepEqual([byHeader.status, byQuery.status], [401, 401])
  })

  test('access 13: all tokens of a client count on its key', async () => {
    const plan_id = await oauth.plan({ requests_per_month: 3, requests_per_minute: 100 })
    const client = await oauth.client({ plan_id })
    const tokens = [await oauth.token(client, 'read'), await oauth.token(client)]
    const remaining = []
    for (const token of [tokens[0], tokens[1], tokens[0]]) {
      const answer = await oauth.api(token ?? '', 'GET', '/plans')
      assert.equal(answer.status, 200)
      remaining.push(answer.headers.get('x-ratelimit-remaining'))
    }
    assert.deepEqual(remaining, ['2', '1', '0'])
    const refused = await oauth.api(tokens[1] ?? '', 'GET', '/plans')
    assert.equal(refused.status, 429)
    assert.equal(Object(refused.json['error'])['code'], 'monthly_quota_exceeded')
    const ownUsage = async () => {
      const { json } = await oauth.api(tokens[0] ?? '', 'GET', '/usage')
      const { month, remaining: left } = Object(json['data'])
      return month === 3 && left === 0
    }
    assert.equal(await ownUsage(), true)
    const path = `/usage/records?key_id=${client.api_key_id}&endpoint=/api/v1/plans`
    const statuses = await until(async () => {
      const { json } = await oauth.api(oauth.adminKey, 'GET', path)
      const found = [json['data']].flat().map((record) => Object(record).status_code)
      return found.length >= 4 && found
    })
    assert.deepEqual(statuses, [429, 200, 200, 200])
  })

  test('access 13: a token calls in the name of its client’s key, within its plan', async () => {
    const plan_id = await oauth.plan({ endpoints: ['GET /v1/plans/*'] })
    const client = await oauth.client({ plan_id })
    const token = await oauth.token(client)
    const { kind: by, key, plan } = Object((await me(token)).json['data'])
    assert.equal(by, 'oauth')
    assert.equal(key.id, client.api_key_id)
    assert.equal(key.key_prefix, null)
    assert.equal(plan.id, plan_id)
    assert.equal((await oauth.api(token, 'GET', `/plans/${plan_id}`)).status, 200)
    const refused = await oauth.api(token, 'GET', '/plans')
    assert.equal(refused.status, 403)
    assert.equal(Object(refused.json['error'])['code'], 'endpoint_not_allowed')
  })

  test('access 13: 30 failed authentications of a client or from an address are enough', async (t) => {
    t.after(() => oauth.server.setClockOffset(0))
    await wholeMinuteAhead(oauth)
    const client = await oauth.client()
    const from = (address: string) => ({ 'x-forwarded-for': address })
    const attempt = (secret: string, address: string) =>
      oauth.post('/oauth/token', GRANT, {
        ...basic({ ...client, client_secret: secret }),
        ...from(address),
      })

    // Five at once and not forty: a store that takes 100 ms is no longer asked, and then a few more
    // would pass.
    const statuses: number[] = []
    for (let wave = 0; wave < 8; wave++) {
      const five = Array.from({ length: 5 }, (_, index) =>
        attempt('wrong', `192.0.2.${wave * 5 + index}`),
      )
      for (const { status } of await Promise.all(five)) statuses.push(status)
    }
    assert.equal(statuses.filter((status) => status === 401).length, 30)
    assert.equal(statuses.filter((status) => status === 429).length, 10)
    const refused = await attempt(client.client_secret, '192.0.2.99')
    assertRefused(refused, 429, 'rate_limit_exceeded')
    const wait = Number(refused.headers.get('retry-after'))
    assert.ok(wait >= 1 && wait <= 60, String(wait))

    const unknown = { client_id: 'cl_unknown', client_secret: 'x', ...GRANT }
    for (let count = 0; count < 30; count++) {
      const answer = await oauth.post('/oauth/token', unknown, from('198.51.100.1'))
      assertRefused(answer, 401, 'invalid_client')
    }
    const other = await oauth.client()
    const blocked = { ...basic(other), ...from('198.51.100.1') }
    assert.equal((await oauth.post('/oauth/token', GRANT, blocked)).status, 429)
    assert.equal((await oauth.post('/oauth/token', GRANT, basic(other))).status, 200)

    await wholeMinuteAhead(oauth, MINUTE_MS)
    assert.equal((await attempt(client.client_secret, '192.0.2.99')).status, 200)
    assert.equal((await oauth.post('/oauth/token', GRANT, blocked)).status, 200)
  })

  test('access 13: unknown paths and methods below /oauth answer in the OAuth form', async () => {
    const unknown = await oauth.post('/oauth/authorize', {})
    assertRefused(unknown, 404, 'route_not_found')
    const answer = await fetch(`${oauth.url}/oauth/token`)
    assert.equal(answer.status, 405)
    assert.equal(answer.headers.get('allow'), 'POST')
    assert.equal(Object(await answer.json())['error'], 'method_not_allowed')
  })

  test('access 13: neither database nor log holds a secret or a token', async () => {
    const client = await oauth.client()
    const token = await oauth.token(client)
    await oauth.post('/oauth/token', GRANT, { ...basic(client), 'x-forwarded-for': '192.0.2.7' })
    await fetch(`${oauth.url}/oauth/token?client_secret=${client.client_secret}`)
    assert.equal((await me(token)).status, 200)
    const secrets = [client.client_secret, token, basic(client).authorization.slice(6)]
    const files = filesBelow(oauth.server.dataDir)
    assert.ok(files.some((file) => file.endsWith('.log')))
    const contents = files.map((file) => readFileSync(file))
    for (const table of ['access_oauth_clients', 'access_oauth_tokens']) {
      contents.push(
        Buffer.from(JSON.stringify(await runBeside(oauth.server, `select * from ${table}`))),
      )
    }
    for (const content of contents) {
      for (const secret of secrets) assert.equal(content.includes(secret), false)
    }
  })

  test('access 13: expired tokens leave the database by themselves', async (t) => {
    t.after(() => oauth.server.setClockOffset(0))
    await oauth.token(await oauth.client())
    // Other tests were ahead of time, by some minutes.
    await oauth.server.setClockOffset(HOUR_MS + 5 * MINUTE_MS)
    const live = await oauth.token(await oauth.client())
    const left = await until(
      async () => {
        const rows = await runBeside(oauth.server, 'select * from access_oauth_tokens')
        return rows.length === 1 && rows
      },
      { withinMs: 20_000 },
    )
    assert.equal(left.length, 1)
    assert.equal((await me(live)).status, 200)
  })
})

export const oauthOfPair = pairSuite('OAuth tokens of two nodes', (here, there) => {
  const afterChange = async () => {}
  const first = oauthOf({ server: here, afterChange })
  const second = oauthOf({ server: there, afterChange })

  test('access 13: what ends a token on one node ends it on another within a second', async () => {
    const client = await first.client()
    const meThere = (token: string) => second.api(token, 'GET', '/me')
    const endings: ((token: string) => Promise<unknown>)[] = [
      (token) => first.post('/oauth/revoke', { token }, basic(client)),
      () => first.asAdmin('PATCH', `/oauth/clients/${client.id}`, { disabled: true }),
      () => first.asAdmin('PATCH', `/users/${client.user_id}`, { status: 'disabled' }),
    ]
    for (const end of endings) {
      await first.asAdmin('PATCH', `/oauth/clients/${client.id}`, { disabled: false })
      const token = await first.token(client)
      assert.equal((await meThere(token)).status, 200)
      await end(token)
      assert.notEqual((await first.api(token, 'GET', '/me')).status, 200)
      await promptly(1_000, async () => (await meThere(token)).status !== 200)
    }
  })
})

function assertNeverStored({ headers }: Answer) {
  assert.equal(headers.get('content-type'), 'application/json')
  assert.equal(headers.get('cache-control'), 'no-store')
  assert.equal(headers.get('pragma'), 'no-cache')
}

function assertRefused(answer: Answer, status: number, error: string, what = answer.text) {
  assert.equal(answer.status, status, what)
  assertNeverStored(answer)
  const { error_description, message, ...rest } = answer.json
  assert.deepEqual(rest, { error }, what)
  assert.equal(typeof message, 'string')
  assert.equal(message, error_description)
}

function assertInvalidToken({ status, headers, json }: Answer) {
  assert.equal(status, 401)
  assert.deepEqual(json, { error: 'Invalid API key' })
  assert.match(headers.get('www-authenticate') ?? '', /^Bearer .*error="invalid_token"/)
}

function levelOf({ json }: Answer): unknown {
  return Object(json['data'])['access']
}

function bearer(token: string) {
  return { authorization: `Bearer ${token}` }
}

/** Failures are counted by calendar minute: the test has a whole one before it. */
async function wholeMinuteAhead({ server }: OAuthServer, addedMs = 0) {
  await server.setClockOffset(addedMs + MINUTE_MS - (Date.now() % MINUTE_MS))
}

function filesBelow(directory: string): string[] {
  return readdirSync(directory, { recursive: true })
    .map((name) => join(directory, String(name)))
    .filter((file) => statSync(file).isFile())
}
