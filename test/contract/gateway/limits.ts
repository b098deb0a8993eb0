import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import type { Socket } from 'node:net'
import { before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { until } from '#test-kit'
import { echo, gatewaySuite, startUpstream, tally, type Upstream } from './support.ts'

export const limits = gatewaySuite('limits', ({ server, admin, put, send }) => {
  let upstream: Upstream
  before(async () => {
    upstream = await startUpstream()
    await put('/upstreams/up', { nodes: { [upstream.node]: 1 } })
  })

  const route = (id: string, plugins: unknown, more: object = {}) =>
    put(`/routes/${id}`, { uri: `/${id}/*`, upstream_id: 'up', plugins, ...more })
  const from = (path: string, address: string, headers: Record<string, string> = {}) =>
    send(path, { headers: { 'x-forwarded-for': address, ...headers } })
  const statuses = async (answers: Promise<Response>[]) =>
    tally(
      await Promise.all(
        answers.map(async (answer) => {
          const { status, body } = await answer
          await body?.cancel()
          return String(status)
        }),
      ),
    )
  const refused = async (settings: object, pattern: RegExp, name = 'rate-limiting') => {
    const body = { uri: '/bad', plugins: { [name]: settings } }
    const answer = await admin('PUT', '/routes/bad', { body })
    assert.equal(answer.status, 400, JSON.stringify(settings))
    assert.match(answer.body.error_msg, pattern)
  }
  const shown = ({ status, headers }: Response) => [
    status,
    ...['limit', 'remaining'].map((name) => headers.get(`x-ratelimit-${name}`)),
  ]

  test('gateway 23: exactly count of 200 parallel requests pass, over all threads', async () => {
    await route('rl', { 'rate-limiting': { count: 50, time_window: 600 } })
    const connection = { connection: 'close' }
    const all = Array.from({ length: 200 }, () => from('/rl/x', '8.1.1.1', connection))
    const answers = await Promise.all(all)
    assert.deepEqual(tally(answers.map(({ status }) => String(status))), { 200: 50, 429: 150 })
    const threads = new Set(answers.map(({ headers }) => headers.get('x-test-thread')))
    assert.ok(threads.size >= 2, 'the connections went to several threads')
    const left = answers.map(({ headers }) => Number(headers.get('x-ratelimit-remaining')))
    assert.deepEqual(
      left.filter((_, at) => answers[at]?.status === 200).sort((a, b) => a - b),
      Array.from({ length: 50 }, (_, n) => n),
      'each admitted request has a number of its own',
    )
  })

  test('gateway 23: headers tell limit, rest and seconds; a refusal says when to come back', async () => {
    await route('head', { 'rate-limiting': { count: 2, time_window: 60 } })
    const first = await from('/head/x', '8.1.1.2')
    assert.deepEqual(shown(first), [200, '2', '1'])
    const reset = Number(first.headers.get('x-ratelimit-reset'))
    assert.ok(reset > 0 && reset <= 60, String(reset))
    assert.equal(first.headers.get('retry-after'), null)
    await from('/head/x', '8.1.1.2')
    const before = upstream.seen.length
    const third = await from('/head/x', '8.1.1.2')
    assert.deepEqual(shown(third), [429, '2', '0'])
    const wait = Number(third.headers.get('retry-after'))
    assert.ok(wait > 0 && wait <= 60, String(wait))
    assert.equal(await third.text(), '')
    assert.equal(upstream.seen.length, before, 'a refused request does not reach the upstream')
    await server().setClockOffset(61_000)
    assert.equal((await from('/head/x', '8.1.1.2')).status, 200, 'the window is over')
    await server().setClockOffset(0)
    await route('head', {
      'rate-limiting': {
        ...{ count: 1, time_window: 60, show_limit_quota_header: false },
        ...{ rejected_code: 418, rejected_msg: 'slowly' },
      },
    })
    const quiet = await from('/head/x', '8.1.1.2')
    assert.deepEqual(shown(quiet), [200, null, null], 'edited settings begin anew')
    const other = await from('/head/x', '8.1.1.2')
    assert.deepEqual([other.status, await other.text()], [418, '{"error_msg":"slowly"}'])
    assert.equal(other.headers.get('x-ratelimit-limit'), null)
    assert.ok(Number(other.headers.get('retry-after')) > 0)
  })

  test('gateway 23: headers of the upstream about limits are replaced', async () => {
    upstream.handle = (_request, response) =>
      response.writeHead(200, { 'x-ratelimit-limit': '99', 'x-ratelimit-reset': '99' }).end()
    await route('own', { 'rate-limiting': { count: 7, time_window: 60 } })
    const { headers } = await from('/own/x', '8.1.1.3')
    upstream.handle = echo
    assert.equal(headers.get('x-ratelimit-limit'), '7')
    assert.ok(Number(headers.get('x-ratelimit-reset')) <= 60)
  })

  test('gateway 23: keys by variable, combination and constant; without a value by address', async () => {
    const limit = { count: 1, time_window: 600 }
    await route('var', { 'rate-limiting': { ...limit, key: 'http_x_tenant' } })
    const tenant = (path: string, name: string, address = '8.2.1.1') =>
      from(path, address, { 'x-tenant': name })
    for (const name of ['a', '__proto__', 'constructor', '@8.2.1.1', 'x'.repeat(5000)]) {
      assert.equal((await tenant('/var/x', name)).status, 200, name)
      assert.equal((await tenant('/var/x', name, '8.2.1.9')).status, 429, name)
    }
    assert.equal((await from('/var/x', '8.2.1.1')).status, 200, 'nobody can use up an address')
    assert.equal((await from('/var/x', '8.2.1.1')).status, 429)
    assert.equal((await from('/var/x', '8.2.1.2')).status, 200)

    const combined = { key_type: 'var_combination', key: '$remote_addr $http_x_tenant' }
    await route('comb', { 'rate-limiting': { ...limit, ...combined } })
    assert.equal((await tenant('/comb/x', 'a')).status, 200)
    assert.equal((await tenant('/comb/x', 'a')).status, 429)
    assert.equal((await tenant('/comb/x', 'b')).status, 200)
    assert.equal((await tenant('/comb/x', 'a', '8.2.1.3')).status, 200)
    const two = { key_type: 'var_combination', key: '$arg_a $arg_b' }
    await route('two', { 'rate-limiting': { ...limit, ...two } })
    assert.equal((await send('/two/x?a=1%20&b=2')).status, 200)
    assert.equal((await send('/two/x?a=1&b=%202')).status, 200, 'spaces do not make keys equal')

    await route('const', { 'rate-limiting': { ...limit, key_type: 'constant', key: 'all' } })
    assert.equal((await from('/const/x', '8.2.1.4')).status, 200)
    assert.equal((await from('/const/x', '8.2.1.5')).status, 429)
  })

  test('gateway 23: an edit elsewhere keeps the count; a limit on a consumer counts over all routes', async () => {
    const limited = { 'rate-limiting': { count: 1, time_window: 600 } }
    await route('keep', limited)
    assert.equal((await from('/keep/x', '8.3.1.1')).status, 200)
    await route('keep', limited, { name: 'renamed', priority: 3 })
    await route('unrelated', {})
    assert.equal((await from('/keep/x', '8.3.1.1')).status, 429)
    await put('/consumers/counted', { plugins: { 'key-auth': { key: 'k-counted' }, ...limited } })
    await route('c1', { 'key-auth': {} })
    await route('c2', { 'key-auth': {}, 'rate-limiting': { count: 50, time_window: 600 } })
    const by = { apikey: 'k-counted' }
    assert.equal((await from('/c1/x', '8.3.1.2', by)).status, 200)
    assert.equal((await from('/c2/x', '8.3.1.2', by)).status, 429, 'the consumer wins')
  })

  test('gateway 23: one greedy client never lowers what others get below their limits', async () => {
    await route('fair', { 'rate-limiting': { count: 20, time_window: 600 } })
    const greedy = Array.from({ length: 300 }, () => from('/fair/x', '8.4.1.1'))
    const others = Array.from({ length: 5 }, (_, client) =>
      Array.from({ length: 20 }, () => from('/fair/x', `8.4.2.${client}`)),
    ).flat()
    assert.deepEqual(await statuses(others), { 200: 100 })
    assert.deepEqual(await statuses(greedy), { 200: 20, 429: 280 })
  })

  test('gateway 23: a group shares one counter, and its settings must be equal', async () => {
    const grouped = { 'rate-limiting': { count: 2, time_window: 600, group: `g` } }
    await route('g1', grouped)
    await route('g2', grouped)
    assert.equal((await from('/g1/x', '8.5.1.1')).status, 200)
    assert.deepEqual(shown(await from('/g2/x', '8.5.1.1')), [200, '2', '0'])
    assert.equal((await from('/g1/x', '8.5.1.1')).status, 429)
    await refused({ count: 3, time_window: 600, group: 'g' }, /settings must equal/)
    await refused({ count: 2, time_window: 600, group: 'g' }, /settings must equal/, 'limit-count')
  })

  test('gateway 23: rules hold together, and a refused add is undone', async () => {
    const rules = [
      { count: 2, time_window: 600, key: '$http_x_tenant', header_prefix: 'Tenant' },
      { count: 3, time_window: 600, key: 'remote_addr' },
    ]
    await route('rules', { 'rate-limiting': { rules } })
    const by = (tenant: string) => from('/rules/x', '8.6.1.1', { 'x-tenant': tenant })
    const first = await by('a')
    assert.equal(first.headers.get('x-tenant-ratelimit-remaining'), '1')
    assert.equal(first.headers.get('x-2-ratelimit-remaining'), '2')
    assert.equal(first.headers.get('x-ratelimit-limit'), null)
    assert.equal((await by('b')).status, 200)
    assert.equal((await by('c')).status, 200)
    const full = await by('a')
    assert.equal(full.status, 429, 'the second rule refuses')
    assert.equal(full.headers.get('x-2-ratelimit-remaining'), '0')
    assert.equal(full.headers.get('x-tenant-ratelimit-remaining'), '1', 'and the first is undone')
    const elsewhere = await from('/rules/x', '8.6.1.2', { 'x-tenant': 'a' })
    assert.equal(elsewhere.status, 200)
    assert.equal(elsewhere.headers.get('x-tenant-ratelimit-remaining'), '0')
  })

  test('gateway 23: a sliding window never holds more than count, and frees what has left it', async () => {
    const sliding = { count: 4, time_window: 100, window_type: 'sliding' }
    await route('slide', { 'rate-limiting': sliding })
    const at = async (seconds: number) => {
      await server().setClockOffset(seconds * 1000)
      return from('/slide/x', '8.7.1.1')
    }
    try {
      for (const seconds of [0, 0, 60, 60]) assert.equal((await at(seconds)).status, 200)
      const full = await at(90)
      assert.deepEqual(shown(full), [429, '4', '0'])
      const wait = Number(full.headers.get('retry-after'))
      assert.ok(wait >= 9 && wait <= 16, `the first two leave soon: ${wait}`)
      assert.equal((await at(106)).status, 200)
      assert.equal((await at(106)).status, 200)
      assert.equal((await at(106)).status, 429, 'those of second 60 are still inside')
      const parallel = Array.from({ length: 50 }, () => from('/slide/x', '8.7.1.2'))
      assert.deepEqual(await statuses(parallel), { 200: 4, 429: 46 })
    } finally {
      await server().setClockOffset(0)
    }
  })

  test('gateway 23: a calendar window ends with its unit in its time zone', async () => {
    const calendar = { count: 1, calendar_unit: 'day', timezone: 'Asia/Kolkata' }
    await route('cal', { 'rate-limiting': { ...calendar, window_type: 'calendar' } })
    await route('cal2', { 'rate-limiting': { ...calendar, calendar: true } })
    const moment = (iso: string) => server().setClockOffset(Date.parse(iso) - Date.now())
    try {
      for (const path of ['/cal/x', '/cal2/x']) {
        await moment('2030-01-10T18:20:00Z')
        const first = await from(path, '8.8.1.1')
        assert.equal(first.status, 200)
        const reset = Number(first.headers.get('x-ratelimit-reset'))
        assert.ok(reset > 590 - 60 && reset <= 600, `midnight is at 18:30 UTC: ${reset}`)
        assert.equal((await from(path, '8.8.1.1')).status, 429)
        await moment('2030-01-10T18:31:00Z')
        assert.equal((await from(path, '8.8.1.1')).status, 200)
        await moment('2030-01-11T18:29:00Z')
        assert.equal((await from(path, '8.8.1.1')).status, 429)
      }
    } finally {
      await server().setClockOffset(0)
    }
  })

  test('gateway 23: limit-count is the same plugin with 503, listed, and not beside it', async () => {
    const limit = { count: 1, time_window: 600 }
    await route('alias', { 'limit-count': limit })
    assert.equal((await from('/alias/x', '8.9.1.1')).status, 200)
    assert.equal((await from('/alias/x', '8.9.1.1')).status, 503)
    await route('alias', { 'limit-count': { ...limit, rejected_code: 429 } })
    await from('/alias/x', '8.9.1.1')
    assert.equal((await from('/alias/x', '8.9.1.1')).status, 429)
    const { body: list } = await admin('GET', '/plugins/list')
    assert.deepEqual(
      list.filter((name: string) => /^(limit-count|rate-limiting)$/.test(name)).sort(),
      ['limit-count', 'rate-limiting'],
    )
    const { body: all } = await admin('GET', '/plugins?all=true')
    assert.equal(all['limit-count'].priority, 1002)
    assert.equal((await admin('GET', '/plugins/limit-count')).status, 200)
    const both = { uri: '/bad', plugins: { 'limit-count': limit, 'rate-limiting': limit } }
    const answer = await admin('PUT', '/routes/bad', { body: both })
    assert.equal(answer.status, 400)
    assert.match(answer.body.error_msg, /limit-count: must not stand beside rate-limiting/)
    await put('/global_rules/one', {
      plugins: { 'rate-limiting': { count: 10_000, time_window: 1 } },
    })
    const twice = await admin('PUT', '/global_rules/two', {
      body: { plugins: { 'limit-count': limit } },
    })
    assert.equal(twice.status, 400)
    await admin('DELETE', '/global_rules/one')
  })

  test('gateway 23: settings that cannot be are refused by name', async () => {
    const good = { count: 1, time_window: 1 }
    await refused({ time_window: 1 }, /count: is required/)
    await refused({ count: 1 }, /time_window: is required/)
    await refused({ ...good, count: 0 }, /count: must be an integer/)
    await refused({ ...good, time_window: 0 }, /time_window: must be a number > 0/)
    await refused({ ...good, key: '__proto__' }, /key: unknown variable/)
    await refused(
      { ...good, key_type: 'var_combination', key: 'plain' },
      /key: must name a variable/,
    )
    await refused({ ...good, key_type: 'other' }, /key_type/)
    await refused({ ...good, policy: 'redis' }, /redis_host: is required/)
    await refused({ ...good, policy: 'redis-cluster' }, /policy: must be one of local, redis/)
    await refused({ ...good, redis_host: 'h' }, /redis_host: is of use with policy redis/)
    await refused({ ...good, redis_cluster_name: 'c' }, /redis_cluster_name: is not supported/)
    await refused({ ...good, rejected_code: 199 }, /rejected_code/)
    await refused({ ...good, calendar_unit: 'day' }, /calendar_unit: is of use/)
    await refused({ ...good, timezone: 'UTC' }, /timezone: is of use/)
    await refused(
      { ...good, window_type: 'calendar', calendar_unit: 'day' },
      /time_window: must not/,
    )
    await refused({ count: 1, calendar: true }, /calendar_unit: is required/)
    const calendar = { count: 1, calendar: true, calendar_unit: 'day' }
    await refused({ ...calendar, timezone: 'Mars/Olympus' }, /timezone: must be a time zone/)
    await refused({ ...calendar, calendar_unit: 'week' }, /calendar_unit/)
    await refused({ ...calendar, window_type: 'sliding' }, /window_type: must be calendar/)
    await refused({ ...good, rules: [good] }, /count: must not stand beside rules/)
    await refused({ rules: [{ ...good, key: '$nothing' }] }, /rules\/0\/key: unknown variable/)
    const twice = { ...good, header_prefix: 'A' }
    await refused({ rules: [twice, twice] }, /rules\/1\/header_prefix: is used twice/)
    await refused({ rules: [] }, /rules: must have at least 1/)
  })

  test('gateway 23: local counts survive an orderly restart', async () => {
    await route('restart', { 'rate-limiting': { count: 2, time_window: 3600 } })
    await from('/restart/x', '8.10.1.1')
    server().signal('SIGTERM')
    await server().exited()
    await server().restart()
    assert.deepEqual(shown(await from('/restart/x', '8.10.1.1')), [200, '2', '0'])
    assert.equal((await from('/restart/x', '8.10.1.1')).status, 429)
  })

  test('gateway limit-req: what comes too early waits within the burst, the rest is refused with 503', async () => {
    await route('req', { 'limit-req': { rate: 1, burst: 2, key: 'remote_addr' } })
    const started = performance.now()
    const tookMs: number[] = []
    const answers = Array.from({ length: 6 }, () =>
      from('/req/x', '8.11.1.1').then((answer) => {
        if (answer.status === 200) tookMs.push(performance.now() - started)
        return answer
      }),
    )
    assert.deepEqual(await statuses(answers), { 200: 3, 503: 3 })
    assert.ok((tookMs[1] ?? 0) >= 995, `the second waits a second: ${tookMs}`)
    assert.ok((tookMs[2] ?? 0) >= 1_995, `the third two of them: ${tookMs}`)

    const prompt = { rate: 0.01, burst: 2, key: 'http_x_tenant', nodelay: true }
    await route('req', {
      'limit-req': { ...prompt, rejected_code: 429, rejected_msg: 'slowly' },
    })
    const tenant = { 'x-tenant': '__proto__' }
    const quick = Array.from({ length: 30 }, () => from('/req/x', '8.11.1.2', tenant))
    assert.deepEqual(await statuses(quick), { 200: 3, 429: 27 })
    const last = await from('/req/x', '8.11.1.3', tenant)
    assert.deepEqual([last.status, await last.text()], [429, '{"error_msg":"slowly"}'])
    await server().setClockOffset(101_000)
    const later = [1, 2].map(() => from('/req/x', '8.11.1.2', tenant))
    assert.deepEqual(await statuses(later), { 200: 1, 429: 1 }, 'one has leaked out')
    await server().setClockOffset(0)

    const combined = { key_type: 'var_combination', key: '$remote_addr$http_x_tenant' }
    await route('req', { 'limit-req': { ...prompt, ...combined, burst: 0 } })
    for (const name of ['a', 'b']) {
      const given = { 'x-tenant': name }
      assert.equal((await from('/req/x', '8.11.1.4', given)).status, 200)
      assert.equal((await from('/req/x', '8.11.1.4', given)).status, 503)
    }
    await refused({ rate: 1, burst: 1 }, /key: is required/, 'limit-req')
    await refused({ rate: 0, burst: 1, key: 'remote_addr' }, /rate/, 'limit-req')
    await refused({ rate: 1, burst: -1, key: 'remote_addr' }, /burst/, 'limit-req')
    await refused({ rate: 1, burst: 1, key: 'constructor' }, /unknown variable/, 'limit-req')
    const store = { rate: 1, burst: 1, key: 'uri', policy: 'redis' }
    await refused(store, /redis_host: is required/, 'limit-req')
  })

  test('gateway limit-conn: as many at once as allowed, some wait, the rest is refused with 503', async () => {
    const waiting: (() => void)[] = []
    upstream.handle = (_request, response) => {
      waiting.push(() => response.end('ok'))
    }
    const release = () => {
      for (const end of waiting.splice(0)) end()
    }
    try {
      const delay = { default_conn_delay: 0.3, only_use_default_delay: true }
      await route('conn', { 'limit-conn': { conn: 2, burst: 1, ...delay } })
      const first = [1, 2].map(() => from('/conn/x', '8.12.1.1'))
      await until(() => waiting.length === 2)
      const started = performance.now()
      let refusals = 0
      const more = Array.from({ length: 21 }, async () => {
        const answer = await from('/conn/x', '8.12.1.1')
        if (answer.status === 503) refusals++
        return answer
      })
      await until(() => waiting.length === 3)
      assert.ok(performance.now() - started >= 295, 'the third waits before it goes on')
      await until(() => refusals === 20)
      const other = from('/conn/x', '8.12.1.2')
      await until(() => waiting.length === 4)
      release()
      assert.deepEqual(await statuses([...first, ...more, other]), { 200: 4, 503: 20 })

      const gone = new AbortController()
      const address = { 'x-forwarded-for': '8.12.1.3' }
      const cut = [1, 2, 3].map(() =>
        send('/conn/x', { headers: address, signal: gone.signal }).catch(() => null),
      )
      await until(() => waiting.length === 3)
      assert.equal((await from('/conn/x', '8.12.1.3')).status, 503)
      gone.abort()
      await Promise.all(cut)
      waiting.length = 0
      upstream.handle = echo
      await until(async () => (await from('/conn/x', '8.12.1.3')).status === 200)
      assert.deepEqual(
        await statuses([1, 2].map(() => from('/conn/x', '8.12.1.3'))),
        { 200: 2 },
        'whoever went away counts no longer',
      )
    } finally {
      release()
      upstream.handle = echo
    }
    await route('conn', {
      'limit-conn': {
        ...{ conn: 1, burst: 0, default_conn_delay: 1, key: 'http_x_tenant' },
        ...{ rejected_code: 429, rejected_msg: 'full' },
      },
    })
    upstream.handle = (_request, response) => {
      waiting.push(() => response.end('ok'))
    }
    const tenant = { 'x-tenant': '__proto__' }
    const only = from('/conn/x', '8.12.1.4', tenant)
    await until(() => waiting.length === 1)
    const full = await from('/conn/x', '8.12.1.5', tenant)
    assert.deepEqual([full.status, await full.text()], [429, '{"error_msg":"full"}'])
    upstream.handle = echo
    assert.equal((await from('/conn/x', '8.12.1.4', { 'x-tenant': 'other' })).status, 200)
    release()
    assert.equal((await only).status, 200)
    await refused({ conn: 1, burst: 0 }, /default_conn_delay: is required/, 'limit-conn')
    await refused({ conn: 0, burst: 0, default_conn_delay: 1 }, /conn:/, 'limit-conn')
    const store = { conn: 1, burst: 0, default_conn_delay: 1, policy: 'redis' }
    await refused(store, /redis_host: is required/, 'limit-conn')
  })

  test('gateway limit-conn: the delay grows with the excess and follows how long requests take', async () => {
    await route('grow', { 'limit-conn': { conn: 1, burst: 5, default_conn_delay: 0.1 } })
    upstream.handle = (_request, response) => setTimeout(() => response.end('ok'), 400)
    const started = performance.now()
    const tookMs = await Promise.all(
      [1, 2, 3].map(async () => {
        await (await from('/grow/x', '8.13.1.1')).text()
        return performance.now() - started
      }),
    )
    upstream.handle = echo
    tookMs.sort((a, b) => a - b)
    assert.ok((tookMs[1] ?? 0) >= 495, `one step for the second: ${tookMs}`)
    assert.ok((tookMs[2] ?? 0) >= 595, `two for the third: ${tookMs}`)
  })

  test('gateway limit-conn: an open WebSocket counts until it is closed, and how long it lasted makes nobody wait', async () => {
    upstream.server.on('upgrade', (_request, socket) => {
      socket.write(
        'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
      )
      socket.on('error', () => {}).on('end', () => socket.end())
    })
    const limit = { conn: 1, burst: 7, default_conn_delay: 0.001 }
    await route('open', { 'limit-conn': limit }, { enable_websocket: true })
    const headers = { 'x-forwarded-for': '8.15.1.1', connection: 'Upgrade', upgrade: 'websocket' }
    const join = async (): Promise<Socket> => {
      const request = http.get(`${server().gatewayUrl}/open/x`, { headers })
      const [, socket] = await once(request, 'upgrade')
      return socket
    }
    const again = () => from('/open/x', '8.15.1.1', { connection: 'close' })
    const [first, ...others] = await Promise.all(Array.from({ length: 8 }, join))
    await wait(1_500)
    const refusal = http.get(`${server().gatewayUrl}/open/x`, { headers })
    const [full] = await once(refusal, 'response')
    assert.deepEqual([full.statusCode, (await again()).status], [503, 503])
    for (const socket of others) socket.destroy()
    await until(async () => (await again()).status === 200)
    const started = performance.now()
    const answers = [1, 2, 3, 4, 5, 6].map(again)
    assert.deepEqual(await statuses(answers), { 200: 6 }, 'beside the one that is still open')
    // Half as long as those that are closed were open, for every step above the limit.
    assert.ok(performance.now() - started < 700, `${performance.now() - started}`)
    first?.destroy()
    upstream.server.removeAllListeners('upgrade')
  })

  test('gateway limit-conn: what a thread had under way when it ended counts no longer', async () => {
    const hold = { 'x-test-hold': '1' }
    let held = 0
    upstream.handle = (request, response) => {
      if (request.headers['x-test-hold']) held++
      else echo(request, response)
    }
    await route('dead', { 'limit-conn': { conn: 2, burst: 0, default_conn_delay: 1 } })
    const gone = new AbortController()
    const headers = { 'x-forwarded-for': '8.14.1.1', ...hold }
    const lost = [1, 2].map(() =>
      send('/dead/x', { headers, signal: gone.signal }).catch(() => null),
    )
    await until(() => held === 2)
    assert.equal((await from('/dead/x', '8.14.1.1')).status, 503)
    // Every thread ends once, also those that hold the two.
    const died = new Set<string>()
    await until(
      async () => {
        const answer = await from('/dead/y', '8.14.1.9', { connection: 'close' }).catch(() => null)
        const thread = answer?.headers.get('x-test-thread') ?? ''
        if (thread !== '' && !died.has(thread)) {
          const fatal = { connection: 'close', 'x-test-die': '1' }
          const last = await from('/dead/y', '8.14.1.9', fatal).catch(() => null)
          died.add(last?.headers.get('x-test-thread') ?? '')
        }
        return (await from('/dead/x', '8.14.1.1').catch(() => null))?.status === 200
      },
      { withinMs: 20_000 },
    )
    upstream.handle = echo
    gone.abort()
    await Promise.all(lost)
  })
})
