import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { until } from '#test-kit'
import {
  createEventStreams,
  type EventStream,
  type EventStreamSettings,
  startHttp,
} from '../../conformance/support/http-server.ts'

async function start(t: TestContext, settings: EventStreamSettings = {}) {
  const streams = createEventStreams(settings)
  const opened: EventStream[] = []
  let closed = 0
  const server = await startHttp(t, {
    plugin: (app) => {
      app.addHook('preClose', async () => streams.closeAll())
      app.get('/events', (request, reply) => {
        const stream = streams.open(request, reply, {
          lastId: 10,
          onClose: () => closed++,
          onShutdown: (each) => each.send('end', { reason: 'shutdown' }),
        })
        stream.send('usage', { today: 1 })
        opened.push(stream)
        return reply
      })
    },
  })
  return { ...server, streams, opened, closed: () => closed }
}

/** A reader that collects the text of the stream. */
async function connect(url: string) {
  const answer = await fetch(`${url}/api/v1/events`, { headers: { 'accept-encoding': 'gzip, br' } })
  let text = ''
  const done = (async () => {
    const decoder = new TextDecoder()
    for await (const chunk of answer.body ?? []) text += decoder.decode(chunk, { stream: true })
  })()
  return { answer, done, text: () => text }
}

test('a stream starts with the retry time and goes on with numbered events, uncompressed', async (t) => {
  const { url, opened, requests } = await start(t)
  const client = await connect(url)
  const { headers } = client.answer
  assert.equal(headers.get('content-type'), 'text/event-stream; charset=utf-8')
  assert.equal(headers.get('cache-control'), 'no-store')
  assert.equal(headers.get('x-accel-buffering'), 'no')
  assert.equal(headers.get('content-encoding'), null)
  assert.equal(headers.get('access-control-allow-origin'), '*')
  assert.ok(headers.get('x-request-id'))
  const [stream] = await until(() => opened.length === 1 && opened)
  stream?.send('note', { text: 'line\nbreak' })
  stream?.send('note', 'x', 40)
  stream?.send('note', 'y')
  stream?.end()
  await client.done
  assert.equal(
    client.text(),
    'retry: 3000\n\n' +
      'id: 11\nevent: usage\ndata: {"today":1}\n\n' +
      'id: 12\nevent: note\ndata: {"text":"line\\nbreak"}\n\n' +
      'id: 40\nevent: note\ndata: "x"\n\n' +
      'id: 41\nevent: note\ndata: "y"\n\n',
  )
  assert.equal(stream?.send('late', {}), false)
  const [line] = await until(() => requests().length === 1 && requests())
  assert.equal(line?.['status'], 200)
})

test('a silent stream is kept alive by pings', async (t) => {
  const { url } = await start(t, { pingMs: 20 })
  const client = await connect(url)
  await until(() => client.text().split(': ping\n\n').length > 3)
})

test('a client that leaves is forgotten, and that is no aborted request', async (t) => {
  const { port, streams, closed, requests } = await start(t)
  const socket = net.connect(port, '127.0.0.1')
  socket.write('GET /api/v1/events HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(socket, 'data')
  assert.equal(streams.size, 1)
  socket.destroy()
  await until(() => closed() === 1)
  assert.equal(streams.size, 0)
  const [line] = await until(() => requests().length === 1 && requests())
  assert.equal(line?.['status'], 200)
})

test('a client that stops reading is dropped after the backlog and not kept in memory', async (t) => {
  const { port, opened, streams, closed } = await start(t)
  const socket = net.connect(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write('GET /api/v1/events HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(socket, 'data')
  socket.pause()
  const [stream] = opened
  assert.ok(stream)
  const event = 'x'.repeat(8 * 1024)
  // The kernel's own buffers take some megabytes before anything waits in this process.
  await until(() => {
    for (let i = 0; i < 50 && stream.send('fill', event); i++);
    return !stream.isOpen
  })
  await until(() => closed() === 1)
  assert.equal(streams.size, 0)
  socket.destroy()
})

test('a burst larger than the backlog reaches a client that reads', async (t) => {
  const { url, opened } = await start(t)
  const client = await connect(url)
  const [stream] = await until(() => opened.length === 1 && opened)
  for (let i = 0; i < 50; i++) stream?.send('fill', 'x'.repeat(8 * 1024))
  stream?.send('last', {})
  await until(() => client.text().includes('event: last'))
  assert.equal(stream?.isOpen, true)
})

test('streams hear the end before the server stops, and it stops at once', async (t) => {
  const { url, app, streams } = await start(t)
  const clients = await Promise.all([connect(url), connect(url)])
  await until(() => streams.size === 2)
  await app.close()
  for (const client of clients) {
    await client.done
    assert.match(client.text(), /event: end\ndata: {"reason":"shutdown"}\n\n$/)
  }
})

test('HEAD of a stream has its headers and ends', async (t) => {
  const { fetch, streams } = await start(t)
  const answer = await fetch('/api/v1/events', { method: 'HEAD' })
  assert.equal(answer.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  await until(() => streams.size === 0)
})
