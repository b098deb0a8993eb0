import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Mount } from '#http'
import { renderError } from '#http-text'
import {
  bodyOf,
  queryCredential,
  queryTextOf,
  startHttp,
} from '../../conformance/support/http-server.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/

const echo: Mount['plugin'] = (app) => {
  app.get('/echo', async (request) => ({ query: request.query, ip: request.ip }))
  app.get('/named/:name', async (request) => ({ params: request.params }))
}

test('every answer carries the request id: the caller’s when it is visible text, else a UUID', async (t) => {
  const { fetch, raw } = await startHttp(t, { plugin: echo })
  const idOf = async (path: string, id?: string) => {
    const answer = await fetch(path, id === undefined ? {} : { headers: { 'x-request-id': id } })
    return answer.headers.get('x-request-id') ?? ''
  }
  assert.equal(await idOf('/api/v1/echo', 'abc~1'), 'abc~1')
  assert.equal(await idOf('/api/v1/nope', 'x'.repeat(128)), 'x'.repeat(128))
  for (const id of [undefined, 'x'.repeat(129), 'with space', '']) {
    assert.match(await idOf('/api/v1/echo', id), UUID, String(id))
  }
  assert.match(await idOf('/api/v1/%zz'), UUID)
  assert.notEqual(await idOf('/api/v1/echo'), await idOf('/api/v1/echo'))
  assert.match(await raw('NONSENSE\r\n\r\n'), /X-Request-Id: [0-9a-f-]{36}/)
})

test('headers over the limit are 431, and the house envelope says so', async (t) => {
  const { raw, lines } = await startHttp(t, { plugin: echo })
  const large = (bytes: number) =>
    raw(
      `GET /api/v1/echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-A: ${'a'.repeat(bytes)}\r\n\r\n`,
    )
  assert.match(await large(60 * 1024), /^HTTP\/1\.1 200 /)
  const refused = await large(70 * 1024)
  assert.match(refused, /^HTTP\/1\.1 431 /)
  assert.deepEqual(bodyOf(refused), {
    error: { code: 'headers_too_large', message: 'The URL and headers are too large' },
  })
  assert.equal(lines.find((line) => line['status'] === 431)?.['remote_addr'], '127.0.0.1')
})

test('what is no HTTP request is 400 in the house envelope', async (t) => {
  const { raw } = await startHttp(t, { plugin: echo })
  const crooked = [
    'FOO /api/v1/echo HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET /api/v1/echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    'GET /api/v1/echo HTTP/1.1\r\nHost: x\r\nBad Header: 1\r\n\r\n',
    'POST /api/v1/echo HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n',
  ]
  for (const text of crooked) {
    const refused = await raw(text)
    assert.match(refused, /^HTTP\/1\.1 400 /, text)
    assert.match(refused, /"code":"malformed_request"/, text)
  }
})

test('a long parameter is a parameter; a bad escape and U+0000 are 400', async (t) => {
  const { fetch } = await startHttp(t, { plugin: echo })
  const long = 'n'.repeat(5_000)
  assert.deepEqual(await (await fetch(`/api/v1/named/${long}`)).json(), { params: { name: long } })
  assert.deepEqual(await (await fetch('/api/v1/named/a%2Fb%20c')).json(), {
    params: { name: 'a/b c' },
  })
  const codes = await Promise.all(
    ['/api/v1/named/%zz', '/api/v1/named/%ff', '/api/v1/named/a%00', '/api/v1/echo?a=%00'].map(
      async (path) => {
        const answer = await fetch(path)
        const { error }: { error: { code: string } } = JSON.parse(await answer.text())
        return `${answer.status} ${error.code}`
      },
    ),
  )
  assert.deepEqual(codes, [
    '400 invalid_url',
    '400 invalid_url',
    '400 invalid_url',
    '400 invalid_parameter',
  ])
})

test('HEAD works wherever GET does and says how long the body would be', async (t) => {
  const { fetch } = await startHttp(t, { plugin: echo })
  const get = await fetch('/api/v1/echo?a=1')
  const head = await fetch('/api/v1/echo?a=1', { method: 'HEAD' })
  assert.equal(head.status, 200)
  assert.equal(await head.text(), '')
  for (const name of ['content-length', 'content-type', 'etag']) {
    assert.equal(head.headers.get(name), get.headers.get(name), name)
  }
  assert.equal((await fetch('/api/v1/nope', { method: 'HEAD' })).status, 404)
})

test('a trailing slash is ignored unless the mount says otherwise', async (t) => {
  const { fetch } = await startHttp(t, {
    plugin: echo,
    mounts: [
      {
        prefix: '/strict',
        trailingSlash: 'strict',
        renderError,
        plugin: (app) => {
          app.get('/a', async () => 'without')
          app.get('/b/', async () => 'with')
        },
      },
    ],
  })
  assert.equal((await fetch('/api/v1/echo/?a=1')).status, 200)
  assert.equal((await fetch('/api/v1/named/x/')).status, 200)
  assert.deepEqual(
    await Promise.all(
      ['/strict/a', '/strict/a/', '/strict/b', '/strict/b/'].map(
        async (path) => (await fetch(path)).status,
      ),
    ),
    [200, 404, 404, 200],
  )
})

