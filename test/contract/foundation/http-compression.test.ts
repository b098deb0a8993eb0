import assert from 'node:assert/strict'
import http from 'node:http'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { Mount } from '#http'
import { checkIfMatch, startHttp, strongEtag } from '../../conformance/support/http-server.ts'

const LARGE = JSON.stringify({ data: 'Harbour cranes é '.repeat(200) })
const SMALL = JSON.stringify({ data: 'small' })
const JSON_TYPE = 'application/json; charset=utf-8'

const bodies: Mount['plugin'] = (app) => {
  app.get('/large', (_request, reply) => reply.type(JSON_TYPE).send(LARGE))
  app.get('/small', (_request, reply) => reply.type(JSON_TYPE).send(SMALL))
  app.get('/bytes', (_request, reply) => reply.type('image/png').send(Buffer.alloc(5_000, 7)))
  app.get('/buffer', (_request, reply) => reply.type('text/css').send(Buffer.from(LARGE)))
  app.get('/stream', (_request, reply) =>
    reply.type('application/x-ndjson').send(Readable.from([LARGE, '\n', LARGE])),
  )
  app.get('/events', (_request, reply) =>
    reply.type('text/event-stream').send(Readable.from(['data: x\n\n'.repeat(500)])),
  )
  app.get('/opted-out', { config: { compress: false } }, (_request, reply) =>
    reply.type(JSON_TYPE).send(LARGE),
  )
  app.get('/broken', (_request, reply) => {
    const parts = async function* () {
      yield LARGE
      throw new Error('the source broke')
    }
    return reply.type('text/plain').send(Readable.from(parts()))
  })
  app.get('/record', (_request, reply) =>
    reply.header('etag', strongEtag(7, 3)).type(JSON_TYPE).send(LARGE),
  )
  app.put('/record', async (request) => {
    checkIfMatch(request, strongEtag(7, 3))
    return { changed: true }
  })
  app.get('/secret', (_request, reply) => reply.header('cache-control', 'no-store').send({ a: 1 }))
}

/** The bytes as they travel; `fetch` would decompress them. */
async function ask(url: string, path: string, headers: Record<string, string>, method = 'GET') {
  const answer = await new Promise<http.IncomingMessage>((resolve, reject) => {
    http.request(`${url}/api/v1${path}`, { method, headers }, resolve).on('error', reject).end()
  })
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk)
  return { status: answer.statusCode, headers: answer.headers, body: Buffer.concat(chunks) }
}

function plain(body: Buffer, coding: string | undefined): string {
  if (coding === 'gzip') return gunzipSync(body).toString()
  return (coding === 'br' ? brotliDecompressSync(body) : body).toString()
}

test('the client’s weights choose the coding, and the bytes come back the same', async (t) => {
  const { url } = await startHttp(t, { plugin: bodies })
  const choices: Record<string, string | undefined> = {
    gzip: 'gzip',
    'gzip, deflate, br': 'br',
    'gzip;q=1.0, br;q=0.5': 'gzip',
    'br;q=0, gzip': 'gzip',
    '*': 'br',
    '*;q=0.1, br;q=0': 'gzip',
    identity: undefined,
    'identity;q=1, gzip;q=0.5': undefined,
    deflate: undefined,
    'gzip;q=0': undefined,
    '': undefined,
  }
  for (const [accepted, coding] of Object.entries(choices)) {
    for (const path of ['/large', '/buffer']) {
      const { headers, body } = await ask(url, path, { 'accept-encoding': accepted })
      assert.equal(headers['content-encoding'], coding, accepted)
      assert.equal(headers['vary'], 'Accept-Encoding', accepted)
      assert.equal(Number(headers['content-length']), body.length)
      assert.equal(plain(body, coding), LARGE)
      if (coding) assert.ok(body.length < LARGE.length / 4)
    }
  }
})

test('small answers, pictures, event streams and routes that opted out stay as they are', async (t) => {
  const { url } = await startHttp(t, { plugin: bodies })
  for (const path of ['/small', '/bytes', '/events', '/opted-out']) {
    const { headers } = await ask(url, path, { 'accept-encoding': 'gzip, br' })
    assert.equal(headers['content-encoding'], undefined, path)
  }
})

test('a client that refuses uncompressed bytes gets none, however small', async (t) => {
  const { url } = await startHttp(t, { plugin: bodies })
  for (const accepted of ['gzip, identity;q=0', 'gzip, *;q=0']) {
    const { headers, body } = await ask(url, '/small', { 'accept-encoding': accepted })
    assert.equal(headers['content-encoding'], 'gzip')
    assert.equal(plain(body, 'gzip'), SMALL)
  }
  const hopeless = await ask(url, '/small', { 'accept-encoding': 'identity;q=0' })
  assert.equal(hopeless.body.toString(), SMALL)
})

