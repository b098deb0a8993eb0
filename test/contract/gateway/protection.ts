import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { assertPrompt } from '#test-kit'
import { echo, gatewaySuite, rawTarget, startUpstream, type Upstream } from './support.ts'

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const other = generateKeyPairSync('rsa', { modulusLength: 2048 })
const ec = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
const pem = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }).toString()

export const protection = gatewaySuite('protection', ({ kind, server, admin, put, send }) => {
  let upstream: Upstream
  before(async () => {
    upstream = await startUpstream()
    await put('/upstreams/up', { nodes: { [upstream.node]: 1 } })
  })

  const route = (id: string, plugins: unknown, more: object = {}) =>
    put(`/routes/${id}`, { uri: `/${id}/*`, upstream_id: 'up', plugins, ...more })
  const seen = async (answer: Response) => JSON.parse(await answer.text())
  const refused = async (name: string, settings: object, pattern: RegExp) => {
    const body = { uri: '/bad', plugins: { [name]: settings } }
    const answer = await admin('PUT', '/routes/bad', { body })
    assert.equal(answer.status, 400, JSON.stringify(settings))
    assert.match(answer.body.error_msg, pattern)
  }

  const soon = () => Math.floor(Date.now() / 1000) + 600
  test('gateway 22: tokens of three algorithms from header, query and cookie', async () => {
    await put('/consumers/rs', {
      labels: { custom_id: 'c-7' },
      plugins: { 'jwt-auth': { key: 'rs', algorithm: 'RS256', public_key: pem(rsa.publicKey) } },
    })
    await put('/consumers/hs', { plugins: { 'jwt-auth': { key: 'hs', secret: 'secret-of-hs' } } })
    await put('/consumers/es', {
      plugins: { 'jwt-auth': { key: 'es', algorithm: 'ES256', public_key: pem(ec.publicKey) } },
    })
    await route('jwt', { 'jwt-auth': { claims_to_headers: { sub: 'X-Sub' } } })
    const tokens = [
      ['rs', rs256({ key: 'rs', sub: 'u1', exp: soon() })],
      ['hs', hs256({ key: 'hs', sub: 'u1', exp: soon() }, 'secret-of-hs')],
      ['es', es256({ key: 'es', sub: 'u1', exp: soon() })],
    ] as const
    for (const [name, token] of tokens) {
      for (const init of [
        { headers: { authorization: `Bearer ${token}` } },
        { headers: { authorization: token } },
        { headers: { cookie: `a=1; jwt=${token}` } },
      ]) {
        // Twice: the second time the signature is known.
        for (let n = 0; n < 2; n++) {
          const answer = await send('/jwt/x', init)
          assert.equal(answer.status, 200, name)
          const { headers } = await seen(answer)
          assert.equal(headers['x-consumer-username'], name)
          assert.equal(headers['x-sub'], 'u1')
          assert.equal(headers['x-consumer-custom-id'], name === 'rs' ? 'c-7' : undefined)
        }
      }
      assert.equal((await send(`/jwt/x?jwt=${token}`)).status, 200)
    }
    await route('jwt', { 'jwt-auth': { hide_credentials: true } })
    const { headers } = await seen(
      await send('/jwt/x', { headers: { authorization: `Bearer ${tokens[0][1]}` } }),
    )
    assert.equal(headers.authorization, undefined)
  })

  test('gateway 22: what is not right in a token is 401, and tells nothing of why', async () => {
    await route('jwt', { 'jwt-auth': {} })
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const good = rs256({ key: 'rs', exp: soon() })
    const wrong = {
      expired: rs256({ key: 'rs', exp: soon() - 1200 }),
      'not yet valid': rs256({ key: 'rs', nbf: soon() }),
      'time that is none': rs256({ key: 'rs', exp: 'never' }),
      'wrong key': rs256({ key: 'rs', exp: soon() }, other.privateKey),
      'alg none': `${part({ alg: 'none' })}.${part({ key: 'rs' })}.x`,
      'HS256 by the public key': hs256({ key: 'rs', exp: soon() }, pem(rsa.publicKey)),
      'other claims': [good.split('.')[0], part({ key: 'rs', sub: 'a' }), good.split('.')[2]].join(
        '.',
      ),
      'unknown crit': rs256({ key: 'rs', exp: soon() }, rsa.privateKey, { crit: ['x'] }),
    }
    for (const [what, token] of Object.entries(wrong)) {
      const answer = await send('/jwt/x', { headers: { authorization: `Bearer ${token}` } })
      assert.equal(answer.status, 401, what)
      assert.equal(answer.headers.get('www-authenticate'), 'Bearer realm="jwt"')
      assert.deepEqual(await seen(answer), { message: 'JWT not accepted' }, what)
    }
    const said = async (init: RequestInit) => (await seen(await send('/jwt/x', init))).message
    assert.equal(await said({}), 'JWT missing')
    assert.equal(await said({ headers: { authorization: 'Bearer x' } }), 'JWT malformed')
    const unknown = rs256({ key: '__proto__', exp: soon() })
    assert.equal(await said({ headers: { authorization: unknown } }), 'JWT key unknown')
  })

  test('gateway 22: a credential that is hidden stays so, whatever other plugins change of query and cookies', async () => {
    await put('/consumers/hidden', {
      plugins: {
        'key-auth': { key: 'hidden-key' },
        'jwt-auth': { key: 'hidden', secret: 'secret-of-hidden' },
      },
    })
    await route('hidden', {
      'key-auth': { hide_credentials: true },
      'proxy-rewrite': { uri: '/inner?a=1' },
    })
    const byQuery = await seen(await send('/hidden/x?apikey=hidden-key&b=2'))
    assert.equal(byQuery.url, '/inner?a=1&b=2')

    const script = "(conf, ctx) => { ctx.request.setHeader('cookie', ctx.request.cookies.own) }"
    await route('hidden', {
      'serverless-pre-function': { phase: 'rewrite', functions: [script] },
      'jwt-auth': { hide_credentials: true },
    })
    const token = hs256({ key: 'hidden', exp: soon() }, 'secret-of-hidden')
    const cookie = `jwt=${token}; own=shown=1; other=2`
    const byCookie = await seen(await send('/hidden/x', { headers: { cookie } }))
    assert.equal(byCookie.headers['x-consumer-username'], 'hidden')
    assert.equal(byCookie.headers.cookie, 'shown=1')
  })

  test('gateway 22: a header made of a claim is never what the client has sent under its name', async () => {
    await put('/consumers/named', {
      plugins: { 'jwt-auth': { key: 'named', secret: 'secret-of-named' } },
    })
    await route('named', {
      'jwt-auth': { claims_to_headers: { name: 'X-Name' }, anonymous_consumer: 'named' },
    })
    const nameFor = async (claims: object | null) => {
      const token = claims && hs256({ key: 'named', exp: soon(), ...claims }, 'secret-of-named')
      const answer = await send('/named/x', {
        headers: { 'x-name': 'root', ...(token ? { authorization: token } : {}) },
      })
      return (await seen(answer)).headers['x-name']
    }
    assert.equal(await nameFor({ name: 'ann' }), 'ann')
    assert.equal(await nameFor({}), undefined)
    assert.equal(await nameFor({ name: 'Анна' }), undefined, 'no header can have it')
    assert.equal(await nameFor(null), undefined, 'nobody has said who calls')
  })

  test('gateway 22: a token that was accepted is not past its end, nor past a change of its consumer', async () => {
    await put('/consumers/short', { plugins: { 'jwt-auth': { key: 'short', secret: 'one' } } })
    await route('jwt', { 'jwt-auth': {} })
    const token = hs256({ key: 'short', exp: soon() }, 'one')
    const status = async () =>
      (await send('/jwt/x', { headers: { authorization: token, connection: 'close' } })).status
    for (let n = 0; n < 20; n++) assert.equal(await status(), 200)
    await server().setClockOffset(601_000)
    for (let n = 0; n < 10; n++) assert.equal(await status(), 401, 'its time is over')
    await server().setClockOffset(0)
    assert.equal(await status(), 200)
    await put('/consumers/unrelated', { plugins: { 'jwt-auth': { key: 'un', secret: 'x' } } })
    assert.equal(await status(), 200)
    await put('/consumers/short', { plugins: { 'jwt-auth': { key: 'short', secret: 'two' } } })
    for (let n = 0; n < 10; n++) assert.equal(await status(), 401, 'the secret is another one')
    await put('/consumers/short', { plugins: { 'jwt-auth': { key: 'short', secret: 'one' } } })
    assert.equal(await status(), 200)
    await admin('DELETE', '/consumers/short')
    for (let n = 0; n < 10; n++) assert.equal(await status(), 401, 'the consumer is gone')
  })

  const preflight = (path: string, origin: string, headers: Record<string, string> = {}) =>
    rawTarget(
      server().gatewayUrl,
      path,
      { origin, 'access-control-request-method': 'GET', ...headers },
      'OPTIONS',
    )
  const crossing = (path: string, origin: string) => send(path, { headers: { origin } })
  const allowed = ({ headers }: Response) => headers.get('access-control-allow-origin')

  test('gateway 24: listed origins get headers, others none and are still served', async () => {
    await route('cors', {
      cors: {
        allow_origins: 'https://a.org , https://B.org:8443',
        allow_methods: 'GET , POST',
        allow_headers: 'X-A, X-B',
        expose_headers: 'X-C , X-D',
        max_age: 60,
        allow_credential: true,
      },
    })
    upstream.handle = (_request, response) =>
      response
        .writeHead(200, {
          'access-control-allow-origin': 'https://evil.org',
          'access-control-allow-credentials': 'true',
          vary: 'Accept',
        })
        .end('ok')
    const answer = await crossing('/cors/x', 'https://a.org')
    assert.equal(allowed(answer), 'https://a.org')
    const { headers } = answer
    assert.equal(headers.get('access-control-allow-credentials'), 'true')
    assert.equal(headers.get('access-control-allow-methods'), 'GET,POST')
    assert.equal(headers.get('access-control-allow-headers'), 'X-A,X-B')
    assert.equal(headers.get('access-control-expose-headers'), 'X-C,X-D')
    assert.equal(headers.get('access-control-max-age'), '60')
    assert.equal(headers.get('vary'), 'Accept, Origin')
    assert.equal(allowed(await crossing('/cors/x', 'https://b.org:8443')), 'https://b.org:8443')
    for (const origin of ['https://evil.org', 'https://a.org.evil.org', 'null', '__proto__']) {
      const unlisted = await crossing('/cors/x', origin)
      assert.equal(unlisted.status, 200)
      assert.equal(await unlisted.text(), 'ok')
      const named = [...unlisted.headers.keys()].filter((name) => name.startsWith('access-'))
      assert.deepEqual(named, [], `${origin}: nor those of the upstream`)
      assert.equal(unlisted.headers.get('vary'), 'Accept, Origin')
    }
    await route('cors', { cors: {} })
    const open = await crossing('/cors/x', 'https://any.org')
    assert.equal(allowed(open), '*')
    assert.equal(open.headers.get('access-control-max-age'), '5')
    assert.equal(open.headers.get('access-control-allow-credentials'), null)
    assert.equal(open.headers.get('vary'), 'Accept')
    upstream.handle = echo
  })

  test('gateway 24: of several settings one answers, also where the gateway refuses', async () => {
    await put('/global_rules/cors', { plugins: { cors: {} } })
    await route('both', { cors: { allow_origins: 'https://a.org' }, 'key-auth': {} })
    const answer = await crossing('/both/x', 'https://a.org')
    assert.equal(answer.status, 401)
    assert.equal(allowed(answer), 'https://a.org')
    assert.equal(answer.headers.get('access-control-max-age'), '5')
    await admin('DELETE', '/global_rules/cors')
  })

  test('gateway 24: a preflight is answered before authentication, also on a GET-only route with header conditions', async () => {
    await route(
      'pre',
      { cors: { allow_origins: 'https://a.org' }, 'jwt-auth': {} },
      {
        methods: ['GET'],
        vars: [
          ['http_x_version', '==', '2'],
          ['arg_k', '~=', 'no'],
        ],
      },
    )
    const before = upstream.seen.length
    const asked = await preflight('/pre/x', 'https://a.org')
    assert.deepEqual([asked.status, asked.body], [200, ''])
    assert.equal(asked.headers['access-control-allow-origin'], 'https://a.org')
    const unlisted = await preflight('/pre/x', 'https://b.org')
    assert.deepEqual([unlisted.status, unlisted.body], [200, ''])
    assert.equal(unlisted.headers['access-control-allow-origin'], undefined)
    assert.equal(
      (await preflight('/pre/x?k=no', 'https://a.org')).status,
      404,
      'other conditions hold',
    )
    const method = { 'access-control-request-method': 'DELETE' }
    assert.equal((await preflight('/pre/x', 'https://a.org', method)).status, 404)
    const plain = await rawTarget(server().gatewayUrl, '/pre/x', {}, 'OPTIONS')
    assert.equal(plain.status, 404, 'no preflight')
    const real = await send('/pre/x', { headers: { origin: 'https://a.org', 'x-version': '2' } })
    assert.equal(real.status, 401)
    assert.equal(allowed(real), 'https://a.org', 'headers on 401')
    await route('nocors', {}, { methods: ['GET'] })
    assert.equal((await preflight('/nocors/x', 'https://a.org')).status, 404)
    await route(
      'half',
      { cors: { _meta: { filter: [['arg_on', '==', '1']] } } },
      { methods: ['GET'] },
    )
    assert.equal((await preflight('/half/x?on=1', 'https://a.org')).status, 200)
    assert.equal((await preflight('/half/x', 'https://a.org')).status, 404, 'never forwarded')
    assert.equal(upstream.seen.length, before)
    await route('opt', { cors: {} })
    const forwarded = await rawTarget(server().gatewayUrl, '/opt/x', {}, 'OPTIONS')
    assert.equal(JSON.parse(forwarded.body).method, 'OPTIONS', 'any other OPTIONS is forwarded')
  })

  test('gateway 24: ** reflects, patterns decide alone and in linear time, timing has its own list', async () => {
    const all = { allow_origins: '**', allow_methods: '**', allow_headers: '**' }
    await route('ref', { cors: { ...all, expose_headers: '**', allow_credential: true } })
    const asked = await preflight('/ref/x', 'https://any.org', {
      'access-control-request-method': 'PATCH',
      'access-control-request-headers': 'x-a, x-b',
    })
    assert.equal(asked.headers['access-control-allow-origin'], 'https://any.org')
    assert.equal(asked.headers['access-control-allow-methods'], 'PATCH')
    assert.equal(asked.headers['access-control-allow-headers'], 'x-a,x-b')
    assert.match(String(asked.headers.vary), /Origin/)
    const exposed = await crossing('/ref/x', 'https://any.org')
    assert.match(exposed.headers.get('access-control-expose-headers') ?? '', /content-type/i)

    const patterns = ['^https://([a-z]+\\.)+good\\.org$', '(x+x+)+y']
    await route('reg', { cors: { allow_origins_by_regex: patterns } })
    assert.equal(allowed(await crossing('/reg/x', 'https://a.b.good.org')), 'https://a.b.good.org')
    assert.equal(allowed(await crossing('/reg/x', 'https://good.org.evil')), null)
    const started = performance.now()
    assert.equal(allowed(await crossing('/reg/x', 'x'.repeat(5000))), null)
    assertPrompt(performance.now() - started, 2_000, 'a pattern without backtracking')

    await route('time', {
      cors: { timing_allow_origins: 'https://t.org', allow_origins: 'https://a.org' },
    })
    const timing = (answer: Response) => answer.headers.get('timing-allow-origin')
    assert.equal(timing(await crossing('/time/x', 'https://t.org')), 'https://t.org')
    assert.equal(timing(await crossing('/time/x', 'https://a.org')), null)
    await route('time', { cors: { timing_allow_origins_by_regex: ['t\\.org$'] } })
    assert.equal(timing(await crossing('/time/x', 'https://t.org')), 'https://t.org')
  })

  test('gateway 24: * with credentials and what no browser understands is 400', async () => {
    const full = { allow_origins: 'https://a.org', allow_methods: 'GET', allow_headers: 'X-A' }
    const credentials = { ...full, allow_credential: true }
    for (const member of ['allow_origins', 'allow_methods', 'allow_headers', 'expose_headers']) {
      const pattern = new RegExp(`cors/${member}: must not be \\* with allow_credential`)
      await refused('cors', { ...credentials, [member]: '*' }, pattern)
    }
    await refused('cors', { allow_credential: true }, /allow_origins: must not be/)
    await refused('cors', { allow_origins: 'a.org' }, /allow_origins: must be/)
    await refused('cors', { allow_origins: 'https://a.org/path' }, /allow_origins: must be/)
    await refused('cors', { allow_methods: 'GET POST' }, /allow_methods: must be/)
    await refused('cors', { allow_headers: 'a\r\nb' }, /allow_headers: must be/)
    await refused('cors', { allow_origins_by_regex: ['(?=a)'] }, /allow_origins_by_regex\/0/)
    await refused('cors', { allow_origins_by_metadata: ['x'] }, /is not supported here/)
    await refused('cors', { max_age: 'x' }, /max_age/)
    await route('ok', {
      cors: { ...credentials, allow_origins_by_regex: ['a'], allow_origins: '*' },
    })
  })

  test('gateway basic-auth: name and password of a consumer, encrypted at rest', async () => {
    const password = `pässword: of ${kind} with : colons`
    await put('/consumers/basic', {
      plugins: { 'basic-auth': { username: 'who', password } },
    })
    await put('/consumers/someone', {})
    await put('/consumers/someone/credentials/c1', {
      plugins: { 'basic-auth': { username: 'second', password: 'p2' } },
    })
    await route('ba', { 'basic-auth': {} })
    const by = (name: string, secret: string) => ({
      headers: { authorization: `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}` },
    })
    const { headers } = await seen(await send('/ba/x', by('who', password)))
    assert.equal(headers['x-consumer-username'], 'basic')
    assert.ok(headers.authorization)
    const credential = await seen(await send('/ba/x', by('second', 'p2')))
    assert.equal(credential.headers['x-credential-identifier'], 'c1')
    const said = async (init: RequestInit) => {
      const answer = await send('/ba/x', init)
      assert.equal(answer.status, 401)
      assert.equal(answer.headers.get('www-authenticate'), 'Basic realm="basic"')
      return (await seen(answer)).message
    }
    assert.equal(await said({}), 'Missing authorization in request')
    for (const authorization of ['Bearer x', 'Basic', 'Basic !!', 'Basic bm9jb2xvbg==']) {
      assert.equal(await said({ headers: { authorization } }), 'Invalid authorization in request')
    }
    for (const [name, secret] of [
      ['who', 'wrong'],
      ['who', ''],
      ['nobody', password],
      ['__proto__', 'x'],
      ['', ''],
    ] as const) {
      assert.equal(await said(by(name, secret)), 'Invalid user authorization')
    }
    await route('ba', { 'basic-auth': { hide_credentials: true, realm: 'my realm' } })
    const hidden = await seen(await send('/ba/x', by('who', password)))
    assert.equal(hidden.headers.authorization, undefined)
    assert.equal((await send('/ba/x')).headers.get('www-authenticate'), 'Basic realm="my realm"')
    await route('ba', { 'basic-auth': { anonymous_consumer: 'someone' } })
    const anonymous = await seen(await send('/ba/x'))
    assert.equal(anonymous.headers['x-consumer-username'], 'someone')

    const twice = await admin('PUT', '/consumers/thief', {
      body: { plugins: { 'basic-auth': { username: 'who', password: 'p' } } },
    })
    assert.equal(twice.status, 400)
    assert.match(twice.body.error_msg, /the same basic-auth username is used by another consumer/)
    const colon = await admin('PUT', '/consumers/colon', {
      body: { plugins: { 'basic-auth': { username: 'a:b', password: 'p' } } },
    })
    assert.equal(colon.status, 400)
    const { body } = await admin('GET', '/consumers/basic')
    assert.equal(body.value.plugins['basic-auth'].password, password, 'the operator reads it back')
    if (kind === 'sqlite') {
      const files = ['entrepot.db', 'entrepot.db-wal'].map((file) =>
        readFileSync(join(server().dataDir, file)),
      )
      assert.equal(Buffer.concat(files).includes('of sqlite with'), false, 'not in clear at rest')
    }
  })

  test('gateway 27: what is said of what a consumer authenticates with has an effect, or is refused', async () => {
    await put('/consumers/held', { plugins: { 'key-auth': { key: 'held' } } })
    await put('/consumers/held/credentials/one', { plugins: { 'key-auth': { key: 'held-1' } } })
    await route('held', { 'key-auth': {} })
    const ask = async (apikey: string) => (await send('/held/x', { headers: { apikey } })).status
    assert.deepEqual([await ask('held'), await ask('held-1')], [200, 200])
    const off = (key: string) => ({ plugins: { 'key-auth': { key, _meta: { disable: true } } } })
    await put('/consumers/held/credentials/one', off('held-1'))
    assert.deepEqual([await ask('held'), await ask('held-1')], [200, 401])
    await put('/consumers/held', off('held'))
    assert.equal(await ask('held'), 401)

    const reject = async (path: string, plugins: object, pattern: RegExp) => {
      const { status, body } = await admin('PUT', path, { body: { plugins } })
      assert.deepEqual([status, pattern.test(body.error_msg)], [400, true], body.error_msg)
    }
    const limit = { 'rate-limiting': { count: 1, time_window: 60 } }
    await reject('/consumers/held/credentials/two', limit, /on a credential.*on the consumer/)
    await reject('/consumers/held/credentials/two', { 'plan-access': {} }, /on a route/)
    await reject('/consumers/held', { 'plan-access': {} }, /plan-access: has no effect here/)
    await put('/consumers/held', { plugins: { ...limit, 'key-auth': { key: 'held' } } })
    for (const path of ['/consumers/held', '/consumers/held/credentials/one']) {
      const meta = { priority: 1, filter: [['arg_a', '==', '1']], error_response: 'x' }
      for (const [name, value] of Object.entries(meta)) {
        const plugins = { 'key-auth': { key: 'held', _meta: { [name]: value } } }
        await reject(path, plugins, new RegExp(`_meta/${name}: has no effect here`))
      }
    }
  })

  test('gateway consumer-restriction: lists, groups, services, routes and methods', async () => {
    await put('/consumer_groups/vip', { plugins: {} })
    for (const name of ['jack', 'jill', 'constructor']) {
      const group = name === 'jack' ? { group_id: 'vip' } : {}
      await put(`/consumers/${name}`, { plugins: { 'key-auth': { key: `k-${name}` } }, ...group })
    }
    const as = async (name: string, method = 'GET') =>
      (await send('/cr/x', { method, headers: { apikey: `k-${name}` } })).status
    const restricted = (settings: object) =>
      route('cr', { 'key-auth': {}, 'consumer-restriction': settings })
    await restricted({ whitelist: ['jack'] })
    assert.deepEqual([await as('jack'), await as('jill'), await as('constructor')], [200, 403, 403])
    const answer = await send('/cr/x', { headers: { apikey: 'k-jill' } })
    assert.deepEqual(await seen(answer), { message: 'The consumer_name is forbidden.' })
    await restricted({ blacklist: ['jack'], rejected_code: 418, rejected_msg: 'no' })
    assert.deepEqual([await as('jack'), await as('jill'), await as('constructor')], [418, 200, 200])
    const told = await send('/cr/x', { headers: { apikey: 'k-jack' } })
    assert.deepEqual(await seen(told), { message: 'no' })
    await restricted({ whitelist: ['jack'], blacklist: ['jack'] })
    assert.equal(await as('jack'), 403, 'the blacklist is stronger')
    await restricted({ allowed_by_methods: [{ user: 'jack', methods: ['POST', 'PUT'] }] })
    assert.deepEqual(
      [await as('jack'), await as('jack', 'POST'), await as('jill')],
      [403, 200, 200],
    )
    await restricted({ type: 'consumer_group_id', whitelist: ['vip'] })
    assert.deepEqual(
      [await as('jack'), await as('jill')],
      [200, 401],
      'who has no group is unknown',
    )
    await restricted({ type: 'route_id', blacklist: ['cr'] })
    assert.equal(await as('jack'), 403)
    await put('/services/shop', { upstream_id: 'up' })
    await put('/consumers/limited', {
      plugins: {
        'key-auth': { key: 'k-limited' },
        'consumer-restriction': { type: 'service_id', whitelist: ['shop'] },
      },
    })
    await route('cr', { 'key-auth': {} })
    assert.equal(await as('limited'), 401, 'a route without a service')
    await route('cr', { 'key-auth': {} }, { service_id: 'shop' })
    assert.equal(await as('limited'), 200)
    await put('/services/shed', { upstream_id: 'up' })
    await route('cr', { 'key-auth': {} }, { service_id: 'shed' })
    assert.equal(await as('limited'), 403)
    await route('cr', { 'consumer-restriction': { whitelist: ['jack'] } })
    assert.equal((await send('/cr/x')).status, 401, 'nobody was identified')
    await refused('consumer-restriction', {}, /one of whitelist, blacklist/)
    await refused('consumer-restriction', { type: 'x', whitelist: ['a'] }, /type/)
    const methods = [{ user: 'a', methods: ['FETCH'] }]
    await refused('consumer-restriction', { allowed_by_methods: methods }, /methods/)
  })

  test('gateway uri-blocker: patterns on the target as sent and as forwarded', async () => {
    await route('ub', { 'uri-blocker': { block_rules: ['root.exe', 'root.m+', 'secret'] } })
    const status = async (path: string) => (await rawTarget(server().gatewayUrl, path)).status
    assert.equal(await status('/ub/x'), 200)
    assert.equal(await status('/ub/root.exe?a=1'), 403)
    assert.equal(await status('/ub/x?q=root.mmm'), 403)
    assert.equal(await status('/ub/s%65cret'), 403, 'an escape does not lead past a rule')
    assert.equal(await status('/ub/SECRET'), 200)
    assert.equal((await rawTarget(server().gatewayUrl, '/ub/secret')).body, '')
    const more = { case_insensitive: true, rejected_code: 404, rejected_msg: 'not here' }
    await route('ub', { 'uri-blocker': { block_rules: ['secret', '(x+x+)+y'], ...more } })
    const answer = await rawTarget(server().gatewayUrl, '/ub/SECRET')
    assert.deepEqual([answer.status, answer.body], [404, '{"error_msg":"not here"}'])
    assert.equal(await status(`/ub/${'x'.repeat(5000)}`), 200, 'in linear time')
    await refused('uri-blocker', {}, /block_rules: is required/)
    await refused('uri-blocker', { block_rules: ['(?=a)'] }, /block_rules\/0/)
    await refused('uri-blocker', { block_rules: ['a'], rejected_code: 700 }, /rejected_code/)
  })

  test('gateway real-ip: the address comes from where the operator says, if the peer is trusted', async () => {
    const shows = {
      'proxy-rewrite': { headers: { 'X-Addr': '$remote_addr', 'X-Port': '$remote_port' } },
    }
    const ask = async (path: string, headers: Record<string, string> = {}) => {
      const { headers: sent } = await seen(await send(path, { headers }))
      return sent
    }
    await route('ip', { 'real-ip': { source: 'arg_ip' }, ...shows })
    const given = await ask('/ip/x?ip=1.2.3.4:9080')
    assert.deepEqual(
      [given['x-addr'], given['x-port'], given['x-real-ip']],
      ['1.2.3.4', '9080', '1.2.3.4'],
    )
    assert.equal((await ask('/ip/x?ip=[2001:db8::1]:80'))['x-addr'], '2001:db8::1')
    assert.equal((await ask('/ip/x?ip=2001:db8::2'))['x-addr'], '2001:db8::2')
    for (const bad of ['', 'x', '1.2.3', '__proto__', '1.2.3.4.5:1', '1.2.3.4,5.6.7.8']) {
      assert.equal((await ask(`/ip/x?ip=${bad}`))['x-addr'], '127.0.0.1', bad)
    }
    await route('ip', {
      'real-ip': { source: 'http_x_real', trusted_addresses: ['10.0.0.0/8'] },
      ...shows,
    })
    const real = { 'x-real': '1.2.3.4' }
    assert.equal((await ask('/ip/x', real))['x-addr'], '127.0.0.1', 'the peer is not trusted')
    const through = { ...real, 'x-forwarded-for': '10.1.1.1' }
    assert.equal((await ask('/ip/x', through))['x-addr'], '1.2.3.4')
    const chain = { 'x-forwarded-for': '1.1.1.1, 9.9.9.9, 127.0.0.1' }
    const source = 'http_x_forwarded_for'
    const trusted_addresses = ['127.0.0.1', '9.9.9.9']
    await route('ip', { 'real-ip': { source, trusted_addresses }, ...shows })
    assert.equal((await ask('/ip/x', chain))['x-addr'], '127.0.0.1', 'the last of the chain')
    await route('ip', { 'real-ip': { source, trusted_addresses, recursive: true }, ...shows })
    assert.equal((await ask('/ip/x', chain))['x-addr'], '1.1.1.1', 'the last that is not trusted')
    await route('ip', {
      'real-ip': { source: 'arg_ip' },
      'ip-restriction': { blacklist: ['1.2.3.4'] },
    })
    assert.equal((await send('/ip/x?ip=1.2.3.4')).status, 403, 'other plugins go by it')
    await refused('real-ip', {}, /source: is required/)
    await refused('real-ip', { source: '__proto__' }, /source: unknown variable/)
    await refused('real-ip', { source: 'arg_a', trusted_addresses: ['x'] }, /trusted_addresses\/0/)
  })

  test('gateway api-breaker: an upstream that keeps failing is left alone for 2, 4, 8 seconds', async () => {
    let answers = 500
    upstream.handle = (_request, response) => response.writeHead(answers).end('up')
    await route('brk', {
      'api-breaker': {
        break_response_code: 502,
        break_response_body: '{"message":"broken"}',
        break_response_headers: [{ key: 'X-Broken', value: '$route_id' }],
        unhealthy: { http_statuses: [500, 503], failures: 2 },
        healthy: { http_statuses: [200], successes: 2 },
        max_breaker_sec: 4,
      },
    })
    const ask = async () => {
      const answer = await send('/brk/x', { headers: { connection: 'close' } })
      return [answer.status, await answer.text(), answer.headers.get('x-broken')]
    }
    const at = (seconds: number) => server().setClockOffset(seconds * 1000)
    const broken = [502, '{"message":"broken"}', 'brk']
    try {
      assert.deepEqual(await ask(), [500, 'up', null])
      assert.deepEqual(await ask(), [500, 'up', null])
      const before = upstream.seen.length
      assert.deepEqual(await ask(), broken)
      assert.equal(upstream.seen.length, before)
      await at(3)
      answers = 503
      assert.deepEqual(await ask(), [503, 'up', null])
      assert.deepEqual(await ask(), [503, 'up', null])
      await at(6)
      assert.deepEqual(await ask(), broken, 'four seconds the second time')
      await at(8)
      for (let n = 0; n < 2; n++) assert.equal((await ask())[0], 503)
      await at(11)
      assert.deepEqual(await ask(), broken)
      await at(13)
      answers = 404
      assert.equal((await ask())[0], 404, 'never longer than max_breaker_sec')
      answers = 200
      for (let n = 0; n < 2; n++) assert.equal((await ask())[0], 200)
      answers = 500
      assert.equal((await ask())[0], 500)
      answers = 200
      assert.equal((await ask())[0], 200, 'healthy again: counted from zero')
    } finally {
      await at(0)
      upstream.handle = echo
    }
    await put('/upstreams/off', { nodes: { '127.0.0.1:1': 1 } })
    const down = { break_response_code: 599, unhealthy: { http_statuses: [502], failures: 1 } }
    await route('brk', { 'api-breaker': down }, { upstream_id: 'off', uri: '/brk2/*' })
    assert.equal((await send('/brk2/x')).status, 502)
    const cut = await send('/brk2/x')
    assert.deepEqual(
      [cut.status, await cut.text()],
      [599, ''],
      'an upstream that is not there fails too',
    )
    await refused('api-breaker', {}, /break_response_code: is required/)
    const headers = [{ key: 'a b', value: 'x' }]
    const bad = {
      break_response_code: 502,
      break_response_body: 'x',
      break_response_headers: headers,
    }
    await refused('api-breaker', bad, /break_response_headers\/0\/key/)
    await refused(
      'api-breaker',
      { break_response_code: 502, max_breaker_sec: 2 },
      /max_breaker_sec/,
    )
    const unhealthy = { http_statuses: [200] }
    await refused('api-breaker', { break_response_code: 502, unhealthy }, /http_statuses\/0/)
  })
})

function signed(head: object, claims: object, make: (data: Buffer) => Buffer): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const text = `${part(head)}.${part(claims)}`
  return `${text}.${make(Buffer.from(text)).toString('base64url')}`
}

function rs256(claims: object, key = rsa.privateKey, more: object = {}): string {
  return signed({ alg: 'RS256', ...more }, claims, (data) => sign('sha256', data, key))
}

function es256(claims: object): string {
  const key = { key: ec.privateKey, dsaEncoding: 'ieee-p1363' } as const
  return signed({ alg: 'ES256' }, claims, (data) => sign('sha256', data, key))
}

function hs256(claims: object, secret: string): string {
  const make = (data: Buffer) => createHmac('sha256', secret).update(data).digest()
  return signed({ alg: 'HS256' }, claims, make)
}
