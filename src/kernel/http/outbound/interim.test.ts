import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createAddressRule } from '../addresses.ts'
import { createOutbound } from '../outbound.ts'

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

test('what begins like an answer and is none is not valid HTTP', async (t) => {
  const { url, outbound } = await answering(t, ['HTTP/1.1 1000 x\r\n\r\n'])
  const answer = await outbound.send({ method: 'POST', url, timeoutMs: 5_000, maxBodyBytes: 100 })
  assert.equal(answer.ok, false)
})

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
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const rule = createAddressRule({ allowLoopback: true, allowNets: [] })
  const outbound = createOutbound({ rule, log: { info() {} } })
  t.after(async () => {
    await outbound.close()
    server.close()
  })
  return { url: `http://127.0.0.1:${address.port}/`, outbound }
}
