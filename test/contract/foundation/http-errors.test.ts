import assert from 'node:assert/strict'
import { test } from 'node:test'
import Type from 'typebox'
import type { Mount, RenderError } from '#http'
import { conflict, DomainError, invalid, notFound } from '#kernel'
import { startHttp } from '../../conformance/support/http-server.ts'

const Thing = Type.Object(
  {
    title: Type.String({ maxLength: 5 }),
    price: Type.Optional(Type.Number({ minimum: 0 })),
    kind: Type.Optional(Type.Union([Type.Literal('a'), Type.Literal('b')])),
    note: Type.Optional(Type.Union([Type.String({ maxLength: 3 }), Type.Null()])),
    owner: Type.Optional(
      Type.Union([
        Type.Object({ type: Type.Literal('user'), id: Type.Integer() }),
        Type.Object({ type: Type.Literal('team'), name: Type.String() }),
      ]),
    ),
    tags: Type.Optional(Type.Array(Type.Object({ name: Type.String() }))),
    words: Type.Optional(Type.Array(Type.Union([Type.String(), Type.Null()]))),
  },
  { additionalProperties: false },
)

const things: Mount['plugin'] = (app) => {
  app.post('/things', { schema: { body: Thing } }, async (request) => ({ data: request.body }))
  app.post('/free', async (request) => ({ got: request.body ?? null }))
  app.patch('/free', async (request) => ({ got: request.body ?? null }))
  app.post('/small', { bodyLimit: 10 }, async () => ({}))
  app.get(
    '/things/:id',
    {
      schema: {
        params: Type.Object({ id: Type.Integer() }),
        querystring: Type.Object({
          page: Type.Optional(Type.Integer({ minimum: 1 })),
          tags: Type.Optional(Type.Array(Type.String())),
          deep: Type.Optional(Type.Boolean()),
        }),
      },
    },
    async (request) => ({ id: request.params.id, query: request.query }),
  )
  app.get('/fail/:how', async (request) => {
    throw FAILURES[String(Reflect.get(Object(request.params), 'how'))]
  })
}

const FAILURES: Record<string, unknown> = {
  conflict: conflict('would_lose_data', 'This loses data', { rows: 3 }),
  missing: notFound('plan'),
  nokey: new DomainError('unauthenticated', 'key_required', 'API key required'),
  expired: new DomainError('forbidden', 'key_expired', 'API key expired', {
    facts: { expired_at: '2026-01-01T00:00:00.000Z' },
  }),
  forbidden: new DomainError('forbidden', 'forbidden', 'This operation needs write access', {
    facts: { required: 'write' },
  }),
  signin: new DomainError('unauthenticated', 'invalid_credentials', 'Wrong email or password'),
  away: new DomainError('unavailable', 'keys_unavailable', 'Try again', { cause: new Error('db') }),
  many: invalid(
    Array.from({ length: 60 }, (_, i) => ({
      path: ['rows', i],
      rule: 'type',
      message: `row ${i}`,
    })),
  ),
  details: new DomainError('conflict', 'conflict', 'Taken', {
    issues: [{ path: ['slug'], rule: 'unique', message: 'slug is taken' }],
  }),
  text: 'not even an error',
}

interface Refusal {
  readonly code: string
  readonly message: string
  readonly details: { field: string; code: string; message: string }[]
}

async function refused(answer: Response) {
  const { error }: { error: Refusal } = JSON.parse(await answer.text())
  return { status: answer.status, error }
}

test('all problems of a body are listed, each with its field, rule and sentence', async (t) => {
  const { post } = await startHttp(t, { plugin: things })
  const { status, error } = await refused(
    await post('/api/v1/things', '{"price":"1","note":5,"tags":[{"name":"x"},{}],"kind":"c"}'),
  )
  assert.equal(status, 400)
  assert.equal(error.code, 'validation_error')
  assert.equal(error.message, '5 fields are not valid')
  const details = error.details.map((item) => [item.field, item.code])
  assert.deepEqual(details.sort(), [
    ['kind', 'enum'],
    ['note', 'type'],
    ['price', 'type'],
    ['tags.1.name', 'required'],
    ['title', 'required'],
  ])
  assert.deepEqual(
    error.details.find((item) => item.field === 'note')?.message,
    'note must be a string or null',
  )
})

test('the fault inside the branch that was meant is reported, not the other branches', async (t) => {
  const { post } = await startHttp(t, { plugin: things })
  const body = { title: 'a', note: 'long', owner: { type: 'user', id: 'x' } }
  const { error } = await refused(await post('/api/v1/things', JSON.stringify(body)))
  const details = error.details.map((item) => [item.field, item.code])
  assert.deepEqual(details.sort(), [
    ['note', 'length'],
    ['owner.id', 'type'],
  ])
})

