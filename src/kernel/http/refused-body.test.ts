import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import type { FastifyReply } from 'fastify'
import { passOverBody } from './refused-body.ts'

const LENGTH = 3_000_000
/** Longer than the rest of any body is waited for. */
const LONG_MS = 60_000

test('operation: a connection on which a body was refused outlives the wait for its rest', async (t) => {
  const { port } = await listen(t)
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const socket = connect(port)
  socket.write(`POST /refused HTTP/1.1\r\nhost: x\r\ncontent-length: ${LENGTH}\r\n\r\n`)
  socket.write('x'.repeat(LENGTH))
  const [first] = await once(socket, 'data')
  assert.match(`${first}`, /^HTTP\/1\.1 413 /)
  socket.write('GET /next HTTP/1.1\r\nhost: x\r\n\r\n')
  const [second] = await once(socket, 'data')
  assert.match(`${second}`, /^HTTP\/1\.1 200 /)
  t.mock.timers.tick(LONG_MS)
  socket.write('GET /last HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
  assert.match(await text(socket), /^HTTP\/1\.1 200 /)
})

test('operation: a client that never sends the rest of a refused body is let go', async (t) => {
  const { port, server } = await listen(t)
  t.mock.timers.enable({ apis: ['setTimeout'] })
  for (const connection of ['keep-alive', 'close']) {
    const socket = connect({ port, allowHalfOpen: true })
    const [accepted]: Socket[] = await once(server, 'connection')
    assert.ok(accepted)
    const closed = once(accepted, 'close')
    socket.write(
      `POST /refused HTTP/1.1\r\nhost: x\r\nconnection: ${connection}\r\ncontent-length: ${LENGTH}\r\n\r\nx`,
    )
    const [answer] = await once(socket, 'data')
    assert.match(`${answer}`, /^HTTP\/1\.1 413 /)
    // The rest begins to be read after the answer.
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve))
    assert.equal(accepted.closed, false)
    t.mock.timers.tick(LONG_MS)
    await closed
    socket.destroy()
  }
})

async function listen(t: { after(work: () => void): void }) {
  const server = createServer((request, response) => {
    if (request.url !== '/refused') return void response.end('ok')
    response.statusCode = 413
    const reply = {
      ...{ statusCode: 413, raw: response },
      removeHeader: (name: string) => response.removeHeader(name),
    }
    passOverBody(request, reply as unknown as FastifyReply)
    response.end('too large')
  })
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  server.listen(0)
  await once(server, 'listening')
  return { server, port: (server.address() as AddressInfo).port }
}
