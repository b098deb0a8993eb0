import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type http from 'node:http'
import https from 'node:https'
import net from 'node:net'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { freePort, until } from '#test-kit'
import { createCertificate } from '../../conformance/support/certificate.ts'
import { echo, gatewayServer, sendRaw, startUpstream, type Upstream } from './support.ts'

const MIB = 1024 * 1024
const TLS_PORT = await freePort()

// The data plane knows no database: one is enough.
describe('gateway, what clients may send', () => {
  const { server, put } = gatewayServer('sqlite', {
    ENTREPOT_GATEWAY_MAX_BODY: String(MIB),
    ENTREPOT_GATEWAY_TLS_PORT: String(TLS_PORT),
  })
  let upstream: Upstream
  before(async () => {
    upstream = await startUpstream()
    await put('/upstreams/up', { nodes: { [upstream.node]: 1 } })
    await put('/routes/all', { uri: '/*', upstream_id: 'up' })
    const { cert, key } = createCertificate(['localhost'])
    await put('/ssls/front', { sni: 'localhost', cert, key })
  })

  const connect = async () => {
    const { hostname, port } = new URL(server().gatewayUrl)
    const socket = net.connect(Number(port), hostname)
    socket.on('error', () => {})
    await once(socket, 'connect')
    return socket
  }
  const logged = (id: string) =>
    until(() => {
      const text = readFileSync(join(server().dataDir, 'logs', 'entrepot.log'), 'utf8')
      const line = text.split('\n').find((each) => each.includes(`"request_id":"${id}"`))
      return line ? JSON.parse(line) : undefined
    })

  test('gateway 14: requests sent ahead are answered in order, with their bodies', async () => {
    const texts = [
      'GET /1 HTTP/1.1\r\nHost: a\r\n\r\n',
      'POST /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc',
      'POST /3 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nd\r\n2;x=y\r\nef\r\n0\r\n\r\n',
      'HEAD /4 HTTP/1.1\r\nHost: a\r\n\r\n',
      'GET /5 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    ]
    const answers = await sendRaw(server().gatewayUrl, texts.join(''), 5_000)
    assert.equal(answers.match(/HTTP\/1\.1 200 OK/g)?.length, 5)
    assert.deepEqual(answers.match(/"url":"\/\d"/g), ['1', '2', '3', '5'].map(url))
    assert.deepEqual(answers.match(/"body":"[a-z]*"/g), ['', 'abc', 'def', ''].map(body))

    function url(name: string) {
      return `"url":"/${name}"`
    }
    function body(text: string) {
      return `"body":"${text}"`
    }
  })

  test('gateway 14: an old client is served, and closed after its answer', async () => {
    const answer = await sendRaw(server().gatewayUrl, 'GET /old HTTP/1.0\r\n\r\n', 5_000)
    assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/)
    assert.match(answer, /Connection: close\r\n/)
    assert.match(answer, /"url":"\/old"/)
    // It named no host, so none is forwarded as if it had.
    assert.doesNotMatch(answer, /x-forwarded-host/i)
    assert.match(answer, /"x-forwarded-proto":"http"/)
  })

  test('gateway 16: the target counts where it and Host disagree', async () => {
    const text =
      'GET http://inner.org:81/abs?x=1 HTTP/1.1\r\nHost: outer.org\r\nConnection: close\r\n\r\n'
    const answer = await sendRaw(server().gatewayUrl, text, 5_000)
    const { url, headers } = JSON.parse(answer.slice(answer.indexOf('{')))
    assert.equal(url, '/abs?x=1')
    assert.equal(headers.host, 'inner.org:81')
    assert.equal(headers['x-forwarded-host'], 'inner.org:81')
  })

  /** The upstream reads what comes; resolves when a request breaks off there. */
  function waitForAbort(): Promise<void> {
    return new Promise((resolve) => {
      upstream.handle = (request) => {
        request.resume()
        request.on('error', () => resolve())
      }
    })
  }

  test('gateway 16: a body that breaks on its way is 400, cut at the upstream and logged', async () => {
    const aborted = waitForAbort()
    const socket = await connect()
    socket.write(
      'POST /broken HTTP/1.1\r\nHost: a\r\nX-Request-Id: broken-1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n',
    )
    await until(() => upstream.seen.at(-1)?.url === '/broken')
    socket.write('zz\r\nGET /hidden HTTP/1.1\r\nHost: a\r\n\r\n')
    let answer = ''
    for await (const chunk of socket) answer += chunk
    assert.match(answer, /^HTTP\/1\.1 400 /)
    assert.equal(answer.match(/HTTP\/1\.1 \d/g)?.length, 1)
    await aborted
    assert.notEqual(upstream.seen.at(-1)?.url, '/hidden')
    upstream.handle = echo
    const { status, error } = await logged('broken-1')
    assert.deepEqual([status, error], [400, 'bad_request'])
  })

  test('gateway 17: who leaves during an upload ends it at the upstream and is logged as 499', async () => {
    const aborted = waitForAbort()
    const socket = await connect()
    socket.write(
      'PUT /left HTTP/1.1\r\nHost: a\r\nX-Request-Id: left-1\r\nContent-Length: 9\r\n\r\nabc',
    )
    await until(() => upstream.seen.at(-1)?.url === '/left')
    socket.destroy()
    await aborted
    upstream.handle = echo
    const { status, bytes_in: bytes } = await logged('left-1')
    assert.deepEqual([status, bytes], [499, 3])
  })

  test('an upload that is answered early is passed over, and the connection goes on', async () => {
    upstream.handle = (request, response) => {
      if (request.method === 'GET') return echo(request, response)
      response.writeHead(403, { 'content-length': '2' }).end('no')
    }
    const socket = await connect()
    let seen = ''
    socket.on('data', (chunk) => {
      seen += chunk
    })
    const size = MIB / 2
    socket.write(`POST /early HTTP/1.1\r\nHost: a\r\nContent-Length: ${size}\r\n\r\n`)
    await until(() => /\r\n\r\nno$/.test(seen))
    socket.write('GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n'.padEnd(size, 'x'))
    socket.write('GET /after HTTP/1.1\r\nHost: a\r\n\r\n')
    await until(() => seen.includes('"url":"/after"'))
    assert.match(seen, /^HTTP\/1\.1 403 /)
    assert.equal(
      upstream.seen.some(({ url }) => url === '/hidden'),
      false,
    )
    socket.destroy()
    upstream.handle = echo
  })

  test('a chunked upload above the limit is 413 in the middle', async () => {
    const socket = await connect()
    let seen = ''
    socket.on('data', (chunk) => {
      seen += chunk
    })
    socket.write('POST /large HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n')
    const chunk = Buffer.concat([
      Buffer.from('40000\r\n'),
      Buffer.alloc(0x40000),
      Buffer.from('\r\n'),
    ])
    for (let n = 0; n < 6; n++) socket.write(chunk)
    await until(() => seen.includes('payload_too_large'))
    assert.match(seen, /^HTTP\/1\.1 413 /)
    assert.match(seen, /Connection: close\r\n/)
    socket.destroy()
  })

  test('expectations: others than 100-continue are 417', async () => {
    const text = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nExpect: tea\r\n\r\n'
    assert.match(await sendRaw(server().gatewayUrl, text, 5_000), /^HTTP\/1\.1 417 /)
  })

  test('an upstream that switches unasked is 502', async () => {
    const odd = net.createServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', () => socket.write('HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n'))
    })
    odd.listen(0, '127.0.0.1')
    await once(odd, 'listening')
    const address = odd.address()
    const port = typeof address === 'object' ? address?.port : 0
    await put('/routes/odd', { uri: '/odd', upstream: { nodes: { [`127.0.0.1:${port}`]: 1 } } })
    const answer = await fetch(`${server().gatewayUrl}/odd`)
    assert.equal(answer.status, 502)
    assert.match(await answer.text(), /"code":"upstream_error"/)
    odd.close()
  })

  test('gateway 14: over TLS, too, one connection carries large bodies both ways', async () => {
    upstream.handle = (request, response) => {
      let size = 0
      request.on('data', (chunk) => {
        size += chunk.length
      })
      request.on('end', () => {
        response.setHeader('x-got', size)
        response.end(Buffer.alloc(3 * MIB, 7))
      })
    }
    const agent = new https.Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false })
    let ports = 0
    for (const size of [0, MIB, 1, MIB / 2]) {
      const { got, bytes, port } = await overTls(agent, Buffer.alloc(size))
      assert.deepEqual([got, bytes], [String(size), 3 * MIB])
      ports = ports === 0 ? port : ports
      assert.equal(port, ports, 'one connection')
    }
    agent.destroy()
    upstream.handle = echo
  })

  function overTls(agent: https.Agent, body: Buffer) {
    return new Promise<{ got: unknown; bytes: number; port: number }>((resolve, reject) => {
      const options: https.RequestOptions = {
        ...{ agent, host: '127.0.0.1', servername: 'localhost', port: TLS_PORT },
        ...{ method: 'POST', path: '/tls', headers: { 'content-length': body.length } },
      }
      const request = https.request(options, (answer: http.IncomingMessage) => {
        let bytes = 0
        answer.on('data', (chunk) => {
          bytes += chunk.length
        })
        const { localPort: port = 0 } = answer.socket
        answer.on('end', () => resolve({ got: answer.headers['x-got'], bytes, port }))
        answer.on('error', reject)
      })
      request.on('error', reject)
      request.end(body)
    })
  }
})
