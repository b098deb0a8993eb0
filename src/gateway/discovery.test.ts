import assert from 'node:assert/strict'
import { Resolver } from 'node:dns/promises'
import { test } from 'node:test'
import { type Srv, startNameServer } from '#test-kit'
import { createDiscovery } from './discovery.ts'

const QUIET = { debug() {}, info() {}, warn() {}, error() {} }

/** Asks a name server that knows the records of one service. */
async function resolverOf(records: readonly Srv[]): Promise<Resolver> {
  const { port } = await startNameServer(records)
  const resolver = new Resolver({ timeout: 2_000, tries: 2 })
  resolver.setServers([`127.0.0.1:${port}`])
  return resolver
}

const SERVICE = { service_name: '_http._tcp.shop.example', discovery_type: 'dns' }

test('the records of a service are nodes with port, weight and priority', async (t) => {
  const resolver = await resolverOf([
    { priority: 10, weight: 3, port: 8080, target: 'a.example' },
    { priority: 10, weight: 0, port: 8081, target: 'b.example' },
    { priority: 20, weight: 1, port: 8082, target: 'c.example' },
  ])
  const discovery = createDiscovery({ log: QUIET as never, onChange() {}, resolver })
  t.after(discovery.close)
  await discovery.follow('upstreams/1', SERVICE)
  assert.deepEqual(discovery.nodesOf('upstreams/1'), [
    { host: 'a.example', port: 8080, weight: 3, priority: -10 },
    { host: 'b.example', port: 8081, weight: 1, priority: -10 },
    { host: 'c.example', port: 8082, weight: 1, priority: -20 },
  ])
})

test('a service is asked for again, and its new nodes are told', async (t) => {
  const records = [{ priority: 1, weight: 1, port: 80, target: 'a.example' }]
  const resolver = await resolverOf(records)
  const { promise, resolve } = Promise.withResolvers<string>()
  const discovery = createDiscovery({ log: QUIET as never, onChange: resolve, resolver })
  t.after(discovery.close)
  await discovery.follow('upstreams/1', SERVICE)
  records[0] = { priority: 1, weight: 1, port: 81, target: 'a.example' }
  const keepsAlive = setTimeout(() => {}, 20_000)
  assert.equal(await promise, 'upstreams/1')
  clearTimeout(keepsAlive)
  assert.equal(discovery.nodesOf('upstreams/1')?.[0]?.port, 81)
})
