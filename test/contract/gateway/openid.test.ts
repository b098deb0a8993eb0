import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import https from 'node:https'
import { before, describe, test } from 'node:test'
import { SignJWT } from 'jose'
import { until } from '#test-kit'
import { createCertificate } from '../../conformance/support/certificate.ts'
import { CLIENT, createBrowser, startProvider, type TestProvider } from './openid-provider.ts'
import { gatewayServer, startUpstream, type Upstream } from './support.ts'

describe('gateway openid-connect', () => {
  const { server, admin, put, send } = gatewayServer('sqlite', {
    ENTREPOT_GATEWAY_TRUSTED_PROXIES: '127.0.0.1',
  })
  let upstream: Upstream
  let provider: TestProvider
  before(async () => {
    upstream = await startUpstream()
    const at = server().gatewayUrl
    provider = await startProvider(
      [
        `${at}/app/.gateway/redirect`,
        `${at}/cb/back`,
        `${at}/scoped/.gateway/redirect`,
        `${at}/plain/.gateway/redirect`,
        `${at}/short/.gateway/redirect`,
        `${at}/few/.gateway/redirect`,
        'https://shop.example/app/.gateway/redirect',
      ],
      `${at}/bye`,
    )
  })

  const route = (id: string, settings: object) =>
    put(`/routes/${id}`, {
      uri: `/${id}*`,
      upstream: { nodes: { [upstream.node]: 1 } },
      plugins: {
        'openid-connect': { discovery: provider.discovery, ...CLIENT, ...settings },
      },
    })
  const ask = (path: string, token: string, headers: Record<string, string> = {}) =>
    send(path, { headers: { authorization: `Bearer ${token}`, ...headers } })
  const decode = (text: string) => JSON.parse(Buffer.from(text, 'base64').toString())

  test('gateway 26: a hundred first requests on all threads fetch the description and the keys once', async () => {
    await route('first', { bearer_only: true, use_jwks: true })
    const token = await provider.sign()
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => ask('/first', token, { connection: 'close' })),
    )
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
    const threads = new Set(answers.map(({ headers }) => headers.get('x-test-thread')))
    assert.ok(threads.size > 1, 'more than one thread took part')
    assert.equal(provider.count('/.well-known/openid-configuration'), 1)
    assert.equal(provider.count('/jwks'), 1)
  })

  test('gateway 26: a good token passes, and the upstream learns whose it is', async () => {
    await route('good', { bearer_only: true, use_jwks: true, required_scopes: ['read'] })
    const token = await provider.token('read write')
    const answer = await ask('/good', token, { 'x-userinfo': 'forged', 'x-id-token': 'forged' })
    assert.equal(answer.status, 200)
    const { headers } = JSON.parse(await answer.text())
    assert.equal(headers['x-access-token'], token)
    assert.equal(decode(headers['x-userinfo']).client_id, 'machine')
    assert.equal(headers['x-id-token'], undefined)
    const other = await send('/good', { headers: { 'x-access-token': token } })
    assert.equal(other.status, 200, 'the other place of a token')
    await route('good', {
      bearer_only: true,
      use_jwks: true,
      set_userinfo_header: false,
      access_token_in_authorization_header: true,
    })
    const seen = JSON.parse(
      await (await send('/good', { headers: { 'x-access-token': token } })).text(),
    )
    assert.equal(seen.headers.authorization, `Bearer ${token}`)
    assert.equal(seen.headers['x-access-token'], undefined)
    assert.equal(seen.headers['x-userinfo'], undefined)
    await route('good', { bearer_only: true, use_jwks: true, set_access_token_header: false })
    const without = JSON.parse(await (await ask('/good', token)).text())
    assert.equal(without.headers['x-access-token'], undefined)
  })

  test('gateway 26: expired, early, wrongly signed, of another issuer, none and missing are 401', async () => {
    await route('bad', { bearer_only: true, use_jwks: true, realm: 'shop' })
    const now = Math.floor(Date.now() / 1000)
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const claims = { iss: provider.issuer, exp: now + 60 }
    const stranger = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'RS256', kid: 'first' })
      .sign(privateKey)
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const symmetric = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', kid: 'first' })
      .sign(Buffer.from(CLIENT.client_secret.padEnd(32, 'x')))
    for (const [what, token] of [
      ['expired', await provider.sign({ exp: now - 1 })],
      ['not yet', await provider.sign({ nbf: now + 600 })],
      ['no number', await provider.sign({ exp: 'never' })],
      ['issuer', await provider.sign({ iss: 'https://elsewhere.example' })],
      ['stranger', stranger],
      ['none', `${part({ alg: 'none' })}.${part(claims)}.`],
      ['symmetric', symmetric],
      ['no token', 'abc'],
    ] as const) {
      const answer = await ask('/bad', token)
      assert.equal(answer.status, 401, what)
      const challenge = 'Bearer realm="shop", error="invalid_token"'
      assert.equal(answer.headers.get('www-authenticate'), challenge, what)
    }
    const missing = await send('/bad')
    assert.equal(missing.status, 401)
    assert.equal(missing.headers.get('www-authenticate'), 'Bearer realm="shop"')
    assert.equal(
      upstream.seen.some(({ url }) => url === '/bad'),
      false,
    )
  })

  test('gateway 26: a token is taken until it expires and not a moment longer', async () => {
    await route('until', { bearer_only: true, use_jwks: true })
    const token = await provider.sign({ exp: Math.floor(Date.now() / 1000) + 60 })
    for (let n = 0; n < 3; n++) assert.equal((await ask('/until', token)).status, 200)
    await server().setClockOffset(61_000)
    assert.equal((await ask('/until', token)).status, 401)
    await server().setClockOffset(0)
  })

  test('gateway 26: wrong audience and missing scopes are 403', async () => {
    const audience = { required: true, match_with_client_id: true }
    await route('aud', {
      bearer_only: true,
      use_jwks: true,
      claim_validator: { audience },
      required_scopes: ['read', 'admin', 'root'],
    })
    const other = await ask('/aud', await provider.sign({ aud: ['else', 'where'] }))
    assert.deepEqual(
      [other.status, await other.text()],
      [403, '{"error":"the token is not for this audience"}'],
    )
    const nobody = await ask('/aud', await provider.sign({ aud: undefined }))
    assert.deepEqual(
      [nobody.status, await nobody.text()],
      [403, '{"error":"required audience not present"}'],
    )
    const scopes = await ask('/aud', await provider.sign({ aud: ['x', 'shop'] }))
    assert.deepEqual(
      [scopes.status, await scopes.text()],
      [403, '{"error":"required scopes admin, root not present"}'],
    )
    assert.equal((await ask('/aud', await provider.sign({ scope: 'root admin read' }))).status, 200)
    await route('aud', {
      bearer_only: true,
      use_jwks: true,
      claim_validator: { audience: { claim: 'azp', match_with_client_id: true } },
    })
    assert.equal((await ask('/aud', await provider.sign({ azp: 'shop', aud: 'x' }))).status, 200)
    assert.equal((await ask('/aud', await provider.sign({ azp: 'x' }))).status, 403)
  })

  test('gateway 26: a public key of the settings needs no provider when the issuers are named too', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const settings = {
      bearer_only: true,
      discovery: 'http://127.0.0.1:1/none',
      public_key: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
      claim_validator: { issuer: { valid_issuers: ['one', 'two'] } },
    }
    await route('pem', settings)
    const sign = (iss: string) =>
      new SignJWT({ iss, exp: Math.floor(Date.now() / 1000) + 60 })
        .setProtectedHeader({ alg: 'ES256' })
        .sign(privateKey)
    assert.equal((await ask('/pem', await sign('two'))).status, 200)
    assert.equal((await ask('/pem', await sign('three'))).status, 401)
    assert.equal((await ask('/pem', await provider.sign({ iss: 'one' }))).status, 401)
    await route('pem', { ...settings, token_signing_alg_values_expected: 'RS256' })
    assert.equal((await ask('/pem', await sign('two'))).status, 401)
    await route('pem', { ...settings, claim_validator: {} })
    const away = await ask('/pem', await sign('two'))
    assert.equal(away.status, 503, 'the issuer is known to nobody')
  })

  test('gateway 26: new keys are found, and looked for at most once in 30 seconds', async () => {
    await route('keys', { bearer_only: true, use_jwks: true })
    const old = await provider.sign()
    assert.equal((await ask('/keys', old)).status, 200)
    await provider.rotate('second')
    await server().setClockOffset(31_000)
    const before = provider.count('/jwks')
    assert.equal((await ask('/keys', await provider.sign())).status, 200)
    assert.equal(provider.count('/jwks'), before + 1)
    for (let n = 0; n < 10; n++) {
      const unknown = await provider.sign({}, { kid: `unknown-${n}` })
      assert.equal((await ask('/keys', unknown, { connection: 'close' })).status, 401)
    }
    assert.equal(provider.count('/jwks'), before + 1, 'not again so soon')
    await server().setClockOffset(62_000)
    assert.equal((await ask('/keys', await provider.sign({}, { kid: 'unknown' }))).status, 401)
    assert.equal(provider.count('/jwks'), before + 2)
    assert.equal((await ask('/keys', await provider.sign())).status, 200)
    await server().setClockOffset(0)
  })

  test('gateway 26: without the provider what is known still counts, else the answer is 503', async () => {
    await route('away', { bearer_only: true, use_jwks: true })
    const token = await provider.sign()
    assert.equal((await ask('/away', token)).status, 200)
    await provider.stop()
    const another = await provider.sign({ sub: 'bob' })
    assert.equal((await ask('/away', another, { connection: 'close' })).status, 200)
    await server().setClockOffset(2 * 3_600_000)
    const later = await provider.sign({ exp: Math.floor(Date.now() / 1000) + 3 * 3_600 })
    assert.equal((await ask('/away', later)).status, 200, 'an old description is better than none')
    await server().setClockOffset(0)
    await provider.start()
    await route('nobody', { bearer_only: true, discovery: 'http://127.0.0.1:1/x' })
    const refused = await ask('/nobody', token)
    assert.equal(refused.status, 503)
    assert.ok(refused.headers.get('retry-after'))
    assert.equal(JSON.parse(await refused.text()).code, 'provider_unavailable')
    const silent = await startUpstream(() => {})
    const discovery = `http://${silent.node}/x`
    await route('silent', { bearer_only: true, discovery, timeout: 0.2 })
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask('/silent', token)))
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [503])
    assert.ok(silent.seen.length < 20, 'those who wait share one attempt')
  })

  test('gateway 26: introspection asks the provider, and forgets at once what was revoked', async () => {
    const revoke = async (token: string) => {
      const { client_id: id, client_secret: secret } = CLIENT
      const basic = Buffer.from(`${id}:${secret}`).toString('base64')
      const headers = { authorization: `Basic ${basic}` }
      const body = new URLSearchParams({ token })
      await fetch(`${provider.issuer}/token/revocation`, { method: 'POST', headers, body })
    }
    await route('app', {})
    const browser = createBrowser()
    const signedIn = async () => {
      const { answer } = await browser.signIn(`${server().gatewayUrl}/app`, 'ann')
      return JSON.parse(await answer.text()).headers['x-access-token']
    }
    const token = await signedIn()
    // Times 1000 it is no whole number.
    await route('intro', { bearer_only: true, timeout: 16.1 })
    assert.equal((await ask('/intro', 'no-such-token')).status, 401)
    const good = await ask('/intro', token)
    assert.equal(good.status, 200)
    const { headers } = JSON.parse(await good.text())
    assert.equal(decode(headers['x-userinfo']).client_id, 'shop')
    await route('kept', { bearer_only: true, introspection_interval: 60 })
    const kept = await ask('/kept', token)
    const thread = kept.headers.get('x-test-thread')
    assert.equal(kept.status, 200)
    await revoke(token)
    assert.equal((await ask('/intro', token)).status, 401)
    for (let n = 0; n < 30; n++) {
      const again = await ask('/kept', token, { connection: 'close' })
      const isKept = again.headers.get('x-test-thread') === thread
      assert.equal(again.status, isKept ? 200 : 401)
    }
    await server().setClockOffset(61_000)
    assert.equal((await ask('/kept', token)).status, 401)
    await server().setClockOffset(0)
  })

  test('gateway 26: how introspection is asked follows the settings', async () => {
    const seen: { headers: Record<string, unknown>; body: string }[] = []
    const endpoint = await startUpstream((request, response) => {
      let body = ''
      request.on('data', (chunk) => {
        body += chunk
      })
      request.on('end', () => {
        seen.push({ headers: request.headers, body })
        response.setHeader('content-type', 'application/json')
        const untilSeconds = Math.floor(Date.now() / 1000) + 60
        response.end(JSON.stringify({ active: true, scope: 'read', until: untilSeconds, exp: 1 }))
      })
    })
    await route('how', {
      bearer_only: true,
      introspection_endpoint: `http://${endpoint.node}/ask`,
      introspection_endpoint_auth_method: 'client_secret_post',
      introspection_addon_headers: ['X-Tenant'],
      introspection_expiry_claim: 'until',
    })
    assert.equal((await ask('/how', 'abc', { 'x-tenant': 'seven' })).status, 200)
    const [first] = seen
    const form = new URLSearchParams(first?.body)
    assert.equal(form.get('token'), 'abc')
    assert.equal(form.get('client_secret'), CLIENT.client_secret)
    assert.equal(first?.headers['x-tenant'], 'seven')
    assert.equal(first?.headers['authorization'], undefined)
    await route('how', { bearer_only: true, introspection_endpoint: `http://${endpoint.node}/ask` })
    assert.equal((await ask('/how', 'abc')).status, 401, 'exp of the answer has passed')
    assert.match(String(seen.at(-1)?.headers['authorization']), /^Basic /)
    endpoint.handle = (_request, response) => response.writeHead(500).end()
    assert.equal((await ask('/how', 'abc')).status, 503)
  })

  test('gateway 26: people sign in at the provider, stay signed in over a restart, and sign out', async () => {
    await route('app', {
      logout_path: '/app/logout',
      post_logout_redirect_uri: '/bye',
      set_refresh_token_header: true,
      authorization_params: { ui_locales: 'de' },
    })
    const browser = createBrowser()
    const base = server().gatewayUrl
    const begun = await browser.open(`${base}/app?page=2`)
    assert.equal(begun.status, 302)
    const to = new URL(begun.headers.get('location') ?? '')
    assert.equal(to.origin, provider.issuer)
    for (const name of ['state', 'nonce', 'code_challenge']) assert.ok(to.searchParams.get(name))
    assert.equal(to.searchParams.get('code_challenge_method'), 'S256')
    assert.equal(to.searchParams.get('ui_locales'), 'de')
    const line = begun.headers.getSetCookie()[0] ?? ''
    assert.match(line, /; HttpOnly; SameSite=Lax$/)
    const { url, answer } = await browser.signIn(`${base}/app?page=2`, 'ann')
    assert.equal(url, `${base}/app?page=2`, 'back where it began')
    const { headers } = JSON.parse(await answer.text())
    assert.ok(headers['x-access-token'])
    assert.ok(headers['x-refresh-token'])
    assert.deepEqual(
      [decode(headers['x-userinfo']).sub, decode(headers['x-id-token']).aud],
      ['ann', 'shop'],
    )
    assert.equal(headers.cookie, undefined, 'the session is no business of the upstream')
    const jar = [...(browser.jar.get(base) ?? [])].map(([, value]) => value).join()
    assert.equal(jar.includes(headers['x-access-token']), false, 'nothing is readable in cookies')
    server().signal('SIGTERM')
    await server().restart()
    for (let n = 0; n < 6; n++) {
      assert.equal(
        (await browser.open(`${base}/app`, { headers: { connection: 'close' } })).status,
        200,
      )
    }
    const mixed = await browser.open(`${base}/app`)
    assert.equal(mixed.status, 200)
    const out = await browser.open(`${base}/app/logout`)
    assert.equal(out.status, 302)
    const end = new URL(out.headers.get('location') ?? '')
    assert.equal(end.pathname, '/session/end')
    assert.ok(end.searchParams.get('id_token_hint'))
    assert.equal(end.searchParams.get('post_logout_redirect_uri'), `${base}/bye`)
    assert.equal((await fetch(end, { redirect: 'manual' })).status, 200, 'the provider accepts it')
    assert.equal((await browser.open(`${base}/app`)).status, 302, 'signed out')
  })

  test('gateway 26: a wrong, a strange and a replayed state are 400', async () => {
    await route('app', {})
    const base = server().gatewayUrl
    const browser = createBrowser()
    const back = /\/\.gateway\/redirect\?/
    const { url: callback } = await browser.signIn(`${base}/app`, 'eve', back)
    const stolen = await createBrowser().open(callback)
    assert.equal(stolen.status, 400, 'a browser that has not begun it')
    const state = new URL(callback).searchParams.get('state') ?? ''
    const wrong = callback.replace(state, `${state.slice(0, 8)}${'x'.repeat(24)}`)
    assert.equal((await browser.open(wrong)).status, 400)
    const before = new Map(browser.jar.get(base))
    assert.equal((await browser.open(callback)).status, 302)
    const replayed = await browser.open(callback)
    assert.equal(replayed.status, 400)
    assert.match(JSON.parse(await replayed.text()).message, /open the page again/)
    // Not even with the cookie of then: the provider takes a code once.
    const cookie = [...before].map(([name, value]) => `${name}=${value}`).join('; ')
    assert.equal((await fetch(callback, { redirect: 'manual', headers: { cookie } })).status, 400)
    const denied = await browser.open(
      `${base}/app/.gateway/redirect?state=${state}&error=access_denied`,
    )
    assert.equal(denied.status, 400, 'nobody has begun that one')
    const code = new URL(callback).searchParams.get('code') ?? assert.fail('no code')
    const log = await until(() => {
      const lines = server().log()
      return lines.includes('"path":"/app/.gateway/redirect","query":"***"') ? lines : undefined
    })
    assert.equal(log.includes(code), false, 'codes do not appear in the log')
  })

  test('gateway 26: a sign-in that the person refuses is 403, one that takes too long 400', async () => {
    await route('app', {})
    const base = server().gatewayUrl
    const browser = createBrowser()
    const { url: form } = await browser.follow(`${base}/app`)
    const { url: back } = await browser.follow(`${form}/abort`, /\/\.gateway\/redirect\?/)
    const refused = await browser.open(back)
    assert.deepEqual(
      [refused.status, JSON.parse(await refused.text()).message],
      [403, 'the provider refused the sign-in: access_denied'],
    )
    const { url: late } = await browser.signIn(`${base}/app`, 'tim', /\/\.gateway\/redirect\?/)
    await server().setClockOffset(601_000)
    assert.equal((await browser.open(late)).status, 400)
    await server().setClockOffset(0)
  })

  test('gateway 26: tokens are renewed when they expire, once for requests side by side', async () => {
    await route('app', { session: { cookie: { lifetime: 7200 } } })
    const base = server().gatewayUrl
    const browser = createBrowser()
    const { answer } = await browser.signIn(`${base}/app`, 'rita')
    const first = JSON.parse(await answer.text()).headers['x-access-token']
    await server().setClockOffset(601_000)
    const cookie = [...(browser.jar.get(base) ?? [])].map(([n, v]) => `${n}=${v}`).join('; ')
    const answers = await Promise.all(
      Array.from({ length: 12 }, () =>
        fetch(`${base}/app`, { redirect: 'manual', headers: { cookie, connection: 'close' } }),
      ),
    )
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
    const tokens = await Promise.all(
      answers.map(async (each) => JSON.parse(await each.text()).headers['x-access-token']),
    )
    assert.equal(new Set(tokens).size, 1)
    assert.notEqual(tokens[0], first)
    const refreshes = provider.bodies.filter((body) => body.includes('grant_type=refresh_token'))
    assert.equal(refreshes.length, 1)
    assert.ok(answers[0]?.headers.getSetCookie().length, 'the browser gets the new session')
    await route('app', {
      renew_access_token_on_expiry: false,
      session: { cookie: { lifetime: 7200 } },
    })
    const stopped = await fetch(`${base}/app`, { redirect: 'manual', headers: { cookie } })
    assert.equal(stopped.status, 302, 'without renewal people sign in again')
    await server().setClockOffset(0)
  })

  test('gateway 26: a session lasts as long as it is used', async () => {
    await route('short', {
      session: { secret: 'a secret of the operator', cookie: { lifetime: 60 } },
    })
    const base = server().gatewayUrl
    const browser = createBrowser()
    assert.equal((await browser.signIn(`${base}/short`, 'sam')).answer.status, 200)
    await server().setClockOffset(55_000)
    const used = await browser.open(`${base}/short`)
    assert.equal(used.status, 200)
    assert.match(used.headers.getSetCookie()[0] ?? '', /Max-Age=60/)
    await server().setClockOffset(100_000)
    assert.equal((await browser.open(`${base}/short`)).status, 200, 'prolonged')
    await server().setClockOffset(300_000)
    assert.equal((await browser.open(`${base}/short`)).status, 302, 'ended')
    await server().setClockOffset(0)
    await route('short', { session: { secret: 'another secret of theirs' } })
    assert.equal((await browser.open(`${base}/short`)).status, 302, 'sealed with another secret')
  })

  test('gateway 26: unauth_action denies or lets pass, and a token comes before a session', async () => {
    await route('deny', { unauth_action: 'deny' })
    const denied = await send('/deny')
    assert.equal(denied.status, 401)
    assert.equal(denied.headers.get('www-authenticate'), 'Bearer realm="entrepot"')
    await route('pass', { unauth_action: 'pass', use_jwks: true })
    const passed = await send('/pass', { headers: { 'x-userinfo': 'forged' } })
    assert.equal(passed.status, 200)
    assert.equal(JSON.parse(await passed.text()).headers['x-userinfo'], undefined)
    assert.equal((await ask('/pass', 'bad')).status, 401, 'a bad token is no missing one')
    assert.equal((await ask('/pass', await provider.sign())).status, 200)
    await route('down', { discovery: 'http://127.0.0.1:1/x' })
    assert.equal((await send('/down')).status, 503, 'nobody can be sent anywhere')
  })

  test('gateway 26: the callback, scopes and what a session holds follow the settings', async () => {
    const base = server().gatewayUrl
    await route('cb', { redirect_uri: '/cb/back', scope: 'openid read', required_scopes: ['read'] })
    const browser = createBrowser()
    const { url, answer } = await browser.signIn(`${base}/cb?x=1`, 'cleo')
    assert.deepEqual([url, answer.status], [`${base}/cb?x=1`, 200])
    await route('scoped', { required_scopes: ['admin'] })
    const lacking = await createBrowser().signIn(`${base}/scoped`, 'cleo')
    assert.equal(lacking.answer.status, 403)
    await route('few', {
      session_contents: { id_token: true },
      use_pkce: true,
      use_nonce: false,
      revoke_tokens_on_logout: true,
      logout_path: '/few/out',
    })
    const few = createBrowser()
    const begun = new URL((await few.open(`${base}/few`)).headers.get('location') ?? '')
    assert.equal(begun.searchParams.get('nonce'), null)
    const held = JSON.parse(await (await few.signIn(`${base}/few`, 'fay')).answer.text()).headers
    assert.equal(held['x-access-token'], undefined)
    assert.equal(held['x-userinfo'], undefined)
    assert.equal(decode(held['x-id-token']).sub, 'fay')
    const out = new URL((await few.open(`${base}/few/out`)).headers.get('location') ?? '')
    assert.equal(out.searchParams.get('id_token_hint'), null)
    assert.equal(provider.count('/token/revocation') > 0, true)
    await route('plain', { use_pkce: false, set_id_token_header: false })
    const plain = new URL((await send('/plain')).headers.get('location') ?? '')
    assert.equal(plain.searchParams.get('code_challenge'), null)
    await route('app', {})
    const proxied = await send('/app', {
      headers: { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'shop.example' },
    })
    const there = new URL(proxied.headers.get('location') ?? '')
    const expected = 'https://shop.example/app/.gateway/redirect'
    assert.equal(there.searchParams.get('redirect_uri'), expected)
    assert.match(proxied.headers.getSetCookie()[0] ?? '', /; Secure$/)
  })

  test('gateway 26: certificates, ages of keys, what is remembered and how we sign in follow the settings', async () => {
    const { cert, key } = createCertificate(['127.0.0.1'])
    const secure = https.createServer({ cert, key }, (_request, response) => {
      response.end(JSON.stringify({ issuer: provider.issuer, jwks_uri: `${provider.issuer}/jwks` }))
    })
    secure.listen(0, '127.0.0.1')
    await once(secure, 'listening')
    const address = secure.address()
    const port = typeof address === 'object' && address ? address.port : 0
    const discovery = `https://127.0.0.1:${port}/`
    const token = await provider.sign()
    await route('tls', { bearer_only: true, discovery })
    assert.equal((await ask('/tls', token)).status, 503, 'nobody vouches for the certificate')
    await route('tls', { bearer_only: true, discovery, ssl_verify: false })
    assert.equal((await ask('/tls', token)).status, 200)
    secure.close()
    secure.closeAllConnections()
    await route('age', { bearer_only: true, use_jwks: true, jwk_expires_in: 5 })
    const fetched = provider.count('/jwks')
    assert.equal((await ask('/age', token)).status, 200)
    await server().setClockOffset(3_600_000)
    const later = await provider.sign({ exp: Math.floor(Date.now() / 1000) + 7_200 })
    assert.equal((await ask('/age', later)).status, 200)
    assert.ok(provider.count('/jwks') > fetched)
    await server().setClockOffset(0)
    let asked = 0
    const endpoint = await startUpstream((_request, response) => {
      asked++
      response.end('{"active":true}')
    })
    const introspection = { introspection_endpoint: `http://${endpoint.node}/`, bearer_only: true }
    const twice = { ...introspection, introspection_interval: 60 }
    await route('forget', { ...twice, jwt_verification_cache_ignore: true })
    for (let n = 0; n < 3; n++) assert.equal((await ask('/forget', 'abc')).status, 200)
    assert.equal(asked, 3)
    await route('plain', { token_endpoint_auth_method: 'client_secret_post' })
    const posted = await createBrowser().signIn(`${server().gatewayUrl}/plain`, 'pia')
    assert.equal(posted.answer.status, 200)
    assert.ok(provider.bodies.some((body) => /^\/token .*client_secret=/.test(body)))
    await route('plain', { set_id_token_header: false, set_userinfo_header: false })
    const bare = await createBrowser().signIn(`${server().gatewayUrl}/plain`, 'pia')
    const { headers } = JSON.parse(await bare.answer.text())
    assert.deepEqual([headers['x-id-token'], headers['x-userinfo']], [undefined, undefined])
    assert.ok(headers['x-access-token'])
  })

  test('gateway 26: when tokens are renewed, and what a session holds, follow the settings', async () => {
    const base = server().gatewayUrl
    const tokenOf = async (answer: Response) =>
      JSON.parse(await answer.text()).headers['x-access-token']
    const lifetime = { session: { cookie: { lifetime: 7200 } } }
    // The provider says 600 seconds: with the leeway the token is renewed a hundred before.
    await route('short', { ...lifetime, access_token_expires_leeway: 100 })
    const early = createBrowser()
    const first = await tokenOf((await early.signIn(`${base}/short`, 'lee')).answer)
    await server().setClockOffset(480_000)
    assert.equal(await tokenOf(await early.open(`${base}/short`)), first)
    await server().setClockOffset(520_000)
    const renewed = await tokenOf(await early.open(`${base}/short`))
    assert.notEqual(renewed, first)
    assert.equal(await tokenOf(await early.open(`${base}/short`)), renewed, 'once')
    await server().setClockOffset(0)

    // A provider that does not say how long its tokens are good.
    const discovery = await startBefore(provider, (body) => {
      const { expires_in: _, ...rest } = body
      return rest
    })
    await route('app', { ...lifetime, discovery, access_token_expires_in: 60 })
    const unsaid = createBrowser()
    const begun = await tokenOf((await unsaid.signIn(`${base}/app`, 'una')).answer)
    await server().setClockOffset(50_000)
    assert.equal(await tokenOf(await unsaid.open(`${base}/app`)), begun)
    await server().setClockOffset(70_000)
    assert.notEqual(await tokenOf(await unsaid.open(`${base}/app`)), begun)
    await server().setClockOffset(0)

    for (const [held, expected] of [
      [{ user: true }, ['x-userinfo']],
      [{ access_token: true }, ['x-access-token']],
      [{ id_token: true, user: true }, ['x-id-token', 'x-userinfo']],
    ] as const) {
      await route('plain', { session_contents: held })
      const { answer } = await createBrowser().signIn(`${base}/plain`, 'hal')
      const { headers } = JSON.parse(await answer.text())
      const sent = ['x-access-token', 'x-id-token', 'x-userinfo'].filter((name) => headers[name])
      assert.deepEqual(sent, expected, JSON.stringify(held))
    }
    await route('few', { session_contents: { enc_id_token: true }, logout_path: '/few/out' })
    const hinted = createBrowser()
    assert.equal((await hinted.signIn(`${base}/few`, 'hal')).answer.status, 200)
    const out = new URL((await hinted.open(`${base}/few/out`)).headers.get('location') ?? '')
    assert.ok(out.searchParams.get('id_token_hint'))
  })

  test('gateway 26: a large session is split over cookies, one beyond that is refused', async () => {
    let claims = 'x'
    const random = () => Array.from({ length: 6000 }, () => Math.random().toString(36)[3]).join('')
    const pieces = random()
    const discovery = await startBefore(provider, (body) => ({ ...body, access_token: claims }))
    await route('app', { discovery })
    const base = server().gatewayUrl
    claims = pieces
    const browser = createBrowser()
    const { answer } = await browser.signIn(`${base}/app`, 'lara')
    assert.equal(answer.status, 200)
    const names = [...(browser.jar.get(base)?.keys() ?? [])].filter((name) => name.includes('_s'))
    assert.ok(names.length >= 2, names.join())
    assert.equal(JSON.parse(await answer.text()).headers['x-access-token'], pieces)
    claims = Array.from({ length: 6 }, random).join('')
    const refused = await createBrowser().signIn(`${base}/app`, 'lars')
    assert.equal(refused.answer.status, 502)
    assert.match(await refused.answer.text(), /session_contents/)
  })

  test('gateway finding 77: settings that would do nothing or cannot work are refused by name', async () => {
    const good = { discovery: provider.discovery, ...CLIENT }
    for (const [settings, path] of [
      [{ client_secret: undefined }, '/client_secret'],
      [{ discovery: 'ftp://x' }, '/discovery'],
      [{ session: { secret: 'short' } }, '/session/secret'],
      [{ session: { storage: 'redis' } }, '/session/storage'],
      [{ session: { redis: {} } }, '/session/redis'],
      [{ public_key: 'abc' }, '/public_key'],
      [{ accept_none_alg: true }, '/accept_none_alg'],
      [{ proxy_opts: {} }, '/proxy_opts'],
      [{ client_rsa_private_key: 'x' }, '/client_rsa_private_key'],
      [{ refresh_session_interval: 10 }, '/refresh_session_interval'],
      [{ authorization_params: { state: 'x' } }, '/authorization_params/state'],
      [{ token_signing_alg_values_expected: 'HS256' }, '/token_signing_alg_values_expected'],
      [{ unauth_action: 'maybe' }, '/unauth_action'],
      [{ timeout: 0 }, '/timeout'],
    ] as const) {
      const body = { uri: '/x', plugins: { 'openid-connect': { ...good, ...settings } } }
      const { status, body: answer } = await admin('PUT', '/routes/x', { body })
      assert.equal(status, 400, JSON.stringify(settings))
      assert.match(answer.error_msg, new RegExp(`openid-connect${path}`))
    }
    const alike = { accept_none_alg: false, iat_slack: 120, session: { storage: 'cookie' } }
    const body = { uri: '/x', plugins: { 'openid-connect': { ...good, ...alike, note: 1 } } }
    assert.equal((await admin('PUT', '/routes/x', { body })).status, 201)
  })
})

/** A node before the provider that changes what it says of tokens; its discovery address. */
async function startBefore(
  { issuer }: TestProvider,
  change: (body: Record<string, unknown>) => Record<string, unknown>,
): Promise<string> {
  const node = await startUpstream(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { host: _, ...headers } = request.headers
    const answer = await fetch(`${issuer}${request.url}`, {
      method: request.method ?? 'GET',
      headers: headers as Record<string, string>,
      ...(request.method === 'POST' ? { body: Buffer.concat(chunks) } : {}),
    })
    const text = await answer.text()
    response.writeHead(answer.status, { 'content-type': 'application/json' })
    if (request.url === '/token') return response.end(JSON.stringify(change(JSON.parse(text))))
    return response.end(text.replaceAll(`${issuer}/token"`, `http://${node.node}/token"`))
  })
  return `http://${node.node}/.well-known/openid-configuration`
}
