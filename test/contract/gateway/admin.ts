import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createCertificate } from '../../conformance/support/certificate.ts'
import { caller } from '../access/support.ts'
import { GATEWAY_KEY, gatewaySuite, named, startUpstream } from './support.ts'

const PUBLIC_KEY = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .publicKey.export({ type: 'spki', format: 'pem' })
  .toString()

const UPSTREAM = {
  type: 'roundrobin',
  nodes: { '127.0.0.1:9': 1 },
  checks: {
    active: {
      http_path: '/status',
      interval: 5,
      healthy: { successes: 2 },
      unhealthy: { http_failures: 3 },
    },
  },
}

export const administration = gatewaySuite('gateway administration', ({ server, admin, put }) => {
  test('gateway 1: PUT creates, then replaces, and reads back what was sent', async () => {
    const values = {
      '/upstreams/doc': UPSTREAM,
      '/routes/doc': { uri: '/doc/*', methods: ['GET'], upstream_id: 'doc', plugins: {} },
      '/consumers/doc': {
        username: 'doc',
        plugins: { 'jwt-auth': { key: 'doc-key', algorithm: 'RS256', public_key: PUBLIC_KEY } },
      },
    }
    for (const [path, value] of Object.entries(values)) {
      const created = await admin('PUT', path, { body: value })
      assert.equal(created.status, 201, JSON.stringify(created.body))
      assert.equal(created.headers.get('x-api-version'), 'v3')
      assert.equal(created.body.key, `/gateway${path}`)
      const replaced = await admin('PUT', path, { body: value })
      assert.equal(replaced.status, 200)
      assert.equal(replaced.body.createdIndex, created.body.createdIndex)
      assert.ok(replaced.body.modifiedIndex > created.body.modifiedIndex)
      assert.equal(replaced.body.value.create_time, created.body.value.create_time)
      const { create_time, update_time, ...rest } = (await admin('GET', path)).body.value
      assert.ok(Number.isInteger(create_time) && Number.isInteger(update_time))
      const identity = path.startsWith('/consumers') ? {} : { id: 'doc' }
      assert.deepEqual(rest, { ...identity, ...value })
      const again = await admin('PUT', path, { body: { ...rest, create_time: 1, update_time: 2 } })
      assert.equal(again.status, 200, 'a value that was read can be put back')
    }
    const { body } = await admin('PUT', '/routes/doc', { body: values['/routes/doc'] })
    const { body: next } = await admin('PUT', '/upstreams/doc', { body: UPSTREAM })
    assert.equal(next.modifiedIndex, body.modifiedIndex + 1, 'one counter, by one per write')
    const elsewhere = await fetch(`${server().url}/other/admin/routes/doc`, {
      headers: { 'x-api-key': GATEWAY_KEY },
    })
    assert.equal(elsewhere.status, 200, 'the same under a further prefix')
    const inBody = await admin('PUT', '/upstreams', { body: { id: 77, nodes: {} } })
    assert.equal(inBody.status, 201)
    assert.equal(inBody.body.value.id, '77')
    const posted = await admin('POST', '/upstreams', { body: { nodes: {} } })
    assert.equal(posted.status, 201)
    assert.equal(posted.body.value.id, String(posted.body.createdIndex).padStart(20, '0'))
    assert.equal((await admin('POST', '/upstreams', { body: { id: '1', nodes: {} } })).status, 400)
    const method = await admin('POST', '/consumers', { body: { username: 'x' } })
    assert.equal(method.status, 405)
    assert.equal(method.body.error_msg, 'not supported `POST` method for consumer')
    const named = await admin('POST', '/plugin_metadata', { body: { log_format: {} } })
    assert.equal(named.status, 405, 'its id is the name of a plugin')
    assert.equal(named.body.error_msg, 'not supported `POST` method for plugin metadata')
  })

  test('gateway 2: any content type is JSON, and every fault is reported', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const text = '{"nodes":{"127.0.0.1:9":1}}'
    assert.equal((await admin('PUT', '/upstreams/form', { text, headers: form })).status, 201)
    const bad: [string, string, RegExp][] = [
      ['/upstreams/bad', '{', /not JSON/],
      ['/upstreams/bad', '', /empty/],
      ['/upstreams/bad', '[]', /object/],
      ['/upstreams/bad', '{"nodes":{},"x":1}', /\/x: is not known/],
      ['/routes/bad', '{"uri":"/a","plugins":{"none":{}}}', /^unknown plugin \[none\]$/],
      ['/upstreams/bad', '{"nodes":{"a:1":-1}}', /\/nodes\/a:1: must be an integer >= 0/],
      ['/upstreams/bad', '{"nodes":{"a:0":1}}', /\/nodes\/a:0/],
      ['/upstreams/bad', '{"nodes":{},"retries":-1}', /\/retries/],
      ['/upstreams/bad', '{"nodes":{},"timeout":{"connect":0,"send":1,"read":1}}', /connect/],
      ['/upstreams/b%20d', '{"nodes":{}}', /wrong id/],
      ['/upstreams/bad', '{"id":"other","nodes":{}}', /wrong id/],
      ['/upstreams/bad', '{"nodes":{},"type":"fastest"}', /must be one of/],
      ['/upstreams/entrepot', '{"nodes":{}}', /built in/],
      ['/routes/bad', '{"uri":"/a","script":"x","plugins":{}}', /script/],
      ['/routes/bad', '{"uri":"/a"}', /at least one of/],
      ['/upstreams/bad?ttl=soon', '{"nodes":{}}', /ttl must be a number/],
    ]
    for (const [path, body, message] of bad) {
      const { status, body: answer } = await admin('PUT', path, { text: body })
      assert.equal(status, 400, `${path} ${body}`)
      assert.match(answer.error_msg, message)
    }
    const many = await admin('PUT', '/upstreams/bad', {
      body: { nodes: { 'a:1': -1, 'b:0': 1 }, retries: -1, unknown: 1, pass_host: 'x' },
    })
    const paths = many.body.errors.map(({ path }: { path: string }) => path).sort()
    assert.deepEqual(paths, ['/nodes/a:1', '/nodes/b:0', '/pass_host', '/retries', '/unknown'])
    assert.equal((await admin('GET', '/upstreams/bad')).status, 404)
    const large = await admin('PUT', '/upstreams/bad', {
      text: `{"desc":"${'x'.repeat(1_600_000)}"}`,
    })
    assert.equal(large.status, 413)
    for (const path of ['/stream_routes', '/stream_routes/1']) {
      const { status, body } = await admin('GET', path)
      assert.deepEqual([status, body], [400, { error_msg: 'stream mode is disabled' }])
    }
    const foreign = await admin('GET', '/protos')
    assert.deepEqual(
      [foreign.status, foreign.body],
      [404, { error_msg: 'Unsupported resource type: protos' }],
    )
  })

  test('gateway 3: only operators get in, and viewers only look', async () => {
    const { issueKey, createUser, data } = caller(() => server().url)
    const alive = await fetch(`${server().url}/gateway/admin`, { method: 'HEAD' })
    assert.equal(alive.status, 200)
    const description = async (key: string | null, path = '/routes', method = 'GET') => {
      const { status, body } = await admin(method, path, {
        key,
        ...(method === 'GET' ? {} : { body: { nodes: {} } }),
      })
      return [status, body.description]
    }
    assert.deepEqual(await description(null), [401, 'missing apikey'])
    assert.deepEqual(await description('nobody'), [401, 'wrong apikey'])
    assert.deepEqual(await description(`sk_${'Wrong0'.repeat(8)}`), [401, 'wrong apikey'])
    const operator = await issueKey({ access: 'admin' })
    assert.equal((await description(operator.key))[0], 200)
    assert.equal((await description(operator.key, '/upstreams/by-key', 'PUT'))[0], 201)
    const viewer = await issueKey({ access: 'read' })
    assert.equal((await description(viewer.key))[0], 200)
    const refused = await description(viewer.key, '/upstreams/by-viewer', 'PUT')
    assert.deepEqual(refused, [403, 'invalid method for role viewer'])
    // What viewers may call is told by the path, and by all of it.
    for (const path of ['/by-viewer?x=/explain', '/explain', '/by-viewer?x=/configs/validate']) {
      const disguised = await description(viewer.key, `/upstreams${path}`, 'PUT')
      assert.deepEqual(disguised, [403, 'invalid method for role viewer'], path)
    }
    for (const id of ['by-viewer', 'explain'])
      assert.equal((await admin('GET', `/upstreams/${id}`)).status, 404, id)
    assert.equal((await description(viewer.key, '/schema/validate/upstreams', 'POST'))[0], 200)
    const revoked = await issueKey({ access: 'admin' })
    await data('DELETE', `/keys/${revoked.id}`)
    assert.deepEqual(await description(revoked.key), [403, 'API key revoked'])
    const expiring = await issueKey({
      access: 'admin',
      expires_at: new Date(Date.now() + 60_000).toISOString(),
    })
    await server().setClockOffset(120_000)
    assert.deepEqual(await description(expiring.key), [403, 'API key expired'])
    await server().setClockOffset(0)
    const buyer = await createUser('buyer@example.com')
    const { key } = await issueKey({ access: 'read', user_id: buyer.id })
    for (const path of [
      '/routes',
      '/gateway/control/v1/healthcheck',
      '/gateway/prometheus/metrics',
    ]) {
      assert.deepEqual(await description(key, path), [403, 'not an operator key'], path)
      assert.equal((await description(viewer.key, path))[0], 200, path)
      assert.deepEqual(await description(null, path), [401, 'missing apikey'], path)
      const inQuery = await admin('GET', `${path}?api_key=${operator.key}`, { key: null })
      assert.equal(inQuery.status, 401, path)
    }
  })

  test('gateway 4: lists are ordered, paged and filtered', async () => {
    const empty = await admin('GET', '/plugin_configs')
    assert.deepEqual(empty.body, { total: 0, list: [] })
    for (const [index, name] of ['c', 'a', 'b'].entries()) {
      await put(`/services/${name}`, { name: `svc-${name}`, labels: { team: `t${index}` } })
    }
    const keys = async (query: string, path = '/services') => {
      const { body } = await admin('GET', `${path}?${query}`)
      return body.list.map(({ key }: { key: string }) => key.slice(key.lastIndexOf('/') + 1))
    }
    assert.deepEqual(await keys(''), ['a', 'b', 'c'])
    assert.deepEqual(await keys('page=1&page_size=10'), ['c', 'a', 'b'])
    assert.deepEqual(await keys('page=0&page_size=10'), ['c', 'a', 'b'])
    assert.deepEqual(await keys('page=2&page_size=10'), [])
    for (const size of ['9', '501', 'x']) {
      assert.equal((await admin('GET', `/services?page_size=${size}`)).status, 400)
    }
    assert.deepEqual(await keys('name=vc-b'), ['b'])
    assert.deepEqual(await keys('name='), ['a', 'b', 'c'])
    assert.deepEqual(await keys('label=team'), ['a', 'b', 'c'])
    assert.deepEqual(await keys('label=team:t1'), ['a'])
    assert.deepEqual(await keys('label=none'), [])
    await put('/upstreams/f', { nodes: {} })
    await put('/routes/f1', { uri: '/filter/one', service_id: 'a' })
    await put('/routes/f2', { uris: ['/other', '/filter/two'], upstream_id: 'f' })
    assert.deepEqual(await keys('uri=filter', '/routes'), ['f1', 'f2'])
    assert.deepEqual(await keys(`filter=${encodeURIComponent('service_id=a')}`, '/routes'), ['f1'])
    assert.deepEqual(
      await keys(`uri=filter&filter=${encodeURIComponent('upstream_id=f&x=y')}`, '/routes'),
      ['f2'],
    )
    const { body } = await admin('GET', '/services?name=svc&page_size=10')
    assert.equal(body.total, 3)
  })

  test('gateway 5: PATCH merges, deletes, replaces arrays and members by path', async () => {
    await put('/routes/p', {
      uri: '/p',
      methods: ['GET', 'PUT'],
      name: 'p',
      plugins: { 'proxy-rewrite': { headers: { set: { a: '1' } } }, 'request-id': {} },
    })
    const patch = async (path: string, body: unknown) =>
      admin('PATCH', `/routes/p${path}`, { body })
    const merged = await patch('', {
      methods: ['POST'],
      name: null,
      plugins: { 'proxy-rewrite': { headers: { set: { b: '2' } } } },
    })
    assert.equal(merged.status, 200)
    const { value } = merged.body
    assert.deepEqual(value.methods, ['POST'])
    assert.equal('name' in value, false)
    assert.deepEqual(value.plugins['proxy-rewrite'].headers.set, { a: '1', b: '2' })
    const below = await patch('/plugins/request-id', { header_name: 'X-Id' })
    assert.deepEqual(below.body.value.plugins['request-id'], { header_name: 'X-Id' })
    const created = await patch('/labels/team', 'blue')
    assert.deepEqual(created.body.value.labels, { team: 'blue' })
    assert.equal((await patch('/uri/deeper', 1)).status, 400)
    assert.equal((await patch('/uri', 5)).status, 400)
    assert.equal((await admin('GET', '/routes/p')).body.value.uri, '/p')
    assert.equal((await admin('PATCH', '/routes/none', { body: {} })).status, 404)
    assert.deepEqual((await admin('GET', '/routes/none')).body, { message: 'Key not found' })
    await put('/consumers/patched', {})
    const consumer = await admin('PATCH', '/consumers/patched', { body: {} })
    assert.equal(consumer.status, 405)
    const stale = await admin('PUT', '/routes/p', {
      body: { uri: '/p', plugins: {} },
      headers: { 'if-match': '"1"' },
    })
    assert.deepEqual([stale.status, stale.body.error_msg], [412, 'modified since'])
    const onlyNew = await admin('PUT', '/routes/p', {
      body: { uri: '/p', plugins: {} },
      headers: { 'if-none-match': '*' },
    })
    assert.equal(onlyNew.status, 412)
    const { headers } = await admin('GET', '/routes/p')
    const fresh = await admin('PATCH', '/routes/p', {
      body: { desc: 'x' },
      headers: { 'if-match': `"1", ${headers.get('etag')}` },
    })
    assert.equal(fresh.status, 200, 'one of several is enough')
  })

  test('gateway 6: references exist, and what is used is not deleted', async () => {
    const missing = async (path: string, body: unknown) =>
      (await admin('PUT', path, { body })).body.error_msg
    assert.equal(
      await missing('/routes/r', { uri: '/r', upstream_id: 9 }),
      'upstream [9] not found',
    )
    assert.equal(
      await missing('/routes/r', { uri: '/r', service_id: 's9' }),
      'service [s9] not found',
    )
    assert.equal(
      await missing('/routes/r', { uri: '/r', plugins: {}, plugin_config_id: 'x' }),
      'plugin config [x] not found',
    )
    assert.equal(await missing('/consumers/u', { group_id: 'g' }), 'consumer group [g] not found')
    const split = (id: string) => ({
      'traffic-split': { rules: [{ weighted_upstreams: [{ upstream_id: id }] }] },
    })
    assert.equal(
      await missing('/routes/r', { uri: '/r', plugins: split('9') }),
      'upstream [9] not found',
    )
    await put('/upstreams/used', { nodes: { '127.0.0.1:9': 1 } })
    await put('/routes/uses', { uri: '/uses', upstream_id: 'used' })
    const used = await admin('DELETE', '/upstreams/used')
    assert.equal(used.status, 400)
    assert.equal(used.body.error_msg, 'upstream [used] is still in use by route [uses]')
    await put('/routes/uses', { uri: '/uses', plugins: split('used') })
    assert.equal((await admin('DELETE', '/upstreams/used?force=1')).status, 400)
    await put('/routes/uses', { uri: '/uses', upstream_id: 'used' })
    const forced = await admin('DELETE', '/upstreams/used?force=true')
    assert.deepEqual(forced.body, { deleted: '1', key: '/gateway/upstreams/used' })
    const answer = await fetch(`${server().gatewayUrl}/uses`)
    assert.equal(answer.status, 502)
    assert.match(await answer.text(), /"code":"upstream_missing"/)
    assert.equal((await admin('DELETE', '/routes/uses')).status, 200)
    assert.equal((await admin('DELETE', '/routes/uses')).status, 404)
    assert.equal((await admin('DELETE', '/routes')).status, 400)
    assert.equal((await fetch(`${server().gatewayUrl}/uses`)).status, 404)
  })

  test('gateway 6: nobody gets past what a forced delete has taken away', async () => {
    const upstream = await startUpstream(named('other'))
    const nodes = { [upstream.node]: 1 }
    await put('/upstreams/there', { nodes })
    await put('/upstreams/gone', { nodes })
    const plugins = { 'key-auth': {} }
    await put('/plugin_configs/gone', { plugins })
    await put('/services/gone', { plugins })
    await put('/services/own', { upstream: { nodes } })
    const limits = { 'ip-restriction': { blacklist: ['127.0.0.1'] } }
    await put('/consumer_groups/gone', { plugins: limits })
    await put('/consumers/grouped', {
      plugins: { 'key-auth': { key: 'grouped' } },
      group_id: 'gone',
    })
    const routes = {
      configured: {
        upstream_id: 'there',
        plugin_config_id: 'gone',
        plugins: { 'proxy-cache': {} },
      },
      served: { upstream_id: 'there', service_id: 'gone' },
      misled: { upstream_id: 'gone', service_id: 'own' },
      grouped: { upstream_id: 'there', plugins },
    }
    const all = async () => {
      const answers = Object.keys(routes).map(async (id) => {
        const headers = id === 'grouped' ? { apikey: 'grouped' } : {}
        return (await fetch(`${server().gatewayUrl}/lost/${id}`, { headers })).status
      })
      return Promise.all(answers)
    }
    for (const [id, route] of Object.entries(routes)) {
      await put(`/routes/${id}`, { uri: `/lost/${id}`, ...route })
    }
    assert.deepEqual(await all(), [401, 401, 200, 403])
    for (const kind of ['plugin_configs', 'services', 'upstreams', 'consumer_groups']) {
      assert.equal((await admin('DELETE', `/${kind}/gone?force=true`)).status, 200)
    }
    assert.deepEqual(await all(), [502, 502, 502, 502])
    assert.deepEqual(upstream.seen.length, 1)
    for (const id of Object.keys(routes)) await admin('DELETE', `/routes/${id}`)
    await admin('DELETE', '/consumers/grouped')
  })

  test('gateway 7: the whole configuration is checked and replaced as one', async () => {
    await put('/consumers/one', { plugins: { 'key-auth': { key: 'the-key' } } })
    const twice = await admin('PUT', '/consumers/two', {
      body: { plugins: { 'key-auth': { key: 'the-key' } } },
    })
    assert.equal(twice.status, 400)
    assert.match(twice.body.error_msg, /the same key-auth key/)
    const credential = await admin('PUT', '/consumers/two/credentials/c', { body: {} })
    assert.equal(credential.status, 404)
    await put('/consumers/two', {})
    const doubled = await admin('PUT', '/consumers/two/credentials/c', {
      body: { plugins: { 'key-auth': { key: 'the-key' } } },
    })
    assert.equal(doubled.status, 400)
    await put('/consumers/two/credentials/c', { plugins: { 'key-auth': { key: 'other' } } })
    const shown = await admin('GET', '/consumers/two/credentials/c')
    assert.equal(shown.body.key, '/gateway/consumers/two/credentials/c')
    assert.equal((await admin('GET', '/consumers/two/credentials')).body.total, 1)
    await put('/global_rules/1', { plugins: { 'request-id': {} } })
    const rule = await admin('PUT', '/global_rules/2', { body: { plugins: { 'request-id': {} } } })
    assert.equal(rule.status, 400)

    const { body: before } = await admin('GET', '/configs')
    const wrong = {
      upstreams: [{ id: 'u', nodes: { 'a:1': -1 } }],
      routes: [{ id: 'r', uri: '/r', upstream_id: 'none' }],
    }
    for (const [method, path] of [
      ['POST', '/configs/validate'],
      ['PUT', '/configs'],
    ] as const) {
      const { status, body } = await admin(method, path, { body: wrong })
      assert.equal(status, 400)
      const found = body.errors.map((one: Record<string, unknown>) => one['resource_type']).sort()
      assert.deepEqual(found, ['routes', 'upstreams'])
    }
    assert.deepEqual((await admin('GET', '/configs')).body, before, 'nothing was changed')
    const right = {
      upstreams: [{ id: 'u', nodes: { '127.0.0.1:9': 1 } }],
      routes: [{ id: 'r', uri: '/r', upstream_id: 'u' }],
    }
    assert.deepEqual((await admin('POST', '/configs/validate', { body: right })).body, {})
    const headers = { 'x-digest': 'abc' }
    const done = await admin('PUT', '/configs', { body: right, headers })
    assert.equal(done.status, 202)
    assert.equal(done.headers.get('x-digest'), 'abc')
    assert.equal((await admin('PUT', '/configs', { body: right, headers })).status, 204)
    const { body: after } = await admin('GET', '/configs')
    assert.equal(after.consumers.length + after.global_rules.length + after.services.length, 0)
    assert.deepEqual([after.routes.length, after.upstreams.length], [1, 1])
    assert.equal(after.routes_conf_version, before.routes_conf_version + 1)
    assert.equal((await fetch(`${server().gatewayUrl}/r`)).status, 502)
    const older = await admin('PUT', '/configs', { body: { ...right, routes_conf_version: 0 } })
    assert.equal(older.status, 400)
    const same = { ...right, routes: [], routes_conf_version: after.routes_conf_version }
    assert.equal((await admin('PUT', '/configs', { body: same })).status, 202)
    assert.equal((await admin('GET', '/routes')).body.total, 1, 'an equal version is left alone')
    await admin('PUT', '/upstreams/u', { body: { nodes: {} } })
    assert.equal((await admin('PUT', '/configs', { body: right, headers })).status, 202)
  })

  test('gateway 7: of several that replace the whole at once no older version comes after a newer', async () => {
    const { body: before } = await admin('GET', '/configs')
    const newest = before.routes_conf_version + 12
    const statuses = await Promise.all(
      Array.from({ length: 12 }, async (_, at) => {
        const version = newest - at
        const routes = [{ id: 'v', uri: `/v${version}`, plugins: {} }]
        const body = { routes, routes_conf_version: version }
        return (await admin('PUT', '/configs', { body })).status
      }),
    )
    assert.ok(statuses.every((status) => status === 202 || status === 400))
    const { body: after } = await admin('GET', '/configs')
    assert.equal(after.routes_conf_version, newest)
    assert.equal(after.routes[0].uri, `/v${newest}`)
  })

  test('gateway 8: private keys are never shown, secrets not to viewers, none is stored in clear', async () => {
    const { issueKey } = caller(() => server().url)
    const viewer = (await issueKey({ access: 'read' })).key
    const { cert, key } = createCertificate(['secret.example.org'])
    const created = await admin('PUT', '/ssls/s', {
      body: { sni: 'secret.example.org', cert, key },
    })
    assert.equal(created.status, 201)
    assert.equal('key' in created.body.value, false)
    const other = createCertificate(['x'])
    const mixed = await admin('PUT', '/ssls/t', { body: { sni: 'x.org', cert, key: other.key } })
    assert.equal(mixed.status, 400)
    await put('/consumers/hidden', { plugins: { 'key-auth': { key: 'clear-secret-of-hidden' } } })
    for (const path of ['/ssls/s', '/ssls', '/configs']) {
      assert.equal(JSON.stringify((await admin('GET', path)).body).includes('PRIVATE KEY'), false)
    }
    const read = async (sent: object) =>
      (await admin('GET', '/consumers/hidden', sent)).body.value.plugins['key-auth'].key
    assert.equal(await read({}), 'clear-secret-of-hidden')
    assert.equal(await read({ key: viewer }), '******')
    const stored = await storedText(server().dataDir, server().env)
    assert.equal(stored.includes('hidden'), true)
    assert.equal(stored.includes('clear-secret-of-hidden'), false)
    assert.equal(stored.includes('PRIVATE KEY'), false)
  })

  test('access finding 10: what a viewer read masked, or nobody is shown, can be put back', async () => {
    const { issueKey } = caller(() => server().url)
    const viewer = (await issueKey({ access: 'read' })).key
    const { cert, key } = createCertificate(['kept.example.org'])
    await put('/ssls/kept', { sni: 'kept.example.org', cert, key })
    const { value: ssl } = (await admin('GET', '/ssls/kept')).body
    const renamed = await admin('PUT', '/ssls/kept', { body: { ...ssl, labels: { by: 'me' } } })
    assert.equal(renamed.status, 200, JSON.stringify(renamed.body))
    const { cert: other } = createCertificate(['kept.example.org'])
    const mixed = await admin('PUT', '/ssls/kept', { body: { ...ssl, cert: other } })
    assert.equal(mixed.status, 400, 'the key belongs to its certificate')

    const secret = 'secret-that-is-kept'
    await put('/consumers/kept', { plugins: { 'key-auth': { key: secret } } })
    const { value } = (await admin('GET', '/consumers/kept', { key: viewer })).body
    assert.equal(value.plugins['key-auth'].key, '******')
    const back = await admin('PUT', '/consumers/kept', { body: { ...value, desc: 'put back' } })
    assert.equal(back.status, 200)
    const { body: now } = await admin('GET', '/consumers/kept')
    assert.deepEqual([now.value.desc, now.value.plugins['key-auth'].key], ['put back', secret])
    const { body: whole } = await admin('GET', '/configs', { key: viewer })
    assert.equal(JSON.stringify(whole).includes(secret), false)
    const { consumers_conf_version: _version, ...document } = whole
    const replaced = await admin('PUT', '/configs', { body: document })
    assert.ok(replaced.status < 300, JSON.stringify(replaced.body))
    const kept = (await admin('GET', '/consumers/kept')).body.value.plugins['key-auth'].key
    assert.equal(kept, secret)
    const nothing = { plugins: { 'key-auth': { key: '******' } } }
    const refused = await admin('PUT', '/consumers/unkept', { body: nothing })
    assert.equal(refused.status, 400)
    assert.match(refused.body.error_msg, /\/plugins\/key-auth\/key: is masked/)
    assert.equal((await admin('GET', '/consumers/unkept')).status, 404)
  })

  test('helper endpoints name plugins and schemas', async () => {
    const { body: names } = await admin('GET', '/plugins/list')
    assert.deepEqual(names.slice(0, 2), ['real-ip', 'request-id'], 'highest priority first')
    assert.equal((await admin('GET', '/plugins/proxy-rewrite')).body.type, 'object')
    assert.equal((await admin('GET', '/plugins/none')).status, 404)
    const { body: all } = await admin('GET', '/plugins?all=true')
    assert.equal(all['ip-restriction'].priority, 3000)
    assert.equal((await admin('PUT', '/plugins/reload')).body, 'done')
    assert.equal((await admin('POST', '/plugins/reload')).status, 405)
    assert.equal((await admin('GET', '/schema/route')).body.properties.uri.type, 'string')
    const valid = await admin('POST', '/schema/validate/routes', {
      body: { uri: '/a', plugins: {} },
    })
    assert.deepEqual([valid.status, valid.body], [200, ''])
    const invalid = await admin('POST', '/schema/validate/routes', { body: { uri: 'a' } })
    assert.equal(invalid.status, 400)
    assert.equal((await admin('GET', '/gateway/control/v1/server_info')).status, 200)
  })
})

/** Everything that is stored, as its bytes. */
async function storedText(dataDir: string, env: Readonly<Record<string, string>>): Promise<string> {
  const url = env['ENTREPOT_DATABASE_URL']
  if (url === undefined) {
    const files = globSync('entrepot.db*', { cwd: dataDir })
    return files.map((file) => readFileSync(join(dataDir, file)).toString('latin1')).join('')
  }
  const { default: pg } = await import('pg')
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query('select * from gateway_objects')
  await client.end()
  return JSON.stringify(rows)
}
