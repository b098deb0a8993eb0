import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import net from 'node:net'
import { before, test } from 'node:test'
import tls from 'node:tls'
import { eachDatabase, freePort, needPrograms } from '#test-kit'
import { createCertificate } from '../../conformance/support/certificate.ts'
import { gatewayServer, sendRaw, startUpstream } from './support.ts'

/** Every answer ends with its connection; silence is only a machine with much else to do. */
const exchange = (url: string, bytes: Buffer) => sendRaw(url, bytes, 20_000)

const REQUEST = 'GET /who HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n'
const SIGNATURE = '\r\n\r\n\0\r\nQUIT\n'
const BINARY = Buffer.concat([
  Buffer.from(SIGNATURE, 'latin1'),
  Buffer.from([0x21, 0x11, 0, 12, 203, 0, 113, 9, 198, 51, 100, 1, 0x1f, 0x90, 1, 187]),
])
const LINE = 'PROXY TCP4 203.0.113.9 198.51.100.1 8080 443\r\n'

const tlsPorts = { sqlite: await freePort(), postgres: await freePort() }

eachDatabase('gateway behind a proxy of connections', (kind) => {
  const tlsPort = tlsPorts[kind]
  const { server, put } = gatewayServer(kind, {
    ENTREPOT_GATEWAY_PROXY_PROTOCOL: '127.0.0.1/32',
    ENTREPOT_GATEWAY_TLS_PORT: String(tlsPort),
    ENTREPOT_GATEWAY_HOST: '0.0.0.0',
  })
  before(async () => {
    const { node } = await startUpstream()
    await put('/upstreams/up', { nodes: { [node]: 1 } })
    await put('/routes/who', {
      uri: '/who',
      upstream_id: 'up',
      plugins: { 'proxy-rewrite': { headers: { 'X-Port': '$remote_port $server_port' } } },
    })
    await put('/routes/only', { uri: '/only', upstream_id: 'up', remote_addr: '203.0.113.9' })
    await put('/ssls/a', { sni: 'a.test', ...createCertificate(['a.test']) })
  })

  const headersIn = (answer: string) => {
    assert.match(answer, /^HTTP\/1\.1 200 /)
    return JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)).headers
  }
  const bytesOf = (head: string | Buffer, request = REQUEST) =>
    Buffer.concat([Buffer.from(head), Buffer.from(request)])

  test('gateway protocols: the client is the one that the proxy names, in both versions', async () => {
    for (const head of [LINE, BINARY]) {
      const headers = headersIn(await exchange(server().gatewayUrl, bytesOf(head)))
      assert.equal(headers['x-real-ip'], '203.0.113.9')
      assert.equal(headers['x-forwarded-for'], '203.0.113.9')
      assert.equal(headers['x-forwarded-port'], '443')
      assert.equal(headers['x-port'], '8080 443')
    }
    const [here, there] = [LINE, LINE.replace('113.9', '113.8')].map((head) =>
      exchange(server().gatewayUrl, bytesOf(head, REQUEST.replace('/who', '/only'))),
    )
    assert.match((await here) ?? '', / 200 /)
    assert.match((await there) ?? '', / 404 /)
  })

  test('gateway protocols: a proxy that speaks for itself is the client', async () => {
    const local = Buffer.concat([Buffer.from(SIGNATURE, 'latin1'), Buffer.from([0x20, 0, 0, 0])])
    for (const head of ['PROXY UNKNOWN\r\n', local]) {
      const headers = headersIn(await exchange(server().gatewayUrl, bytesOf(head)))
      assert.equal(headers['x-real-ip'], '127.0.0.1')
    }
  })

  test('gateway protocols: without a correct header nothing is answered, whatever the port', async () => {
    for (const head of ['', 'PROXY TCP4 a b 1 2\r\n', 'PROXY TCP9 \r\n', SIGNATURE.slice(0, 11)]) {
      assert.equal(await exchange(server().gatewayUrl, bytesOf(head)), '')
      assert.equal(await exchange(`http://127.0.0.1:${tlsPort}`, bytesOf(head)), '')
    }
    assert.match(await exchange(server().gatewayUrl, bytesOf(LINE)), / 200 /)
  })

  test('gateway protocols: the header may come byte by byte, and before TLS', async () => {
    const socket = net.connect(tlsPort, '127.0.0.1').setNoDelay(true)
    await once(socket, 'connect')
    for (const byte of BINARY) await new Promise((done) => socket.write(Buffer.from([byte]), done))
    const secure = tls.connect({ socket, servername: 'a.test', rejectUnauthorized: false })
    secure.write(REQUEST)
    let seen = ''
    for await (const chunk of secure) seen += chunk
    const headers = headersIn(seen)
    assert.equal(headers['x-real-ip'], '203.0.113.9')
    assert.equal(headers['x-forwarded-proto'], 'https')
  })

  test('gateway protocols: from anybody else such a header is no HTTP', async () => {
    // Another address of this machine.
    const socket = net.connect({
      ...{ host: '127.0.0.2', localAddress: '127.0.0.2' },
      port: Number(new URL(server().gatewayUrl).port),
    })
    socket.end(bytesOf(LINE))
    let seen = ''
    for await (const chunk of socket) seen += chunk
    assert.match(seen, /^HTTP\/1\.1 400 /)
  })

  test('gateway protocols: curl as the proxy', async () => {
    needPrograms('curl')
    const curl = spawn('curl', ['-sS', '--haproxy-protocol', `${server().gatewayUrl}/who`])
    let seen = ''
    curl.stdout.on('data', (chunk) => {
      seen += chunk
    })
    await once(curl, 'close')
    // It names its own end of the connection.
    assert.equal(JSON.parse(seen).headers['x-real-ip'], '127.0.0.1')
  })
})
