import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { assertPrompt } from '#test-kit'
import {
  echo,
  gatewaySuite,
  named,
  rawTarget,
  startUpstream,
  tally,
  type Upstream,
} from './support.ts'

export const routing = gatewaySuite('gateway routing', ({ server, admin, put, send }) => {
  const nodes: Record<string, Upstream> = {}
  before(async () => {
    for (const name of ['a', 'b', 'c', 'echo']) {
      const node = await startUpstream(name === 'echo' ? echo : named(name))
      nodes[name] = node
      await put(`/upstreams/${name}`, { nodes: { [node.node]: 1 } })
    }
  })

  const answerOf = async (path: string, init: RequestInit & { host?: string } = {}) => {
    const { host, ...rest } = init
    if (host === undefined) {
      const answer = await send(path, rest)
      return answer.status === 200 ? answer.text() : String(answer.status)
    }
    const headers: Record<string, string> = { host }
    const { status, body } = await rawTarget(server().gatewayUrl, path, headers)
    return status === 200 ? body : String(status)
  }

  test('gateway 9: paths, hosts, methods and addresses decide the route', async () => {
    await put('/routes/exact', { uri: '/nine/exact', upstream_id: 'a' })
    await put('/routes/prefix', { uri: '/nine/prefix/*', upstream_id: 'a' })
    await put('/routes/loose', { uri: '/nine-loose*', upstream_id: 'a' })
    await put('/routes/param', { uri: '/nine/p/:id/x', upstream_id: 'a' })
    await put('/routes/rest', { uri: '/nine/r/:id/*rest', upstream_id: 'a' })
    await put('/routes/literal', { uri: '/nine/l/v:1', upstream_id: 'a' })
    await put('/routes/many', { uris: ['/nine/m1', '/nine/m2'], upstream_id: 'a' })
    await put('/routes/host', { uri: '/nine/h', host: 'Foo.com', upstream_id: 'a' })
    await put('/routes/wild', {
      uri: '/nine/h',
      hosts: ['*.foo.com', 'other.org'],
      upstream_id: 'b',
    })
    await put('/routes/post', { uri: '/nine/m', methods: ['POST'], upstream_id: 'a' })
    await put('/routes/here', {
      uri: '/nine/here',
      remote_addrs: ['127.0.0.0/8'],
      upstream_id: 'a',
    })
    await put('/routes/away', { uri: '/nine/away', remote_addr: '10.0.0.1', upstream_id: 'a' })
    await put('/routes/off', { uri: '/nine/off', status: 0, upstream_id: 'a' })
    const expected: Record<string, string> = {
      '/nine/exact': 'a',
      '/nine/exact/': '404',
      '/nine/EXACT': '404',
      '/nine/prefix/': 'a',
      '/nine/prefix/x/y': 'a',
      '/nine/prefix': '404',
      '/nine-loose': 'a',
      '/nine-loosely': 'a',
      '/nine/p/1/x': 'a',
      '/nine/p//x': '404',
      '/nine/p/1/2/x': '404',
      '/nine/r/1/2/3': 'a',
      '/nine/l/v:1': 'a',
      '/nine/l/v2': '404',
      '/nine/m1': 'a',
      '/nine/m2?x=1': 'a',
      '/nine/h': '404',
      '/nine/m': '404',
      '/nine/here': 'a',
      '/nine/away': '404',
      '/nine/off': '404',
    }
    for (const [path, name] of Object.entries(expected))
      assert.equal(await answerOf(path), name, path)
    assert.equal(await answerOf('/nine/m', { method: 'POST' }), 'a')
    assert.equal(await answerOf('/nine/h', { host: 'FOO.com:9080' }), 'a')
    assert.equal(await answerOf('/nine/h', { host: 'x.foo.com' }), 'b')
    assert.equal(await answerOf('/nine/h', { host: 'y.x.foo.com' }), 'b')
    assert.equal(await answerOf('/nine/h', { host: 'other.org' }), 'b')
    assert.equal(await answerOf('/nine/h', { host: 'xfoo.com' }), '404')
    const none = await send('/nowhere')
    assert.equal(none.status, 404)
    assert.equal(await none.text(), '{"error_msg":"404 Route Not Found"}')
    const absolute = await rawTarget(server().gatewayUrl, 'http://foo.com/nine/h', { host: 'x.y' })
    assert.equal(absolute.body, 'a', 'the host of an absolute target counts')
    for (const uri of ['x', '/a b', '/a/*/b', '/a?x']) {
      const { status } = await admin('PUT', '/routes/bad', { body: { uri, upstream_id: 'a' } })
      assert.equal(status, 400, uri)
    }
  })

  test('gateway 9: a trailing star is a prefix after parameters too', async () => {
    const uris = { a: '/star/:id/*', b: '/star/:id/in*', c: '/star/:id/:last' }
    for (const [id, uri] of Object.entries(uris)) {
      await put(`/routes/star-${id}`, { uri, upstream_id: id })
    }
    const expected = {
      ...{ '/star/1/': 'a', '/star/1/x/y': 'a', '/star/1/in/y': 'b', '/star/1/inner/': 'b' },
      ...{ '/star/1/x': 'c', '/star/1/in': 'c', '/star/1': '404', '/star//x': '404' },
    }
    for (const [path, name] of Object.entries(expected)) {
      assert.equal(await answerOf(path), name, path)
    }
    for (const id of ['c', 'b']) await admin('DELETE', `/routes/star-${id}`)
    assert.equal(await answerOf('/star/1/inner'), 'a')
    await admin('DELETE', '/routes/star-a')
    assert.equal(await answerOf('/star/1/inner'), '404')
  })

  test('gateway 12: the path of a route is normalised as that of a request', async () => {
    const uris = ['/norm/%7Ea', '/norm/a%2fb', '/norm/ä', '/norm//double', '/norm/x/../dots/*']
    await put('/routes/norm', { uris, upstream_id: 'a' })
    const matched = ['~a', '%7ea', 'a%2Fb', 'a%2fb', '%c3%a4', 'double', '/double', 'dots/%61']
    for (const path of matched) {
      const { status } = await rawTarget(server().gatewayUrl, `/norm/${path}`)
      assert.equal(status, 200, path)
    }
    for (const path of ['a/b', 'A', 'x/dots/a', '%C3%84']) {
      const { status } = await rawTarget(server().gatewayUrl, `/norm/${path}`)
      assert.equal(status, 404, path)
    }
    const { body } = await admin('GET', '/routes/norm')
    assert.deepEqual(body.value.uris, uris)
  })

  test('gateway 10: priority first, then the most specific, the same after a restart', async () => {
    await put('/routes/ten-exact', { uri: '/ten/x', upstream_id: 'a' })
    await put('/routes/ten-prefix', { uri: '/ten/*', priority: 5, upstream_id: 'b' })
    assert.equal(await answerOf('/ten/x'), 'b')
    await put('/routes/ten-prefix', { uri: '/ten/*', upstream_id: 'b' })
    assert.equal(await answerOf('/ten/x'), 'a')
    await put('/routes/ten-param', { uri: '/ten/:id', upstream_id: 'c' })
    assert.equal(await answerOf('/ten/x'), 'a')
    assert.equal(await answerOf('/ten/y'), 'c')
    assert.equal(await answerOf('/ten/y/z'), 'b')
    await put('/routes/ten-long', { uri: '/ten/y/*', upstream_id: 'a' })
    assert.equal(await answerOf('/ten/y/z'), 'a')
    await put('/routes/ten-any', { uri: '/ten-host', upstream_id: 'a' })
    await put('/routes/ten-wild', { uri: '/ten-host', host: '*.h.org', upstream_id: 'b' })
    await put('/routes/ten-wilder', { uri: '/ten-host', host: '*.x.h.org', upstream_id: 'c' })
    assert.equal(await answerOf('/ten-host', { host: 'y.h.org' }), 'b')
    assert.equal(await answerOf('/ten-host', { host: 'y.x.h.org' }), 'c')
    await put('/routes/ten-vars', { uri: '/ten/x', vars: [['arg_v', '==', '1']], upstream_id: 'b' })
    assert.equal(await answerOf('/ten/x?v=1'), 'b')
    assert.equal(await answerOf('/ten/x?v=2'), 'a')
    await put('/routes/ten-get', { uri: '/ten/x', methods: ['GET'], upstream_id: 'c' })
    assert.equal(await answerOf('/ten/x'), 'c')
    await put('/routes/ten-same', { uri: '/ten/x', methods: ['GET'], upstream_id: 'b' })
    assert.equal(await answerOf('/ten/x'), 'c', 'the older of two equal ones')
    server().signal('SIGTERM')
    await server().restart()
    assert.equal(await answerOf('/ten/x'), 'c')
    assert.equal(await answerOf('/ten/y/z'), 'a')
    assert.equal(await answerOf('/ten-host', { host: 'y.x.h.org' }), 'c')
  })

  test('gateway 11: a version is chosen by path, header, query, method and weight', async () => {
    await put('/routes/v1', { uri: '/api/v1/*', upstream_id: 'a' })
    await put('/routes/v2', {
      uri: '/api/v2/*',
      upstream_id: 'echo',
      plugins: { 'proxy-rewrite': { regex_uri: ['^/api/v2/(.*)', '/$1'] } },
    })
    assert.equal(await answerOf('/api/v1/x'), 'a')
    const { url } = JSON.parse(await answerOf('/api/v2/items/7?q=1'))
    assert.equal(url, '/items/7?q=1')
    await put('/routes/vd', { uri: '/ver/*', upstream_id: 'a' })
    const header = [['http_x_api_version', '==', '2']]
    await put('/routes/vh', { uri: '/ver/*', vars: header, priority: 10, upstream_id: 'b' })
    const query = [['arg_version', '==', '3']]
    await put('/routes/vq', { uri: '/ver/*', vars: query, priority: 10, upstream_id: 'c' })
    await put('/routes/vm', { uri: '/ver/m', methods: ['POST'], priority: 20, upstream_id: 'b' })
    assert.equal(await answerOf('/ver/x'), 'a')
    assert.equal(await answerOf('/ver/x', { headers: { 'X-API-Version': '2' } }), 'b')
    assert.equal(await answerOf('/ver/x?version=3'), 'c')
    assert.equal(await answerOf('/ver/m', { method: 'POST' }), 'b')
    const rules = [{ weighted_upstreams: [{ upstream_id: 'b', weight: 5 }, { weight: 95 }] }]
    await put('/routes/split', {
      uri: '/split',
      upstream_id: 'a',
      plugins: { 'traffic-split': { rules } },
    })
    const answers = await Promise.all(Array.from({ length: 200 }, () => answerOf('/split')))
    assert.deepEqual(tally(answers), { a: 190, b: 10 })
  })

  test('gateway 12: rule and upstream see the same path, or nobody sees any', async () => {
    await put('/routes/twelve', { uri: '/t/*', upstream_id: 'echo' })
    const forwarded: Record<string, string> = {
      '/t/a/../b': '/t/b',
      '/t/a/%2e%2E/b': '/t/b',
      '/t/./b/': '/t/b/',
      '//t///b': '/t/b',
      '/t/a%2Fb': '/t/a%2Fb',
      '/t/a%2fb': '/t/a%2Fb',
      '/t/%61%7eb': '/t/a~b',
      '/t/%C3%A9': '/t/%C3%A9',
      '/x/../t/y?a=../b': '/t/y?a=../b',
    }
    for (const [target, path] of Object.entries(forwarded)) {
      const { status, body } = await rawTarget(server().gatewayUrl, target)
      assert.equal(status, 200, target)
      assert.equal(JSON.parse(body).url, path, target)
    }
    const before = nodes['echo']?.seen.length
    for (const target of [
      '/t/%00',
      '/t/%zz',
      '/t/%2',
      '/../t/x',
      '/t/../../x',
      '/t/%2e%2e/%2e%2e/x',
    ]) {
      assert.equal((await rawTarget(server().gatewayUrl, target)).status, 400, target)
    }
    assert.equal(nodes['echo']?.seen.length, before)
    assert.equal((await rawTarget(server().gatewayUrl, '/t/../x')).status, 404)
  })

  test('gateway 13: every operator of vars, and none that stalls', async () => {
    const cases: [unknown[], string, boolean][] = [
      [[['arg_a', '==', '1']], '?a=1', true],
      [[['arg_a', '==', 1]], '?a=1.0', true],
      [[['arg_a', '~=', '1']], '?a=2', true],
      [[['arg_a', '~=', 1]], '?a=x', true],
      [[['arg_a', '>', 18]], '?a=19', true],
      [[['arg_a', '>', 18]], '?a=x', false],
      [[['arg_a', '>=', 18]], '?a=18', true],
      [[['arg_a', '<', 18]], '?a=18', false],
      [[['arg_a', '<=', 18]], '?a=18', true],
      [[['arg_a', '~~', '^[a-c]+$']], '?a=abc', true],
      [[['arg_a', '~~', '^[a-c]+$']], '?a=ABC', false],
      [[['arg_a', '~*', '^[a-c]+$']], '?a=ABC', true],
      [[['arg_a', 'in', ['x', 'y']]], '?a=y', true],
      [[['arg_a', 'has', 'y']], '?a=x,y', true],
      [[['remote_addr', 'ipmatch', ['127.0.0.0/8']]], '', true],
      [[['remote_addr', '!', 'ipmatch', ['127.0.0.0/8']]], '', false],
      [[['arg_a', '!', '~~', 'dev']], '?a=prod', true],
      [[['arg_a', '==', null]], '', true],
      [[['arg_a', '==', null]], '?a=', false],
      [[['arg_a', '~=', null]], '?a=1', true],
      [[['OR', ['arg_a', '==', '1'], ['arg_b', '==', '1']]], '?b=1', true],
      [[['AND', ['arg_a', '==', '1'], ['arg_b', '==', '1']]], '?b=1', false],
      [[['!OR', ['arg_a', '==', '1'], ['arg_b', '==', '1']]], '', true],
      [[['!AND', ['arg_a', '==', '1'], ['OR', ['arg_b', '==', '1']]]], '?a=1&b=1', false],
      [[['uri_param_id', '==', '7']], '', true],
      [
        [
          ['http_x_case', '==', 'v'],
          ['cookie_Sid', '==', 's'],
        ],
        '',
        true,
      ],
      [[['cookie_sid', '==', 's']], '', false],
    ]
    const headers = { 'X-Case': 'v', cookie: 'Sid=s; other=1' }
    for (const [vars, query, isMatch] of cases) {
      await put('/routes/vars', { uri: '/vars/:id', vars, upstream_id: 'a' })
      const answer = await answerOf(`/vars/7${query}`, { headers })
      assert.equal(answer, isMatch ? 'a' : '404', `${JSON.stringify(vars)} ${query}`)
    }
    for (const vars of [
      'x',
      [['arg_a']],
      [['arg_a', '===', 1]],
      [['arg_a', '~~', '(']],
      [['arg_a', '~~', '(?=x)']],
      [['arg_a', '~~', '(a)\\1']],
      [['arg_a', 'ipmatch', ['x']]],
      [['NOR', ['arg_a', '==', '1']]],
      [['post_arg_', '==', '1']],
    ]) {
      const body = { uri: '/vars/:id', vars, upstream_id: 'a' }
      assert.equal((await admin('PUT', '/routes/vars', { body })).status, 400, JSON.stringify(vars))
    }
    await put('/routes/slow', {
      uri: '/slow',
      vars: [['arg_a', '~~', '^(a+)+$']],
      upstream_id: 'a',
    })
    const startedAt = performance.now()
    assert.equal(await answerOf(`/slow?a=${'a'.repeat(10_000)}b`), '404')
    assertPrompt(performance.now() - startedAt, 2_000)
  })
})
