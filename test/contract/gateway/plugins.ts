import assert from 'node:assert/strict'
import { isIP } from 'node:net'
import { before, test } from 'node:test'
import { gatewaySuite, rawTarget, startUpstream, type Upstream } from './support.ts'

export const plugins = gatewaySuite('gateway plugins', ({ server, admin, put, send }) => {
  let upstream: Upstream
  before(async () => {
    upstream = await startUpstream()
    await put('/upstreams/up', { nodes: { [upstream.node]: 1 } })
  })

  const route = (id: string, plugins: unknown, more: object = {}) =>
    put(`/routes/${id}`, { uri: `/${id}/*`, upstream_id: 'up', plugins, ...more })
  const seen = async (path: string, init: RequestInit = {}) =>
    JSON.parse(await (await send(path, init)).text())

  test('proxy-rewrite changes path, method, host and headers, and lets no line break through', async () => {
    await route('pr', {
      'proxy-rewrite': {
        regex_uri: ['^/pr/x/(.*)', '/y/$1', '^/pr/(\\d+)$', '/number/$1'],
        method: 'PUT',
        host: 'inner.org',
        headers: {
          set: { 'X-Path': '$uri', 'X-One': '$1', 'X-Sent': 'new' },
          add: { 'X-More': 'b' },
          remove: ['X-Gone'],
        },
      },
    })
    const headers = { 'x-sent': 'old', 'x-more': 'a', 'x-gone': '1' }
    const first = await seen('/pr/x/z?q=1', { headers })
    assert.equal(first.url, '/y/z?q=1')
    assert.equal(first.method, 'PUT')
    assert.equal(first.headers.host, 'inner.org')
    assert.equal(first.headers['x-path'], '/pr/x/z')
    assert.equal(first.headers['x-one'], 'z')
    assert.equal(first.headers['x-sent'], 'new')
    assert.equal(first.headers['x-more'], 'a, b')
    assert.equal(first.headers['x-gone'], undefined)
    assert.equal((await seen('/pr/7')).url, '/number/7')
    assert.equal((await seen('/pr/other')).url, '/pr/other')
    await route('pu', {
      'proxy-rewrite': { uri: '/to/$arg_name/$http_x_a', headers: { 'X-Set': '$arg_name' } },
    })
    const injected = await seen('/pu/x?name=a%0d%0aX-Evil:%201%20b', { headers: { 'x-a': 'c' } })
    assert.equal(injected.url.split('?')[0], '/to/a%0D%0AX-Evil:%201%20b/c')
    assert.equal(injected.headers['x-evil'], undefined)
    assert.equal(injected.headers['x-set'], undefined, 'a value with a line break is not set')
    const escaping = await send('/pu/x?name=../../..', {})
    assert.deepEqual(
      [escaping.status, await escaping.json()],
      [
        400,
        {
          ...{ error_msg: 'the rewritten path is not correct', code: 'bad_request' },
          request_id: escaping.headers.get('x-request-id'),
        },
      ],
    )
    for (const settings of [
      { regex_uri: ['('] },
      { regex_uri: ['(?=a)', '/'] },
      { uri: 'x' },
      { method: 'X' },
      { headers: { 'a b': '1' } },
    ]) {
      const body = { uri: '/bad', plugins: { 'proxy-rewrite': settings } }
      const { status, body: answer } = await admin('PUT', '/routes/bad', { body })
      assert.equal(status, 400, JSON.stringify(settings))
      assert.match(answer.error_msg, /proxy-rewrite/)
    }
  })

  test('redirect sends elsewhere', async () => {
    await route('rd', { redirect: { uri: '/new/$arg_x', ret_code: 301 } })
    const moved = await send('/rd/x?x=1')
    assert.deepEqual([moved.status, moved.headers.get('location')], [301, '/new/1'])
    await route('rr', { redirect: { regex_uri: ['^/rr/(.*)$', '/to/$1'] } })
    const found = await send('/rr/a')
    assert.deepEqual([found.status, found.headers.get('location')], [302, '/to/a'])
    await route('rs', { redirect: { http_to_https: true } })
    const secure = await rawTarget(server().gatewayUrl, '/rs/a?b=1', { host: 'h.org:80' })
    assert.deepEqual([secure.status, secure.headers.location], [301, 'https://h.org/rs/a?b=1'])
    const told = (proto: string) => ({
      ...{ 'x-forwarded-proto': proto, 'x-forwarded-host': 'shop.org:8080', host: 'inner' },
    })
    const ended = await rawTarget(server().gatewayUrl, '/rs/a', told('https'))
    assert.equal(ended.status, 200, 'a trusted proxy has ended TLS')
    const plain = await rawTarget(server().gatewayUrl, '/rs/a', told('http'))
    assert.deepEqual([plain.status, plain.headers.location], [301, 'https://shop.org/rs/a'])
    const injected = await send('/rd/x?x=%0d%0aSet-Cookie:a')
    assert.equal(injected.headers.get('set-cookie'), null)
    assert.equal(
      upstream.seen.some(({ url }) => url?.startsWith('/rd')),
      false,
    )
  })

  test('response-rewrite changes status, headers and body where its condition holds', async () => {
    await route('rw', {
      'response-rewrite': {
        status_code: 201,
        headers: {
          set: { 'X-New': '$request_method' },
          add: ['Vary: A'],
          remove: ['content-type'],
        },
        body: '{"replaced":true}',
        vars: [['status', '==', 200]],
      },
    })
    const answer = await send('/rw/x')
    assert.equal(answer.status, 201)
    assert.equal(answer.headers.get('x-new'), 'GET')
    assert.equal(answer.headers.get('vary'), 'A')
    assert.equal(answer.headers.get('content-type'), null)
    assert.equal(answer.headers.get('content-length'), '17')
    assert.equal(await answer.text(), '{"replaced":true}')
    const again = await send('/rw/y')
    assert.equal(await again.text(), '{"replaced":true}', 'the connection stays in step')
    upstream.handle = (_request, response) => response.writeHead(404).end('gone')
    const other = await send('/rw/x')
    assert.deepEqual([other.status, await other.text()], [404, 'gone'])
    const { echo } = await import('./support.ts')
    upstream.handle = echo
  })

  test('ip-restriction goes by the address that cannot be forged', async () => {
    await route('ipw', { 'ip-restriction': { whitelist: ['10.1.0.0/16'], message: 'no' } })
    await route('ipb', { 'ip-restriction': { blacklist: ['10.1.2.3'] } })
    const from = (path: string, chain: string) =>
      send(path, { headers: { 'x-forwarded-for': chain } })
    const refused = await send('/ipw/x')
    assert.deepEqual([refused.status, await refused.text()], [403, '{"message":"no"}'])
    assert.equal((await from('/ipw/x', '10.1.2.3')).status, 200)
    assert.equal((await from('/ipw/x', '10.1.2.3, 8.8.8.8')).status, 403)
    assert.equal((await from('/ipb/x', '8.8.8.8, 10.1.2.3')).status, 403)
    assert.equal((await from('/ipb/x', '10.1.2.3, 8.8.8.8')).status, 200)
    const { headers } = await seen('/ipb/x', { headers: { 'x-forwarded-for': '1.2.3.4' } })
    assert.equal(headers['x-forwarded-for'], '1.2.3.4, 127.0.0.1')
    assert.equal(headers['x-real-ip'], '1.2.3.4')
    await route('ipw-none', {})
    await route('ip6', { 'ip-restriction': { blacklist: ['2001:db8::/32'] } })
    // Some proxies add the port.
    assert.equal((await from('/ipb/x', '10.1.2.3:4711')).status, 403)
    assert.equal((await from('/ipw/x', '10.1.2.3:4711')).status, 200)
    assert.equal((await from('/ip6/x', '[2001:db8::7]:4711')).status, 403)
    assert.equal((await from('/ip6/x', '[2001:db8::7]')).status, 403)
    for (const chain of ['10.1.2.3:4711', '[2001:db8::7]:4711', '1.2:3', 'a.b', '', 'unknown']) {
      const given = await seen('/ipw-none/x', { headers: { 'x-forwarded-for': chain } })
      assert.ok(isIP(given.headers['x-real-ip']), chain)
    }
    for (const settings of [
      {},
      { whitelist: ['x'] },
      { whitelist: ['1.1.1.1'], blacklist: ['2.2.2.2'] },
    ]) {
      const body = { uri: '/bad', plugins: { 'ip-restriction': settings } }
      assert.equal((await admin('PUT', '/routes/bad', { body })).status, 400)
    }
  })

  test('request-id carries the id under another name', async () => {
    await route('id', { 'request-id': { header_name: 'X-Trace', include_in_response: true } })
    const answer = await send('/id/x')
    const id = answer.headers.get('x-trace')
    assert.equal(id, answer.headers.get('x-request-id'))
    assert.equal(JSON.parse(await answer.text()).headers['x-trace'], id)
    await route('id', { 'request-id': { include_in_response: false } })
    assert.equal((await send('/id/x')).headers.get('x-request-id'), null)
  })

  test('gateway 27: one settings object wins whole, by consumer, group, route, plugin config, service', async () => {
    const mark = (value: string) => ({
      'response-rewrite': { headers: { set: { 'X-From': value } } },
    })
    await put('/services/svc', { upstream_id: 'up', plugins: mark('service') })
    await put('/plugin_configs/pc', { plugins: mark('config') })
    await put('/consumer_groups/grp', { plugins: mark('group') })
    await put('/consumers/plain', { plugins: { 'key-auth': { key: 'k-plain' } } })
    await put('/consumers/grouped', {
      group_id: 'grp',
      plugins: { 'key-auth': { key: 'k-grouped' } },
    })
    await put('/consumers/own', {
      group_id: 'grp',
      plugins: { 'key-auth': { key: 'k-own' }, ...mark('consumer') },
    })
    const from = async (key?: string) => {
      const answer = await send('/pre/x', key ? { headers: { apikey: key } } : {})
      return answer.headers.get('x-from')
    }
    const base = { uri: '/pre/*', service_id: 'svc' }
    await put('/routes/pre', base)
    assert.equal(await from(), 'service')
    await put('/routes/pre', { ...base, plugin_config_id: 'pc' })
    assert.equal(await from(), 'config')
    await put('/routes/pre', { ...base, plugin_config_id: 'pc', plugins: mark('route') })
    assert.equal(await from(), 'route')
    const authenticated = { 'key-auth': {}, ...mark('route') }
    await put('/routes/pre', { ...base, plugin_config_id: 'pc', plugins: authenticated })
    assert.equal(await from('k-plain'), 'route')
    assert.equal(await from('k-grouped'), 'group')
    assert.equal(await from('k-own'), 'consumer')
    assert.equal((await send('/pre/x')).status, 401)
    await put('/plugin_configs/pc', { plugins: mark('changed') })
    await put('/routes/pre', { ...base, plugin_config_id: 'pc' })
    assert.equal(await from(), 'changed')
    await put('/services/svc', { upstream_id: 'up', plugins: mark('later') })
    await put('/routes/pre', base)
    assert.equal(await from(), 'later')
  })

  test('gateway 27: order by priority, global rules in addition, _meta changes how a plugin runs', async () => {
    await put('/global_rules/all', {
      plugins: { 'response-rewrite': { headers: { add: ['X-Order: global'] } } },
    })
    await route('order', {
      'response-rewrite': { headers: { add: ['X-Order: route'] } },
      'ip-restriction': { blacklist: ['127.0.0.1'], _meta: { disable: true } },
    })
    assert.equal((await send('/order/x')).headers.get('x-order'), 'global, route')
    await route('order', {
      'ip-restriction': { blacklist: ['127.0.0.1'] },
      redirect: { uri: '/r' },
    })
    assert.equal((await send('/order/x')).status, 302, 'rewrite comes before access')
    await route('order', {
      'key-auth': {},
      'proxy-rewrite': { uri: '/rewritten' },
      redirect: { uri: '/r', _meta: { priority: 9000 } },
    })
    assert.equal((await send('/order/x')).status, 302)
    await route('order', { 'key-auth': {}, redirect: { uri: '/r' } })
    const refused = await send('/order/x')
    assert.equal(refused.status, 401)
    assert.equal(refused.headers.get('x-order'), 'global', 'header filters run for refusals too')
    await route('order', {
      'ip-restriction': {
        blacklist: ['127.0.0.1'],
        _meta: { filter: [['arg_x', '==', '1']], error_response: { code: 'mine' } },
      },
    })
    assert.equal((await send('/order/x')).status, 200)
    const filtered = await send('/order/x?x=1')
    assert.deepEqual([filtered.status, await filtered.text()], [403, '{"code":"mine"}'])
    for (const meta of [
      { disable: 1 },
      { priority: 'x' },
      { filter: [['a']] },
      { error_response: 1 },
    ]) {
      const body = { uri: '/bad', plugins: { 'request-id': { _meta: meta } } }
      assert.equal((await admin('PUT', '/routes/bad', { body })).status, 400)
    }
    await admin('DELETE', '/global_rules/all')
    assert.equal((await send('/order/x')).headers.get('x-order'), null)
  })

  test('gateway 27: global rules run for requests that no route takes, too', async () => {
    const script = "(conf, ctx) => { ctx.upstream('up'); ctx.set('seen', '1') }"
    await put('/global_rules/all', {
      plugins: {
        'serverless-pre-function': { phase: 'rewrite', functions: [script] },
        'response-rewrite': { headers: { set: { 'X-Seen': '$ctx_seen' } } },
        'ip-restriction': { blacklist: ['127.0.0.1'], _meta: { filter: [['arg_x', '==', '1']] } },
        'proxy-cache': {},
        cors: { allow_origins: 'https://a.org' },
      },
    })
    const headers = { origin: 'https://a.org' }
    const lost = await send('/nowhere', { headers })
    assert.deepEqual([lost.status, await lost.text()], [404, '{"error_msg":"404 Route Not Found"}'])
    assert.equal(lost.headers.get('x-seen'), '1')
    assert.equal(lost.headers.get('access-control-allow-origin'), 'https://a.org')
    assert.equal(lost.headers.get('x-cache-status'), null, 'nothing is forwarded')
    assert.equal((await send('/nowhere?x=1')).status, 403)
    const asked = { ...headers, 'access-control-request-method': 'GET' }
    assert.equal((await send('/nowhere', { method: 'OPTIONS', headers: asked })).status, 200)
    const { body } = await admin('POST', '/explain', { body: { method: 'GET', uri: '/nowhere' } })
    assert.equal(body.matched, null)
    assert.ok(body.plugins.some((one: { name: string }) => one.name === 'ip-restriction'))
    await admin('DELETE', '/global_rules/all')
    assert.equal((await send('/nowhere', { headers })).headers.get('x-seen'), null)
  })

  test('gateway 25: traffic-split by condition, own upstream, inline upstream and weight 0', async () => {
    const other = await startUpstream((_request, response) => response.end('other'))
    await put('/upstreams/other', { nodes: { [other.node]: 1 } })
    const rule = (entries: unknown[], match?: unknown[]) => ({
      'traffic-split': { rules: [{ weighted_upstreams: entries, ...(match ? { match } : {}) }] },
    })
    const match = [{ vars: [['arg_beta', '==', '1']] }, { vars: [['http_x_beta', '==', '1']] }]
    await route('ts', rule([{ upstream_id: 'other' }], match))
    const isOther = async (path: string) => (await (await send(path)).text()) === 'other'
    assert.equal(await isOther('/ts/x'), false)
    assert.equal(await isOther('/ts/x?beta=1'), true)
    const inline = { nodes: { [other.node]: 1 }, checks: { active: { interval: 60 } } }
    await route('ts', rule([{ upstream: inline, weight: 1 }, { weight: 0 }]))
    assert.equal(await isOther('/ts/x'), true)
    const { body } = await admin('GET', '/gateway/control/v1/healthcheck')
    assert.match(body[0].name, /^\/gateway\/routes\/ts\/traffic-split\//)
    await route('ts', rule([{ upstream_id: 'other', weight: 0 }, {}]))
    assert.equal(await isOther('/ts/x'), false)
    for (const entries of [[{ weight: 0 }], [], [{ upstream: { nodes: { 'a:0': 1 } } }]]) {
      const body = { uri: '/bad', upstream_id: 'up', plugins: rule(entries) }
      assert.equal(
        (await admin('PUT', '/routes/bad', { body })).status,
        400,
        JSON.stringify(entries),
      )
    }
  })

  test('gateway 25: traffic-split sticks to a variable of the plugin, or of the rule', async () => {
    const names = ['a', 'b', 'c']
    const nodes = await Promise.all(
      names.map((name) => startUpstream((_request, response) => response.end(name))),
    )
    const entries = nodes.map(({ node }) => ({ upstream: { nodes: { [node]: 1 } } }))
    const split = (rule: object, all: object = {}) => ({
      'traffic-split': { rules: [{ weighted_upstreams: entries, ...rule }], ...all },
    })
    const sides = async (query: string) => {
      const answers = Array.from({ length: 9 }, async () => {
        return (await send(`/stuck/x${query}`)).text()
      })
      return new Set(await Promise.all(answers))
    }
    for (const [plugins, member] of [
      [split({}, { sticky: 'arg_user' }), 'user'],
      [split({ sticky: 'arg_user' }), 'user'],
      [split({ sticky: 'arg_team' }, { sticky: 'arg_user' }), 'team'],
    ] as const) {
      await route('stuck', plugins)
      const users = Array.from({ length: 12 }, (_, n) => sides(`?${member}=${n}`))
      const chosen = await Promise.all(users)
      for (const each of chosen) assert.equal(each.size, 1, JSON.stringify(plugins))
      assert.equal(new Set(chosen.flatMap((each) => [...each])).size, 3)
      assert.equal((await sides('')).size, 3, 'without a value requests are divided as ever')
    }
    const body = { uri: '/bad', upstream_id: 'up', plugins: split({ sticky: 'nobody' }) }
    const { status, body: refused } = await admin('PUT', '/routes/bad', { body })
    assert.equal(status, 400)
    assert.match(JSON.stringify(refused), /rules\/0\/sticky.*unknown variable \[nobody\]/)
  })

  test('explain tells what would become of a request and sends nothing', async () => {
    await route('ex', { 'proxy-rewrite': { regex_uri: ['^/ex/(.*)', '/inner/$1'] } })
    await put('/routes/ex-post', { uri: '/ex/:id', methods: ['POST'], upstream_id: 'up' })
    const before = upstream.seen.length
    const { status, body } = await admin('POST', '/explain', {
      body: {
        method: 'GET',
        uri: '/ex/7?a=1',
        host: 'h.org',
        headers: { 'X-A': 'b' },
        remote_addr: '8.8.8.8',
      },
    })
    assert.equal(status, 200)
    assert.equal(body.matched.route_id, 'ex')
    assert.deepEqual(body.rejected, [{ route_id: 'ex-post', because: 'methods' }])
    const [plugin] = body.plugins
    assert.deepEqual(plugin, {
      name: 'proxy-rewrite',
      phase: 'rewrite',
      priority: 1008,
      from: 'routes/ex',
    })
    assert.deepEqual(body.upstream, { id: 'upstreams/up', nodes: [upstream.node] })
    assert.equal(body.forward.path, '/inner/7?a=1')
    assert.equal(body.forward.headers['x-a'], 'b')
    assert.equal(body.forward.headers['x-real-ip'], '8.8.8.8')
    const { port } = new URL(server().gatewayUrl)
    assert.equal(body.forward.headers['x-forwarded-port'], port, 'the port of the gateway')
    await put('/routes/ex-port', {
      ...{ uri: '/ex-port', vars: [['server_port', '==', port]], upstream_id: 'up' },
    })
    const byPort = await admin('POST', '/explain', { body: { uri: '/ex-port' } })
    assert.equal(byPort.body.matched?.route_id, 'ex-port')
    await route('ex-called', { 'limit-count': { count: 9, time_window: 60 } })
    const called = await admin('POST', '/explain', { body: { uri: '/ex-called/x' } })
    assert.deepEqual(called.body.plugins[0]?.name, 'limit-count', 'as the configuration calls it')
    const none = await admin('POST', '/explain', { body: { uri: '/nothing-here' } })
    assert.equal(none.body.matched, null)
    assert.equal((await admin('POST', '/explain', { body: { uri: 'x' } })).status, 400)
    assert.equal(upstream.seen.length, before)
  })
})
