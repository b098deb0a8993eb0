import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { createAddressRule, createOutbound } from '#http'
import { random } from '#kernel'
import { directWay } from '../engine/proxies.ts'
import { openPageProxy, type PageProxy } from './page-proxy.ts'

const ALLOWED = '127.0.0.5'
const REFUSED = '127.0.0.6'
const target = createServer((_, response) => response.end('reached'))
let resolved: string[] = []
let answers: readonly string[] = []
const outbound = createOutbound({
  rule: createAddressRule({ allowLoopback: false, allowNets: [`${ALLOWED}/32`] }),
  log: { info: () => {} },
  async resolve(name) {
    resolved.push(name)
    const [first = ALLOWED, ...rest] = answers
    answers = rest
    return [first]
  },
})
let proxy: PageProxy
let port = 0

before(async () => {
  target.listen(0, '0.0.0.0')
  await once(target, 'listening')
  const address = target.address()
  port = typeof address === 'object' && address ? address.port : 0
  const way = directWay(outbound)
  proxy = await openPageProxy({ way, random, timeoutMs: 5_000, maxBytes: 1_000_000 })
})

after(async () => {
  proxy.close()
  await outbound.close()
  target.closeAllConnections()
  target.close()
})

test('scrapers 13: a tunnel leads to the address that was checked, whatever the name says next', async () => {
  resolved = []
  answers = [ALLOWED, REFUSED]
  assert.equal(await tunnelTo(`rebinding.example:${port}`), 200)
  assert.deepEqual(resolved, ['rebinding.example'])
  assert.equal(await tunnelTo(`rebinding.example:${port}`), 403)
  assert.deepEqual(proxy.notes(), ['1 requests of the page went to addresses not allowed'])
})

test('scrapers 13: requests without a tunnel are checked alike', async () => {
  // A new name for each, because a connection that was checked may be used again.
  answers = [ALLOWED, REFUSED]
  assert.equal(await askFor(`http://one.example:${port}/`), 200)
  assert.equal(await askFor(`http://two.example:${port}/`), 403)
  assert.equal(await askFor(`http://${REFUSED}:${port}/`), 403)
})

test('scrapers 13: nobody else on the machine can use the proxy of a page', async () => {
  resolved = []
  assert.equal(await tunnelTo(`one.example:${port}`, 'Basic cGFnZTp4'), 407)
  assert.equal(await askFor(`http://one.example:${port}/`, 'Basic cGFnZTp4'), 407)
  assert.deepEqual(resolved, [])
})

function ours(): string {
  const { username, password } = proxy.settings
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}

async function tunnelTo(authority: string, credentials = ours()): Promise<number | undefined> {
  const asking = request(proxy.settings.server, {
    ...{ method: 'CONNECT', path: authority, agent: false },
    headers: { 'proxy-authorization': credentials },
  })
  asking.end()
  const [answer, socket]: [IncomingMessage, Socket] = await new Promise((resolve) =>
    asking.once('connect', (...heard) => resolve([heard[0], heard[1]])),
  )
  socket.destroy()
  return answer.statusCode
}

async function askFor(url: string, credentials = ours()): Promise<number | undefined> {
  const asking = request(proxy.settings.server, {
    ...{ path: url, agent: false },
    headers: { 'proxy-authorization': credentials },
  })
  asking.end()
  const answer = await new Promise<IncomingMessage>((resolve) => asking.once('response', resolve))
  answer.resume()
  return answer.statusCode
}