test('half a million problems in one body are answered like a few', async (t) => {
  const { post } = await startHttp(t, { plugin: things })
  const body = `{"title":"a","words":[${Array(500_000).fill(1).join(',')}]}`
  const { status, error } = await refused(await post('/api/v1/things', body))
  assert.equal(status, 400)
  assert.equal(error.details.length, 50)
  assert.deepEqual(error.details[0]?.field, 'words.0')
})

test('bodies are not converted, queries are', async (t) => {
  const { post, fetch } = await startHttp(t, { plugin: things })
  assert.equal((await post('/api/v1/things', '{"title":7}')).status, 400)
  const answer = await fetch('/api/v1/things/4?page=2&tags=a&deep=true')
  assert.deepEqual(await answer.json(), { id: 4, query: { page: 2, tags: ['a'], deep: true } })
  const bad = await refused(await fetch('/api/v1/things/4?page=abc&deep=maybe'))
  assert.equal(bad.status, 400)
  assert.equal(bad.error.code, 'invalid_parameter')
  assert.equal(bad.error.details.length, 2)
  assert.equal((await fetch('/api/v1/things/4?page=1&page=2')).status, 400)
})

test('a member nobody knows is refused by name and not dropped', async (t) => {
  const { post } = await startHttp(t, { plugin: things })
  const { status, error } = await refused(await post('/api/v1/things', '{"title":"a","titel":"b"}'))
  assert.equal(status, 400)
  assert.equal(error.code, 'unknown_field')
  assert.deepEqual(error.details, [
    { field: 'titel', code: 'unknown_field', message: 'titel is not known here' },
  ])
})

test('a path parameter that cannot be an id names nothing', async (t) => {
  const { fetch } = await startHttp(t, { plugin: things })
  assert.equal((await fetch('/api/v1/things/abc')).status, 404)
})

test('what is not JSON, or not the JSON we keep, is 400 and never 500', async (t) => {
  const { post, lines } = await startHttp(t, { plugin: things })
  const bodies: Record<string, string> = {
    '{bad': 'invalid_json',
    '': 'invalid_json',
    '[]': 'validation_error',
    null: 'validation_error',
    '{"title":"\\u0000"}': 'validation_error',
    '{"title":"\\ud800"}': 'validation_error',
    '{"\\udc00x":1,"title":"a"}': 'validation_error',
    '{"__proto__":{"a":1},"title":"a"}': 'invalid_json',
    '{"constructor":{"prototype":{"a":1}},"title":"a"}': 'invalid_json',
  }
  for (const [body, code] of Object.entries(bodies)) {
    const { status, error } = await refused(await post('/api/v1/things', body))
    assert.deepEqual([status, error.code], [400, code], body)
  }
  const deep = await refused(await post('/api/v1/free', '['.repeat(5_000) + ']'.repeat(5_000)))
  assert.deepEqual([deep.status, deep.error.code], [400, 'invalid_json'])
  assert.equal(lines.filter((line) => line.level >= 50).length, 0)
})

test('a complete pair of surrogates and an escaped backslash are ordinary text', async (t) => {
  const { post } = await startHttp(t, { plugin: things })
  const answer = await post('/api/v1/free', '{"a":"\\ud83d\\ude00","b":"\\\\u0000"}')
  assert.deepEqual(await answer.json(), { got: { a: '😀', b: '\\u0000' } })
})

test('bytes that are not UTF-8 are refused, a byte order mark is not', async (t) => {
  const { url } = await startHttp(t, { plugin: things })
  const send = (body: Buffer) =>
    fetch(`${url}/api/v1/free`, {
      method: 'POST',
      body: new Uint8Array(body),
      headers: { 'content-type': 'application/json' },
    })
  assert.equal((await send(Buffer.from('{"a":"\xff"}', 'latin1'))).status, 400)
  assert.equal((await send(Buffer.from('\ufeff{"a":1}'))).status, 200)
})

test('a route without a body schema takes an empty body', async (t) => {
  const { post, url } = await startHttp(t, { plugin: things })
  assert.deepEqual(await (await post('/api/v1/free', '')).json(), { got: null })
  const bare = await fetch(`${url}/api/v1/free`, { method: 'POST' })
  assert.deepEqual(await bare.json(), { got: null })
})

test('other content types are 415; merge-patch is for PATCH only', async (t) => {
  const { post, url } = await startHttp(t, { plugin: things })
  for (const type of [
    'text/plain',
    'application/xml',
    'nonsense',
    'application/merge-patch+json',
  ]) {
    const { status, error } = await refused(await post('/api/v1/free', '{}', type))
    assert.deepEqual([status, error.code], [415, 'unsupported_media_type'], type)
  }
  const patched = await fetch(`${url}/api/v1/free`, {
    method: 'PATCH',
    body: '{"a":null}',
    headers: { 'content-type': 'application/merge-patch+json; charset=utf-8' },
  })
  assert.deepEqual(await patched.json(), { got: { a: null } })
})

