import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import net from 'node:net'
import { before, test } from 'node:test'
import tls from 'node:tls'
import { needPrograms } from '#test-kit'
import { createCertificate } from '../../conformance/support/certificate.ts'
import { gatewaySuite, sendRaw, startUpstream } from './support.ts'

const VERSIONS = { 'TLSv1.1': '-tls1_1', 'TLSv1.2': '-tls1_2', 'TLSv1.3': '-tls1_3' }
/** RFC 8446 §6.2. */
const PROTOCOL_VERSION = 70
const UNRECOGNISED_NAME = 112

export const encryption = gatewaySuite('TLS', ({ server, put, admin, send }) => {
  const port = () => Number(server().env['ENTREPOT_GATEWAY_TLS_PORT'])
  before(async () => {
    needPrograms('openssl')
    const { node } = await startUpstream((_request, response) => void response.end('ok'))
    await put('/upstreams/up', { nodes: { [node]: 1 } })
    await put('/routes/all', { uri: '/*', upstream_id: 'up' })
    await put('/ssls/both', { sni: 'both.test', ...createCertificate(['both.test']) })
    await put('/ssls/wild', { snis: ['*.wild.test'], ...createCertificate(['*.wild.test']) })
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
      const name = `only-${version.slice(4).replace('.', '-')}.test`
      const pair = createCertificate([name])
      await put(`/ssls/${name}`, { sni: name, ssl_protocols: [version], ...pair })
    }
  })

  test('gateway finding 7: ssl_protocols hold for each name', async () => {
    const permitted = {
      'both.test': ['TLSv1.2', 'TLSv1.3'],
      'only-1-2.test': ['TLSv1.2'],
      'only-1-3.test': ['TLSv1.3'],
    }
    for (const [name, versions] of Object.entries(permitted)) {
      for (const [version, option] of Object.entries(VERSIONS)) {
        const { protocol, alert } = await handshake(name, option)
        const expected = versions.includes(version) ? [version, null] : [null, PROTOCOL_VERSION]
        assert.deepEqual([protocol, alert], expected, `${name} with ${version}`)
      }
    }
    // What a certificate permits changes with the next connection.
    const pair = createCertificate(['only-1-2.test'])
    await put('/ssls/only-1-2.test', { sni: 'only-1-2.test', ssl_protocols: ['TLSv1.3'], ...pair })
    assert.equal((await handshake('only-1-2.test', '-tls1_2')).alert, PROTOCOL_VERSION)
    assert.equal((await handshake('only-1-2.test', '-tls1_3')).protocol, 'TLSv1.3')
  })

  test('gateway 8: a certificate that no handshake can use is refused, the one in its place stays', async () => {
    const pair = createCertificate(['both.test'])
    const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'
    for (const certs of [{ cert: `${pair.cert}\n${broken}`, key: pair.key }, weakPair()]) {
      const body = { sni: 'both.test', ...certs }
      const { status, body: answer } = await admin('PUT', '/ssls/both', { body })
      assert.equal(status, 400)
      assert.match(answer.error_msg, /cannot be used: (wrong tag|ee key too small)/)
      assert.equal((await handshake('both.test')).protocol, 'TLSv1.3')
    }
  })

  test('gateway finding 14: a final dot and capitals name the same, one label is a wildcard', async () => {
    for (const name of ['both.test.', 'BOTH.test', 'a.wild.test', 'a.wild.test.']) {
      assert.equal((await handshake(name)).protocol, 'TLSv1.3', name)
    }
  })

  test('gateway finding 14: an unknown name ends with an alert, and so does none', async () => {
    for (const name of ['unknown.test', 'a.b.wild.test', 'wild.test', null]) {
      for (const option of ['-tls1_2', '-tls1_3']) {
        const { protocol, alert } = await handshake(name, option)
        assert.deepEqual([protocol, alert], [null, UNRECOGNISED_NAME], String(name))
      }
    }
  })

  test('gateway finding 14: a client that speaks plain HTTP here is told so; bytes of no kind do no harm', async () => {
    const address = `http://127.0.0.1:${port()}`
    const told = await sendRaw(address, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n', 5_000)
    assert.match(told, /^HTTP\/1\.1 400 .*this port speaks TLS/s)
    for (const bytes of [
      [0],
      [22, 3, 1, 1, 0, 9],
      [22, 3, 1, 0, 4, 1, 255, 255, 255],
      [128, 46, 1],
    ]) {
      const answer = await sendRaw(address, Buffer.from(bytes), 5_000)
      assert.equal(answer.charCodeAt(0), 21, 'an alert')
    }
    assert.equal((await handshake('both.test')).protocol, 'TLSv1.3')
  })

  test('gateway finding 14: a hello that comes byte by byte, and what follows at once, are served', async () => {
    const slow = net.connect(port(), '127.0.0.1').setNoDelay(true)
    await once(slow, 'connect')
    const through = net.createServer((socket) => {
      socket.on('data', async (chunk: Buffer) => {
        socket.pause()
        for (const byte of chunk) await new Promise((done) => slow.write(Buffer.from([byte]), done))
        socket.resume()
      })
      slow.pipe(socket)
    })
    await new Promise<void>((resolve) => through.listen(0, '127.0.0.1', resolve))
    const address = through.address()
    const client = tls.connect({
      port: typeof address === 'object' ? (address?.port ?? 0) : 0,
      servername: 'both.test',
      rejectUnauthorized: false,
    })
    client.write('GET /slow HTTP/1.1\r\nHost: both.test\r\nConnection: close\r\n\r\n')
    let seen = ''
    for await (const chunk of client) seen += chunk
    through.close()
    assert.match(seen, /^HTTP\/1\.1 200 /)
  })

  test('gateway finding 14: http_to_https leads to the TLS port', async () => {
    const plugins = { redirect: { http_to_https: true } }
    await put('/routes/secure', { uri: '/secure', upstream_id: 'up', plugins })
    const answer = await send('/secure?a=b', { headers: { host: 'both.test:1' } })
    assert.equal(answer.status, 301)
    assert.match(
      answer.headers.get('location') ?? '',
      new RegExp(`^https://.*:${port()}/secure\\?a=b$`),
    )
    await put('/routes/secure', { uri: '/secure', upstream_id: 'up' })
  })

  test('gateway finding 14: the first certificate without names is for all names without one', async () => {
    await put('/ssls/z-first', createCertificate(['first.test']))
    await put('/ssls/a-second', createCertificate(['second.test']))
    for (const name of ['unknown.test', null]) {
      assert.equal((await handshake(name)).certificate, 'DNS:first.test')
    }
    assert.equal((await handshake('both.test')).certificate, 'DNS:both.test')
    await admin('DELETE', '/ssls/z-first')
    assert.equal((await handshake('unknown.test')).certificate, 'DNS:second.test')
    await admin('DELETE', '/ssls/a-second')
    assert.equal((await handshake('unknown.test')).alert, UNRECOGNISED_NAME)
  })

  test('gateway finding 14: without one the default certificate of the settings is', async () => {
    const { env, signal, restart } = server()
    const pair = JSON.stringify(createCertificate(['default.test']))
    // The next start reads it.
    Reflect.set(env, 'ENTREPOT_GATEWAY_DEFAULT_CERTIFICATE', pair)
    signal('SIGTERM')
    await restart()
    for (const name of ['unknown.test', null]) {
      assert.equal((await handshake(name)).certificate, 'DNS:default.test')
    }
    assert.equal((await handshake('both.test')).certificate, 'DNS:both.test')
    await put('/ssls/own', createCertificate(['own.test']))
    assert.equal((await handshake('unknown.test')).certificate, 'DNS:own.test')
  })

  /** As OpenSSL sees it: the version that was agreed on, or the alert that ended it. */
  async function handshake(name: string | null, version = '-tls1_3') {
    const options = ['-connect', `127.0.0.1:${port()}`, version, '-cipher', 'DEFAULT@SECLEVEL=0']
    const naming = name === null ? ['-noservername'] : ['-servername', name]
    const client = spawn('openssl', ['s_client', ...options, ...naming])
    client.stdin.end()
    let output = ''
    for (const stream of [client.stdout, client.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk
      })
    }
    await once(client, 'close')
    const alert = /SSL alert number (\d+)/.exec(output)?.[1]
    const pem = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/.exec(output)?.[0]
    return {
      alert: alert === undefined ? null : Number(alert),
      protocol: alert === undefined ? (/New, (TLSv1\.\d)/.exec(output)?.[1] ?? null) : null,
      certificate: pem === undefined ? null : new X509Certificate(pem).subjectAltName,
    }
  }
})

/** Shorter than OpenSSL takes in a handshake. */
function weakPair() {
  const made = [
    '-newkey',
    'rsa:1024',
    '-nodes',
    '-subj',
    '/CN=both.test',
    '-keyout',
    '-',
    '-out',
    '-',
  ]
  const text = execFileSync('openssl', ['req', '-x509', ...made], {
    ...{ encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
  })
  const at = text.indexOf('-----BEGIN CERTIFICATE-----')
  return { key: text.slice(0, at), cert: text.slice(at) }
}
