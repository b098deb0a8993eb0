import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { createDiscovery } from './discovery.ts'

interface Srv {
  readonly priority: number
  readonly weight: number
  readonly port: number
  readonly target: string
}

const QUIET = { debug() {}, info() {}, warn() {}, error() {} }

/** A name server that knows the records of one service. */
async function nameServer(t: TestContext, records: Srv[]): Promise<Resolver> {
  const socket = createSocket('udp4')
  socket.on('message', (query, { port, address }) => {
    const question = query.subarray(12)
    const end = question.indexOf(0) + 5
    const head = Buffer.from(query.subarray(0, 12))
    head.writeUInt16BE(0x8180, 2)
    head.writeUInt16BE(records.length, 6)
    head.writeUInt16BE(0, 10)
    const answers = records.map(toAnswer)
    socket.send(Buffer.concat([head, question.subarray(0, end), ...answers]), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  t.after(() => socket.close())
  const resolver = new Resolver({ timeout: 2_000, tries: 2 })
  resolver.setServers([`127.0.0.1:${socket.address().port}`])
  return resolver
}

function toAnswer({ priority, weight, port, target }: Srv): Buffer {
  const labels = target
    .split('.')
    .map((label) => Buffer.from([label.length, ...Buffer.from(label)]))
  const name = Buffer.concat([...labels, Buffer.from([0])])
  const fixed = Buffer.alloc(18)
  fixed.writeUInt16BE(0xc00c, 0)
  fixed.writeUInt16BE(33, 2)
  fixed.writeUInt16BE(1, 4)
  fixed.writeUInt32BE(60, 6)
  fixed.writeUInt16BE(6 + name.length, 10)
  for (const [at, value] of [priority, weight, port].entries())
    fixed.writeUInt16BE(value, 12 + at * 2)
  return Buffer.concat([fixed, name])
}

const SERVICE = { service_name: '_http._tcp.shop.example', discovery_type: 'dns' }

test('the records of a service are nodes with port, weight and priority', async (t) => {
  const resolver = await nameServer(t, [
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
  const resolver = await nameServer(t, records)
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