test('a body over the limit is 413 and the client can read the answer', async (t) => {
  const { post } = await startHttp(t, { plugin: things })
  const large = JSON.stringify({ title: 'x'.repeat(2 * 1024 * 1024) })
  for (let i = 0; i < 5; i++) {
    const { status, error } = await refused(await post('/api/v1/things', large))
    assert.deepEqual([status, error.code], [413, 'payload_too_large'])
  }
  assert.equal((await post('/api/v1/small', '{"a":1234567}')).status, 413)
  assert.equal((await post('/api/v1/small', '{"a":1}')).status, 200)
})

test('refusals have the shape of the conventions, key refusals are flat', async (t) => {
  const { fetch } = await startHttp(t, { plugin: things })
  const expected: Record<string, [number, unknown]> = {
    conflict: [409, { error: { code: 'would_lose_data', message: 'This loses data', rows: 3 } }],
    missing: [404, { error: { code: 'plan_not_found', message: 'Plan not found' } }],
    nokey: [401, { error: 'API key required' }],
    expired: [
      403,
      { error: 'API key expired', code: 'key_expired', expired_at: '2026-01-01T00:00:00.000Z' },
    ],
    forbidden: [
      403,
      {
        error: {
          code: 'forbidden',
          message: 'This operation needs write access',
          required: 'write',
        },
      },
    ],
    signin: [401, { error: { code: 'invalid_credentials', message: 'Wrong email or password' } }],
    details: [409, { error: { code: 'conflict', message: 'Taken' } }],
  }
  for (const [how, [status, body]] of Object.entries(expected)) {
    const answer = await fetch(`/api/v1/fail/${how}`)
    assert.equal(answer.status, status, how)
    assert.deepEqual(await answer.json(), body, how)
    assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8')
  }
  const nokey = await fetch('/api/v1/fail/nokey')
  assert.match(nokey.headers.get('www-authenticate') ?? '', /^Bearer/)
  const many = await refused(await fetch('/api/v1/fail/many'))
  assert.equal(many.error.details.length, 50)
  const away = await fetch('/api/v1/fail/away')
  assert.deepEqual([away.status, away.headers.get('retry-after')], [503, '1'])
})

test('a failure of ours shows nothing and is logged once, with its stack and request id', async (t) => {
  const secret = `sk_${'a'.repeat(48)}`
  const { fetch, lines } = await startHttp(t, {
    plugin: (app) => {
      app.get('/boom', async () => {
        throw new Error(`no luck with ${secret}`, { cause: new Error('password=hunter2') })
      })
      app.get('/odd', async () => {
        throw FAILURES['text']
      })
    },
  })
  const answer = await fetch('/api/v1/boom?api_key=hush', { headers: { 'x-request-id': 'r-1' } })
  assert.equal(answer.status, 500)
  assert.deepEqual(await answer.json(), {
    error: { code: 'internal_error', message: 'An unexpected error occurred' },
  })
  assert.equal((await fetch('/api/v1/odd')).status, 500)
  const failures = lines.filter((line) => line.msg === 'request failed')
  assert.equal(failures.length, 2)
  assert.equal(failures[0]?.['request_id'], 'r-1')
  const text = JSON.stringify(failures)
  assert.match(text, /http-errors\.test\.ts/)
  for (const hidden of [secret, 'hunter2', 'hush']) assert.ok(!text.includes(hidden), hidden)
})

test('a limit that the server keeps by itself is no failure: 503, and a line without a stack', async (t) => {
  const { fetch, lines } = await startHttp(t, {
    plugin: (app) => {
      app.get('/busy', async () => {
        throw new DomainError('unavailable', 'busy', 'Too many wait', {
          headers: { 'retry-after': '5' },
        })
      })
      app.get('/away', async () => {
        throw new DomainError('unavailable', 'away', 'Not now', { cause: new Error('socket') })
      })
    },
  })
  const busy = await fetch('/api/v1/busy')
  assert.deepEqual([busy.status, busy.headers.get('retry-after')], [503, '5'])
  assert.deepEqual(await busy.json(), { error: { code: 'busy', message: 'Too many wait' } })
  assert.equal((await fetch('/api/v1/away')).status, 503)
  const refused = lines.filter((line) => line.msg === 'request refused')
  assert.deepEqual(
    refused.map((line) => line['code']),
    ['busy'],
  )
  assert.doesNotMatch(JSON.stringify(refused), /stack/)
  assert.equal(lines.filter((line) => line.msg === 'request failed').length, 1)
})

