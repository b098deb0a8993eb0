import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import http from 'node:http'
import https from 'node:https'
import net from 'node:net'
import { before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import tls from 'node:tls'
import { residentMib, until } from '#test-kit'
import { createCertificate } from '../../conformance/support/certificate.ts'
import { echo, gatewaySuite, rawTarget, sendRaw, startUpstream, type Upstream } from './support.ts'

const MIB = 1024 * 1024

export const forwarding = gatewaySuite('gateway forwarding', (gateway) => {
  const { kind, server, admin, put, send } = gateway
  let upstream: Upstream
  before(async () => {
    upstream = await startUpstream()
    await put('/upstreams/up', { nodes: { [upstream.node]: 1 } })
    await put('/routes/all', { uri: '/*', upstream_id: 'up' })
  })

  const memory = () => residentMib(server().pid)

  test('gateway 14: large bodies stream both ways in bounded memory', async () => {
    const chunk = randomBytes(MIB)
    // The data plane knows no database, so the whole gibibyte passes once.
    const total = kind === 'sqlite' ? 1024 : 64
    let received = 0
    upstream.handle = (request, response) => {
      if (request.method === 'POST') {
        request.on('data', (data: Buffer) => {
          received += data.length
        })
        request.on('end', () => response.end(String(received)))
        return
      }
      response.setHeader('content-length', total * MIB)
      let sent = 0
      const more = () => {
        while (sent < total) {
          sent++
          if (!response.write(chunk)) return void response.once('drain', more)
        }
        response.end()
      }
      more()
    }
    const before = memory()
    let highest = before
    const watch = setInterval(() => {
      highest = Math.max(highest, memory())
    }, 50)
    const answer = await upload(`${server().gatewayUrl}/up`, chunk, total)
    assert.equal(answer, String(total * MIB))
    let got = 0
    const download = await send('/down')
    for await (const part of download.body ?? []) got += part.length
    clearInterval(watch)
    assert.equal(got, total * MIB)
    assert.ok(highest - before < 200, `memory grew by ${highest - before} MB`)
    upstream.handle = echo
  })

  test('gateway 14: events pass at once; HEAD, 204, 304, chunks and trailers keep their form', async () => {
    let push: (text: string) => void = () => {}
    upstream.handle = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.flushHeaders()
      push = (text) => void response.write(text)
    }
    const stream = await send('/events')
    const reader = stream.body?.getReader()
    // A busy machine delays some; the gateway itself must not delay all of them.
    let fastest = Number.POSITIVE_INFINITY
    for (let n = 0; n < 5; n++) {
      const pending = reader?.read()
      const startedAt = performance.now()
      push(`data: ${n}\n\n`)
      assert.match(Buffer.from((await pending)?.value ?? []).toString(), new RegExp(`data: ${n}`))
      fastest = Math.min(fastest, performance.now() - startedAt)
    }
    assert.ok(fastest < 50, `${fastest} ms`)
    await reader?.cancel()
    upstream.handle = (_request, response) => {
      response.writeHead(200, { 'content-length': '5' }).end()
    }
    const head = await send('/head', { method: 'HEAD' })
    assert.equal(head.headers.get('content-length'), '5')
    for (const status of [204, 304]) {
      upstream.handle = (_request, response) => response.writeHead(status, { etag: '"x"' }).end()
      const answer = await send('/none')
      assert.equal(answer.status, status)
      assert.equal(answer.headers.get('etag'), '"x"')
      assert.equal(await answer.text(), '')
    }
    const arrived: unknown[] = []
    upstream.handle = (request, response) => {
      request.resume()
      request.on('end', () => {
        const { trailer, 'x-late': late } = request.headers
        if (request.method === 'POST') arrived.push({ trailer, late, ...request.trailers })
        response.writeHead(200, { trailer: 'x-sum', 'transfer-encoding': 'chunked' })
        response.write('one,')
        response.addTrailers({ 'x-sum': '1' })
        response.end('two')
      })
    }
    const chunked =
      'POST /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTrailer: x-late\r\n\r\n3\r\nabc\r\n0\r\nx-late: 1\r\n\r\n'
    const twice = await sendRaw(server().gatewayUrl, chunked + chunked)
    assert.equal(twice.match(/HTTP\/1\.1 200 OK/g)?.length, 2)
    // `Trailer` is for one connection only (contract §5.1); what it announces comes without it.
    const announced = { trailer: undefined, late: undefined, 'x-late': '1' }
    assert.deepEqual(arrived, [announced, announced])
    // This client has not asked for any.
    assert.doesNotMatch(twice, /x-sum/)
    assert.equal(twice.match(/\r\n0\r\n\r\n/g)?.length, 2, 'both answers end by their last chunk')
    assert.equal(await (await send('/trailers')).text(), 'one,two')
    upstream.handle = echo
    const body = JSON.parse(await (await send('/echo', { method: 'PUT', body: 'abc' })).text())
    assert.equal(body.body, 'abc')
  })

  test('gateway protocols: trailers pass to whom has asked for them, both ways, and none that decide', async () => {
    const arrived: unknown[] = []
    upstream.handle = (request, response) => {
      request.resume()
      request.on('end', () => {
        arrived.push(request.trailers)
        response.write('one')
        response.addTrailers({ 'X-Sum': '1', 'Set-Cookie': 'a=b', 'X-Request-Id': 'forged' })
        response.end('two')
      })
    }
    const late = 'X-Late: 1\r\nX-Consumer-Username: jack\r\nAuthorization: forged\r\nCookie: a\r\n'
    const head = 'POST /t HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n'
    const asked = `${head}TE: trailers\r\n\r\n3\r\nabc\r\n0\r\n${late}\r\n`
    const last = asked.replace('TE:', 'Connection: close\r\nTE:')
    const twice = await sendRaw(server().gatewayUrl, asked + last, 20_000)
    assert.deepEqual(arrived, [{ 'x-late': '1' }, { 'x-late': '1' }])
    assert.equal(twice.match(/\r\n0\r\nX-Sum: 1\r\n\r\n/g)?.length, 2)
    assert.doesNotMatch(twice, /forged|Set-Cookie/i)
    upstream.handle = echo
  })

  test('gateway 15: a client that takes trailers says so to the upstream, however it says it, and nothing else of TE', async () => {
    const told: unknown[] = []
    upstream.handle = (request, response) => {
      told.push(request.headers.te ?? null)
      response.end()
    }
    const ways = [
      ['TE: trailers', 'Connection: TE, close'],
      ['TE: trailers, deflate;q=0.5', 'Connection: close'],
      ['TE: gzip', 'te: Trailers', 'Connection: te, close'],
      ['TE: deflate', 'Connection: TE, close'],
    ]
    for (const lines of ways) {
      const head = ['GET /te HTTP/1.1', 'Host: a', ...lines].join('\r\n')
      assert.match(await sendRaw(server().gatewayUrl, `${head}\r\n\r\n`, 20_000), / 200 OK/)
    }
    assert.deepEqual(told, ['trailers', 'trailers', 'trailers', null])
    upstream.handle = echo
  })

  test('gateway protocols: early hints pass before the answer, their links alone, and not without end', async () => {
    let hints = 1
    upstream.handle = (_request, response) => {
      for (let n = 0; n < hints; n++) {
        response.writeEarlyHints({ link: `</${n}.css>; rel=preload`, 'x-own': 'secret' })
      }
      response.end('answer')
    }
    const ask = (version: string) => {
      const request = `GET /h HTTP/${version}\r\nHost: a\r\nConnection: close\r\n\r\n`
      return sendRaw(server().gatewayUrl, request, 20_000)
    }
    const seen = await ask('1.1')
    assert.match(
      seen,
      /^HTTP\/1\.1 103 Early Hints\r\nLink: <\/0\.css>; rel=preload\r\n\r\nHTTP\/1\.1 200 OK\r\n/,
    )
    assert.match(seen, /answer$/)
    assert.doesNotMatch(seen, /secret/)
    assert.match(await ask('1.0'), /^HTTP\/1\.1 200 OK/)
    hints = 100
    assert.equal((await ask('1.1')).match(/103 Early Hints/g)?.length, 16)
    upstream.handle = echo
  })

  test('gateway 15: hop-by-hop and forged headers do not pass, repeated ones stay', async () => {
    upstream.handle = (request, response) => {
      response.setHeader('set-cookie', ['a=1', 'b=2'])
      response.setHeader('connection', 'close, x-hop')
      response.setHeader('x-hop', '1')
      response.setHeader('proxy-authenticate', 'x')
      echo(request, response)
    }
    const plain = await rawTarget(server().gatewayUrl, '/h', {
      connection: 'keep-alive, X-Named',
      'x-named': '1',
      'keep-alive': 'timeout=1',
      te: 'gzip',
      'proxy-authorization': 'x',
      upgrade: 'h2c',
      'x-forwarded-for': '6.6.6.6',
      'x-real-ip': '6.6.6.6',
      forwarded: 'for=6.6.6.6',
      'x-kept': '1',
    })
    const { headers } = JSON.parse(plain.body)
    for (const name of [
      'x-named',
      'keep-alive',
      'te',
      'proxy-authorization',
      'upgrade',
      'forwarded',
    ]) {
      assert.equal(headers[name], undefined, name)
    }
    assert.equal(headers['x-forwarded-for'], '127.0.0.1')
    assert.equal(headers['x-real-ip'], '127.0.0.1')
    assert.equal(headers['x-forwarded-proto'], 'http')
    assert.equal(headers['x-forwarded-port'], new URL(server().gatewayUrl).port)
    assert.equal(headers['x-forwarded-host'], headers.host)
    assert.equal(headers['x-kept'], '1')
    assert.equal(headers['x-request-id'], plain.headers['x-request-id'])
    assert.deepEqual(plain.headers['set-cookie'], ['a=1', 'b=2'])
    assert.equal(plain.headers['x-hop'], undefined)
    assert.equal(plain.headers['proxy-authenticate'], undefined)
    upstream.handle = echo
    await put('/consumers/ann', { plugins: { 'key-auth': { key: 'key-of-ann' } } })
    await put('/routes/auth', { uri: '/auth', upstream_id: 'up', plugins: { 'key-auth': {} } })
    const forged = { 'x-consumer-username': 'root', 'x-plan-id': '1', 'x-userinfo': 'x' }
    const through = await send('/auth', { headers: { ...forged, apikey: 'key-of-ann' } })
    const seen = JSON.parse(await through.text()).headers
    assert.equal(seen['x-consumer-username'], 'ann')
    assert.equal(seen['x-plan-id'], undefined)
    assert.equal(seen['x-userinfo'], undefined)
    // Servers that make variables of headers know no difference between the two signs.
    const spelt = {
      x_consumer_username: 'root',
      'x-plan_id': '1',
      x_forwarded_for: '9.9.9.9',
      x_own: '1',
    }
    const other = await send('/auth', { headers: { ...spelt, apikey: 'key-of-ann' } })
    const { headers: names } = JSON.parse(await other.text())
    assert.deepEqual(
      Object.keys(spelt).filter((name) => name in names),
      ['x_own'],
    )
    const kept = { 'x-request-id': 'a-b/c:1' }
    assert.equal((await send('/x', { headers: kept })).headers.get('x-request-id'), 'a-b/c:1')
    const odd = await send('/x', { headers: { 'x-request-id': 'a b' } })
    assert.match(odd.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/)
  })

  test('gateway 16: shapes that could hide a request are refused', async () => {
    const shapes: Record<string, string> = {
      both: 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      'two lengths':
        'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
      folded: 'GET / HTTP/1.1\r\nHost: a\r\nX-A: b\r\n c\r\n\r\n',
      'space before colon': 'GET / HTTP/1.1\r\nHost: a\r\nContent-Length : 5\r\n\r\nhello',
      'bare LF': 'GET / HTTP/1.1\nHost: a\n\n',
      'bare LF in header': 'GET / HTTP/1.1\r\nHost: a\r\nX: b\nTransfer-Encoding: chunked\r\n\r\n',
      'bare CR': 'GET / HTTP/1.1\r\nHost: a\r\nX: b\rTransfer-Encoding: chunked\r\n\r\n',
      'odd coding': 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n',
      'two codings':
        'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n',
      'signed length': 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +5\r\n\r\nhello',
      'bad chunk': 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5;\r\nx',
      'no host': 'GET / HTTP/1.1\r\n\r\n',
      'two hosts': 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n',
      nul: 'GET / HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n',
    }
    const hidden = 'GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n'
    for (const [name, text] of Object.entries(shapes)) {
      const before = upstream.seen.length
      const answer = await sendRaw(server().gatewayUrl, text + hidden, 1_500)
      assert.match(answer, /^HTTP\/1\.1 400 /, name)
      assert.equal(answer.match(/HTTP\/1\.1 /g)?.length, 1, name)
      const seen = upstream.seen.slice(before)
      assert.ok(seen.length <= 1, name)
      assert.equal(
        seen.some(({ url }) => url === '/hidden'),
        false,
        name,
      )
    }
    assert.match(
      await sendRaw(server().gatewayUrl, 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n'),
      / 405 /,
    )
    const long = `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`
    assert.match(await sendRaw(server().gatewayUrl, long), /^HTTP\/1\.1 431 /)
    // An upstream that answers more than was asked must not answer the next client.
    const talkative = net.createServer((socket) => {
      socket.on('error', () => {})
      socket.on('data', () => {
        socket.write(
          'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil',
        )
      })
    })
    talkative.listen(0, '127.0.0.1')
    await once(talkative, 'listening')
    const address = talkative.address()
    const port = typeof address === 'object' ? address?.port : 0
    await put('/routes/talk', { uri: '/talk', upstream: { nodes: { [`127.0.0.1:${port}`]: 1 } } })
    for (let n = 0; n < 6; n++) assert.equal(await (await send('/talk')).text(), 'ok')
    talkative.close()
  })

  test('gateway 17: host three ways, TLS to the upstream, and both sides may break off', async () => {
    const node = { nodes: { [upstream.node]: 1 } }
    await put('/routes/pass', { uri: '/pass', upstream: node })
    await put('/routes/node', { uri: '/node', upstream: { ...node, pass_host: 'node' } })
    const rewritten = { ...node, pass_host: 'rewrite', upstream_host: 'inner.org' }
    await put('/routes/rewrite', { uri: '/rewrite', upstream: rewritten })
    const hostOf = async (path: string) => {
      const { body } = await rawTarget(server().gatewayUrl, path, { host: 'outer.org' })
      return JSON.parse(body).headers.host
    }
    assert.equal(await hostOf('/pass'), 'outer.org')
    assert.equal(await hostOf('/node'), upstream.node)
    assert.equal(await hostOf('/rewrite'), 'inner.org')

    const { cert, key } = createCertificate(['localhost'])
    const secure = https.createServer({ cert, key }, echo).listen(0, '127.0.0.1')
    await once(secure, 'listening')
    const address = secure.address()
    const securePort = typeof address === 'object' ? (address?.port ?? 0) : 0
    const encrypted = { scheme: 'https', nodes: { [`localhost:${securePort}`]: 1 } }
    await put('/routes/tls', { uri: '/tls', upstream: encrypted })
    const refused = await send('/tls')
    assert.equal(refused.status, 502)
    assert.match(await refused.text(), /"code":"upstream_error"/)
    await put('/routes/tls', { uri: '/tls', upstream: { ...encrypted, tls: { verify: false } } })
    assert.equal((await send('/tls')).status, 200)
    secure.closeAllConnections()
    secure.close()

    const aborted = Promise.withResolvers<void>()
    upstream.handle = (request) => request.on('close', () => aborted.resolve())
    const leaving = new AbortController()
    const left = send('/leave', { signal: leaving.signal }).catch(() => 'left')
    await until(() => upstream.seen.at(-1)?.url === '/leave')
    leaving.abort()
    assert.equal(await left, 'left')
    await aborted.promise

    for (const headers of [{ 'content-length': '10' }, {}]) {
      upstream.handle = (_request, response) => {
        response.writeHead(200, headers)
        response.write('half')
        setTimeout(() => response.destroy(), 20)
      }
      await assert.rejects(async () => (await send('/cut')).text())
    }
    upstream.handle = echo
    await put('/ssls/front', { sni: 'front.example.org', cert, key })
    const answer = await overTls('front.example.org')
    assert.match(answer, /"x-forwarded-proto":"https"/)
    await assert.rejects(overTls('unknown.example.org'))
  })

  test('expectation: refused before the body is sent, else answered and forwarded', async () => {
    const text = (path: string) =>
      `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n`
    const refused = await sendRaw(server().gatewayUrl, text('/auth'))
    assert.match(refused, /^HTTP\/1\.1 401 /)
    const { hostname, port } = new URL(server().gatewayUrl)
    const socket = net.connect(Number(port), hostname)
    socket.write(text('/echo'))
    const [first] = await once(socket, 'data')
    assert.match(String(first), /^HTTP\/1\.1 100 Continue/)
    socket.write('abc')
    const [second] = await once(socket, 'data')
    assert.match(String(second), /"body":"abc"/)
    socket.destroy()
  })

  test('gateway 18: WebSocket frames pass untouched and survive changes', async () => {
    upstream.server.on('upgrade', (request, socket) => {
      const accept = createHash('sha1')
        .update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
        .digest('base64')
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
      )
      socket.on('error', () => {})
      socket.on('data', (data: Buffer) => {
        for (const frame of unmask(data, state)) {
          const isClosing = (frame.readUInt8(0) & 0x0f) === 8
          socket[isClosing ? 'end' : 'write'](frame)
        }
      })
      const state: FrameState = { rest: Buffer.alloc(0) }
    })
    await put('/routes/ws', { uri: '/ws', upstream_id: 'up', enable_websocket: true })
    await put('/routes/nows', { uri: '/nows', upstream_id: 'up' })
    const url = server().gatewayUrl.replace('http', 'ws')
    const refused = new WebSocket(`${url}/nows`)
    await once(refused, 'error')
    const socket = new WebSocket(`${url}/ws`)
    socket.binaryType = 'arraybuffer'
    await once(socket, 'open')
    const ask = async (data: string | Uint8Array<ArrayBuffer>) => {
      const heard = once(socket, 'message')
      socket.send(data)
      const [event] = await heard
      return event.data
    }
    assert.equal(await ask('hello'), 'hello')
    const bytes = new Uint8Array([0, 1, 255])
    assert.deepEqual(new Uint8Array(await ask(bytes)), bytes)
    const large = new Uint8Array(randomBytes(MIB))
    assert.deepEqual(Buffer.from(await ask(large)), Buffer.from(large))
    for (let n = 0; n < 100; n++)
      await put('/routes/other', { uri: `/other/${n}`, upstream_id: 'up' })
    await put('/routes/ws', { uri: '/ws', upstream_id: 'up', enable_websocket: true, desc: 'x' })
    assert.equal(await ask('still'), 'still')
    const closed = once(socket, 'close')
    socket.close()
    await closed
    const { status } = await admin('DELETE', '/routes/ws')
    assert.equal(status, 200)
  })

  test('gateway 18: a slow WebSocket client gets all that was said before the upstream hung up', async () => {
    const talking = await startUpstream()
    talking.server.on('upgrade', (_request, socket) => {
      socket.on('error', () => {})
      socket.write(
        'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
      )
      socket.end(Buffer.alloc(16 * MIB, 1))
    })
    await put('/routes/talking', {
      ...{ uri: '/talking', enable_websocket: true },
      upstream: { nodes: { [talking.node]: 1 } },
    })
    const headers = { connection: 'Upgrade', upgrade: 'websocket' }
    const request = http.get(`${server().gatewayUrl}/talking`, { headers })
    const [, socket, head] = await once(request, 'upgrade')
    let got = head.length
    for await (const part of socket) {
      got += part.length
      // What is under way stays more than the system keeps for a connection.
      await delay(1)
    }
    assert.equal(got, 16 * MIB)
  })

  test('gateway 18: plugins change the head of a switch to WebSocket; one that fails prevents it', async () => {
    const greeting = await startUpstream()
    greeting.server.on('upgrade', (_request, socket) => {
      socket.on('error', () => {})
      socket.write(
        'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nhel',
      )
      socket.end('lo')
    })
    const join = async (filter: string) => {
      await put('/routes/greeting', {
        ...{ uri: '/greeting', enable_websocket: true },
        upstream: { nodes: { [greeting.node]: 1 } },
        plugins: {
          'rate-limiting': { count: 9, time_window: 60 },
          'response-rewrite': { status_code: 200, headers: { set: { 'X-Set': 'yes' } } },
          'serverless-post-function': { phase: 'header_filter', functions: [filter] },
        },
      })
      const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n'
      return sendRaw(server().gatewayUrl, `GET /greeting HTTP/1.1\r\nHost: a\r\n${upgrade}`)
    }
    const joined = await join("(conf, ctx) => ctx.response.addHeader('Set-Cookie', 'a=1')")
    assert.match(joined, /^HTTP\/1\.1 101 /)
    for (const line of [
      'X-RateLimit-Limit: 9',
      'X-Set: yes',
      'Set-Cookie: a=1',
      'X-Request-Id: ',
    ]) {
      assert.equal(joined.split(line).length, 2, `${line} in ${joined}`)
    }
    assert.match(joined, /\r\n\r\nhello$/)
    const failed = await join("() => { throw new Error('no') }")
    assert.match(failed, /^HTTP\/1\.1 500 /)
    assert.match(failed, /"code":"script_error"/)
  })

  test('gateway 18: a filter that takes its time before a switch mixes up no connections', async () => {
    const other = 'of somebody else '.repeat(500)
    const talking = await startUpstream((_request, response) => void response.end(other))
    const asked: Promise<string>[] = []
    talking.server.on('upgrade', (_request, socket) => {
      socket.on('error', () => {})
      const head = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket'
      socket.write(`${head}\r\n\r\n${'hello '.repeat(20)}`)
      // All threads of the gateway read other answers while the filter runs.
      for (let n = 0; n < 20; n++) asked.push(send('/other').then((answer) => answer.text()))
      void Promise.all(asked).then(() => socket.end('bye'))
    })
    const nodes = { [talking.node]: 1 }
    // Longer than a script may stop a thread: it begins anew elsewhere.
    const slow =
      "(conf, ctx) => { const at = ctx.now(); while (ctx.now() < at + 20); ctx.response.setHeader('X-Slow', 'yes') }"
    const plugins = { 'serverless-post-function': { phase: 'header_filter', functions: [slow] } }
    await put('/routes/other', { uri: '/other', upstream: { nodes } })
    await put('/routes/slow-switch', {
      ...{ uri: '/slow-switch', enable_websocket: true, upstream: { nodes }, plugins },
    })
    const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n'
    const request = `GET /slow-switch HTTP/1.1\r\nHost: a\r\n${upgrade}`
    const join = () => sendRaw(server().gatewayUrl, request, 20_000)
    for (const joined of await Promise.all([join(), join(), join(), join()])) {
      assert.match(joined, /^HTTP\/1\.1 101 .*\r\nX-Slow: yes\r\n/s)
      assert.equal(joined.split('\r\n\r\n')[1], `${'hello '.repeat(20)}bye`)
    }
    assert.deepEqual(new Set(await Promise.all(asked)), new Set([other]))
  })

  test('a body above the limit is refused, and a slow client is served', async () => {
    const declared = `POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: ${4096 * MIB}\r\n\r\n`
    const answer = await sendRaw(server().gatewayUrl, declared)
    assert.match(answer, /^HTTP\/1\.1 413 /)
    assert.match(answer, /"code":"payload_too_large"/)
    upstream.handle = (_request, response) => response.end(Buffer.alloc(8 * MIB, 1))
    const slow = await send('/slow')
    let got = 0
    for await (const part of slow.body ?? []) {
      got += part.length
      if (got < MIB) await delay(5)
    }
    assert.equal(got, 8 * MIB)
    upstream.handle = echo
  })

  test('gateway 14: no length is announced of a body that does not come, whatever status and method the client sees', async () => {
    upstream.handle = (request, response) => {
      const status = Number(request.url?.slice(1, 4))
      response.writeHead(status, { etag: '"a"', 'content-length': 2 })
      response.end(status === 200 && request.method === 'GET' ? 'ok' : '')
    }
    const script = (text: string) => ({ functions: [text], phase: 'header_filter' })
    const plugins = {
      '/304/rewritten': { 'response-rewrite': { status_code: 200 } },
      '/204/scripted': { 'serverless-pre-function': script('() => ({ status: 200 })') },
      '/200/asked-by-head': { 'proxy-rewrite': { method: 'HEAD' } },
    }
    for (const [at, [uri, each]] of Object.entries(plugins).entries()) {
      await put(`/routes/bare-${at}`, { uri, upstream_id: 'up', plugins: each })
      const next = 'GET /200/next HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
      const asked = `GET ${uri} HTTP/1.1\r\nHost: a\r\n\r\n${next}`
      const answers = await sendRaw(server().gatewayUrl, asked)
      assert.match(answers, /^HTTP\/1\.1 200 OK\r\n/, uri)
      const [first = ''] = answers.split('\r\n\r\n')
      assert.match(first, /\r\nContent-Length: 0(\r\n|$)/i, uri)
      assert.match(answers, /\r\n\r\nHTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\nok$/, uri)
    }
    const filters = [{ regex: 'ok', replace: 'quite different' }]
    const changed = { 'response-rewrite': { filters } }
    await put('/routes/bare', { uri: '/200/changed', upstream_id: 'up', plugins: changed })
    const head = await send('/200/changed', { method: 'HEAD' })
    assert.deepEqual([head.status, head.headers.get('content-length')], [200, null])
    assert.equal(await (await send('/200/changed')).text(), 'quite different')
    upstream.handle = echo
  })

  test('gateway 14: a client may pause for longer than the upstream may; the node is not blamed', async () => {
    // On a busy machine the upstream, too, may be silent for some tenths of a second.
    const strict = {
      nodes: { [upstream.node]: 1 },
      timeout: { connect: 5, send: 1, read: 1 },
      checks: {
        active: { type: 'tcp', interval: 600 },
        passive: { unhealthy: { timeouts: 1 } },
      },
    }
    await put('/upstreams/strict', strict)
    await put('/routes/pausing', { uri: '/pausing', upstream_id: 'strict' })
    const { hostname, port } = new URL(server().gatewayUrl)

    upstream.handle = (_request, response) => response.end(Buffer.alloc(32 * MIB, 1))
    const reader = net.connect(Number(port), hostname)
    reader.write('GET /pausing HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    await once(reader, 'readable')
    await delay(2_000)
    let got = 0
    for await (const chunk of reader) got += chunk.length
    assert.ok(got > 32 * MIB, `${got}`)

    upstream.handle = echo
    const writer = net.connect(Number(port), hostname)
    writer.write(
      'POST /pausing HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 6\r\n\r\nabc',
    )
    await delay(2_000)
    writer.write('def')
    let answer = ''
    for await (const chunk of writer) answer += chunk
    assert.match(answer, /^HTTP\/1\.1 200 [\s\S]*"body":"abcdef"/)

    upstream.handle = () => {}
    assert.equal((await send('/pausing', { method: 'POST', body: 'x' })).status, 504)
    const health = await admin('GET', '/gateway/control/v1/healthcheck/upstreams/strict')
    assert.match(JSON.stringify(health.body), /"timeout_failure":1/)
    upstream.handle = echo
  })

  async function overTls(servername: string): Promise<string> {
    const socket = tls.connect({
      port: Number(server().env['ENTREPOT_GATEWAY_TLS_PORT']),
      host: '127.0.0.1',
      servername,
      rejectUnauthorized: false,
    })
    await once(socket, 'secureConnect')
    socket.write(`GET /secure HTTP/1.1\r\nHost: ${servername}\r\nConnection: close\r\n\r\n`)
    let seen = ''
    for await (const chunk of socket) seen += chunk
    return seen
  }
})

function upload(url: string, chunk: Buffer, count: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = http.request(url, { method: 'POST', agent: false }, (answer) => {
      let text = ''
      answer.on('data', (data) => {
        text += data
      })
      answer.on('end', () => resolve(text))
    })
    request.on('error', reject)
    let sent = 0
    const more = () => {
      while (sent < count) {
        sent++
        if (!request.write(chunk)) return void request.once('drain', more)
      }
      request.end()
    }
    more()
  })
}

interface FrameState {
  rest: Buffer
}

/** Frames of a client (RFC 6455 §5.2) as a server would send them back. */
function unmask(data: Buffer, state: FrameState): Buffer[] {
  let bytes = Buffer.concat([state.rest, data])
  const frames: Buffer[] = []
  for (;;) {
    if (bytes.length < 2) break
    const short = bytes.readUInt8(1) & 0x7f
    const extra = short === 126 ? 2 : short === 127 ? 8 : 0
    const head = 2 + extra + 4
    if (bytes.length < head) break
    const length =
      short === 126
        ? bytes.readUInt16BE(2)
        : short === 127
          ? Number(bytes.readBigUInt64BE(2))
          : short
    if (bytes.length < head + length) break
    const mask = bytes.subarray(2 + extra, head)
    const payload = Buffer.from(bytes.subarray(head, head + length))
    for (let at = 0; at < length; at++) payload[at] = (payload[at] ?? 0) ^ (mask[at % 4] ?? 0)
    const start = Buffer.from(bytes.subarray(0, 2 + extra))
    start.writeUInt8(short, 1)
    frames.push(Buffer.concat([start, payload]))
    bytes = bytes.subarray(head + length)
  }
  state.rest = bytes
  return frames
}
