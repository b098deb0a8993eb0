import assert from 'node:assert/strict'
import { once } from 'node:events'
import https from 'node:https'
import { after, before, test } from 'node:test'
import tls, { TLSSocket } from 'node:tls'
import { needPrograms, temporaryDirectory, until } from '#test-kit'
import { createCertificate } from '../../conformance/support/certificate.ts'
import { createAuthority, type Pair } from './authority.ts'
import { gatewaySuite, startUpstream } from './support.ts'

export const clientCertificates = gatewaySuite(
  'client certificates',
  ({ server, admin, put, send }) => {
    const port = () => Number(server().env['ENTREPOT_GATEWAY_TLS_PORT'])
    const directory = temporaryDirectory()
    let authority: ReturnType<typeof createAuthority>
    before(async () => {
      needPrograms('openssl')
      authority = createAuthority(directory)
      const { node } = await startUpstream((_request, response) => void response.end('in'))
      await put('/upstreams/up', { nodes: { [node]: 1 } })
      await put('/routes/all', { uri: '/*', upstream_id: 'up' })
      await put('/ssls/open', { sni: 'open.test', ...createCertificate(['open.test']) })
      await put('/ssls/closed', closed())
    })

    const closed = (client: object = { ca: authority.ca }) => ({
      ...{ sni: 'closed.test', client },
      ...createCertificate(['closed.test']),
    })
    /** The status of an answer; undefined when the connection ends before there is one. */
    async function ask(name: string, pair: Partial<Pair> = {}, host = name) {
      const socket = tls.connect({
        ...{ port: port(), host: '127.0.0.1', servername: name, rejectUnauthorized: false },
        ...pair,
      })
      socket.on('error', () => {})
      socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
      let seen = ''
      socket.on('data', (chunk) => {
        seen += chunk
      })
      await new Promise((resolve) => socket.once('close', resolve))
      return /^HTTP\/1\.1 (\d+)/.exec(seen)?.[1]
    }
    const refused = async (path: string, body: object) => {
      const { status, body: answer } = await admin('PUT', path, { body })
      assert.equal(status, 400, JSON.stringify(answer))
      return String(answer.error_msg)
    }

    test('gateway protocols: a name lets in whom its authority vouches for, other names are open', async () => {
      assert.equal(await ask('closed.test', authority.issue('jack')), '200')
      assert.equal(await ask('closed.test'), undefined)
      assert.equal(await ask('closed.test', createAuthority(directory).issue('jack')), undefined)
      assert.equal(await ask('closed.test', createCertificate(['jack'])), undefined)
      assert.equal(await ask('closed.test', authority.issue('late', { days: -1 })), undefined)
      assert.equal(await ask('open.test'), '200')
    })

    test('gateway protocols: such a name cannot be reached over a connection to another', async () => {
      const pair = authority.issue('jill')
      for (const given of [{}, pair]) {
        assert.equal(await ask('open.test', given, 'closed.test'), '421')
        assert.equal(await ask('open.test', given, 'CLOSED.test.:443'), '421')
      }
      assert.equal(await ask('closed.test', pair, 'open.test'), '200')
    })

    test('gateway protocols: an open connection outlives a new certificate of its name, not another authority', async () => {
      const socket = tls.connect({
        ...{ port: port(), host: '127.0.0.1', servername: 'closed.test' },
        ...{ rejectUnauthorized: false, ...authority.issue('staying') },
      })
      const again = async () => {
        socket.write('GET / HTTP/1.1\r\nHost: closed.test\r\n\r\n')
        const [answer] = await once(socket, 'data')
        return /^HTTP\/1\.1 (\d+)/.exec(String(answer))?.[1]
      }
      assert.equal(await again(), '200')
      await put('/ssls/closed', closed())
      assert.equal(await again(), '200')
      await put('/ssls/closed', closed({ ca: createAuthority(directory).ca }))
      assert.equal(await again(), '421')
      await put('/ssls/closed', closed())
      socket.destroy()
    })

    test('gateway protocols: the chain is no longer than said; another authority counts from the next connection on', async () => {
      const [one, two] = [
        authority.issue('one', { through: 1 }),
        authority.issue('two', { through: 2 }),
      ]
      assert.equal(await ask('closed.test', one), '200')
      assert.equal(await ask('closed.test', two), undefined)
      await put('/ssls/closed', closed({ ca: authority.ca, depth: 2 }))
      assert.equal(await ask('closed.test', two), '200')
      await put('/ssls/closed', closed({ ca: createAuthority(directory).ca }))
      assert.equal(await ask('closed.test', one), undefined)
    })

    test('gateway protocols: what cannot be verified by is refused at write', async () => {
      const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'
      for (const ca of ['x', broken, `${authority.ca}${broken}`, authority.issue('no').key]) {
        assert.match(await refused('/ssls/bad', closed({ ca })), /client\/ca/)
      }
      await put('/ssls/several', {
        ...{ ...closed({ ca: `# ours\n${authority.ca}\n${createAuthority(directory).ca}` }) },
        sni: 'several.test',
      })
      assert.equal(await ask('several.test', authority.issue('one-of')), '200')
      const skips = { ca: authority.ca, skip_mtls_uri_regex: ['/open'] }
      assert.match(await refused('/ssls/bad', closed(skips)), /skip_mtls_uri_regex.*not supported/)
      assert.match(await refused('/ssls/bad', closed({})), /client/)
      assert.match(await refused('/ssls/bad', { ...closed(), type: 'client' }), /of servers/)
    })

    test('gateway protocols: an upstream sees the certificate of the gateway, probes included', async () => {
      const seen: (string | undefined)[] = []
      const secure = https.createServer(
        { ...createCertificate(['127.0.0.1']), ca: authority.ca, requestCert: true },
        ({ socket }, response) => {
          if (socket instanceof TLSSocket) seen.push(String(socket.getPeerCertificate().subject.CN))
          response.end('known')
        },
      )
      secure.listen(0, '127.0.0.1')
      await once(secure, 'listening')
      after(() => {
        secure.closeAllConnections()
        secure.close()
      })
      const address = secure.address()
      const node = `127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
      const upstream = (own: object, more: object = {}) =>
        put('/upstreams/secure', {
          ...{ scheme: 'https', nodes: { [node]: 1 }, tls: { verify: false, ...own } },
          ...more,
        })
      const answer = async () => {
        const given = await send('/secure')
        return given.status === 200 ? given.text() : given.status
      }
      await upstream({})
      await put('/routes/secure', { uri: '/secure', upstream_id: 'secure' })
      assert.equal(await answer(), 502)

      const first = authority.issue('first')
      await upstream({ client_cert: first.cert, client_key: first.key })
      assert.equal(await answer(), 'known')
      await put('/ssls/shown', { type: 'client', ...authority.issue('second') })
      await upstream({ client_cert_id: 'shown' })
      assert.equal(await answer(), 'known')
      await put('/ssls/shown', { type: 'client', ...authority.issue('third') })
      assert.equal(await answer(), 'known')
      assert.deepEqual(seen, ['first', 'second', 'third'])

      const active = { type: 'https', interval: 0.1, https_verify_certificate: false }
      await upstream({ client_cert_id: 'shown' }, { checks: { active } })
      await until(() => seen.length > 6)
      assert.deepEqual(new Set(seen.slice(3)), new Set(['third']))
    })

    test('gateway protocols: keys to upstreams are kept as secrets; wrong certificates are refused', async () => {
      const { cert, key } = authority.issue('kept')
      const nodes = { '127.0.0.1:9': 1 }
      const inline = { nodes, tls: { client_cert: cert, client_key: key } }
      await put('/upstreams/kept', inline)
      await put('/routes/kept', { uri: '/kept', upstream: inline })
      const { body } = await admin('GET', '/upstreams/kept')
      assert.equal(body.value.tls.client_key, key)
      const { body: past } = await admin('GET', '/history')
      assert.doesNotMatch(JSON.stringify(past), /PRIVATE KEY/)
      const { body: masked } = await admin('GET', '/history')
      assert.equal(masked.list[0].after.upstream.tls.client_key, '******')

      const upstream = (own: object) => refused('/upstreams/bad', { nodes, tls: own })
      const { key: other } = authority.issue('other')
      assert.match(await upstream({ client_cert: cert, client_key: other }), /does not belong/)
      assert.match(await upstream({ client_cert: cert }), /client_key.*required/)
      assert.match(await upstream({ client_key: key }), /client_cert.*required/)
      assert.match(await upstream({ client_cert_id: 'none' }), /ssl \[none\] not found/)
      assert.match(await upstream({ client_cert_id: 'open' }), /not of the type client/)
      const both = { client_cert: cert, client_key: key, client_cert_id: 'shown' }
      assert.match(await upstream(both), /must not stand beside/)
      const split = { rules: [{ weighted_upstreams: [{ upstream: inline }] }] }
      const plugins = { 'traffic-split': split }
      assert.match(await refused('/routes/bad', { uri: '/bad', plugins }), /use client_cert_id/)

      await put('/upstreams/user', { nodes, tls: { client_cert_id: 'shown' } })
      const { status, body: inUse } = await admin('DELETE', '/ssls/shown')
      assert.equal(status, 400)
      assert.match(inUse.error_msg, /ssl \[shown\] is still in use by upstream/)
      assert.match(await refused('/ssls/shown', closed()), /still in use by upstream/)
    })
  },
)
