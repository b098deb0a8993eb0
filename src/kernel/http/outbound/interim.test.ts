import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createOutbound } from '../outbound.ts'
import { createAddressRule } from './private-addresses.ts'

const FINAL = 'HTTP/1.1 200 OK\r\ncontent-length: 12\r\n\r\nHTTP/1.1 100'
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n'
const HINTS = 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'

for (const [name, parts] of [
  ['at once', [CONTINUE + FINAL]],
  ['before', [CONTINUE, FINAL]],
  ['twice, with a header', [CONTINUE + CONTINUE.replace('\r\n', '\r\nx: y\r\n'), FINAL]],
  ['beside another interim answer', [HINTS + CONTINUE.slice(0, 7), CONTINUE.slice(7) + FINAL]],
  ['in pieces', [...CONTINUE, ...FINAL]],
] as const) {
  test(`webhooks finding 11: 100 Continue that nobody asked for is no failure: ${name}`, async (t) => {
    const { url, outbound } = await answering(t, parts)
    // The second one shows that the connection is still good.
    for (let n = 0; n < 2; n++) {
      const answer = await outbound.send({
        method: 'POST',
        url,
        body: '{}',
        timeoutMs: 5_000,
        maxBodyBytes: 100,
      })
      assert.ok(answer.ok, JSON.stringify(answer))
      assert.equal(answer.status, 200)
      assert.equal(answer.body.toString(), 'HTTP/1.1 100')
    }
  })
}

test('webhooks finding 11: nor behind a proxy', async (t) => {
  const { url, proxied } = await answering(t, [CONTINUE, FINAL])
  const { outbound, count } = await proxied()
  for (let n = 0; n < 2; n++) {
    const answer = await outbound.send({ method: 'POST', url, timeoutMs: 5_000, maxBodyBytes: 100 })
    assert.ok(answer.ok, JSON.stringify(answer))
    assert.equal(answer.body.toString(), 'HTTP/1.1 100')
  }
  assert.ok(count() > 0, 'nothing came through the proxy')
})

test('what begins like an answer and is none is not valid HTTP', async (t) => {
  const { url, outbound } = await answering(t, ['HTTP/1.1 1000 x\r\n\r\n'])
  const answer = await outbound.send({ method: 'POST', url, timeoutMs: 5_000, maxBodyBytes: 100 })
  assert.equal(answer.ok, false)
})

for (const parts of [['HTTP/1.1 000 x\r\n\r\n'], [...'HTTP/1.1 099 x\r\n\r\n']]) {
  test(`a status below 100 is a fault of the answer, in ${parts.length} pieces`, async (t) => {
    const { url, outbound } = await answering(t, parts)
    const request = { method: 'POST', url, timeoutMs: 5_000, maxBodyBytes: 100 }
    for (const ask of [outbound.send, outbound.open]) {
      const answer = await ask(request)
      assert.deepEqual([answer.ok, 'code' in answer && answer.code], [false, 'invalid_response'])
    }
  })
}

async function answering(t: TestContext, parts: readonly string[]) {
  const server = createServer((socket) => {
    socket.setNoDelay(true)
    socket.on('error', () => {})
    socket.on('data', () => void send(socket))
  })
  async function send(socket: Socket) {
    for (const part of parts) {
      socket.write(part)
      await turn()
    }
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const originPort = portOf(server)
  const rule = createAddressRule({ allowLoopback: true, allowNets: [] })
  const outbound = createOutbound({ rule, log: { info() {} } })
  t.after(async () => {
    await outbound.close()
    server.close()
  })
  return { url: `http://127.0.0.1:${originPort}/`, outbound, proxied }

  /** A client whose requests go through a proxy, and how many connections that has seen. */
  async function proxied() {
    let seen = 0
    const proxy = createServer((socket) => {
      seen++
      const behind = connect(originPort, '127.0.0.1')
      socket.once('data', (first) => {
        // A tunnel is confirmed; any other request is passed on as it is.
        if (first.toString('latin1').startsWith('CONNECT ')) {
          socket.write('HTTP/1.1 200 Connected\r\n\r\n')
        } else behind.write(first)
        socket.pipe(behind).pipe(socket)
      })
      for (const end of [socket, behind]) end.on('error', () => {})
    })
    proxy.listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    const through = createOutbound({
      rule,
      log: { info() {} },
      proxyUrl: `http://127.0.0.1:${portOf(proxy)}`,
    })
    t.after(async () => {
      await through.close()
      proxy.close()
    })
    return { outbound: through, count: () => seen }
  }
}

function portOf(server: Server): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}
