import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { assertPrompt, residentMib, until } from '#test-kit'
import { accessLines } from './script-support.ts'
import { gatewaySuite, named, startUpstream, type Upstream } from './support.ts'

type Settings = Record<string, unknown>

export const scripts = gatewaySuite('scripts', ({ server, admin, put, send }) => {
  let upstream: Upstream
  before(async () => {
    upstream = await startUpstream()
    const other = await startUpstream(named('the other'))
    await put('/upstreams/up', { nodes: { [upstream.node]: 1 } })
    await put('/upstreams/other', { nodes: { [other.node]: 1 } })
    await put('/routes/plain', { uri: '/plain', upstream_id: 'up' })
  })

  const pre = (functions: string | string[], more: Settings = {}) => ({
    'serverless-pre-function': { functions: [functions].flat(), ...more },
  })
  const route = (id: string, plugins: unknown, more: object = {}) =>
    put(`/routes/${id}`, { uri: `/${id}/*`, upstream_id: 'up', plugins, ...more })
  const seen = async (path: string, init: RequestInit = {}) => {
    const answer = await send(path, init)
    const text = await answer.text()
    assert.equal(answer.status, 200, text)
    return JSON.parse(text)
  }
  const refused = async (functions: string[], more: Settings = {}) => {
    const body = { uri: '/bad', upstream_id: 'up', plugins: pre(functions, more) }
    const { status, body: answer } = await admin('PUT', '/routes/bad', { body })
    assert.equal(status, 400, JSON.stringify(answer))
    return String(answer.error_msg)
  }
  const call = async (id: string, script: string, init: RequestInit = {}, more: Settings = {}) => {
    await route(id, pre(script, more))
    return seen(`/${id}/x?a=1&b=2&b=3`, init)
  }

  test('gateway 28: a script adds and removes headers, rewrites path, query, method and host', async () => {
    const change = `(conf, ctx) => {
      ctx.request.setHeader('X-One', conf.name)
      ctx.request.addHeader('x-many', 'b')
      ctx.request.setHeader('x-gone', null)
      ctx.request.setPath('/new/path')
      ctx.request.setQuery('a', 'x y')
      ctx.request.setQuery('b', null)
      ctx.request.setMethod('PUT')
      ctx.request.setHost('inner.org:81')
    };`
    const headers = { 'x-many': 'a', 'x-gone': '1' }
    const got = await call('sc-change', change, { headers }, { phase: 'rewrite', name: 'of conf' })
    assert.equal(got.url, '/new/path?a=x+y')
    assert.equal(got.method, 'PUT')
    assert.equal(got.headers.host, 'inner.org:81')
    assert.equal(got.headers['x-one'], 'of conf')
    assert.equal(got.headers['x-many'], 'a, b')
    assert.equal(got.headers['x-gone'], undefined)
  })

  test('gateway 28: a script reads the request, its variables and who calls', async () => {
    await put('/consumers/jack', {
      plugins: { 'key-auth': { key: 'of-jack' } },
      labels: { level: 'gold' },
    })
    const read = `return async function (conf, ctx) {
      await null
      const { method, path, query, headers, cookies, host, scheme, remote_addr, id } = ctx.request
      ctx.set('name', 'kept')
      return { status: 200, body: { method, path, query, host, scheme, remote_addr, cookies,
        agent: headers['user-agent'], hasId: id === ctx.var('request_id'), none: ctx.var('arg_none') ?? null,
        arg: ctx.var('arg_a'), set: ctx.var('ctx_name'), consumer: ctx.consumer, plan: ctx.plan,
        route: ctx.route.id, uri: ctx.route.uri, status: ctx.response.status, odd: headers.constructor ?? null,
        now: Math.abs(ctx.now() - Date.now()) < 60000 } }
    }`
    await route('sc-read', { 'key-auth': {}, 'serverless-post-function': { functions: [read] } })
    const headers = { apikey: 'of-jack', cookie: 'k=v; w=z', 'user-agent': 'me' }
    const got = await seen('/sc-read/x?a=1&b=2&b=3', { headers })
    assert.deepEqual(got, {
      ...{ method: 'GET', path: '/sc-read/x', query: { a: '1', b: ['2', '3'] }, host: '127.0.0.1' },
      ...{ scheme: 'http', remote_addr: '127.0.0.1', cookies: { k: 'v', w: 'z' }, agent: 'me' },
      ...{ hasId: true, none: null, arg: '1', set: 'kept', plan: null, route: 'sc-read' },
      ...{ uri: '/sc-read/*', status: null, odd: null, now: true },
      consumer: { username: 'jack', group_id: null, labels: { level: 'gold' } },
    })
  })

  test('gateway 28: a script answers by what it returns or by exit, and the rest is skipped', async () => {
    const cases: [string, number, string, string][] = [
      ['() => 403', 403, '', ''],
      ["() => [401, 'no']", 401, 'no', 'text/plain; charset=utf-8'],
      [
        "() => ({ status: 418, body: { a: 1 }, headers: { 'X-A': 'b' } })",
        418,
        '{"a":1}',
        'application/json; charset=utf-8',
      ],
      [
        "(conf, ctx) => { try { ctx.exit(409, 'out') } catch {} }",
        409,
        'out',
        'text/plain; charset=utf-8',
      ],
      [
        'async (conf, ctx) => { await null; ctx.exit(410, [1]) }',
        410,
        '[1]',
        'application/json; charset=utf-8',
      ],
    ]
    for (const [at, [script, status, body, type]] of cases.entries()) {
      const before = upstream.seen.length
      await route(`sc-answer-${at}`, pre([script, '() => 299']))
      const answer = await send(`/sc-answer-${at}/x`)
      assert.equal(answer.status, status, script)
      assert.equal(await answer.text(), body, script)
      assert.equal(answer.headers.get('content-type') ?? '', type, script)
      assert.equal(upstream.seen.length, before)
    }
    await route('sc-second', pre(['() => {}', '() => 298']))
    assert.equal((await send('/sc-second/x')).status, 298)
    for (const script of [
      "() => 'text'",
      '() => 42',
      "() => ({ status: 200, headers: { 'a b': '1' } })",
    ]) {
      await route('sc-wrong', pre(script))
      const { code } = JSON.parse(await (await send('/sc-wrong/x')).text())
      assert.equal(code, 'script_error', script)
    }
  })

  test('gateway 28: a script chooses the upstream; one that does not exist fails', async () => {
    await route('sc-up', pre("(conf, ctx) => { ctx.upstream('other') }"))
    assert.equal(await (await send('/sc-up/x')).text(), 'the other')
    await route('sc-none', pre("(conf, ctx) => { ctx.upstream('none') }"))
    assert.equal((await send('/sc-none/x')).status, 500)
  })

  test('gateway 28: phases before_proxy, header_filter and log, and headers of the answer in each', async () => {
    const mark =
      "(conf, ctx) => { ctx.response.setHeader('X-Mark', conf.phase); ctx.response.setHeader('content-type', null) }"
    for (const phase of ['rewrite', 'access', 'before_proxy', 'header_filter']) {
      await route(`sc-${phase}`, pre(mark, { phase }))
      const { headers } = await send(`/sc-${phase}/x`)
      assert.equal(headers.get('x-mark'), phase)
      assert.equal(headers.get('content-type'), null)
    }
    await route(
      'sc-filter',
      pre(
        "(conf, ctx) => ({ status: ctx.response.status + 1, headers: { 'X-Had': ctx.response.headers['content-type'] }, body: 'not used' })",
        { phase: 'header_filter' },
      ),
    )
    const filtered = await send('/sc-filter/x')
    assert.equal(filtered.status, 201)
    assert.equal(filtered.headers.get('x-had'), 'application/json')
    assert.match(await filtered.text(), /"method":"GET"/)
    await route(
      'sc-late',
      pre("(conf, ctx) => { ctx.request.setHeader('a', 'b') }", { phase: 'header_filter' }),
    )
    const late = await send('/sc-late/x')
    assert.equal(late.status, 500)
    assert.equal(JSON.parse(await late.text()).code, 'script_error')
    await route(
      'sc-log',
      pre("(conf, ctx) => { ctx.log.info('said at ' + ctx.response.status); return 500 }", {
        phase: 'log',
      }),
    )
    const logged = await send('/sc-log/x')
    assert.equal(logged.status, 200)
    const [line] = await accessLines(server(), logged.headers.get('x-request-id'))
    assert.deepEqual(line?.['script'], [{ level: 'info', text: 'said at 200' }])
  })

  test('gateway 28: a script gives an answer several headers of one name, each once', async () => {
    const cookies = async (id: string, plugins: unknown) => {
      await route(id, plugins)
      return (await send(`/${id}/x`)).headers.getSetCookie()
    }
    const add =
      "(conf, ctx) => { ctx.response.addHeader('Set-Cookie', conf.phase + '=1'); ctx.response.addHeader('set-cookie', 'b=2') }"
    for (const phase of ['rewrite', 'access', 'before_proxy', 'header_filter']) {
      const post = { 'serverless-post-function': { functions: ['() => {}'] } }
      const got = await cookies(`sc-add-${phase}`, { ...pre(add, { phase }), ...post })
      assert.deepEqual(got, [`${phase}=1`, 'b=2'])
    }
    const list = "({ 'Set-Cookie': ['a=1', 'b=2'] })"
    for (const script of [
      `() => ({ status: 200, headers: ${list} })`,
      `(conf, ctx) => ctx.exit(200, 'x', ${list})`,
    ]) {
      assert.deepEqual(await cookies('sc-list', pre(script)), ['a=1', 'b=2'])
    }
    const filter = pre(`() => ({ status: 200, headers: ${list} })`, { phase: 'header_filter' })
    assert.deepEqual(await cookies('sc-list', filter), ['a=1', 'b=2'])
    await route('sc-list', pre("() => ({ status: 200, headers: { a: ['b', 'c\\r\\nd: e'] } })"))
    assert.equal((await send('/sc-list/x')).status, 500)
  })

  test('gateway 28: a script reads and sets the body; above 1 MiB it is 413; without the setting it fails', async () => {
    const script =
      '(conf, ctx) => { const b = ctx.request.json(); b.more = ctx.request.text().length; ctx.request.setBody(JSON.stringify(b)) }'
    const post = (body: string, extra = {}) => ({ method: 'POST', body, ...extra })
    const got = await call('sc-body', script, post('{"a":"ä"}'), { body: true })
    assert.deepEqual(JSON.parse(Buffer.from(got.body, 'latin1').toString()), { a: 'ä', more: 9 })
    assert.equal(got.headers['content-length'], String(Buffer.from(got.body, 'latin1').length))
    await route(
      'sc-pass',
      pre("(conf, ctx) => { ctx.request.setHeader('x-size', ctx.request.text().length) }", {
        body: true,
      }),
    )
    const large = 'x'.repeat(1024 * 1024)
    const passed = await seen('/sc-pass/x', post(large))
    assert.equal(passed.headers['x-size'], String(large.length))
    assert.equal(passed.body.length, large.length)
    assert.equal((await seen('/sc-pass/x')).headers['x-size'], '0')
    assert.equal((await send('/sc-pass/x', post(`${large}y`))).status, 413)
    const stream = new Blob([`${large}y`]).stream()
    assert.equal(
      (await send('/sc-pass/x', { method: 'POST', body: stream, duplex: 'half' } as RequestInit))
        .status,
      413,
    )
    await route('sc-closed', pre('(conf, ctx) => { ctx.request.text() }'))
    assert.equal((await send('/sc-closed/x', post('a'))).status, 500)
  })

  test('gateway 28: helpers of ctx: digests, base64 and ids', async () => {
    const script = `(conf, ctx) => [200, [ctx.crypto.sha256('abc'), ctx.crypto.hmacSha256('key', 'abc'),
      ctx.crypto.base64.encode('ä'), ctx.crypto.base64.decode('w6Q='), ctx.crypto.uuid().length]]`
    assert.deepEqual(await call('sc-help', script), [
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
      '9c196e32dc0175f86f4b1cb89289d6619de6bee699e4c378e68309ed97a1a6ab',
      ...['w6Q=', 'ä', 36],
    ])
  })

  test('gateway 28: what a script sets is a variable for later plugins', async () => {
    await route('sc-var', {
      ...pre("(conf, ctx) => { ctx.set('who', 'me') }", { phase: 'rewrite' }),
      'proxy-rewrite': { headers: { 'X-Who': '$ctx_who' } },
    })
    assert.equal((await seen('/sc-var/x')).headers['x-who'], 'me')
  })

  test('gateway 28: Lua, a syntax error, no function and bad settings are refused at write', async () => {
    assert.match(
      await refused(['return function(conf, ctx) ngx.say("x") end']),
      /serverless-pre-function\/functions\/0.*SyntaxError/,
    )
    assert.match(
      await refused(['() => 1', '(conf, ctx) => { let a = }']),
      /functions\/1.*SyntaxError/,
    )
    assert.match(await refused(['42']), /no function/)
    assert.match(await refused(['const a = 1']), /no function/)
    assert.match(await refused(['while (true) {} return () => {}']), /too long/)
    await refused([])
    await refused(Array(17).fill('() => {}'))
    await refused([`() => {/*${'x'.repeat(64 * 1024)}*/}`])
    await refused(['() => {}'], { phase: 'balancer' })
    await refused(['() => {}'], { timeout_ms: 1001 })
    await refused(['() => {}'], { timeout_ms: 0 })
    assert.match(
      await refused(['() => {}'], { phase: 'log', timeout_ms: 60 }),
      /at most 50 in phase log/,
    )
    await refused(['() => {}'], { phase: 'log', body: true })
    await route('sc-patch', pre('() => {}'))
    const path = '/routes/sc-patch/plugins/serverless-pre-function/functions'
    assert.equal((await admin('PATCH', path, { body: ['no('] })).status, 400)
  })

  const ABUSE: [string, string, RegExp][] = [
    ['endless loop', '() => { while (true) {} }', /^script_timeout$/],
    [
      'endless loop that catches',
      '() => { for (;;) try { for (;;); } catch {} }',
      /^script_timeout$/,
    ],
    ['endless recursion', '() => { const f = () => f() + 1; f() }', /^script_(stack|timeout)$/],
    ['giant text', '() => { "x".repeat(2 ** 30) }', /^script_memory$/],
    ['giant buffer', '() => { new ArrayBuffer(2 ** 30) }', /^script_memory$/],
    [
      'growing array',
      '() => { const a = []; for (;;) a.push(new Array(1000).fill(a.length)) }',
      /^script_(memory|timeout)$/,
    ],
    [
      'backtracking expression',
      '() => { /^(a+)+$/.test("a".repeat(40) + "b") }',
      /^script_timeout$/,
    ],
    [
      'search of a long text',
      '() => { "a".repeat(4e6).indexOf("a".repeat(2e6) + "b") }',
      /^script_timeout$/,
    ],
    [
      'search of an endless list',
      '() => Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1)',
      /^script_timeout$/,
    ],
    [
      'long numbers',
      '() => { let x = 3n ** 600000n; for (;;) x = (x * x) % (7n ** 300000n) }',
      /^script_(timeout|memory|error)$/,
    ],
    ['promise that never settles', '() => new Promise(() => {})', /^script_timeout$/],
    ['endless promises', 'async () => { for (;;) await null }', /^script_timeout$/],
    ['exception', '() => { throw new Error("secret of the script") }', /^script_error$/],
  ]

  test('gateway 29: abuse is answered 500 with its code, in bounded time; the next call works and nothing leaks out', async () => {
    const pid = server().pid
    for (const timeout_ms of [50, 400]) {
      for (const [name, script, code] of ABUSE) {
        const once = `let calls = 0\nconst bad = ${script}\nreturn (conf, ctx) => { calls++; if (ctx.request.headers['x-bad']) return bad(); return [200, String(calls)] }`
        await route('sc-abuse', pre(once, { timeout_ms }))
        const startedAt = performance.now()
        const answer = await send('/sc-abuse/x', { headers: { 'x-bad': '1' } })
        const text = await answer.text()
        assert.equal(answer.status, 500, `${name}: ${text}`)
        const body = JSON.parse(text)
        assert.match(body.code, code, name)
        assert.deepEqual(Object.keys(body).sort(), ['code', 'error_msg', 'request_id'])
        assert.equal(body.error_msg, 'script failed')
        assert.equal(body.request_id, answer.headers.get('x-request-id'))
        // Far from exact, since a busy machine takes its time: an endless script would never end.
        assertPrompt(performance.now() - startedAt, 15_000, name)
        const next = await send('/sc-abuse/x')
        assert.equal(next.status, 200, name)
        assert.match(await next.text(), /^\d+$/)
      }
    }
    assert.equal(server().pid, pid)
  })

  test('gateway 29: memory stays bounded however often scripts allocate without end', async () => {
    await route(
      'sc-memory',
      pre('() => { const a = []; for (;;) a.push(new Uint8Array(2 ** 20)) }'),
    )
    const ask = async () => JSON.parse(await (await send('/sc-memory/x')).text()).code
    for (let round = 0; round < 12; round++) assert.equal(await ask(), 'script_memory')
    const before = residentMib(server().pid)
    for (let round = 0; round < 60; round++) assert.equal(await ask(), 'script_memory')
    const grown = residentMib(server().pid) - before
    assert.ok(grown < 150, `${grown} MiB for 60 calls of 16 MiB`)
  })

  test('gateway 29: a parallel route keeps answering while scripts run endlessly, in thread and in worker', async () => {
    await route('sc-loop', pre('() => { while (true) {} }'))
    await route('sc-apart', pre('() => { while (true) {} }', { timeout_ms: 1000 }))
    const slow = [1, 2, 3].flatMap(() => [send('/sc-loop/x'), send('/sc-apart/x')])
    let isOver = false
    const all = Promise.all(slow).then((answers) => {
      isOver = true
      return answers
    })
    let count = 0
    while (!isOver) {
      const answer = await send('/plain')
      assert.equal(answer.status, 200)
      await answer.text()
      count++
    }
    const answers = await all
    assert.ok(answers.filter(({ status }) => status === 500).length >= 4)
    for (const { status, headers } of answers) {
      // On a slow machine the last ones wait for longer than they may, and are not run at all (contract §6.3).
      assert.ok(status === 500 || (status === 503 && headers.get('retry-after') === '1'))
    }
    assert.ok(count > 5, `only ${count} answers`)
  })

  test('gateway 29: failures are counted by route and code; their text is only in the log', async () => {
    await route('sc-fails', pre('() => { throw new Error("a secret of the script") }'))
    const answers = await Promise.all([1, 2, 3].map(() => send('/sc-fails/x')))
    for (const answer of answers) assert.doesNotMatch(await answer.text(), /secret/)
    const { body } = await admin('GET', '/gateway/prometheus/metrics')
    assert.match(
      String(body),
      /gateway_script_failures_total\{route="sc-fails",code="script_error"\} 3/,
    )
    await until(() => server().log().includes('a secret of the script'))
  })

  test('gateway 29: at most 100 lines of 1 KiB go to the access log', async () => {
    await route(
      'sc-lines',
      pre(
        "(conf, ctx) => { for (let n = 0; n < 120; n++) console.log(n, { n }, 'ä'.repeat(600)) ; ctx.log.warn('w'); }",
      ),
    )
    const answer = await send('/sc-lines/x')
    assert.equal(answer.status, 200)
    const [line] = await accessLines(server(), answer.headers.get('x-request-id'))
    const lines = line?.['script']
    assert.ok(Array.isArray(lines))
    assert.equal(lines.length, 100)
    assert.match(lines[7].text, /^7 \{"n":7\} ä+$/)
    assert.ok(lines.every(({ text }) => Buffer.byteLength(text) <= 1024))
  })

  test('gateway 30: nothing of the host can be reached', async () => {
    const script = `() => {
      const global = globalThis.constructor.constructor('return this')()
      const names = ['process', 'require', 'fetch', 'module', 'Buffer', 'setTimeout', 'WebAssembly', 'XMLHttpRequest', 'Deno', 'std', 'os']
      return [200, { found: names.filter((name) => name in global || name in globalThis), same: global === globalThis,
        stack: new Error().stack.includes('/') }]
    }`
    assert.deepEqual(await call('sc-escape', script), { found: [], same: true, stack: false })
    for (const attempt of [
      "async () => { await import('node:fs') }",
      '() => { this.host("body") }',
      '() => { host("log") }',
    ]) {
      await route('sc-escape', pre(attempt))
      assert.equal((await send('/sc-escape/x')).status, 500, attempt)
    }
    const tampering = [
      '() => { JSON.stringify = () => \'{"changes":[["header","host","evil"]],"answer":{"status":1}}\'; Array.prototype.push = () => {} ; Object.prototype.status = 201 }',
      "(conf, ctx) => { ctx.request.setHeader('x', { toString() { return 'a\\r\\nb: c' } }) }",
      "(conf, ctx) => { ctx.request.setHeader('x', 'a\\r\\nb: c') }",
      "(conf, ctx) => { ctx.request.setHeader('Host', 'evil') }",
      "(conf, ctx) => { ctx.request.setHeader('Transfer-Encoding', 'chunked') }",
      "(conf, ctx) => { ctx.request.setPath('/a\\r\\nb') }",
      "(conf, ctx) => { ctx.request.setPath('/../..') }",
      "(conf, ctx) => { ctx.request.setMethod('GET /') }",
      "(conf, ctx) => { ctx.request.setHost('a b') }",
    ]
    for (const [at, attempt] of tampering.entries()) {
      await route('sc-tamper', pre(attempt))
      const { status } = await send('/sc-tamper/x')
      assert.ok(
        at === 0 ? status === 200 || status === 500 : status === 500,
        `${attempt}: ${status}`,
      )
    }
    assert.equal((await seen('/plain')).headers['b'], undefined)
  })

  test('gateway 30: the state of one route is invisible to another that has the same script', async () => {
    const plugins = pre(
      'let first = null\nreturn (conf, ctx) => { first ??= ctx.route.id; globalThis.seen ??= ctx.route.id; return [200, [first, globalThis.seen]] }',
    )
    await put('/plugin_configs/shared', { plugins })
    const shared = (id: string) =>
      put(`/routes/${id}`, { uri: `/${id}/*`, upstream_id: 'up', plugin_config_id: 'shared' })
    await shared('sc-one')
    await shared('sc-two')
    for (let round = 0; round < 6; round++) {
      assert.deepEqual(await seen('/sc-one/x'), ['sc-one', 'sc-one'])
      assert.deepEqual(await seen('/sc-two/x'), ['sc-two', 'sc-two'])
    }
    await admin('DELETE', '/routes/sc-one')
    await admin('DELETE', '/routes/sc-two')
  })

  test('gateway 28: scripts/test tells what a script does and touches no traffic', async () => {
    const requests = upstream.seen.length
    const { status, body } = await admin('POST', '/scripts/test', {
      body: {
        phase: 'rewrite',
        function:
          "(conf, ctx) => { ctx.log.warn(ctx.var('arg_a'), conf.x); ctx.request.setHeader('x-b', ctx.request.headers['x-a']); return [403, ctx.request.text()] }",
        conf: { x: 1, body: true },
        request: { method: 'POST', uri: '/p?a=2', headers: { 'X-A': 'v' }, body: 'sent' },
      },
    })
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual(body.result, { status: 403, headers: {}, body: 'sent', isJson: false })
    assert.deepEqual(body.changes, [{ type: 'header', name: 'x-b', value: 'v' }])
    assert.deepEqual(body.logs, [{ level: 'warn', text: '2 1' }])
    assert.equal(body.error, null)
    assert.ok(body.duration_ms > 0)
    const choosing = async (id: string) => {
      const script = `(conf, ctx) => ctx.upstream('${id}')`
      return (await admin('POST', '/scripts/test', { body: { function: script } })).body
    }
    const [chosen, none] = [await choosing('up'), await choosing('none')]
    assert.deepEqual(chosen.changes, [{ type: 'upstream', name: 'up', value: null }])
    assert.match(none.error.message, /upstream \[none\] not found/)
    const failed = await admin('POST', '/scripts/test', {
      body: { function: '() => { while (true) {} }' },
    })
    assert.equal(failed.body.error.code, 'script_timeout')
    const syntax = await admin('POST', '/scripts/test', { body: { function: 'no(' } })
    assert.match(syntax.body.error.message, /SyntaxError/)
    for (const wrong of [
      {},
      { function: 1 },
      { function: '() => 1', phase: 'x' },
      { function: '() => 1', more: 1 },
    ]) {
      assert.equal((await admin('POST', '/scripts/test', { body: wrong })).status, 400)
    }
    assert.equal((await admin('GET', '/scripts/test')).status, 405)
    assert.equal(upstream.seen.length, requests)
  })
})
