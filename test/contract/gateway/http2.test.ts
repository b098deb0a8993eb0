import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import http2 from 'node:http2'
import { before, test } from 'node:test'
import { promisify } from 'node:util'
import { eachDatabase, freePort, needPrograms, until } from '#test-kit'
import { createCertificate } from '../../conformance/support/certificate.ts'
import { caller } from '../access/support.ts'
import { accessLines } from './script-support.ts'
import { echo, gatewayServer, startUpstream, tally, type Upstream } from './support.ts'
import { recordsOf } from './usage.ts'

const MIB = 2 ** 20
const run = promisify(execFile)
const tlsPorts = { sqlite: await freePort(), postgres: await freePort() }

eachDatabase('gateway over HTTP/2', (kind) => {
  const tlsPort = tlsPorts[kind]
  const { server, put, admin } = gatewayServer(kind, {
    ENTREPOT_GATEWAY_TLS_PORT: String(tlsPort),
    ENTREPOT_GATEWAY_H2C: 'true',
  })
  let upstream: Upstream
  before(async () => {
    upstream = await startUpstream()
    await put('/upstreams/up', { nodes: { [upstream.node]: 1 } })
    await put('/routes/all', { uri: '/*', upstream_id: 'up' })
    await put('/ssls/a', { sni: 'a.test', ...createCertificate(['a.test']) })
    await put('/ssls/b', {
      ...{ sni: 'b.test', client: { ca: createCertificate(['ca']).cert } },
      ...createCertificate(['b.test']),
    })
  })

  const connect = () => {
    // Its own bound, on what it has not sent yet, is none on the gateway.
    const options = {
      ...{ servername: 'a.test', rejectUnauthorized: false, maxSessionMemory: 1_000 },
      settings: { maxHeaderListSize: MIB },
    }
    return http2.connect(`https://127.0.0.1:${tlsPort}`, options)
  }
  /** With a connection that ends with the work. */
  async function using<T>(work: (session: http2.ClientHttp2Session) => Promise<T>): Promise<T> {
    const session = connect()
    session.on('error', () => {})
    try {
      return await work(session)
    } finally {
      session.destroy()
    }
  }
  async function ask(
    session: http2.ClientHttp2Session,
    headers: http2.OutgoingHttpHeaders,
    body?: Buffer,
  ) {
    const named = { ':authority': 'a.test', ...headers }
    const stream = session.request(named, { endStream: body === undefined })
    if (body) stream.end(body)
    const [head] = await once(stream, 'response')
    const chunks: Buffer[] = []
    for await (const chunk of stream) chunks.push(chunk)
    return { head, status: Number(head[':status']), body: Buffer.concat(chunks) }
  }
  const curl = async (...words: string[]) => {
    const write = ['-sSk', '-w', '\n%{http_version} %{http_code}']
    const { stdout } = await run('curl', [...write, ...words])
    const end = stdout.lastIndexOf('\n')
    return { text: stdout.slice(0, end), how: stdout.slice(end + 1) }
  }

  test('gateway protocols: curl speaks HTTP/2 by ALPN, HTTP/1.1 on the same port, h2c on the plain one', async () => {
    needPrograms('curl')
    const resolve = ['--resolve', `a.test:${tlsPort}:127.0.0.1`]
    const url = `https://a.test:${tlsPort}/curl?a=b`
    const second = await curl('--http2', ...resolve, url)
    assert.equal(second.how, '2 200')
    const seen = JSON.parse(second.text)
    assert.equal(seen.url, '/curl?a=b')
    assert.equal(seen.headers.host, `a.test:${tlsPort}`)
    assert.equal(seen.headers['x-forwarded-proto'], 'https')
    assert.equal((await curl('--http1.1', ...resolve, url)).how, '1.1 200')
    const plain = `${server().gatewayUrl}/curl`
    assert.equal((await curl('--http2-prior-knowledge', plain)).how, '2 200')
    assert.equal((await curl('--http1.1', plain)).how, '1.1 200')
    const posted = await curl('--http2', ...resolve, '-d', 'x=1', url)
    assert.equal(JSON.parse(posted.text).body, 'x=1')
  })

  test('gateway protocols: h2load and nghttp are served, with TLS and without', async () => {
    needPrograms('h2load')
    // These name nobody, since an address is no name.
    await put('/ssls/any', createCertificate(['any.test']))
    const secure = `https://127.0.0.1:${tlsPort}/load`
    for (const url of [secure, `${server().gatewayUrl}/load`]) {
      const { stdout } = await run('h2load', ['-n500', '-c4', '-m32', url])
      assert.match(stdout, /500 succeeded, 0 failed, 0 errored, 0 timeout/)
      assert.match(stdout, /status codes: 500 2xx/)
      const shown = await run('nghttp', ['-v', '-d', import.meta.filename, url])
      assert.match(shown.stdout, /:status: 200/)
      assert.match(shown.stdout, /"method":"POST"/)
    }
    await admin('DELETE', '/ssls/any')
  })

  test('gateway protocols: 200 requests on one connection, each with its own answer and access line', async () => {
    await using(async (session) => {
      const all = await Promise.all(
        Array.from({ length: 200 }, (_, n) => ask(session, { ':path': `/many/${n}` })),
      )
      assert.deepEqual(tally(all.map(({ status }) => String(status))), { 200: 200 })
      assert.deepEqual(
        all.map(({ body }) => JSON.parse(body.toString()).url),
        all.map((_, n) => `/many/${n}`),
      )
      const ids = all.map(({ head }) => String(head['x-request-id']))
      assert.equal(new Set(ids).size, 200)
      const [line] = await accessLines(server(), ids[7] ?? '')
      assert.equal(line?.['path'], '/many/7')
      assert.equal(line?.['status'], 200)
    })
  })

  test('gateway protocols: headers pass as over HTTP/1.1: repeated ones, cookies in pieces, none of the connection', async () => {
    upstream.handle = (request, response) => {
      response.setHeader('set-cookie', ['a=1', 'b=2'])
      response.setHeader('connection', 'keep-alive, x-own')
      response.setHeader('x-own', '1')
      echo(request, response)
    }
    await using(async (session) => {
      const cookie = ['c=3', 'd=4']
      const { head, body } = await ask(session, { ':path': '/', cookie, 'x-many': ['1', '2'] })
      assert.deepEqual(head['set-cookie'], ['a=1', 'b=2'])
      for (const name of ['connection', 'keep-alive', 'transfer-encoding', 'x-own']) {
        assert.equal(head[name], undefined, name)
      }
      const { headers, rawHeaders } = JSON.parse(body.toString())
      assert.equal(headers.cookie, 'c=3; d=4')
      assert.equal(headers['x-many'], '1, 2')
      assert.equal(rawHeaders.filter((name: string) => name.toLowerCase() === 'host').length, 1)
    })
    upstream.handle = echo
  })

  test('gateway protocols: what an upstream repeats, and what it says of its own connection, ends no stream', async () => {
    const odd = [
      'Date: Thu, 01 Jan 2026 00:00:00 GMT\r\nDate: Fri, 02 Jan 2026 00:00:00 GMT',
      'Content-Type: text/plain\r\nContent-Type: text/html',
      'ETag: "1"\r\nETag: "2"',
      'Location: /a\r\nLocation: /b',
      'Age: 1\r\nAge: 2',
      'HTTP2-Settings: AAMAAABkAAQAAP__',
    ]
    await using(async (session) => {
      for (const lines of odd) {
        upstream.handle = ({ socket }) =>
          void socket.end(`HTTP/1.1 200 OK\r\n${lines}\r\nContent-Length: 2\r\n\r\nok`)
        const { status, head, body } = await ask(session, { ':path': '/odd' })
        assert.deepEqual([status, body.toString()], [200, 'ok'], lines)
        assert.equal(head['http2-settings'], undefined)
      }
      // RFC 9110 §15.3.6: there is none to send.
      upstream.handle = ({ socket }) =>
        void socket.end('HTTP/1.1 205 Reset Content\r\nContent-Length: 2\r\n\r\nok')
      const { status, body } = await ask(session, { ':path': '/odd' })
      assert.deepEqual([status, body.length], [205, 0])
    })
    upstream.handle = echo
  })

  test('gateway protocols: an answer has as large a head as over HTTP/1.1', async () => {
    const lines = Array.from({ length: 15 }, (_, n) => `X-${n}: ${'y'.repeat(8_000)}\r\n`).join('')
    upstream.handle = ({ socket }) =>
      void socket.end(`HTTP/1.1 200 OK\r\n${lines}Content-Length: 2\r\n\r\nok`)
    await using(async (session) => {
      const { status, head, body } = await ask(session, { ':path': '/large-head' })
      assert.deepEqual([status, head['x-14']?.length, body.toString()], [200, 8_000, 'ok'])
    })
    upstream.handle = echo
  })

  test('gateway protocols: bodies of 32 MiB pass both ways, side by side', async () => {
    const sent = randomBytes(MIB)
    upstream.handle = (request, response) => void request.pipe(response)
    await using(async (session) => {
      const body = Buffer.concat(Array.from({ length: 32 }, () => sent))
      const post = { ':path': '/large', ':method': 'POST' }
      const all = await Promise.all([
        ask(session, post, body),
        ask(session, { ...post, 'content-length': body.length }, body),
      ])
      for (const { body: back } of all) assert.ok(back.equals(body))
    })
    upstream.handle = echo
  })

  test('gateway protocols: plugins refuse before the body is sent, limits count every stream', async () => {
    const plugins = { 'key-auth': {}, 'rate-limiting': { count: 20, time_window: 600 } }
    await put('/routes/guarded', { uri: '/guarded', upstream_id: 'up', plugins })
    await put('/consumers/jack', { plugins: { 'key-auth': { key: 'of-jack' } } })
    await using(async (session) => {
      const stream = session.request({
        ':path': '/guarded',
        ':method': 'POST',
        ':authority': 'a.test',
      })
      stream.on('error', () => {})
      stream.write('a part')
      const [refused] = await once(stream, 'response')
      assert.equal(refused[':status'], 401)
      stream.close()
      const asked = { ':path': '/guarded', apikey: 'of-jack' }
      const all = await Promise.all(Array.from({ length: 60 }, () => ask(session, asked)))
      assert.deepEqual(tally(all.map(({ status }) => String(status))), { 200: 20, 429: 40 })
      const { body } = await admin('GET', '/gateway/prometheus/metrics')
      assert.match(String(body), /gateway_http_status\{code="429",route="guarded".*\} 40/)
    })
  })

  test('gateway protocols: streams of a sold route are limited and metered one by one', async () => {
    const { createPlan, issueKey } = caller(() => server().url)
    const plan = await createPlan({ requests_per_month: 30 })
    const { id, key } = await issueKey({ plan_id: plan.id })
    await put('/routes/sold', { uri: '/sold', upstream_id: 'up', plugins: { 'plan-access': {} } })
    await using(async (session) => {
      const asked = { ':path': '/sold', 'x-api-key': key }
      const all = await Promise.all(Array.from({ length: 60 }, () => ask(session, asked)))
      assert.deepEqual(tally(all.map(({ status }) => String(status))), { 200: 30, 429: 30 })
    })
    const records = await recordsOf(server(), id, 60)
    const statuses = records.map(({ status_code: status }) => String(status))
    assert.deepEqual(tally(statuses), { 200: 30, 429: 30 })
  })

  test('gateway protocols: a client that gives up ends the request upstream; an upstream that breaks off never looks whole', async () => {
    const gone = Promise.withResolvers<void>()
    upstream.handle = (request, response) => {
      if (request.url === '/gone') response.on('close', gone.resolve)
      else response.write('a part', () => response.destroy())
    }
    await using(async (session) => {
      const left = session.request({ ':path': '/gone', ':authority': 'a.test' })
      left.on('error', () => {})
      await until(() => upstream.seen.at(-1)?.url === '/gone')
      left.close(http2.constants.NGHTTP2_CANCEL)
      await gone.promise
      await until(() => /"path":"\/gone".*"status":499/.test(server().log()))
      await assert.rejects(ask(session, { ':path': '/broken' }), /NGHTTP2_INTERNAL_ERROR/)
    })
    upstream.handle = echo
  })

  test('gateway protocols: trailers pass both ways, and early hints before the answer', async () => {
    const arrived: unknown[] = []
    upstream.handle = (request, response) => {
      request.resume()
      request.on('end', () => {
        arrived.push(request.trailers)
        response.writeEarlyHints({ link: '</a.css>; rel=preload' })
        response.write('one')
        if (request.url !== '/none') response.addTrailers({ 'X-Sum': '1', 'Set-Cookie': 'a=b' })
        response.end('two')
      })
    }
    await using(async (session) => {
      for (const path of ['/some', '/none']) {
        const stream = session.request(
          { ':path': path, ':method': 'POST', ':authority': 'a.test', te: 'trailers' },
          { waitForTrailers: true },
        )
        const hints: unknown[] = []
        const trailers: unknown[] = []
        stream.on('headers', ({ link }) => void hints.push(link))
        stream.on('trailers', (given) => void trailers.push(Object.entries(given)))
        stream.on('wantTrailers', () => stream.sendTrailers({ 'x-late': '1', cookie: 'a' }))
        stream.end('abc')
        let text = ''
        for await (const chunk of stream) text += chunk
        assert.equal(text, 'onetwo')
        assert.deepEqual(hints, ['</a.css>; rel=preload'])
        assert.deepEqual(trailers, path === '/some' ? [[['x-sum', '1']]] : [])
      }
      assert.deepEqual(arrived, [{ 'x-late': '1' }, { 'x-late': '1' }])
      // Who has not asked for trailers gets none.
      const { body } = await ask(session, { ':path': '/some' })
      assert.equal(body.toString(), 'onetwo')
    })
    upstream.handle = echo
  })

  test('gateway protocols: a verified name is not to be had on a connection to another', async () => {
    await using(async (session) => {
      const { status } = await ask(session, { ':path': '/', ':authority': 'b.test' })
      assert.equal(status, 421)
      assert.equal((await ask(session, { ':path': '/' })).status, 200)
    })
  })
})
