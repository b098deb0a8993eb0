import assert from 'node:assert/strict'
import { hostname } from 'node:os'
import { before, test } from 'node:test'
import { until } from '#test-kit'
import { gatewaySuite, rawTarget, startUpstream, type Upstream } from './support.ts'

/** What was found from outside in the administration of 0.1. */
export const adminFindings = gatewaySuite('findings: administration', (gateway) => {
  const { server, admin, put } = gateway
  let upstream: Upstream
  before(async () => {
    upstream = await startUpstream()
    await put('/upstreams/up', { nodes: { [upstream.node]: 1 } })
  })

  const refusal = async (path: string, body: unknown) => {
    const answer = await admin('PUT', path, { body })
    assert.equal(answer.status, 400, `${path} ${JSON.stringify(body)}`)
    assert.equal((await admin('GET', path)).status, 404, 'nothing is stored')
    return answer.body.error_msg
  }
  const refusedRoute = (more: object) =>
    refusal('/routes/bad', { uri: '/bad', upstream_id: 'up', ...more })

  test('gateway finding 2: a variable that does not exist is refused wherever one is named', async () => {
    const names = ['__proto__', 'constructor', 'toString', 'uris', 'http_', 'arg_', 'cookie_a b']
    const upstreamWith = (more: object) => ({ nodes: { '127.0.0.1:9': 1 }, type: 'chash', ...more })
    for (const name of names) {
      const condition = [[name, '==', 'x']]
      const places: object[] = [
        { vars: condition },
        { vars: [['OR', ['uri', '==', '/'], [name, '==', 'x']]] },
        { plugins: { 'request-id': { _meta: { filter: condition } } } },
        { plugins: { 'response-rewrite': { vars: condition } } },
        {
          plugins: {
            'traffic-split': {
              rules: [{ match: [{ vars: condition }], weighted_upstreams: [{ weight: 1 }] }],
            },
          },
        },
        { plugins: { 'traffic-split': { sticky: name, rules: [] } } },
      ]
      for (const place of places) assert.match(await refusedRoute(place), /unknown variable \[/)
      const message = await refusal('/upstreams/bad', upstreamWith({ key: name }))
      assert.match(message, /unknown variable/)
    }
    for (const text of ['a$__proto__', `a\${constructor}`, '$toString', '$1', `\${2}`]) {
      const places: object[] = [
        { 'proxy-rewrite': { uri: `/${text}` } },
        { 'proxy-rewrite': { headers: { 'X-A': text } } },
        { 'proxy-rewrite': { headers: { set: { 'X-A': ['fine', text] } } } },
        { redirect: { uri: text } },
        { redirect: { regex_uri: ['^/a', text] } },
        { 'response-rewrite': { headers: { set: { 'X-A': text } } } },
        { 'response-rewrite': { headers: { add: [`X-A: ${text}`] } } },
        { 'response-rewrite': { filters: [{ regex: 'a', replace: text }] } },
      ]
      for (const plugins of places) {
        assert.match(await refusedRoute({ plugins }), /unknown variable|no group/)
      }
      const combined = upstreamWith({ hash_on: 'vars_combinations', key: text })
      assert.match(await refusal('/upstreams/bad', combined), /unknown variable|no group/)
    }
    await put('/routes/good', {
      uri: '/good/:constructor',
      upstream_id: 'up',
      vars: [['uri_param_constructor', '==', 'x']],
      plugins: {
        'proxy-rewrite': { headers: { 'X-A': '$uri_param_constructor $uri_param_toString' } },
      },
    })
    const { body } = await rawTarget(server().gatewayUrl, '/good/x')
    assert.equal(JSON.parse(body).headers['x-a'], 'x')
    assert.equal((await rawTarget(server().gatewayUrl, '/good/y')).status, 404)
  })

  test('gateway finding 3: a route without hosts has those of its service, also when they change', async () => {
    const status = async (host: string, path = '/hosted') =>
      (await rawTarget(server().gatewayUrl, path, { host })).status
    await put('/services/hosted', {
      upstream_id: 'up',
      hosts: ['in.example.org', '*.W.example.org'],
    })
    await put('/routes/hosted', { uri: '/hosted', service_id: 'hosted' })
    await put('/routes/own', { uri: '/own', service_id: 'hosted', host: 'own.example.org' })
    assert.deepEqual(
      [await status('in.example.org'), await status('a.w.example.org'), await status('other.org')],
      [200, 200, 404],
    )
    assert.deepEqual(
      [await status('own.example.org', '/own'), await status('in.example.org', '/own')],
      [200, 404],
    )
    await put('/services/hosted', { upstream_id: 'up', hosts: ['new.example.org'] })
    assert.deepEqual([await status('in.example.org'), await status('new.example.org')], [404, 200])
    await put('/services/hosted', { upstream_id: 'up' })
    assert.equal(await status('anything.org'), 200)
    const whole = {
      routes: [{ id: 'hosted', uri: '/hosted', service_id: 'hosted' }],
      services: [{ id: 'hosted', upstream_id: 'up', hosts: ['whole.example.org'] }],
      upstreams: [{ id: 'up', nodes: { [upstream.node]: 1 } }],
    }
    assert.equal((await admin('PUT', '/configs', { body: whole })).status, 202)
    assert.deepEqual([await status('whole.example.org'), await status('any.org')], [200, 404])
    await admin('DELETE', '/services/hosted?force=true')
    assert.equal(await status('any.org'), 503, 'nothing left to inherit, and no upstream')
    await admin('DELETE', '/routes/hosted')
  })

  test('gateway finding 6: empty lists of kinds that only the model has are nothing, others are named', async () => {
    const body = {
      upstreams: [{ id: 'up', nodes: { [upstream.node]: 1 } }],
      stream_routes: [],
      protos: [],
      secrets: [],
    }
    assert.equal((await admin('POST', '/configs/validate', { body })).status, 200)
    assert.equal((await admin('PUT', '/configs', { body })).status, 202)
    for (const name of ['route', 'Routes', 'constructor', 'route_conf_version']) {
      const mistyped = { [name]: name.includes('_') ? 7 : [] }
      const answer = await admin('PUT', '/configs', { body: mistyped })
      assert.equal(answer.status, 400, name)
      assert.match(answer.body.error_msg, /unsupported resource type/)
      const checked = await admin('POST', '/configs/validate', { body: mistyped })
      assert.equal(checked.status, 400, name)
    }
    assert.equal((await admin('GET', '/upstreams/up')).status, 200, 'nothing is removed')
    const wrong = {
      ...body,
      stream_routes: [{ id: 1, upstream_id: 1 }],
      routes: [{ uri: '/a', upstream_id: 'none' }, 5],
      services: 'x',
    }
    const validated = await admin('POST', '/configs/validate', { body: wrong })
    assert.equal(validated.status, 400)
    const found = validated.body.errors.map(
      ({ resource_type: type, index, error }: Record<string, unknown>) =>
        `${type} ${index} ${error}`,
    )
    assert.deepEqual(found.sort(), [
      'routes 0 upstream [none] not found',
      'routes 1 must be an object',
      'services 0 must be a list',
      'stream_routes 0 unsupported resource type: stream_routes',
    ])
    const replaced = await admin('PUT', '/configs', { body: wrong })
    assert.equal(replaced.status, 400)
    assert.ok(
      replaced.body.errors.some(({ error }: { error: string }) => error === 'id is required'),
    )
    const fresh = {
      ...body,
      routes: [
        { uri: '/a', upstream_id: 'up' },
        { uri: '/b', upstream_id: 'up' },
      ],
      consumers: [{ username: 'ann' }],
      credentials: [{ plugins: { 'key-auth': { key: 'k' } } }],
    }
    const valid = await admin('POST', '/configs/validate', { body: fresh })
    assert.deepEqual([valid.status, valid.body], [200, {}])
    assert.equal((await admin('GET', '/routes')).body.total, 0, 'nothing is stored')
  })

  test('gateway protocols: in /configs credentials may stand among the consumers', async () => {
    const { body: before } = await admin('GET', '/configs')
    const keyed = (id: string, key: string) => ({ id, plugins: { 'key-auth': { key } } })
    const consumers = [
      { username: 'ann' },
      keyed('ann/credentials/one', 'k1'),
      keyed('ann/credentials/two', 'k2'),
    ]
    const credentials = async () => {
      const { body } = await admin('GET', '/consumers/ann/credentials')
      return body.list.map(({ key }: { key: string }) => key)
    }
    const expected = ['one', 'two'].map((id) => `/gateway/consumers/ann/credentials/${id}`)
    const replace = (body: object) => admin('PUT', '/configs', { body })
    assert.equal((await admin('POST', '/configs/validate', { body: { consumers } })).status, 200)
    assert.equal((await replace({ consumers })).status, 202)
    assert.deepEqual(await credentials(), expected)

    // Who says that consumers are as they were, and knows of no credentials beside them, keeps both.
    const { body: now } = await admin('GET', '/configs')
    const { consumers_conf_version } = now
    assert.equal((await replace({ consumers_conf_version, consumers: [] })).status, 202)
    assert.deepEqual(await credentials(), expected)
    const { body: whole } = await admin('GET', '/configs')
    assert.deepEqual(whole.credentials, now.credentials)

    const wrong = [
      ...consumers,
      keyed('ann/credentials/two', 'k3'),
      keyed('ann/credentials/', 'k4'),
    ]
    const { status, body } = await replace({ consumers: wrong })
    assert.equal(status, 400)
    assert.deepEqual(
      body.errors.map(({ resource_type, index, error }: Record<string, string>) => [
        ...[resource_type, index, error],
      ]),
      [
        ['consumers', 4, 'id is not valid'],
        ['consumers', 3, 'the id is given twice'],
      ],
    )
    assert.deepEqual(await credentials(), expected, 'nothing has changed')
    assert.equal((await replace({ consumers: consumers.slice(0, 2) })).status, 202)
    assert.deepEqual(await credentials(), expected.slice(0, 1))
    const lists = Object.entries(before).filter(([name]) => !name.endsWith('_conf_version'))
    assert.equal((await replace(Object.fromEntries(lists))).status, 202)
  })

  test('gateway finding 10: headers that can never be sent are refused at write', async () => {
    const names = ['a b', 'a\r\nb', 'a\0', 'ä', '', 'a:b', 'Connection', 'content-length']
    for (const name of names) {
      for (const plugins of [
        { 'proxy-rewrite': { headers: { [name]: 'x' } } },
        { 'proxy-rewrite': { headers: { set: { [name]: 'x' } } } },
        { 'proxy-rewrite': { headers: { add: { [name]: 'x' } } } },
        { 'proxy-rewrite': { headers: { remove: [name] } } },
        { 'response-rewrite': { headers: { [name]: 'x' } } },
        { 'response-rewrite': { headers: { set: { [name]: 'x' } } } },
        { 'response-rewrite': { headers: { remove: [name] } } },
        { 'jwt-auth': { claims_to_headers: { sub: name } } },
        { 'request-id': { header_name: name } },
        { 'plan-access': { cost_header: name } },
      ]) {
        await refusedRoute({ plugins })
      }
    }
    for (const value of ['a\r\nX-B: 1', 'a\n', 'a\0b', '\u010a', '\ud800', 'x'.repeat(65_536)]) {
      for (const plugins of [
        { 'proxy-rewrite': { headers: { 'X-A': value } } },
        { 'proxy-rewrite': { headers: { add: { 'X-A': ['ok', value] } } } },
        { 'response-rewrite': { headers: { set: { 'X-A': value } } } },
        { 'response-rewrite': { headers: { add: [`X-A: b${value}c`] } } },
        { 'key-auth': { realm: value } },
        { 'jwt-auth': { realm: value } },
      ]) {
        await refusedRoute({ plugins })
      }
      const active = { req_headers: [`X-A: b${value}c`] }
      await refusal('/upstreams/bad', { nodes: {}, checks: { active } })
    }
    for (const line of ['a b: 1', 'a(b: 1', ': 1', 'none', 'ä: 1']) {
      await refusal('/upstreams/bad', { nodes: {}, checks: { active: { req_headers: [line] } } })
    }
    for (const member of ['http_path', 'host']) {
      for (const value of ['/\0', '/ä', '/\u010a', '/a b']) {
        await refusal('/upstreams/bad', { nodes: {}, checks: { active: { [member]: value } } })
      }
    }
    for (const host of ['a\0', 'ä', '\u010d', 'a b', 'a\r']) {
      await refusal('/upstreams/bad', { nodes: [{ host, weight: 1 }] })
      await refusal('/upstreams/bad', { nodes: { [`${host}:80`]: 1 } })
      await refusal('/upstreams/bad', { nodes: {}, pass_host: 'rewrite', upstream_host: host })
      await refusal('/upstreams/bad', { service_name: host, discovery_type: 'dns' })
    }
  })

  test('gateway finding 11: ids, methods and values that were let through', async () => {
    for (const id of [0, -1, 1.5, 1e300]) {
      const inBody = await admin('PUT', '/upstreams', { body: { id, nodes: {} } })
      assert.equal(inBody.status, 400, `${id}`)
      const whole = { upstreams: [{ id, nodes: {} }] }
      assert.equal((await admin('POST', '/configs/validate', { body: whole })).status, 400, `${id}`)
    }
    for (const id of ['0', '-1', '000']) await refusal(`/upstreams/${id}`, { nodes: {} })
    for (const path of ['/consumers', '/consumers/ann/credentials']) {
      await put('/consumers/ann', {})
      assert.equal((await admin('POST', path)).status, 405, path)
    }
    assert.equal((await admin('PATCH', '/consumers/ann')).status, 405)
    const bare = await refusal('/upstreams/bad', { nodes: [{ host: '::1', weight: 1 }] })
    assert.match(bare, /brackets: \[::1\]/)
    await put('/upstreams/six', { nodes: [{ host: '[::1]', weight: 1 }] })
    for (const host of ['a..b', '*..b', 'a.b..']) {
      for (const hosts of [{ host }, { hosts: ['a.b', host] }]) {
        assert.match(await refusal('/routes/bad', { uri: '/', plugins: {}, ...hosts }), /host name/)
      }
      assert.match(await refusal('/ssls/bad', { sni: host, cert: 'c', key: 'k' }), /sni.*host name/)
    }
    const active = { healthy: { http_statuses: [200, 200] } }
    assert.match(await refusal('/upstreams/bad', { nodes: {}, checks: { active } }), /repeat/)
    const coded = (secret: string) => ({
      plugins: { 'jwt-auth': { key: 'k1', secret, base64_secret: true } },
    })
    for (const secret of ['not base64!', 'abcde', 'ab=cd']) {
      assert.match(await refusal('/consumers/coded', coded(secret)), /base64/)
    }
    await put('/consumers/coded', coded('c2VjcmV0'))
    await put('/consumers/coded/credentials/empty', {})
    await put('/consumers/coded/credentials/none', { plugins: {} })
    const two = { plugins: { 'key-auth': { key: 'a' }, 'jwt-auth': { key: 'b', secret: 'c' } } }
    await refusal('/consumers/coded/credentials/two', two)
    const patched = await admin('PATCH', '/upstreams/six/labels/__proto__', { body: 'x' })
    assert.equal(patched.status, 400)
    const timeout = { connect: 1e9, send: 1, read: 1 }
    await refusal('/upstreams/bad', { nodes: {}, timeout })
  })

  test('gateway finding 12: the key of a consistent hash is one, or refused', async () => {
    const nodes = { '127.0.0.1:9': 1 }
    const chash = (more: object) => ({ type: 'chash', nodes, ...more })
    for (const more of [
      { key: 'query_string' },
      { key: 'args' },
      { key: 'arg_user' },
      { hash_on: 'header', key: 'X-User' },
      { hash_on: 'cookie', key: 'sid' },
      { hash_on: 'consumer' },
      { hash_on: 'vars_combinations', key: '$remote_addr$arg_user' },
    ]) {
      await put('/upstreams/hash', chash(more))
    }
    for (const more of [
      { key: 'queries' },
      { hash_on: 'header', key: 'X User' },
      { hash_on: 'header', key: 'X\0' },
      { hash_on: 'cookie', key: 'a;b' },
      { hash_on: 'vars_combinations', key: 'nothing' },
      { hash_on: 'vars_combinations', key: '$nothing' },
    ]) {
      assert.match(await refusal('/upstreams/bad', chash(more)), /\/key/)
    }
    const other = await startUpstream((_request, response) => response.end('other'))
    await put('/upstreams/hash', {
      ...chash({ key: 'query_string' }),
      nodes: { [upstream.node]: 1, [other.node]: 1 },
    })
    await put('/routes/hash', { uri: '/hash', upstream_id: 'hash' })
    const chosen = async (query: string) =>
      (await rawTarget(server().gatewayUrl, `/hash?${query}`)).body === 'other'
    const sides = await Promise.all(Array.from({ length: 20 }, (_, n) => chosen(`u=${n}`)))
    assert.equal(new Set(sides).size, 2, 'the query decides, not the address')
  })

  test('gateway finding 14: operators in capitals, conditions of two, server_info with its host', async () => {
    const matches = async (vars: unknown, path: string) => {
      await put('/routes/vars', { uri: '/vars', upstream_id: 'up', vars })
      return (await rawTarget(server().gatewayUrl, path)).status === 200
    }
    assert.equal(await matches([['arg_a', 'IN', ['1', '2']]], '/vars?a=2'), true)
    assert.equal(await matches([['arg_a', '!', 'IN', ['1', '2']]], '/vars?a=2'), false)
    assert.equal(await matches([['remote_addr', 'IPMATCH', ['127.0.0.1']]], '/vars'), true)
    assert.equal(await matches([['http_accept', 'HAS', 'x']], '/vars'), false)
    assert.equal(await matches([['arg_a', '1']], '/vars?a=1'), true)
    assert.equal(await matches([['arg_a', '1']], '/vars?a=2'), false)
    assert.equal(await matches([['or', ['arg_a', '1'], ['arg_b', 1]]], '/vars?b=1'), true)
    for (const vars of [[['arg_a', '==']], [['arg_a', 'IN']], [['arg_a']], [['arg_a', '!', '1']]]) {
      await refusedRoute({ vars })
    }
    const { body } = await admin('GET', '/gateway/control/v1/server_info')
    assert.equal(body.hostname, hostname())
  })

  test('gateway finding 15: plugins are listed with version, priority and scope', async () => {
    const { body: all } = await admin('GET', '/plugins?all=true')
    const { version, priority, scope, type, schema, consumer_schema } = all['jwt-auth']
    assert.deepEqual([version, priority, scope, type], [0.1, 2510, 'route', 'auth'])
    assert.equal(schema.type, 'object')
    assert.ok(consumer_schema.properties.secret)
    const one = await admin('GET', '/schema/plugins/jwt-auth')
    assert.deepEqual(one.body, schema)
    const consumer = await admin('GET', '/schema/plugins/jwt-auth?schema_type=consumer')
    assert.deepEqual(consumer.body, consumer_schema)
    for (const path of ['/schema/plugins/none', '/schema/plugins/constructor', '/schema/plugins']) {
      assert.equal((await admin('GET', path)).status, 404, path)
    }
    assert.equal((await admin('GET', '/plugins/constructor')).status, 404)
  })

  test('gateway finding 16: the terminal says which node changed, and to what', async () => {
    const failing = await startUpstream((_request, response) => response.writeHead(500).end())
    const active = { interval: 0.1, unhealthy: { http_failures: 1 } }
    await put('/upstreams/failing', { nodes: { [failing.node]: 1 }, checks: { active } })
    const sentence = `an upstream node changed: ${failing.node} of upstreams/failing is unhealthy now`
    await until(() => server().output().includes(sentence), { what: sentence })
    const passive = { unhealthy: { http_statuses: [500], http_failures: 1 } }
    await put('/upstreams/passive', {
      nodes: { [failing.node]: 1 },
      checks: { active: { interval: 60, unhealthy: { http_failures: 0 } }, passive },
    })
    await put('/routes/passive', { uri: '/passive', upstream_id: 'passive' })
    await rawTarget(server().gatewayUrl, '/passive')
    const other = `an upstream node changed: ${failing.node} of upstreams/passive is unhealthy now`
    await until(() => server().output().includes(other), { what: other })
  })
})
