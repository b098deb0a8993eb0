import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import type { Duplex } from 'node:stream'
import { before, test } from 'node:test'
import { beginMinute, promptly, until } from '#test-kit'
import { caller } from '../access/support.ts'
import { gatewaySuite, named, startUpstream, type Upstream } from './support.ts'

const WRONG_KEY = `sk_${'x'.repeat(48)}`

export const selling = gatewaySuite('routes sold by plan', ({ kind, server, admin, put, send }) => {
  const { call, data, createPlan, createUser, issueKey } = caller(() => server().url)
  let upstream: Upstream

  before(async () => {
    upstream = await startUpstream()
    await put('/upstreams/sold', { nodes: { [upstream.node]: 1 } })
    await sell('open', {})
  })

  /** A route that is sold under these terms, below a path of its own. */
  const sell = (name: string, terms: object, more: object = {}) =>
    put(`/routes/${name}`, {
      uri: `/${name}/*`,
      upstream_id: 'sold',
      plugins: { 'plan-access': terms },
      ...more,
    })

  const get = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await send(path, { headers })
    const text = await answer.text()
    // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
    const body: any = text.startsWith('{') ? JSON.parse(text) : text
    return { status: answer.status, headers: answer.headers, body, text }
  }
  const by = (key: string) => ({ 'x-api-key': key })

  const recordsOf = async (id: number, count: number) => {
    const path = `/usage/records?key_id=${id}&limit=100`
    return until(
      async () => {
        const records = await data('GET', path)
        return records.length >= count ? records : undefined
      },
      { what: `${count} records` },
    )
  }

  test('gateway 31: keys come from three places and their refusals have the exact texts', async () => {
    const { id, key } = await issueKey()
    const none = await get('/open/x')
    assert.equal(none.status, 401)
    assert.equal(none.text, '{"error":"API key required"}')
    assert.equal(none.headers.get('www-authenticate'), 'Bearer realm="entrepot"')
    const wrong = await get('/open/x', by(WRONG_KEY))
    assert.equal(wrong.status, 401)
    assert.equal(wrong.text, '{"error":"Invalid API key"}')
    assert.match(wrong.headers.get('www-authenticate') ?? '', /error="invalid_token"/)
    assert.equal((await get('/open/x', by('nonsense'))).status, 401)

    assert.equal((await get('/open/x', by(key))).status, 200)
    assert.equal((await get('/open/x', { authorization: `Bearer ${key}` })).status, 200)
    assert.equal((await get(`/open/x?api_key=${key}`)).status, 200)
    const bearer = { authorization: `Bearer ${key}` }
    assert.equal((await get('/open/x', { ...by(WRONG_KEY), ...bearer })).status, 401)
    assert.equal((await get('/open/x', { ...by(''), ...bearer })).status, 200)
    assert.equal((await get(`/open/x?api_key=${WRONG_KEY}`, bearer)).status, 200)

    await call('POST', `/keys/${id}/revoke`)
    const revoked = await get('/open/x', by(key))
    assert.equal(revoked.status, 403)
    assert.deepEqual(revoked.body, { error: 'API key revoked', code: 'key_revoked' })
    const guessed = await get('/open/x', by(`${key.slice(0, 8)}${'x'.repeat(43)}`))
    assert.equal(guessed.status, 401, 'who only knows the prefix learns nothing')
  })

  test('gateway 31: rotated, disabled and expired keys are 403 with their text', async () => {
    const user = await createUser(`gone-${kind}@example.com`)
    const disabled = await issueKey({ user_id: user.id })
    assert.equal((await get('/open/x', by(disabled.key))).status, 200)
    await call('PATCH', `/users/${user.id}`, { body: { status: 'disabled' } })
    const refused = await get('/open/x', by(disabled.key))
    assert.deepEqual(refused.body, { error: 'Account disabled', code: 'user_disabled' })

    const { id, key } = await issueKey()
    const rotated = await data('POST', `/keys/${id}/rotate`, { body: { grace_seconds: 0 } })
    const old = await get('/open/x', by(key))
    assert.equal(old.status, 403)
    assert.deepEqual(old.body, { error: 'API key was rotated', code: 'key_rotated' })
    assert.equal((await get('/open/x', by(rotated.key))).status, 200)

    const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
    const passing = await issueKey({ expires_at: expiresAt })
    assert.equal((await get('/open/x', by(passing.key))).status, 200)
    await server().setClockOffset(2 * 3_600_000)
    const expired = await get('/open/x', by(passing.key))
    await server().setClockOffset(0)
    assert.equal(expired.status, 403)
    const { error, code, expired_at: at } = expired.body
    assert.deepEqual(
      { error, code, at },
      { error: 'API key expired', code: 'key_expired', at: expiresAt },
    )
  })

  test('gateway 31: an access token counts on the key record of its client', async () => {
    const plan = await createPlan({ requests_per_month: 2 })
    const client = await data('POST', '/oauth/clients', {
      body: { name: 'corporate', user_id: 1, plan_id: plan.id, scopes: ['read'] },
    })
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: client.client_id,
      client_secret: client.client_secret,
    })
    const issued = await fetch(`${server().url}/oauth/token`, { method: 'POST', body: form })
    const { access_token: token }: { access_token: string } = JSON.parse(await issued.text())
    const bearer = { authorization: `Bearer ${token}` }
    const first = await get('/open/x', bearer)
    assert.equal(first.status, 200)
    assert.equal(first.body.headers['x-api-key-id'], String(client.api_key_id))
    assert.equal(first.text.includes(token), false)
    assert.equal((await get('/open/x', bearer)).headers.get('x-ratelimit-remaining'), '0')
    assert.equal((await get('/open/x', bearer)).status, 429)
    const revoking = new URLSearchParams({ token, ...Object.fromEntries(form) })
    await fetch(`${server().url}/oauth/revoke`, { method: 'POST', body: revoking })
    const { status, text } = await promptly(1_000, async () => {
      const answer = await get('/open/x', bearer)
      return answer.status === 401 && answer
    })
    assert.deepEqual([status, text], [401, '{"error":"Invalid API key"}'])
  })

  test('gateway 31: the upstream is told who calls and never sees the key', async () => {
    const plan = await createPlan({ name: 'Größe ☃' })
    const { id, key } = await issueKey({ plan_id: plan.id })
    const forged = {
      'x-plan-id': '1',
      'x-plan-name': 'Internal',
      'x-user-id': '999',
      'x-api-key-id': '999',
      'x-consumer-username': 'admin',
    }
    const ways = [
      get('/open/x?a=1', { ...forged, ...by(key) }),
      get('/open/x?a=1', { ...forged, authorization: `bearer ${key}` }),
      get(`/open/x?api%5Fkey=${key}&a=1`, forged),
      get(`/open/x?api_key=${key}&a=1`, { ...forged, ...by(key), authorization: `Bearer ${key}` }),
    ]
    for (const { status, text, body } of await Promise.all(ways)) {
      assert.equal(status, 200)
      assert.equal(text.includes(key), false)
      assert.equal(body.url, '/open/x?a=1')
      assert.equal(body.headers['x-api-key-id'], String(id))
      assert.equal(body.headers['x-user-id'], '1')
      assert.equal(body.headers['x-plan-id'], String(plan.id))
      assert.equal(decodeURIComponent(body.headers['x-plan-name']), 'Größe ☃')
      assert.equal(body.headers['x-consumer-username'], undefined)
    }
    const foreign = await get('/open/x', { ...by(key), authorization: 'Bearer of-the-upstream' })
    assert.equal(foreign.body.headers.authorization, 'Bearer of-the-upstream')

    await sell('shown', { hide_credentials: false })
    const shown = await get('/shown/x', by(key))
    assert.equal(shown.body.headers['x-api-key'], key)
    await put('/routes/vars', {
      uri: '/vars',
      upstream_id: 'sold',
      plugins: {
        'plan-access': {},
        'proxy-rewrite': {
          headers: { 'X-Seen': '$consumer_name $api_key_id $plan_id $user_id $plan_name' },
        },
      },
    })
    const small = await issueKey({ plan_id: (await createPlan({ name: 'Small' })).id })
    const vars = await get('/vars', by(small.key))
    const seen = `key-${small.id} ${small.id} ${small.plan_id} 1 Small`
    assert.equal(vars.body.headers['x-seen'], seen)
  })

  test('gateway 31: what the plan, its endpoints or the level do not permit is 403 and costs nothing', async () => {
    const endpoints = ['GET /open/articles/*', 'POST /open/orders']
    const plan = await createPlan({ name: 'Narrow', endpoints, requests_per_month: 10 })
    const { id, key } = await issueKey({ plan_id: plan.id })
    assert.equal((await get('/open/articles/7', by(key))).status, 200)
    for (const path of ['/open/articles', '/open/articles/7/8', '/open/orders', '/open/other']) {
      const refused = await get(path, by(key))
      assert.equal(refused.status, 403, path)
      const message = `Your plan does not include GET ${path}`
      assert.deepEqual(refused.body, { error: { code: 'endpoint_not_allowed', message } })
    }
    const posted = await send('/open/orders', { method: 'POST', headers: by(key), body: 'x' })
    assert.equal(posted.status, 200)
    await put('/routes/renamed', {
      uri: '/renamed/*',
      upstream_id: 'sold',
      plugins: { 'plan-access': {}, 'proxy-rewrite': { uri: '/open/articles/7' } },
    })
    assert.equal((await get('/renamed/x', by(key))).status, 403, 'the path before any rewrite')

    await sell('named', { plans: ['Gold', plan.id] })
    await sell('gold', { plans: ['Gold'] })
    const everything = await createPlan({ name: 'Gold' })
    const gold = await issueKey({ plan_id: everything.id })
    assert.equal((await get('/gold/x', by(gold.key))).status, 200)
    assert.equal((await get('/named/x', by(gold.key))).status, 200)
    const other = await get('/gold/x', by(key))
    assert.equal(other.status, 403)
    assert.equal(other.body.error.code, 'plan_not_allowed')

    await sell('writers', { access: 'write' })
    const reader = await get('/writers/x', by(gold.key))
    const message = 'This operation needs write access'
    assert.deepEqual(reader.body, { error: { code: 'forbidden', message, required: 'write' } })
    const writer = await issueKey({ plan_id: everything.id, access: 'write' })
    assert.equal((await get('/writers/x', by(writer.key))).status, 200)

    const left = await get('/open/articles/8', by(key))
    assert.equal(left.headers.get('x-ratelimit-remaining'), '7', 'three were served')
    const records = await recordsOf(id, 9)
    const refused = records.filter((record: { status_code: number }) => record.status_code === 403)
    assert.equal(refused.length, 6)
    for (const record of refused) {
      assert.deepEqual([record.counted, record.cost], [false, 0])
    }
    const patterns = new Set(records.map((record: { endpoint: string }) => record.endpoint))
    assert.deepEqual([...patterns].sort(), ['/gold/*', '/open/*', '/renamed/*'])
  })

  test('gateway 31: of many at once exactly the minute limit passes, with the headers of the access contract', async (t) => {
    const plan = await createPlan({ requests_per_minute: 20, requests_per_month: 1_000 })
    const { key } = await issueKey({ plan_id: plan.id })
    await beginMinute(t, server())
    const answers = await Promise.all(Array.from({ length: 60 }, () => get('/open/x', by(key))))
    const passed = answers.filter(({ status }) => status === 200)
    assert.equal(passed.length, 20)
    const remaining = passed.map(({ headers }) => Number(headers.get('x-ratelimit-remaining')))
    assert.deepEqual(
      remaining.sort((a, b) => b - a),
      Array.from({ length: 20 }, (_, n) => 999 - n),
    )
    for (const { headers, body, status } of answers.filter((one) => one.status !== 200)) {
      assert.equal(status, 429)
      const retryAfter = Number(headers.get('retry-after'))
      assert.ok(retryAfter >= 1 && retryAfter <= 60)
      assert.equal(headers.get('x-ratelimit-limit'), '20')
      assert.equal(headers.get('x-ratelimit-remaining'), '0')
      assert.equal(headers.get('x-ratelimit-window'), 'minute')
      const { reset, ...rest } = body.error
      const message = 'Rate limit of 20 requests per minute exceeded'
      assert.deepEqual(rest, { code: 'rate_limit_exceeded', message, limit: 20 })
      assert.equal(String(reset), headers.get('x-ratelimit-reset'))
    }
  })

  test('gateway 31: the month is counted together with the main API; -1 never ends', async () => {
    const plan = await createPlan({ requests_per_month: 4 })
    const { id, key } = await issueKey({ plan_id: plan.id })
    assert.equal((await get('/open/x', by(key))).headers.get('x-ratelimit-remaining'), '3')
    const direct = await call('GET', '/plans', { key })
    assert.equal(direct.headers.get('x-ratelimit-remaining'), '2')
    assert.equal((await get('/open/x', by(key))).headers.get('x-ratelimit-remaining'), '1')
    const last = await call('GET', '/plans', { key })
    assert.equal(last.headers.get('x-ratelimit-remaining'), '0')
    const over = await get('/open/x', by(key))
    assert.equal(over.status, 429)
    const { code, quota, message } = over.body.error
    assert.deepEqual(
      { code, quota, message },
      {
        code: 'monthly_quota_exceeded',
        quota: 4,
        message: 'Monthly quota of 4 requests exceeded',
      },
    )
    const now = new Date()
    const nextMonth = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1) / 1000
    assert.equal(over.headers.get('x-ratelimit-reset'), String(nextMonth))
    const inSeconds = nextMonth - now.getTime() / 1000
    assert.ok(Math.abs(Number(over.headers.get('retry-after')) - inSeconds) < 30)
    assert.equal((await call('GET', '/plans', { key })).status, 429)
    await recordsOf(id, 6)
    const usage = await until(async () => {
      const found = await data('GET', `/usage?key_id=${id}`)
      return found.month === 4 && found
    })
    assert.equal(usage.remaining, 0)

    const unlimited = await issueKey()
    const free = await get('/open/x', by(unlimited.key))
    assert.equal(free.status, 200)
    assert.equal(free.headers.get('x-ratelimit-limit'), null)

    await call('PATCH', `/plans/${plan.id}`, { body: { requests_per_month: 5 } })
    const raised = await get('/open/x', by(key))
    assert.deepEqual([raised.status, raised.headers.get('x-ratelimit-remaining')], [200, '0'])
  })

  test('gateway 31: a route may cost more, nothing, or what its upstream says', async () => {
    const plan = await createPlan({ requests_per_month: 20 })
    const { id, key } = await issueKey({ plan_id: plan.id })
    const priced = await startUpstream((request, response) => {
      request.resume()
      const cost = new URL(request.url ?? '', 'http://x').searchParams.get('cost')
      if (cost !== null) response.setHeader('x-real-cost', cost)
      response.end('ok')
    })
    const nodes = { nodes: { [priced.node]: 1 } }
    await put('/routes/priced', {
      uri: '/priced',
      upstream: nodes,
      plugins: { 'plan-access': { cost: 3, cost_header: 'X-Real-Cost' } },
    })
    await sell('gratis', { cost: 0 })
    await sell('dear', { cost: 15 })
    const left = async (path: string) => {
      const answer = await get(path, by(key))
      return [answer.status, answer.headers.get('x-ratelimit-remaining')]
    }
    assert.deepEqual(await left('/priced'), [200, '17'])
    assert.deepEqual(await left('/gratis/x'), [200, '17'])
    const real = await get('/priced?cost=7', by(key))
    assert.equal(real.headers.get('x-real-cost'), null)
    await until(async () => (await left('/gratis/x'))[1] === '10')
    await get('/priced?cost=1', by(key))
    await until(async () => (await left('/gratis/x'))[1] === '9')
    await get('/priced?cost=nonsense', by(key))
    assert.deepEqual(await left('/gratis/x'), [200, '6'])
    assert.deepEqual(await left('/dear/x'), [429, '0'], 'a refused request adds nothing')
    assert.deepEqual(await left('/gratis/x'), [200, '6'])
    await until(async () => (await data('GET', `/usage?key_id=${id}`)).month === 14)
    const records = await recordsOf(id, 9)
    const costs = records
      .filter((record: { endpoint: string }) => record.endpoint === '/priced')
      .map((record: { cost: number }) => record.cost)
    assert.deepEqual(costs.sort(), [1, 3, 3, 7])
  })

  test('gateway 31: observing counts and refuses nobody; without a meter nothing is recorded', async () => {
    const plan = await createPlan({ requests_per_month: 2, requests_per_minute: 1 })
    const { id, key } = await issueKey({ plan_id: plan.id })
    await sell('watched', { mode: 'observe' })
    await sell('unmetered', { mode: 'observe', meter: false })
    for (let n = 0; n < 4; n++) assert.equal((await get('/watched/x', by(key))).status, 200)
    assert.equal((await get('/unmetered/x', by(key))).status, 200)
    const over = await get('/watched/x', by(key))
    assert.equal(over.headers.get('x-ratelimit-limit'), '2')
    assert.equal(over.headers.get('x-ratelimit-remaining'), '0')
    assert.equal((await get('/open/x', by(key))).status, 429)
    const records = await recordsOf(id, 6)
    assert.equal(records.length, 6)
    for (const settings of [{ mode: 'x' }, { cost: -1 }, { plans: [{}] }, { access: 'root' }]) {
      const body = { uri: '/bad', upstream_id: 'sold', plugins: { 'plan-access': settings } }
      const { status, body: answer } = await admin('PUT', '/routes/bad', { body })
      assert.equal(status, 400)
      assert.match(answer.error_msg, /plan-access/)
    }
  })

  test('gateway 31: the limits of the plan are the only ones an answer speaks of', async () => {
    const loud = await startUpstream((request, response) => {
      request.resume()
      const headers = { 'X-RateLimit-Limit': '7', 'x-ratelimit-reset': '7', RateLimit: '"x";r=7' }
      response.writeHead(200, headers).end('ok')
    })
    await put('/routes/loud', {
      uri: '/loud',
      upstream: { nodes: { [loud.node]: 1 } },
      plugins: {
        'plan-access': {},
        'response-rewrite': { headers: { add: ['X-RateLimit-Remaining: 3'] } },
      },
    })
    const plan = await createPlan({ requests_per_month: 10, requests_per_minute: 5 })
    const { key } = await issueKey({ plan_id: plan.id })
    const { headers } = await get('/loud', by(key))
    assert.equal(headers.get('x-ratelimit-limit'), '10')
    assert.equal(headers.get('x-ratelimit-remaining'), '9')
    assert.match(headers.get('ratelimit') ?? '', /^"minute";r=4;t=\d+, "month";r=9;t=\d+$/)
    const policy = headers.get('ratelimit-policy') ?? ''
    assert.match(policy, /^"minute";q=5;w=60, "month";q=10;w=\d+$/)
    await call('PATCH', '/settings/limits', { body: { ietf_headers: false } })
    const short = await get('/loud', by(key))
    assert.equal(short.headers.get('ratelimit'), null)
    assert.equal(short.headers.get('x-ratelimit-remaining'), '8')
    await call('PATCH', '/settings/limits', { body: { ietf_headers: null } })
  })

  test('gateway 31: beside rate-limiting there is one set of headers, that of the plan', async (t) => {
    await beginMinute(t, server())
    const limits = { count: 2, time_window: 3600, key: 'consumer_name' }
    const beside = { plugins: { 'plan-access': {}, 'rate-limiting': limits } }
    await sell('beside', {}, beside)
    const plan = await createPlan({ requests_per_minute: 50 })
    const { key } = await issueKey({ plan_id: plan.id })
    const names = (headers: Headers) =>
      [...headers.keys()].filter((name) => /ratelimit-(limit|remaining)$/.test(name)).sort()
    for (const [status, left] of [
      [200, '49'],
      [200, '48'],
      [429, '47'],
    ] as const) {
      const answer = await get('/beside/x', by(key))
      assert.equal(answer.status, status)
      assert.deepEqual(names(answer.headers), ['x-ratelimit-limit', 'x-ratelimit-remaining'])
      assert.equal(answer.headers.get('x-ratelimit-limit'), '50')
      assert.equal(answer.headers.get('x-ratelimit-remaining'), left)
      if (status === 429) assert.ok(Number(answer.headers.get('retry-after')) > 0)
    }
    const rules = [{ count: 9, time_window: 60, key: '$consumer_name', header_prefix: 'Own' }]
    await sell('beside', {}, { plugins: { 'plan-access': {}, 'rate-limiting': { rules } } })
    const prefixed = await get('/beside/x', by(key))
    assert.deepEqual(names(prefixed.headers), ['x-ratelimit-limit', 'x-ratelimit-remaining'])
    const { key: other } = await issueKey({ plan_id: plan.id })
    assert.equal((await get('/beside/x', by(other))).status, 200, 'each key has its own count')
  })

  test('gateway 31: what another plugin refuses costs nothing of the month, and is recorded', async () => {
    const plan = await createPlan({ requests_per_month: 20, requests_per_minute: 50 })
    const { id, key } = await issueKey({ plan_id: plan.id })
    const limited = { 'rate-limiting': { count: 1, time_window: 3600, key: 'consumer_name' } }
    await sell('refused', {}, { plugins: { 'plan-access': { cost: 5 }, ...limited } })
    const script = "(conf, ctx) => ctx.request.query.no ? [403, 'no'] : [200, 'yes']"
    const scripted = { 'serverless-post-function': { functions: [script] } }
    await sell('scripted', {}, { plugins: { 'plan-access': { cost: 2 }, ...scripted } })
    await sell('gratis', { cost: 0 })
    const monthLeft = async () => (await get('/gratis/x', by(key))).headers.get('ratelimit')
    const statuses: number[] = []
    for (const path of [
      '/refused/x',
      '/refused/x',
      '/refused/x',
      '/scripted/x',
      '/scripted/x?no=1',
    ]) {
      statuses.push((await get(path, by(key))).status)
    }
    assert.deepEqual(statuses, [200, 429, 429, 200, 403])
    // 20, less 5 for the one that was served and 2 for the answer of the script.
    await until(async () => (await monthLeft())?.includes('"month";r=13') ?? false)
    await until(async () => (await data('GET', `/usage?key_id=${id}`)).month === 7)
    const records = await recordsOf(id, 6)
    const costs = records
      .filter((record: { endpoint: string }) => record.endpoint !== '/gratis/*')
      .map((record: { status_code: number; cost: number }) => [record.status_code, record.cost])
      .sort()
    assert.deepEqual(costs, [
      [200, 2],
      [200, 5],
      [403, 0],
      [429, 0],
      [429, 0],
    ])
  })

  test('gateway 31: through the upstream entrepot a request counts and is recorded once', async () => {
    const plan = await createPlan({ requests_per_month: 10, endpoints: ['GET /inner/**'] })
    const { id, key } = await issueKey({ plan_id: plan.id })
    const strip = { regex_uri: ['^/inner/(.*)', '/api/v1/$1'] }
    await put('/routes/inner', {
      uri: '/inner/*',
      upstream_id: 'entrepot',
      plugins: { 'plan-access': { cost: 2 }, 'proxy-rewrite': strip },
    })
    const first = await get('/inner/me', by(key))
    assert.equal(first.status, 200)
    assert.equal(first.body.data.key.id, id, 'the API knows who calls')
    assert.equal(first.headers.get('x-ratelimit-remaining'), '8')
    const listed = await get(`/inner/plans?per_page=1&api_key=${key}`, {
      'x-request-id': 'inner-2',
    })
    assert.equal(listed.status, 200)
    assert.equal(listed.body.data.length, 1)
    assert.equal(listed.headers.get('x-ratelimit-remaining'), '6')
    assert.equal((await get('/inner/users', by(key))).status, 403, 'the level still holds')
    const records = await recordsOf(id, 3)
    assert.equal(records.length, 3)
    assert.deepEqual(
      records.map(({ endpoint, cost }: { endpoint: string; cost: number }) => [endpoint, cost]),
      Array.from({ length: 3 }, () => ['/inner/*', 2]),
    )
    const ways = server()
      .log()
      .split('\n')
      .filter((line) => line.includes('"request_id":"inner-2"'))
      .map((line) => JSON.parse(line))
    const own = ways.find(({ thread }) => thread === 'main')
    assert.equal(own.remote_addr, '127.0.0.1')
    assert.equal(own.api_key_id, id)
  })

  test('gateway 31: without plan-access the main API authenticates and counts as usual', async () => {
    await put('/routes/plain', { uri: '/api/*', upstream_id: 'entrepot' })
    const plan = await createPlan({ requests_per_month: 5 })
    const { id, key } = await issueKey({ plan_id: plan.id })
    assert.equal((await get('/api/v1/plans')).status, 401)
    const answer = await get('/api/v1/plans?per_page=1', by(key))
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('x-ratelimit-remaining'), '4')
    const [record] = await recordsOf(id, 1)
    assert.equal(record.endpoint, '/api/v1/plans')
    const forged = { 'x-entrepot-forwarded': 'eyJhY3RvciI6eyJhY2Nlc3MiOiJhZG1pbiJ9fQ.AAAA' }
    assert.equal((await get('/api/v1/users', forged)).status, 401)
    const direct = await call('GET', '/users', { key: null, headers: forged })
    assert.equal(direct.status, 401)
    assert.equal(
      (await get('/open/x', { ...by(key), ...forged })).body.headers['x-entrepot-forwarded'],
      undefined,
    )

    for (const [method, path] of [
      ['PUT', '/upstreams/entrepot'],
      ['PATCH', '/upstreams/entrepot'],
      ['DELETE', '/upstreams/entrepot'],
    ] as const) {
      const { status } = await admin(method, path, { body: { nodes: {} } })
      assert.equal(status, 400, method)
    }
    const { body } = await admin('GET', '/upstreams')
    assert.equal(
      body.list.some((one: { value: { id: string } }) => one.value.id === 'entrepot'),
      false,
    )
    const whole = await admin('PUT', '/configs', {
      body: { upstreams: [{ id: 'entrepot', nodes: {} }] },
    })
    assert.equal(whole.status, 400)
    const split = { rules: [{ weighted_upstreams: [{ upstream_id: 'entrepot' }] }] }
    await put('/routes/split', {
      uri: '/health',
      upstream_id: 'sold',
      plugins: { 'traffic-split': split },
    })
    assert.equal((await get('/health')).status, 200)
  })

  test('streams of events and WebSockets are recorded when they begin', async () => {
    const { id, key } = await issueKey()
    let write: (text: string) => void = () => {}
    const streaming = await startUpstream((request, response) => {
      request.resume()
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      write = (text) => response.write(text)
      write('data: 1\n\n')
    })
    const switched: Duplex[] = []
    streaming.server.on('upgrade', (_request, socket) => {
      switched.push(socket.resume())
      socket.write(
        'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
      )
      socket.on('error', () => {})
    })
    await put('/routes/streams', {
      uri: '/streams',
      upstream: { nodes: { [streaming.node]: 1 } },
      enable_websocket: true,
      plugins: { 'plan-access': {} },
    })
    const stopping = new AbortController()
    const { signal } = stopping
    const stream = await send('/streams', { headers: by(key), signal })
    const reader = stream.body?.getReader()
    assert.equal(new TextDecoder().decode((await reader?.read())?.value), 'data: 1\n\n')
    const [first] = await recordsOf(id, 1)
    assert.equal(first.status_code, 200)
    write('data: 2\n\n')
    assert.equal(new TextDecoder().decode((await reader?.read())?.value), 'data: 2\n\n')
    stopping.abort()

    const headers = { ...by(key), connection: 'Upgrade', upgrade: 'websocket' }
    const { hostname, port } = new URL(server().gatewayUrl)
    const request = http.get({ hostname, port, path: '/streams', headers })
    const [, socket] = await once(request, 'upgrade')
    const records = await recordsOf(id, 2)
    const statuses = records.map((record: { status_code: number }) => record.status_code)
    assert.deepEqual(statuses.sort(), [101, 200])
    const connections = async () => {
      const { body } = await admin('GET', '/gateway/prometheus/metrics')
      return Number(/gateway_connections\{state="active"\} (\d+)/.exec(String(body))?.[1])
    }
    const open = await connections()
    socket.destroy()
    const [tunnel] = switched
    assert.ok(tunnel && !tunnel.destroyed, 'the upstream does not hang up by itself')
    await until(async () => (await connections()) < open, { what: 'the end of the connection' })
    const anonymous = { connection: 'Upgrade', upgrade: 'websocket' }
    const asking = http.get({ hostname, port, path: '/streams', headers: anonymous })
    const [refused] = await once(asking, 'response')
    refused.resume()
    assert.equal(refused.statusCode, 401)
  })

  test('a client that leaves is recorded with 499, and what was refused later is recorded too', async () => {
    const { id, key } = await issueKey()
    const slow = await startUpstream(() => {})
    await put('/routes/slow', {
      uri: '/slow',
      upstream: { nodes: { [slow.node]: 1 } },
      plugins: { 'plan-access': {} },
    })
    const leaving = new AbortController()
    const gone = send('/slow', { headers: by(key), signal: leaving.signal }).catch(() => {})
    await until(() => slow.seen.length === 1)
    leaving.abort()
    await gone
    const [record] = await recordsOf(id, 1)
    assert.deepEqual([record.status_code, record.counted, record.cost], [499, true, 1])
    await put('/routes/dead', {
      uri: '/dead',
      upstream: { nodes: { '127.0.0.1:1': 1 } },
      plugins: { 'plan-access': {} },
    })
    assert.equal((await get('/dead', by(key))).status, 502)
    const records = await recordsOf(id, 2)
    const statuses = records.map(({ status_code: status }: { status_code: number }) => status)
    assert.deepEqual(statuses.sort(), [499, 502])
  })

  test('a route that is not sold is as it was', async () => {
    const plain = await startUpstream(named('ok'))
    await put('/routes/unsold', { uri: '/unsold', upstream: { nodes: { [plain.node]: 1 } } })
    const answer = await get('/unsold', by(WRONG_KEY))
    assert.equal(answer.status, 200)
    assert.equal(plain.seen[0]?.headers['x-api-key'], WRONG_KEY)
    assert.equal(answer.headers.get('x-ratelimit-limit'), null)
  })
})
