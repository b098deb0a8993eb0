import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { echo, gatewaySuite, rawTarget, startUpstream, type Upstream } from './support.ts'

/** What was found from outside in the plugins of 0.1. */
export const pluginFindings = gatewaySuite('findings: plugins', ({ server, admin, put, send }) => {
  let upstream: Upstream
  before(async () => {
    upstream = await startUpstream()
    await put('/upstreams/up', { nodes: { [upstream.node]: 1 } })
  })

  const route = (id: string, plugins: unknown, more: object = {}) =>
    put(`/routes/${id}`, { uri: `/${id}/*`, upstream_id: 'up', plugins, ...more })
  const refused = async (plugins: unknown) => {
    const body = { uri: '/bad', upstream_id: 'up', plugins }
    const answer = await admin('PUT', '/routes/bad', { body })
    assert.equal(answer.status, 400, JSON.stringify(plugins))
    return answer.body.error_msg
  }
  /** The lines of the forwarded request as they came, by lower-case names. */
  const forwarded = async (path: string, headers: Record<string, string> = {}) => {
    const { body } = await rawTarget(server().gatewayUrl, path, headers)
    const { rawHeaders, url } = JSON.parse(body)
    const values = (name: string) =>
      rawHeaders.filter(
        (_: string, at: number) => at % 2 === 1 && rawHeaders[at - 1].toLowerCase() === name,
      )
    return { url, values }
  }

  test('gateway finding 4: what the gateway adds itself can be replaced, added to and removed', async () => {
    const own = [
      'X-Real-IP',
      'X-Forwarded-For',
      'X-Forwarded-Proto',
      'X-Forwarded-Host',
      'X-Forwarded-Port',
      'X-Request-Id',
    ]
    const set = Object.fromEntries(own.map((name) => [name, `mine-${name}`]))
    await route('set', {
      'proxy-rewrite': { headers: { set: { ...set, Host: 'set.example.org' } } },
    })
    const replaced = await forwarded('/set/x', { 'x-forwarded-for': '10.0.0.1' })
    for (const name of own) {
      assert.deepEqual(replaced.values(name.toLowerCase()), [`mine-${name}`], name)
    }
    assert.deepEqual(replaced.values('host'), ['set.example.org'])

    await route('remove', { 'proxy-rewrite': { headers: { remove: own } } })
    const removed = await forwarded('/remove/x', { 'x-forwarded-proto': 'https' })
    for (const name of own) assert.deepEqual(removed.values(name.toLowerCase()), [], name)
    assert.equal(removed.values('host').length, 1)

    await route('add', { 'proxy-rewrite': { headers: { add: { 'X-Forwarded-For': '9.9.9.9' } } } })
    const added = await forwarded('/add/x', { 'x-forwarded-for': '10.0.0.1' })
    assert.deepEqual(added.values('x-forwarded-for'), ['10.0.0.1, 127.0.0.1', '9.9.9.9'])

    await put('/consumers/known', { plugins: { 'key-auth': { key: 'known-key' } } })
    await route('forged', {
      'key-auth': {},
      'proxy-rewrite': { headers: { add: { 'X-Plan-Name': 'ours' } } },
    })
    const forged = await forwarded('/forged/x', { apikey: 'known-key', 'x-plan-name': 'forged' })
    assert.deepEqual(
      forged.values('x-plan-name'),
      ['ours'],
      'an identity of the client is not kept',
    )

    await route('host', { 'proxy-rewrite': { host: 'a.example.org', headers: { Host: '$arg_h' } } })
    assert.deepEqual((await forwarded('/host/x?h=b.example.org')).values('host'), ['b.example.org'])
    assert.deepEqual((await forwarded('/host/x?h=b%0d%0aX:1')).values('host'), ['a.example.org'])
    for (const headers of [{ remove: ['host'] }, { add: { Host: 'x' } }]) {
      assert.match(await refused({ 'proxy-rewrite': { headers } }), /Host/)
    }
    await route('answered', {
      'response-rewrite': { headers: { set: { 'X-Request-Id': 'mine' } } },
    })
    assert.equal((await send('/answered/x')).headers.get('x-request-id'), 'mine')
    await route('answered', { 'response-rewrite': { headers: { remove: ['X-Request-Id'] } } })
    assert.equal((await send('/answered/x')).headers.get('x-request-id'), null)
  })

  test(`gateway finding 8: \${1} is a group, \\$ a dollar sign, and what a client sends no template`, async () => {
    const tenth = { regex_uri: ['^/(a)', '/$1'], headers: { 'X-Group': '$10' } }
    assert.match(await refused({ 'proxy-rewrite': tenth }), /no group \$10/)
    await route('group', {
      'proxy-rewrite': {
        regex_uri: ['^/group/(\\w+)/(.*)$', `/\${1}0/$2-\\$1`],
        headers: { 'X-Group': `\${1}/$2/\\$2` },
      },
    })
    const seen = await forwarded('/group/a/b$http_apikey', { apikey: 'secret' })
    assert.equal(seen.url, '/a0/b$http_apikey-$1')
    assert.deepEqual(seen.values('x-group'), ['a/b$http_apikey/$2'])
    await route('moved', { redirect: { regex_uri: ['^/moved/(.*)$', `/to/\${1}/\\$1`] } })
    const moved = await rawTarget(server().gatewayUrl, `/moved/\${remote_addr}`)
    assert.equal(moved.headers.location, `/to/\${remote_addr}/$1`)
    await route('text', { redirect: { uri: '/to/\\$uri/ł/💙' } })
    const text = await rawTarget(server().gatewayUrl, '/text/x')
    assert.equal(text.headers.location, '/to/$uri/%C5%82/%F0%9F%92%99')
  })

  test('gateway finding 9: a plain map sets, order of set, add and remove, an empty value removes', async () => {
    upstream.handle = (_request, response) =>
      response.writeHead(200, { 'X-Old': 'old', 'X-Both': 'up', Location: '/up' }).end('x')
    await route('plain', {
      'response-rewrite': { headers: { Location: '/mine', 'X-Old': '', 'X-N': 5 } },
    })
    const plain = await send('/plain/x')
    assert.deepEqual(
      ['location', 'x-old', 'x-n'].map((name) => plain.headers.get(name)),
      ['/mine', null, '5'],
    )
    await route('order', {
      'response-rewrite': {
        headers: {
          add: ['X-Both: added', 'X-All: added', 'X-Added: a:b'],
          set: { 'X-Both': 'set', 'X-All': 'set' },
          remove: ['X-All'],
        },
      },
    })
    const ordered = await send('/order/x')
    assert.deepEqual(
      ['x-both', 'x-all', 'x-added'].map((name) => ordered.headers.get(name)),
      ['set', null, 'a:b'],
    )
    upstream.handle = echo
    await route('forward', {
      'proxy-rewrite': {
        headers: {
          add: { 'X-All': 'added', 'X-Some': 'added' },
          remove: ['X-All', 'X-Some'],
          set: { 'X-All': 'set', 'X-Empty': '', 'X-Absent': '$arg_absent' },
        },
      },
    })
    const { values } = await forwarded('/forward/x', {
      'x-empty': '1',
      'x-absent': '1',
      'x-some': '1',
    })
    assert.deepEqual(['x-all', 'x-some', 'x-empty', 'x-absent'].map(values), [['set'], [], [], []])
    assert.match(
      await refused({ 'response-rewrite': { headers: { set: { a: '1' }, 'X-B': '2' } } }),
      /must not stand beside/,
    )
  })

  test('gateway finding 14: _meta.filter sees what earlier plugins have made of the request', async () => {
    await put('/consumers/filtered', { plugins: { 'key-auth': { key: 'filtered-key' } } })
    const mark = (filter: unknown) => ({
      'response-rewrite': { headers: { set: { 'X-Ran': '1' } }, _meta: { filter } },
    })
    const ran = async (path: string, headers: Record<string, string> = {}) =>
      (await send(path, { headers })).headers.get('x-ran') === '1'
    const rewrite = {
      uri: '/inner?added=1',
      method: 'PUT',
      host: 'inner.org',
      headers: { 'X-Kind': 'new' },
    }
    for (const condition of [
      ['http_x_kind', '==', 'new'],
      ['uri', '==', '/inner'],
      ['arg_added', '==', '1'],
      ['request_method', '==', 'PUT'],
      ['host', '==', 'inner.org'],
    ]) {
      await route('meta', { 'proxy-rewrite': rewrite, ...mark([condition]) })
      assert.equal(await ran('/meta/x', { 'x-kind': 'old' }), true, JSON.stringify(condition))
    }
    await route('meta', {
      'proxy-rewrite': { headers: { remove: ['X-Kind'] } },
      ...mark([['http_x_kind', '==', null]]),
    })
    assert.equal(await ran('/meta/x', { 'x-kind': 'old' }), true)
    // The plugin hides the very header its filter looks at, and runs to its end all the same.
    await route('whole', {
      'key-auth': { hide_credentials: true },
      'request-id': {
        header_name: 'X-Trace',
        _meta: { filter: [['http_apikey', '~=', null]], priority: 3000 },
      },
    })
    const whole = await send('/whole/x', { headers: { apikey: 'filtered-key' } })
    assert.equal(whole.headers.get('x-trace'), whole.headers.get('x-request-id'))
    assert.equal(JSON.parse(await whole.text()).headers.apikey, undefined)
  })

  test('gateway plugins: a credential is hidden however the settings spell its header', async () => {
    await put('/consumers/spelt', { plugins: { 'key-auth': { key: 'spelt-key' } } })
    for (const header of ['My_Key', 'My-Key']) {
      await route('spelt', { 'key-auth': { header, hide_credentials: true } })
      const { values } = await forwarded('/spelt/x', { 'my-key': 'spelt-key' })
      assert.deepEqual(values('x-consumer-username'), ['spelt'])
      assert.deepEqual(values('my-key'), [], header)
    }
  })

  test('gateway finding 15: response-rewrite filters change bodies, coded ones too, and hold large ones', async () => {
    const filters = [
      { regex: 'SECRET-(\\d+)', replace: `[\${1}]`, scope: 'global' },
      { regex: 'first', replace: '\\$1', options: 'ijo' },
    ]
    await route('filter', { 'response-rewrite': { filters } })
    const text = 'First first SECRET-1 SECRET-22 ü'
    const answers = async (headers: Record<string, string>, body: Buffer | string) => {
      upstream.handle = (_request, response) => response.writeHead(200, headers).end(body)
      const answer = await send('/filter/x')
      return { answer, body: await answer.text() }
    }
    const plain = await answers(
      { etag: '"a"', 'content-length': String(Buffer.byteLength(text)) },
      text,
    )
    assert.equal(plain.body, '$1 first [1] [22] ü')
    assert.equal(plain.answer.headers.get('etag'), null, 'it tags another body')
    assert.equal(plain.answer.headers.get('content-length'), String(Buffer.byteLength(plain.body)))
    const coded = await answers({ 'content-encoding': 'gzip' }, gzipSync(text))
    assert.equal(coded.body, plain.body)
    assert.equal(coded.answer.headers.get('content-encoding'), null)
    const twice = await answers(
      { 'content-encoding': 'gzip, br' },
      brotliCompressSync(gzipSync(text)),
    )
    assert.equal(twice.body, plain.body)
    const nothing = await answers(
      { 'content-encoding': 'gzip', 'transfer-encoding': 'chunked' },
      '',
    )
    assert.deepEqual([nothing.answer.status, nothing.body], [200, ''])
    const unknown = await answers({ 'content-encoding': 'rot13' }, text)
    assert.deepEqual([unknown.answer.status, /SECRET/.test(unknown.body)], [502, false])
    const large = await answers({}, 'SECRET-1'.repeat(200_000))
    assert.deepEqual([large.answer.status, /SECRET/.test(large.body)], [502, false])
    await route('grows', {
      'response-rewrite': { filters: [{ regex: 'a', replace: '$arg_x', scope: 'global' }] },
    })
    upstream.handle = (_request, response) => response.end('a'.repeat(900_000))
    const grown = await send(`/grows/x?x=${'y'.repeat(10_000)}`)
    assert.deepEqual([grown.status, JSON.parse(await grown.text()).code], [502, 'upstream_error'])
    const bytes = Buffer.from([0xff, 0xfe, 0])
    upstream.handle = (_request, response) => response.end(bytes)
    assert.deepEqual(Buffer.from(await (await send('/filter/x')).arrayBuffer()), bytes)
    upstream.handle = (_request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('SECRET-1')
      setImmediate(() => response.destroy())
    }
    assert.equal((await send('/filter/x')).status, 502, 'half a body is none')
    upstream.handle = (_request, response) => response.writeHead(204).end()
    assert.equal((await send('/filter/x')).status, 204)
    upstream.handle = echo
    assert.equal((await send('/filter/x', { method: 'HEAD' })).status, 200)
    await route('filter', {
      'key-auth': {},
      'response-rewrite': { filters: [{ regex: 'API key', replace: 'Key' }] },
    })
    assert.equal(await (await send('/filter/x')).text(), '{"message":"Key missing"}')
    for (const settings of [
      { filters: [] },
      { filters: [{ regex: '(' }] },
      { filters: [{ regex: '(?=a)', replace: '' }] },
      { filters: [{ regex: 'a{900}', replace: '' }] },
      { filters: [{ regex: 'a', replace: '', scope: 'twice' }] },
      { filters: [{ regex: 'a', replace: '', options: 'x' }] },
      { filters: [{ regex: 'a', replace: '' }], body: 'b' },
      { body: 'no base64!', body_base64: true },
      { body_base64: true },
    ]) {
      await refused({ 'response-rewrite': settings })
    }
    await route('base64', { 'response-rewrite': { body: 'AAH/', body_base64: true } })
    const binary = Buffer.from(await (await send('/base64/x')).arrayBuffer())
    assert.deepEqual(binary, Buffer.from([0, 1, 255]))
  })

  test('gateway finding 15: members of redirect, request-id and ip-restriction have their effect', async () => {
    const location = async (path: string) => (await send(path)).headers.get('location')
    await route('keep', { redirect: { uri: '/to', append_query_string: true } })
    assert.deepEqual([await location('/keep/x?a=1'), await location('/keep/x')], ['/to?a=1', '/to'])
    await route('keep', {
      redirect: { regex_uri: ['^/keep/(.*)', '/to?p=$1'], append_query_string: true },
    })
    assert.equal(await location('/keep/x?a=1'), '/to?p=x&a=1')
    await refused({ redirect: { http_to_https: true, append_query_string: true } })

    await route('ip', { 'ip-restriction': { blacklist: ['127.0.0.1'], response_code: 404 } })
    assert.equal((await send('/ip/x')).status, 404)
    await refused({ 'ip-restriction': { blacklist: ['1.1.1.1'], response_code: 200 } })

    const forms = {
      uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-/,
      nanoid: /^[\w-]{21}$/,
      ksuid: /^[0-9A-Za-z]{27}$/,
      range_id: /^[abcdef]{9}$/,
    }
    for (const [algorithm, form] of Object.entries(forms)) {
      const range = { range_id: { length: 9, char_set: 'abcdef' } }
      await route('made', { 'request-id': { algorithm, ...range } })
      const answer = await send('/made/x')
      const id = answer.headers.get('x-request-id') ?? ''
      assert.match(id, form, algorithm)
      assert.equal(JSON.parse(await answer.text()).headers['x-request-id'], id)
      const brought = await send('/made/x', { headers: { 'x-request-id': 'brought' } })
      assert.equal(brought.headers.get('x-request-id'), 'brought')
    }
    await refused({ 'request-id': { algorithm: 'snowflake' } })

    await route('lists', {
      'proxy-rewrite': { headers: { set: { 'X-A': ['1', 2] }, add: { 'X-B': ['3', '4'] } } },
      'response-rewrite': { headers: { set: { 'X-C': ['5', '6'] } } },
    })
    const { values } = await forwarded('/lists/x', { 'x-a': '0', 'x-b': '2' })
    assert.deepEqual(
      [values('x-a'), values('x-b')],
      [
        ['1', '2'],
        ['2', '3', '4'],
      ],
    )
    assert.equal((await send('/lists/x')).headers.get('x-c'), '5, 6')
    await refused({ 'proxy-rewrite': { headers: { set: { 'X-A': [] } } } })
    await refused({ 'proxy-rewrite': { headers: { set: { 'X-A': [{}] } } } })
  })

  test('gateway finding 15: members that do nothing here are refused by name, others ignored', async () => {
    const unsupported: [string, string, unknown, unknown][] = [
      ['proxy-rewrite', 'use_real_request_uri_unsafe', true, false],
      ['proxy-rewrite', 'scheme', 'https', undefined],
      ['jwt-auth', 'store_in_ctx', true, false],
    ]
    for (const [plugin, member, value, nothing] of unsupported) {
      const message = await refused({ [plugin]: { [member]: value } })
      assert.match(message, new RegExp(`/plugins/${plugin}/${member}: is not supported`))
      if (nothing !== undefined) await route('un', { [plugin]: { [member]: nothing, x_other: 1 } })
    }
    assert.match(await refused({ redirect: { uri: '/a', encode_uri: true } }), /encode_uri/)
    assert.match(await refused({ 'request-id': { _meta: { pre_function: 'x' } } }), /pre_function/)
    const consumer = async (more: object) =>
      await admin('PUT', '/consumers/un', {
        body: { plugins: { 'jwt-auth': { key: 'u', secret: 's', ...more } } },
      })
    assert.match((await consumer({ exp: 60 })).body.error_msg, /jwt-auth\/exp: is not supported/)
    assert.match((await consumer({ private_key: 'x' })).body.error_msg, /private_key/)
    assert.equal((await consumer({ exp: 86_400, x_other: 1 })).status, 201)
  })
})