const plainText: RenderError = (error, { requestId }) => ({
  status: error.kind === 'method_not_allowed' ? 405 : 444,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'x-dialect': 'plain' },
  body: `${error.code} ${requestId}`,
})

const problem: RenderError = (error) => ({
  status: 499 - 1,
  headers: { 'content-type': 'application/problem+json' },
  body: { type: error.code },
})

test('each mount answers in its own shape; a guest leaves unknown paths to the owner', async (t) => {
  const { fetch, raw } = await startHttp(t, {
    plugin: things,
    mounts: [
      {
        prefix: '/cms',
        renderError: plainText,
        plugin: (app) => {
          app.get('/fail', async () => {
            throw notFound('page')
          })
        },
      },
      {
        prefix: '/cms/guest',
        guest: true,
        renderError: problem,
        plugin: (app) => {
          app.get('/fail', async () => {
            throw notFound('page')
          })
        },
      },
    ],
  })
  const own = await fetch('/cms/fail', { headers: { 'x-request-id': 'abc' } })
  assert.deepEqual([own.status, await own.text()], [444, 'page_not_found abc'])
  const guest = await fetch('/cms/guest/fail')
  assert.deepEqual([guest.status, await guest.json()], [498, { type: 'page_not_found' }])
  assert.match(guest.headers.get('content-type') ?? '', /^application\/problem\+json/)
  for (const path of ['/cms/nope', '/cms/guest/nope', '/cms']) {
    const unknown = await fetch(path)
    assert.equal(unknown.headers.get('x-dialect'), 'plain', path)
  }
  assert.match(
    await raw(request('GET /cms/%zz')),
    /^HTTP\/1\.1 444 .*x-dialect: plain.*invalid_url/s,
  )
  assert.match(await raw(request('GET /api/v1/%zz')), /^HTTP\/1\.1 400 .*"code":"invalid_url"/s)
  assert.match(await raw(request('GET /cmsx/%zz')), /^HTTP\/1\.1 400 .*"code":"invalid_url"/s)
  assert.equal((await fetch('/nope')).status, 404)
})

function request(line: string): string {
  return `${line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`
}

test('a path that exists with another method is 405 with what it takes, else 404', async (t) => {
  const { url } = await startHttp(t, {
    plugin: (app) => {
      app.get('/things', async () => [])
      app.post('/things', async () => ({}))
      app.get('/things/:id', async () => ({}))
      app.delete('/things/:id', async () => ({}))
      app.post('/things/bulk', async () => ({}))
      app.get('/files/*', async () => ({}))
    },
    mounts: [
      {
        prefix: '/plain',
        renderError: plainText,
        plugin: (app) => void app.get('/a', async () => ({})),
      },
    ],
  })
  const ask = async (method: string, path: string) => {
    const answer = await fetch(url + path, { method })
    return [answer.status, answer.headers.get('allow')]
  }
  assert.deepEqual(await ask('PATCH', '/api/v1/things'), [405, 'GET, HEAD, POST'])
  assert.deepEqual(await ask('OPTIONS', '/api/v1/things'), [405, 'GET, HEAD, POST'])
  assert.deepEqual(await ask('PUT', '/api/v1/things/7'), [405, 'GET, HEAD, DELETE'])
  assert.deepEqual(await ask('PUT', '/api/v1/things/7?x=1'), [405, 'GET, HEAD, DELETE'])
  assert.deepEqual(await ask('POST', '/api/v1/files/a/b'), [405, 'GET, HEAD'])
  // `bulk` is also an id for the methods that take one: nothing is hidden by its own route.
  assert.deepEqual(await ask('DELETE', '/api/v1/things/bulk'), [200, null])
  assert.deepEqual(await ask('GET', '/api/v1/things/bulk'), [200, null])
  assert.deepEqual(await ask('PUT', '/api/v1/things/bulk'), [405, 'GET, HEAD, POST, DELETE'])
  assert.deepEqual(await ask('POST', '/plain/a'), [405, 'GET, HEAD'])
  assert.deepEqual(await ask('PROPFIND', '/api/v1/things'), [405, 'GET, HEAD, POST'])
  assert.deepEqual(await ask('DELETE', '/api/v1/nothing'), [404, null])
})

test('what is sent to an unknown route does not change its answer', async (t) => {
  const { post } = await startHttp(t, { plugin: things })
  for (const [body, type] of [
    ['{bad', 'application/json'],
    ['x'.repeat(2 * 1024 * 1024), 'application/json'],
    ['x', 'text/plain'],
  ]) {
    const { status, error } = await refused(await post('/api/v1/nope', body ?? '', type))
    assert.deepEqual([status, error.code], [404, 'route_not_found'])
  }
})