test('a credential in the query reaches whoever asks for it and no parser', async (t) => {
  const seen: unknown[] = []
  const { fetch } = await startHttp(t, {
    plugin: (app) => {
      app.addHook('onRequest', async (request) => {
        seen.push([queryCredential(request, 'api_key'), queryCredential(request, 'ticket')])
      })
      echo(app)
    },
    mounts: [
      {
        prefix: '/own',
        renderError,
        plugin: (app) => {
          app.get('/echo', async (request) => ({ text: queryTextOf(request) }))
        },
      },
    ],
  })
  const answer = await fetch('/api/v1/echo?a=1&api_key=sk_1&b=2&b=3&t%69cket=st_2')
  const { query }: { query: unknown } = JSON.parse(await answer.text())
  assert.deepEqual(query, { a: '1', b: ['2', '3'] })
  assert.deepEqual(seen, [['sk_1', 'st_2']])
  await fetch('/api/v1/echo?api_key=')
  assert.deepEqual(seen[1], [undefined, undefined])
  const own = await fetch('/own/echo?filters[a][$eq]=1&api_key=sk_1&api_key[]=x')
  assert.deepEqual(await own.json(), { text: 'filters[a][$eq]=1' })
})

test('any origin may read without credentials; a preflight asks for no key', async (t) => {
  const { fetch } = await startHttp(t, {
    plugin: (app) => {
      app.addHook('onRequest', async (_request, reply) => reply.code(401).send('no key'))
      echo(app)
    },
  })
  const read = await fetch('/api/v1/echo', { headers: { origin: 'https://a.example' } })
  assert.equal(read.status, 401)
  assert.equal(read.headers.get('access-control-allow-origin'), '*')
  assert.equal(read.headers.get('access-control-allow-credentials'), null)
  const exposed = (read.headers.get('access-control-expose-headers') ?? '').split(', ')
  for (const name of [
    'Link',
    'X-Total-Count',
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'Retry-After',
    'ETag',
    'API-Version',
    'X-Request-Id',
  ]) {
    assert.ok(exposed.includes(name), name)
  }
  const preflight = await fetch('/api/v1/echo', {
    method: 'OPTIONS',
    headers: {
      origin: 'https://a.example',
      'access-control-request-method': 'PATCH',
      'access-control-request-headers': 'x-api-key, content-type',
    },
  })
  assert.equal(preflight.status, 204)
  assert.equal(await preflight.text(), '')
  assert.match(preflight.headers.get('access-control-allow-methods') ?? '', /PATCH/)
  assert.equal(preflight.headers.get('access-control-allow-headers'), 'x-api-key, content-type')
})

test('with a list of origins only these may read, and caches are told', async (t) => {
  const { fetch } = await startHttp(t, {
    plugin: echo,
    cors: { origins: ['https://a.example'], credentials: true },
  })
  const allowed = await fetch('/api/v1/echo', { headers: { origin: 'https://a.example' } })
  assert.equal(allowed.headers.get('access-control-allow-origin'), 'https://a.example')
  assert.equal(allowed.headers.get('access-control-allow-credentials'), 'true')
  for (const headers of [{ origin: 'https://b.example' }, {}]) {
    const other = await fetch('/api/v1/echo', { headers })
    assert.equal(other.headers.get('access-control-allow-origin'), null)
    assert.match(other.headers.get('vary') ?? '', /Origin/)
  }
})

test('credentials for every origin are refused at the start', async (t) => {
  await assert.rejects(
    startHttp(t, { plugin: echo, cors: { origins: '*', credentials: true } }),
    /list of origins/,
  )
})

test('forwarding headers are believed only from listed proxies', async (t) => {
  const ipOf = async (trustedProxies: string[]) => {
    const { fetch } = await startHttp(t, { plugin: echo, trustedProxies })
    const answer = await fetch('/api/v1/echo', { headers: { 'x-forwarded-for': '203.0.113.9' } })
    const { ip }: { ip: string } = JSON.parse(await answer.text())
    return ip
  }
  assert.equal(await ipOf([]), '127.0.0.1')
  assert.equal(await ipOf(['10.0.0.0/8']), '127.0.0.1')
  assert.equal(await ipOf(['127.0.0.0/8']), '203.0.113.9')
})

test('a prefix that two mounts claim stops the start', async (t) => {
  const twice: Mount = { prefix: '/x', renderError, plugin: () => {} }
  await assert.rejects(startHttp(t, { mounts: [twice, twice] }), /mounted twice/)
  await assert.rejects(startHttp(t, { mounts: [{ ...twice, prefix: 'x/' }] }), /not a prefix/)
})

test('a request that arrives while the server stops is still answered', async (t) => {
  const entered = Promise.withResolvers<void>()
  const leave = Promise.withResolvers<void>()
  const { fetch, app } = await startHttp(t, {
    plugin: (scope) => {
      scope.get('/slow', async () => {
        entered.resolve()
        await leave.promise
        return { ok: true }
      })
    },
  })
  const slow = fetch('/api/v1/slow')
  await entered.promise
  const closed = app.close()
  leave.resolve()
  assert.deepEqual(await (await slow).json(), { ok: true })
  await closed
})
