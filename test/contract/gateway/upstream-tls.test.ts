import assert from 'node:assert/strict'
import { once } from 'node:events'
import https from 'node:https'
import { after, before, describe, test } from 'node:test'
import { TLSSocket } from 'node:tls'
import { needPrograms, temporaryDirectory, until } from '#test-kit'
import { createAuthority, type Pair } from './authority.ts'
import { gatewayServer } from './support.ts'

/** What a node was asked for: the name of the handshake, or false, and the Host header. */
type Seen = readonly [unknown, string | undefined]

needPrograms('openssl')
const authority = createAuthority(temporaryDirectory())
const named = authority.issue('named', { names: 'DNS:inner.test' })
const local = authority.issue('local', { names: 'DNS:localhost' })
const six = authority.issue('six', { names: 'IP:::1' })
const late = authority.issue('late', { names: 'IP:127.0.0.1', days: -1 })
const active = { interval: 0.1, healthy: { successes: 1 }, unhealthy: { tcp_failures: 1 } }

describe('gateway, TLS to upstreams', () => {
  const trusting = { NODE_EXTRA_CA_CERTS: authority.caFile }
  const { put, send, admin } = gatewayServer('sqlite', trusting)
  before(() => put('/routes/all', { uri: '/*', upstream: { nodes: {} } }))

  async function ask(upstream: object): Promise<number> {
    await put('/routes/all', { uri: '/*', upstream: { scheme: 'https', ...upstream } })
    return (await send('/asked')).status
  }

  test('gateway 17: a node at an IPv6 address is verified by its address and named by none', async () => {
    const { port, seen } = await startSecure(six, '::1')
    assert.equal(await ask({ nodes: { [`[::1]:${port}`]: 1 } }), 200)
    assert.equal(await ask({ nodes: [{ host: '[::1]', port, weight: 1 }], pass_host: 'node' }), 200)
    const rewritten = { pass_host: 'rewrite', upstream_host: '[::1]:1' }
    assert.equal(await ask({ nodes: { [`[::1]:${port}`]: 1 }, ...rewritten }), 200)
    assert.deepEqual(
      seen.map(([name]) => name),
      [false, false, false],
    )
    assert.equal(seen[1]?.[1], `[::1]:${port}`)
  })

  test('gateway 17: nodes that were found by name are verified by that name', async () => {
    const { port, seen } = await startSecure(local)
    const found = { service_name: `localhost:${port}`, discovery_type: 'dns' }
    assert.equal(await ask(found), 200)
    assert.equal(seen[0]?.[0], 'localhost')
  })

  test('gateway 17: an expired certificate is refused, unless nobody verifies', async () => {
    const { port, seen } = await startSecure(late)
    const nodes = { [`127.0.0.1:${port}`]: 1 }
    assert.equal(await ask({ nodes }), 502)
    assert.equal(seen.length, 0)
    assert.equal(await ask({ nodes, tls: { verify: false } }), 200)
  })

  test('gateway 20: probes over TLS name and verify a node as requests do', async () => {
    const { port, seen } = await startSecure(named)
    const rewritten = { pass_host: 'rewrite', upstream_host: 'inner.test' }
    const upstream = { scheme: 'https', nodes: { [`127.0.0.1:${port}`]: 1 }, ...rewritten }
    await put('/upstreams/probed', { ...upstream, checks: { active } })
    await until(() => seen.length > 2)
    assert.deepEqual(new Set(seen.map(String)), new Set(['inner.test,inner.test']))
    assert.equal((await nodeOf('probed')).status, 'healthy')

    // Another Host for probes is no other certificate.
    await put('/upstreams/probed', {
      ...upstream,
      checks: { active: { ...active, host: 'up.test' } },
    })
    await until(() => seen.at(-1)?.[1] === 'up.test')
    assert.equal(seen.at(-1)?.[0], 'inner.test')
    await put('/upstreams/probed', { ...upstream, pass_host: 'pass', checks: { active } })
    await until(async () => (await nodeOf('probed')).status === 'unhealthy')
  })

  async function nodeOf(id: string) {
    const { body } = await admin('GET', `/gateway/control/v1/healthcheck/upstreams/${id}`)
    return body.nodes[0]
  }
})

describe('gateway, upstreams that nobody verifies', () => {
  const { put, admin } = gatewayServer('sqlite', { ENTREPOT_GATEWAY_UPSTREAM_TLS_VERIFY: 'false' })

  test('gateway 20: the default of tls.verify holds for probes too', async () => {
    const { port } = await startSecure(named)
    const nodes = { [`127.0.0.1:${port}`]: 1 }
    await put('/upstreams/lax', { scheme: 'https', nodes, checks: { active } })
    await put('/upstreams/strict', {
      ...{ scheme: 'https', nodes, tls: { verify: true }, checks: { active } },
    })
    const counters = async (id: string) => {
      const { body } = await admin('GET', `/gateway/control/v1/healthcheck/upstreams/${id}`)
      return body.nodes[0].counter
    }
    await until(async () => (await counters('lax')).success > 0)
    await until(async () => (await counters('strict')).tcp_failure > 0)
  })
})

async function startSecure(pair: Pair, host = '127.0.0.1') {
  const seen: Seen[] = []
  const server = https.createServer(pair, ({ socket, headers }, response) => {
    seen.push([socket instanceof TLSSocket && Reflect.get(socket, 'servername'), headers.host])
    response.end('ok')
  })
  server.listen(0, host)
  await once(server, 'listening')
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return { port: typeof address === 'object' ? (address?.port ?? 0) : 0, seen }
}
