import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener, request } from 'node:http'
import net from 'node:net'
import { PassThrough, pipeline } from 'node:stream'
import { after, test } from 'node:test'
import { until } from '#test-kit'
import {
  endAfter,
  holdAnswer,
  holdLastChunk,
  type RecordAnswer,
} from '../../src/kernel/journal/held-answer.ts'

test('a whole answer leaves after its record, with the status it had', async () => {
  const seen: number[] = []
  const { get } = await serve((_req, res) => {
    res.statusCode = 201
    endAfter(res, 'made', (status) => {
      assert.equal(res.headersSent, false)
      seen.push(status)
      return true
    })
  })
  assert.deepEqual(await get(), { status: 201, body: 'made' })
  assert.deepEqual(seen, [201])
})

test('an answer without room for its record is not sent; the caller answers instead', async () => {
  const { get } = await serve((_req, res) => {
    if (!endAfter(res, 'secret', () => false)) res.writeHead(503).end()
  })
  assert.deepEqual(await get(), { status: 503, body: '' })
})

test('a client that left before the answer is recorded with 499', async () => {
  const seen: number[] = []
  const { port } = await serve((_req, res) => {
    res.once('close', () => endAfter(res, 'late', record(seen)))
  })
  await leaveAtOnce(port)
  await until(() => seen.length > 0)
  assert.deepEqual(seen, [499])
})

test('a streamed body is not delayed, only its end is held', async () => {
  const seen: number[] = []
  const finish = Promise.withResolvers<void>()
  const { port } = await serve(async (_req, res) => {
    const answer = holdAnswer(res, { record: record(seen) })
    answer.write(Buffer.from('first'))
    await finish.promise
    answer.end()
  })
  const { socket, text } = openRaw(port)
  await until(() => text().includes('first'))
  assert.deepEqual(seen, [])
  finish.resolve()
  await until(() => text().endsWith('0\r\n\r\n'))
  assert.deepEqual(seen, [200])
  socket.destroy()
})

for (const way of ['holdAnswer', 'holdLastChunk'] as const) {
  test(`${way}: with a declared length the last byte waits for the record`, async () => {
    const { port } = await serve((_req, res) => {
      res.writeHead(200, { 'content-length': 10 })
      const body = { length: 10, record: () => false }
      if (way === 'holdAnswer') {
        const answer = holdAnswer(res, body)
        for (const piece of ['01234', '567', '89']) answer.write(Buffer.from(piece))
        answer.end()
      } else {
        const source = new PassThrough()
        pipeline(source, holdLastChunk(res, body), res, () => {})
        for (const piece of ['01234', '567', '89']) source.write(piece)
        source.end()
      }
    })
    const { socket, text } = openRaw(port)
    await once(socket, 'close')
    assert.ok(!text().includes('89'), text())
  })
}

test('holdLastChunk: a piped body is recorded once, before its end', async () => {
  const seen: number[] = []
  const { get } = await serve((_req, res) => {
    res.statusCode = 206
    const source = new PassThrough()
    pipeline(source, holdLastChunk(res, { record: record(seen) }), res, () => {})
    source.write('some ')
    setImmediate(() => source.end('thing'))
  })
  assert.deepEqual(await get(), { status: 206, body: 'some thing' })
  assert.deepEqual(seen, [206])
})

test('a body that the client does not wait for is recorded once, with 499', async () => {
  const seen: number[] = []
  const { port } = await serve((req, res) => {
    const source = new PassThrough()
    const body = { record: record(seen) }
    if (req.url === '/piped') pipeline(source, holdLastChunk(res, body), res, () => {})
    else {
      const answer = holdAnswer(res, body)
      source.on('data', (chunk) => answer.write(chunk))
      source.on('end', () => answer.end())
      res.once('close', () => source.end('rest'))
    }
    source.write('first')
  })
  for (const [at, path] of ['/piped', '/written'].entries()) {
    const { socket, text } = openRaw(port, path)
    await until(() => text().includes('first'))
    socket.destroy()
    await until(() => seen.length > at)
  }
  assert.deepEqual(seen, [499, 499])
})

test('a body that breaks off is never ended cleanly and keeps the status that was sent', async () => {
  const seen: number[] = []
  const { port } = await serve((req, res) => {
    const body = { record: record(seen) }
    if (req.url === '/piped') {
      const source = new PassThrough()
      pipeline(source, holdLastChunk(res, body), res, () => {})
      source.write('half')
      setImmediate(() => source.destroy(new Error('upstream broke')))
      return
    }
    const answer = holdAnswer(res, body)
    answer.write(Buffer.from('half'))
    setImmediate(() => answer.breakOff())
  })
  for (const path of ['/piped', '/written']) {
    const { socket, text } = openRaw(port, path)
    await once(socket, 'close')
    assert.ok(!text().endsWith('0\r\n\r\n'))
  }
  assert.deepEqual(seen, [200, 200])
})

function record(seen: number[]): RecordAnswer {
  return (status) => {
    seen.push(status)
    return true
  }
}

async function serve(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (typeof address !== 'object' || !address) throw new Error('no port')
  const { port } = address
  return { port, get: () => get(port) }
}

async function get(port: number): Promise<{ status: number | undefined; body: string }> {
  const sent = request({ port, host: '127.0.0.1', agent: false }).end()
  const [answer] = await once(sent, 'response')
  let body = ''
  for await (const chunk of answer) body += chunk
  return { status: answer.statusCode, body }
}

function openRaw(port: number, path = '/') {
  const socket = net.connect(port, '127.0.0.1')
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk
  })
  socket.on('error', () => {})
  socket.write(`GET ${path} HTTP/1.1\r\nHost: test\r\n\r\n`)
  return { socket, text: () => received }
}

async function leaveAtOnce(port: number) {
  const { socket } = openRaw(port)
  await once(socket, 'connect')
  setTimeout(() => socket.destroy(), 20)
}
