import assert from 'node:assert/strict'
import net from 'node:net'
import { test } from 'node:test'
import { until } from '#test-kit'
import { startHttp } from '../../conformance/support/http-server.ts'

test('one line per request says who asked for what and how it ended', async (t) => {
  const { fetch, requests } = await startHttp(t, {
    plugin: (app) => {
      app.addHook('onRequest', async (request) => {
        request.actor = {
          userId: 1,
          consumerId: 'c',
          apiKeyId: 42,
          planId: null,
          access: 'read',
          kind: 'key',
        }
      })
      app.get('/things/:id', async () => ({ ok: true }))
    },
  })
  await fetch('/api/v1/things/7?a=1', {
    headers: { 'user-agent': 'probe/1', 'x-request-id': 'r-9' },
  })
  await fetch('/api/v1/nope')
  await fetch('/%zz')
  const [known, unknown, broken] = await until(() => requests().length === 3 && requests())
  assert.ok(known)
  const { bytes, duration_ms, time, ...rest } = known
  assert.ok(typeof time === 'number' && typeof duration_ms === 'number' && duration_ms >= 0)
  assert.ok(typeof bytes === 'number' && bytes > 50)
  assert.partialDeepStrictEqual(rest, {
    request_id: 'r-9',
    method: 'GET',
    path: '/api/v1/things/7',
    query: 'a=1',
    route: '/api/v1/things/:id',
    status: 200,
    remote_addr: '127.0.0.1',
    api_key_id: 42,
    user_agent: 'probe/1',
  })
  assert.partialDeepStrictEqual(unknown, {
    route: '(unmatched)',
    status: 404,
    error: 'route_not_found',
  })
  assert.partialDeepStrictEqual(broken, { path: '/%zz', status: 400, error: 'invalid_url' })
})

test('no secret of a query or header is in any line', async (t) => {
  const { fetch, lines, requests } = await startHttp(t, {
    plugin: (app) => {
      app.get('/x', async () => 'ok')
      app.get('/boom', async (request) => {
        throw new Error(`cannot read ${request.raw.url} with ${request.headers.authorization}`)
      })
    },
  })
  const query =
    'api_key=HUSH1&ticket=HUSH2&client_secret=HUSH3&p%61ssword=HUSH4&user[password]=HUSH5'
  const headers = {
    authorization: 'Bearer HUSH6789012',
    'x-api-key': 'HUSH7',
    'api-key': 'HUSH8',
    cookie: 'entrepot_signin=HUSH9',
  }
  for (const path of ['/api/v1/x', '/api/v1/boom', '/api/v1/nope', '/%zz']) {
    await fetch(`${path}?${query}&page=2`, { headers })
  }
  await until(() => requests().length === 4)
  const text = JSON.stringify(lines)
  assert.doesNotMatch(text, /HUSH/)
  assert.equal(
    requests()[0]?.['query'],
    'api_key=***&ticket=***&client_secret=***&p%61ssword=***&user[password]=***&page=2',
  )
})

test('a client that leaves before the answer is logged as 499, one that has it is not', async (t) => {
  const entered = Promise.withResolvers<void>()
  const { port, requests } = await startHttp(t, {
    plugin: (app) => {
      app.get('/never', async () => {
        entered.resolve()
        await new Promise(() => {})
      })
      app.get('/at-once', async () => 'ok')
    },
  })
  const socket = net.connect(port, '127.0.0.1')
  socket.write('GET /api/v1/never HTTP/1.1\r\nHost: x\r\n\r\n')
  await entered.promise
  socket.destroy()
  const [left] = await until(() => requests().length === 1 && requests())
  assert.partialDeepStrictEqual(left, { status: 499, route: '/api/v1/never' })
})

test('a client that leaves while sending its body is no failure of ours', async (t) => {
  const { port, requests, lines } = await startHttp(t, {
    plugin: (app) => void app.post('/x', async () => 'ok'),
  })
  const head = 'POST /api/v1/x HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'
  for (const leave of ['end', 'destroy'] as const) {
    const socket = net.connect(port, '127.0.0.1').on('error', () => {})
    await new Promise((resolve) => socket.write(`${head}Content-Length: 100\r\n\r\n{"a`, resolve))
    await received(port)
    socket[leave]()
  }
  const left = await until(() => requests().length === 4 && requests())
  for (const { status, route } of left.filter((line) => line['route'] === '/api/v1/x')) {
    assert.ok(status === 400 || status === 499, `${route} ${status}`)
  }
  assert.equal(lines.filter((line) => line.level >= 40).length, 0)
})

/** What was sent before this on another connection has arrived when this is answered. */
async function received(port: number): Promise<void> {
  await (await fetch(`http://127.0.0.1:${port}/received`)).text()
}

test('a proxy before a development server is warned of once', async (t) => {
  const warnings = async (options: { isDevelopment?: boolean; trustedProxies?: string[] }) => {
    const { fetch, lines } = await startHttp(t, { plugin: () => {}, ...options })
    await fetch('/a')
    for (let i = 0; i < 3; i++) await fetch('/a', { headers: { 'x-forwarded-for': '203.0.113.9' } })
    return lines.filter((line) => line.level === 40).length
  }
  assert.equal(await warnings({ isDevelopment: true }), 1)
  assert.equal(await warnings({ isDevelopment: false }), 0)
  assert.equal(await warnings({ isDevelopment: true, trustedProxies: ['127.0.0.1'] }), 0)
})
