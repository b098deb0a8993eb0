import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import net from 'node:net'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { drainServer } from './drain.ts'

const REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'

/** A server that drains, and a connection that has had one answer before. */
async function draining() {
  const server = createServer((_request, response) => response.end('answer'))
  const drain = drainServer(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  assert.ok(address !== null && typeof address === 'object')
  const socket = net.connect(address.port, '127.0.0.1')
  const closed = once(socket, 'close')
  let seen = ''
  socket.setEncoding('utf8').on('data', (text) => {
    seen += text
  })
  socket.on('error', () => {})
  socket.write(REQUEST)
  await once(socket, 'data')
  const startedMs = performance.now()
  const cut = drain(10_000)
  return {
    startedMs,
    socket,
    cut,
    closed,
    answers: () => seen.match(/answer/g)?.length ?? 0,
    seen: () => seen,
  }
}

function block(ms: number) {
  const endMs = performance.now() + ms
  while (performance.now() < endMs);
}

test('an idle connection is closed, and none had to be cut', async () => {
  const { cut, closed, answers } = await draining()
  await closed
  assert.equal(answers(), 1)
  assert.equal(await cut, 0)
})

test('a request that came while the thread was busy is answered, and says that it was the last', async () => {
  const { startedMs, socket, cut, closed, answers, seen } = await draining()
  // Long before the sweep, for a machine that gives this process its time late.
  await delay(100)
  // Behind the sockets, so that the timer of the sweep comes first when the thread is free again.
  await new Promise((resolve) => setImmediate(resolve))
  socket.write(REQUEST)
  block(startedMs + 275 - performance.now())
  await closed
  assert.equal(answers(), 2)
  assert.match(seen(), /connection: close\r\n/i)
  assert.equal(await cut, 0)
})

test('where nobody got time a client gets it again before its connection is closed', async () => {
  const { socket, cut, closed, answers } = await draining()
  await delay(200)
  block(300)
  await delay(100)
  socket.write(REQUEST)
  await closed
  assert.equal(answers(), 2)
  assert.equal(await cut, 0)
})