test('streams are compressed on their way', async (t) => {
  const { url } = await startHttp(t, { plugin: bodies })
  for (const coding of ['gzip', 'br', undefined]) {
    const { headers, body } = await ask(url, '/stream', { 'accept-encoding': coding ?? 'identity' })
    assert.equal(headers['content-encoding'], coding)
    assert.equal(headers['vary'], 'Accept-Encoding')
    assert.equal(plain(body, coding), `${LARGE}\n${LARGE}`)
  }
})

test('a stream that breaks is cut off, logged, and the server lives on', async (t) => {
  const { url, lines, fetch } = await startHttp(t, { plugin: bodies })
  await assert.rejects(ask(url, '/broken', { 'accept-encoding': 'identity' }))
  assert.equal((await fetch('/api/v1/small')).status, 200)
  const failures = lines.filter((line) => line.msg === 'answer cut off')
  assert.equal(failures.length, 1)
  assert.match(JSON.stringify(failures), /the source broke/)
})

test('a stream that breaks before its first byte left is an ordinary failure', async (t) => {
  const { url, lines } = await startHttp(t, { plugin: bodies })
  const { status, headers, body } = await ask(url, '/broken', { 'accept-encoding': 'gzip' })
  assert.equal(status, 500)
  assert.equal(headers['content-encoding'], undefined)
  assert.match(body.toString(), /"internal_error"/)
  assert.equal(lines.filter((line) => line.msg === 'request failed').length, 1)
})

test('HEAD has the headers of GET and no body', async (t) => {
  const { url } = await startHttp(t, { plugin: bodies })
  for (const path of ['/large', '/small', '/buffer', '/record']) {
    for (const coding of ['gzip', 'br', 'identity']) {
      const get = await ask(url, path, { 'accept-encoding': coding })
      const head = await ask(url, path, { 'accept-encoding': coding }, 'HEAD')
      assert.equal(head.body.length, 0)
      for (const name of ['content-encoding', 'content-length', 'content-type', 'etag', 'vary']) {
        assert.equal(head.headers[name], get.headers[name], `${path} ${coding} ${name}`)
      }
    }
  }
  const stream = await ask(url, '/stream', { 'accept-encoding': 'gzip' }, 'HEAD')
  assert.deepEqual([stream.headers['content-encoding'], stream.body.length], ['gzip', 0])
})

test('a body the client has is 304, in whichever coding it has it', async (t) => {
  const { url } = await startHttp(t, { plugin: bodies })
  for (const coding of ['gzip', 'identity']) {
    const first = await ask(url, '/large', { 'accept-encoding': coding })
    const etag = first.headers['etag'] ?? ''
    assert.match(etag, /^W\/"/)
    assert.equal(first.headers['cache-control'], 'private, no-cache')
    for (const method of ['GET', 'HEAD']) {
      const again = await ask(
        url,
        '/large',
        { 'accept-encoding': 'br', 'if-none-match': `"other", ${etag}` },
        method,
      )
      assert.equal(again.status, 304)
      assert.equal(again.body.length, 0)
      assert.equal(again.headers['etag'], etag)
      assert.equal(again.headers['vary'], 'Accept-Encoding')
      assert.equal(again.headers['content-type'], undefined)
      assert.equal(again.headers['content-encoding'], undefined)
    }
  }
  const other = await ask(url, '/large', { 'if-none-match': '"other"' })
  assert.equal(other.status, 200)
  assert.equal((await ask(url, '/large', { 'if-none-match': '*' })).status, 304)
})

test('a strong tag differs by coding, and each of its forms is still the record’s', async (t) => {
  const { url } = await startHttp(t, { plugin: bodies })
  const tagOf = async (coding: string) =>
    (await ask(url, '/record', { 'accept-encoding': coding })).headers['etag'] ?? ''
  const tags = await Promise.all(['identity', 'gzip', 'br'].map(tagOf))
  assert.deepEqual(tags, ['"7-3"', '"7-3-gzip"', '"7-3-br"'])
  for (const tag of tags) {
    assert.equal((await ask(url, '/record', { 'if-none-match': tag })).status, 304)
    assert.equal((await ask(url, '/record', { 'if-match': tag }, 'PUT')).status, 200)
  }
  const stale = await ask(url, '/record', { 'if-match': '"7-2"' }, 'PUT')
  assert.equal(stale.status, 412)
  assert.match(stale.body.toString(), /"precondition_failed"/)
  // If-Match compares strongly (RFC 9110 §13.1.1).
  assert.equal((await ask(url, '/record', { 'if-match': 'W/"7-3"' }, 'PUT')).status, 412)
})

test('what must not be stored is not tagged, and neither is an error', async (t) => {
  const { fetch } = await startHttp(t, { plugin: bodies })
  for (const path of ['/api/v1/secret', '/api/v1/nope']) {
    assert.equal((await fetch(path)).headers.get('etag'), null, path)
  }
})
