import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eachDatabase } from '#test-kit'
import { BAD_QUERIES } from './bad-queries.ts'
import { DAY, type Figures, HOUR, MINUTE, startUsage } from './usage-kit.ts'

interface Point {
  readonly at: string
  readonly requests: number
  readonly errors: number
  readonly rejected: number
  readonly avgResponseMs: number
}

interface Endpoint extends Omit<Point, 'at'> {
  readonly endpoint: string
  readonly method: string
  readonly p50ResponseMs: number
  readonly p95ResponseMs: number
  readonly p99ResponseMs: number
}

interface Stored {
  readonly id: number
  readonly api_key_id: number
  readonly endpoint: string
  readonly status_code: number
  readonly created_at: string
  readonly request_id: string
}

const REFUSED = { counted: false, cost: 0, status: 429 } as const

eachDatabase('usage dashboard', async (kind) => {
  const server = await startUsage(kind)
  const { record, json, get, addKey, nowMs } = server

  test('the dashboard has the figures of the contract', async () => {
    const { id } = addKey()
    server.minuteCounts.set(id, 4)
    await record([
      { keyId: id, responseMs: 10 },
      { keyId: id, responseMs: 31, cost: 5 },
      { keyId: id, ...REFUSED },
    ])
    const { data } = await json<Figures>('/api/v1/usage', id)
    const { resetsAt, ...figures } = data
    assert.deepEqual(figures, {
      today: 2,
      month: 6,
      monthLimit: 10_000,
      avgResponseMs: 21,
      remaining: 9_994,
      minute: 4,
      minuteLimit: 60,
      rejectedToday: 1,
    })
    const now = new Date(nowMs())
    const next = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1))
    assert.equal(resetsAt, next.toISOString())
  })

  test('a key that was never used has zeros, an unlimited one null', async () => {
    const fresh = await json<Figures>('/api/v1/usage', addKey().id)
    assert.equal(fresh.data.today, 0)
    assert.equal(fresh.data.avgResponseMs, 0)
    assert.equal(fresh.data.remaining, 10_000)
    const unlimited = addKey({ plan: { requestsPerMonth: null, requestsPerMinute: null } })
    const { data } = await json<Figures>('/api/v1/usage', unlimited.id)
    assert.deepEqual([data.monthLimit, data.remaining, data.minuteLimit], [null, null, null])
  })

  test('remaining is never below 0', async () => {
    const { id } = addKey({ plan: { requestsPerMonth: 2 } })
    await record([{ keyId: id, cost: 5 }])
    assert.equal((await json<Figures>('/api/v1/usage', id)).data.remaining, 0)
  })

  test('with a sign-in all own keys are summed, revoked ones with what they were served', async () => {
    const userId = 7_001
    const a = addKey({ userId, plan: { requestsPerMonth: 100 } })
    const b = addKey({ userId, plan: { requestsPerMonth: 50 } })
    const gone = addKey({ userId, status: 'revoked' })
    await record([{ keyId: a.id, cost: 3 }, { keyId: b.id, cost: 60 }, { keyId: gone.id }])
    const { data } = await json<Figures>('/api/v1/usage', `user:${userId}`)
    assert.deepEqual(
      [data.today, data.month, data.monthLimit, data.remaining, data.minuteLimit],
      [3, 64, 150, 97, 120],
    )
    const one = await json<Figures>(`/api/v1/usage?key_id=${a.id}`, `user:${userId}`)
    assert.equal(one.data.month, 3)
  })

  test('another owner’s key is 404 as one that does not exist, on every endpoint', async () => {
    const mine = addKey()
    const other = addKey()
    const paths = ['', '/series', '/endpoints', '/records', '/stream', '/invoice']
    for (const path of paths) {
      for (const id of [other.id, 999_999]) {
        const answer = await get(`/api/v1/usage${path}?key_id=${id}`, mine.id)
        assert.equal(answer.status, 404, path)
        const body = JSON.parse(await answer.text())
        assert.deepEqual(body, { error: { code: 'key_not_found', message: 'Key not found' } })
      }
    }
  })

  test('an admin sees every key and every user; others not', async () => {
    const { id, userId } = addKey()
    await record([{ keyId: id }])
    assert.equal((await json<Figures>(`/api/v1/usage?key_id=${id}`, 'admin')).data.today, 1)
    assert.equal((await json<Figures>(`/api/v1/usage?user_id=${userId}`, 'admin')).data.today, 1)
    assert.equal((await get('/api/v1/usage?user_id=88888', 'admin')).status, 404)
    const mismatch = await get(`/api/v1/usage?key_id=${id}&user_id=1`, 'admin')
    assert.equal(mismatch.status, 404)
    const refused = await get(`/api/v1/usage?user_id=${userId}`, addKey().id)
    assert.equal(refused.status, 403)
    assert.equal(JSON.parse(await refused.text()).error.required, 'admin')
    assert.equal((await get(`/api/v1/usage?user_id=${userId}`, id)).status, 200)
  })

  test('a series has a point for every period, zeros where nothing happened', async () => {
    const { id } = addKey()
    const hour = Math.floor(nowMs() / HOUR) * HOUR
    await record([
      { keyId: id, atMs: hour - 5 * HOUR, responseMs: 10 },
      { keyId: id, atMs: hour - 5 * HOUR + 1, responseMs: 20, status: 500 },
      { keyId: id, atMs: hour - 3 * HOUR - 1, ...REFUSED },
    ])
    const from = new Date(hour - 6 * HOUR).toISOString()
    const to = new Date(hour - 2 * HOUR).toISOString()
    const { data, meta } = await json<Point[]>(
      `/api/v1/usage/series?interval=hour&from=${from}&to=${to}`,
      id,
    )
    const rows = data.map(({ requests, errors, rejected, avgResponseMs }) => [
      requests,
      errors,
      rejected,
      avgResponseMs,
    ])
    assert.deepEqual(rows, [
      [0, 0, 0, 0],
      [2, 1, 0, 15],
      [0, 0, 1, 0],
      [0, 0, 0, 0],
    ])
    assert.equal(data[0]?.at, from)
    assert.deepEqual(meta, { interval: 'hour', from, to })
  })

  test('minute, hour and day series agree with the dashboard', async () => {
    const { id } = addKey()
    await record(Array.from({ length: 30 }, () => ({ keyId: id })))
    for (const interval of ['minute', 'hour', 'day']) {
      const { data } = await json<Point[]>(`/api/v1/usage/series?interval=${interval}`, id)
      assert.equal(
        data.reduce((sum, point) => sum + point.requests, 0),
        30,
        interval,
      )
      assert.equal(data.length, { minute: 60, hour: 24, day: 30 }[interval])
    }
  })

  test('endpoints come most used first, with percentiles within 5 %', async () => {
    const { id } = addKey()
    const times = Array.from({ length: 200 }, (_, n) => 5 * (n + 1))
    await record([
      ...times.map((responseMs, n) => ({
        keyId: id,
        endpoint: '/api/v1/articles/{id}',
        responseMs,
        atMs: nowMs() - (n % 3) * DAY,
        status: n < 10 ? 404 : 200,
      })),
      { keyId: id, endpoint: '/api/v1/media', method: 'POST', responseMs: 7 },
      { keyId: id, endpoint: '/api/v1/media', method: 'POST', ...REFUSED },
      { keyId: id, endpoint: '/api/v1/me', counted: false, cost: 0 },
    ])
    const from = new Date(nowMs() - 4 * DAY).toISOString()
    const { data } = await json<Endpoint[]>(`/api/v1/usage/endpoints?from=${from}`, id)
    assert.deepEqual(
      data.map(({ endpoint, method, requests, errors, rejected }) => [
        endpoint,
        method,
        requests,
        errors,
        rejected,
      ]),
      [
        ['/api/v1/articles/{id}', 'GET', 200, 10, 0],
        ['/api/v1/media', 'POST', 1, 0, 1],
      ],
    )
    const [first] = data
    assert.ok(first)
    const told = [first.p50ResponseMs, first.p95ResponseMs, first.p99ResponseMs]
    for (const [place, real] of [500, 950, 990].entries()) {
      assert.ok(Math.abs((told[place] ?? 0) - real) <= real * 0.05, `${told[place]} for ${real}`)
    }
    assert.equal(first.avgResponseMs, 503)
  })

  test('endpoints of a range leave out what lies outside of it', async () => {
    const { id } = addKey()
    const hour = Math.floor(nowMs() / HOUR) * HOUR
    const at = (atMs: number) => ({ keyId: id, atMs })
    await record([at(hour - 2 * HOUR - 1), at(hour - 2 * HOUR), at(hour - HOUR), at(hour)])
    const from = new Date(hour - 2 * HOUR).toISOString()
    const to = new Date(hour).toISOString()
    const { data } = await json<Endpoint[]>(`/api/v1/usage/endpoints?from=${from}&to=${to}`, id)
    assert.equal(data[0]?.requests, 2)
  })

  test('records have the fields of the contract, newest first', async () => {
    const { id } = addKey()
    const atMs = nowMs()
    await record([
      { keyId: id, atMs: atMs - 1_000, requestId: 'older', ...REFUSED },
      { keyId: id, atMs, requestId: 'newer', endpoint: '/api/v1/media/{id}', method: 'DELETE' },
      { keyId: id, atMs: atMs - 2_000, requestId: 'oldest' },
    ])
    const { data, meta } = await json<Stored[]>('/api/v1/usage/records', id)
    assert.deepEqual(
      data.map((row) => row.request_id),
      ['newer', 'older', 'oldest'],
    )
    const [{ id: recordId, ...newest } = { id: 0 }] = data
    assert.ok(Number.isInteger(recordId))
    assert.deepEqual(newest, {
      api_key_id: id,
      endpoint: '/api/v1/media/{id}',
      method: 'DELETE',
      status_code: 200,
      response_ms: 20,
      created_at: new Date(atMs).toISOString(),
      counted: true,
      cost: 1,
      request_id: 'newer',
    })
    assert.deepEqual(meta, { limit: 20, after_id: null, next_after_id: null, has_more: false })
  })

  test('a walk by after_id meets every record once, also those of one millisecond', async () => {
    const userId = 7_100
    const keys = [addKey({ userId }), addKey({ userId }), addKey({ userId })]
    const atMs = nowMs()
    const sent = Array.from({ length: 90 }, (_, n) => ({
      keyId: keys[n % 3]?.id ?? 0,
      atMs: atMs - Math.floor(n / 10),
      requestId: `walk-${n}`,
    }))
    await record(sent)
    const seen: Stored[] = []
    let next: string | null = '/api/v1/usage/records?limit=7'
    while (next !== null) {
      const answer: Response = await get(next, `user:${userId}`)
      const { data, meta } = JSON.parse(await answer.text())
      seen.push(...data)
      const link = answer.headers.get('link') ?? ''
      next = /<([^>]+)>; rel="next"/.exec(link)?.[1]?.replace(server.url, '') ?? null
      assert.equal(meta.has_more, next !== null)
      // New records during the walk do not disturb it.
      await record([{ keyId: keys[0]?.id ?? 0 }])
    }
    assert.deepEqual(
      seen.map((row) => row.request_id).sort(),
      sent.map((row) => row.requestId).sort(),
    )
    const times = seen.map((row) => row.created_at)
    assert.deepEqual(times, times.toSorted().reverse())

    const middle = seen[45]
    const back = await json<Stored[]>(
      `/api/v1/usage/records?before_id=${middle?.id}&limit=5`,
      `user:${userId}`,
    )
    assert.deepEqual(
      back.data.map((row) => row.id),
      seen.slice(40, 45).map((row) => row.id),
    )
  })

  test('records are filtered by status, endpoint and time', async () => {
    const { id } = addKey()
    const atMs = nowMs()
    await record([
      { keyId: id, requestId: 'a', status: 404 },
      { keyId: id, requestId: 'b', endpoint: '/api/v1/media' },
      { keyId: id, requestId: 'c', atMs: atMs - 3 * HOUR },
    ])
    const ask = async (query: string) => {
      const { data } = await json<Stored[]>(`/api/v1/usage/records?${query}`, id)
      return data.map((row) => row.request_id)
    }
    assert.deepEqual(await ask('status_code=404'), ['a'])
    assert.deepEqual(await ask('endpoint=/api/v1/media'), ['b'])
    assert.deepEqual(await ask(`to=${new Date(atMs - HOUR).toISOString()}`), ['c'])
    assert.deepEqual((await ask(`from=${new Date(atMs - HOUR).toISOString()}`)).sort(), ['a', 'b'])
    assert.deepEqual(await ask('status_code=404&endpoint=/api/v1/media'), [])
  })

  test('an export holds all records, as NDJSON and as CSV that no spreadsheet executes', async () => {
    const { id } = addKey()
    const sent = Array.from({ length: 1_234 }, (_, n) => ({ keyId: id, requestId: `r${n}` }))
    await record([{ keyId: id, requestId: '=cmd|calc', atMs: nowMs() - MINUTE }])
    for (let at = 0; at < sent.length; at += 500) await record(sent.slice(at, at + 500))

    const ndjson = await get('/api/v1/usage/records?format=ndjson', id)
    assert.equal(ndjson.headers.get('content-type'), 'application/x-ndjson; charset=utf-8')
    assert.match(ndjson.headers.get('content-disposition') ?? '', /^attachment/)
    const lines = (await ndjson.text()).trimEnd().split('\n')
    assert.equal(new Set(lines.map((line) => JSON.parse(line).request_id)).size, 1_235)

    const csv = await get('/api/v1/usage/records?format=csv', id)
    assert.equal(csv.headers.get('content-type'), 'text/csv; charset=utf-8; header=present')
    const rows = (await csv.text()).split('\r\n')
    assert.equal(
      rows[0],
      'id,api_key_id,endpoint,method,status_code,response_ms,created_at,counted,cost,request_id',
    )
    assert.equal(rows.length, 1_235 + 2)
    assert.match(rows.at(-2) ?? '', /,'=cmd\|calc$/)
    const raw = await get('/api/v1/usage/records?format=csv&csv_safe=false', id)
    assert.match(await raw.text(), /,=cmd\|calc\r\n$/)

    const accepted = await get('/api/v1/usage/records', id, { accept: 'text/csv' })
    assert.match(accepted.headers.get('content-type') ?? '', /^text\/csv/)
  })

  test('a user with thousands of keys has all records in the list and in an export', async () => {
    const userId = 4_711
    const ids = Array.from({ length: 2_001 }, () => addKey({ userId }).id)
    const sent = ids.map((keyId, n) => ({ keyId, requestId: `many${n}`, atMs: nowMs() - (n % 7) }))
    for (let at = 0; at < sent.length; at += 500) await record(sent.slice(at, at + 500))
    const whole = { accept: 'text/csv' }
    const csv = await get('/api/v1/usage/records?csv_safe=false', `user:${userId}`, whole)
    assert.equal(csv.status, 200)
    const rows = (await csv.text()).trimEnd().split('\r\n').slice(1)
    assert.equal(new Set(rows).size, ids.length)
    const times = rows.map((row) => row.split(',')[6] ?? '')
    assert.deepEqual(times, times.toSorted().toReversed())

    const path = '/api/v1/usage/records?limit=3'
    const newest = await json<Stored[]>(path, `user:${userId}`)
    const next = newest.data.map(({ id }) => id)
    assert.deepEqual(
      rows.slice(0, 3).map((row) => Number(row.split(',')[0])),
      next,
    )
  })

  test('access 19: a bad value is 400 and names its parameter', async () => {
    const { id } = addKey()
    for (const [query, name] of BAD_QUERIES) {
      const answer = await get(`/api/v1/usage${query}`, id)
      const text = await answer.text()
      assert.equal(answer.status, 400, `${query}: ${text}`)
      const { error } = JSON.parse(text)
      assert.equal(error.code, 'invalid_parameter', query)
      assert.match(error.message, new RegExp(`\\b${name}\\b`), query)
    }
  })

  test('an unknown parameter is named, and refused when the client asked to be strict', async () => {
    const { id } = addKey()
    for (const path of ['', '/series', '/endpoints', '/records', '/invoice']) {
      const ignored = await get(`/api/v1/usage${path}?key_id=${id}&form=2026-03-01&a%20b=1`, id)
      assert.equal(ignored.status, 200, path)
      assert.equal(ignored.headers.get('x-ignored-parameters'), 'form, a_b', path)
      const plain = await get(`/api/v1/usage${path}?key_id=${id}&api_key=x`, id)
      assert.equal(plain.headers.get('x-ignored-parameters'), null, path)
    }
    const strict = { prefer: 'handling=strict' }
    for (const path of ['', '/records', '/stream']) {
      const refused = await get(`/api/v1/usage${path}?form=1`, id, strict)
      assert.equal(refused.status, 400, path)
      assert.match(await refused.text(), /"invalid_parameter".*form is not a parameter/)
    }
    assert.equal((await get(`/api/v1/usage?key_id=${id}`, id, strict)).status, 200)
  })

  test('a limit above the maximum is lowered to it', async () => {
    const { meta } = await json('/api/v1/usage/records?limit=100000', addKey().id)
    assert.equal(meta['limit'], 1_000)
  })

  test('an invoice is the plan’s price in whole cents, with the month’s requests', async () => {
    const { id } = addKey({ plan: { priceCents: 1_910 } })
    await record([{ keyId: id, cost: 3 }, { keyId: id }])
    const now = new Date(nowMs())
    const from = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth()))
    const to = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1))
    const { data } = await json('/api/v1/usage/invoice', id)
    const days = (to.getTime() - from.getTime()) / DAY
    const period = { from: from.toISOString(), to: to.toISOString(), days }
    assert.deepEqual(data, {
      month: from.toISOString().slice(0, 7),
      currency: 'USD',
      lines: [{ key_id: id, plan_id: 2, plan: 'Starter', ...period, amount: 19.1 }],
      requests: 4,
      total: 19.1,
      estimated: true,
    })
  })

  test('an invoice of a past month is no estimate; one from before the key existed is empty', async () => {
    const { id } = addKey({ createdAtMs: Date.UTC(2026, 0, 15) })
    await record([{ keyId: id, atMs: Date.UTC(2026, 1, 3) }])
    const { data } = await json<{ total: number }>('/api/v1/usage/invoice?month=2026-02', id)
    assert.deepEqual(
      { ...data, lines: undefined },
      {
        month: '2026-02',
        currency: 'USD',
        lines: undefined,
        requests: 1,
        total: 19,
        estimated: false,
      },
    )
    const before = await json<{ total: number }>('/api/v1/usage/invoice?month=2025-12', id)
    assert.equal(before.data.total, 0)
  })

  test('invoices of several keys add up to the cent, but not over currencies', async () => {
    const userId = 7_200
    for (const priceCents of [10, 20, 1_999]) addKey({ userId, plan: { priceCents } })
    const { data } = await json<{ total: number }>('/api/v1/usage/invoice', `user:${userId}`)
    assert.equal(data.total, 20.29)
    addKey({ userId, plan: { currency: 'EUR' } })
    const mixed = await get('/api/v1/usage/invoice', `user:${userId}`)
    assert.equal(mixed.status, 422)
  })

  test('usage may be asked for by HEAD, and says that it must not be cached unasked', async () => {
    const { id } = addKey()
    const answer = await fetch(`${server.url}/api/v1/usage`, {
      method: 'HEAD',
      headers: { 'x-api-key': String(id) },
    })
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('cache-control'), 'private, no-cache')
  })
})
