import assert from 'node:assert/strict'
import { once } from 'node:events'
import http2 from 'node:http2'
import net from 'node:net'
import { type TestContext, test } from 'node:test'
import { createEchoService, type Echoed } from '#test-kit'
import { hasBody, type RequestHead } from '../../http1/parse-request.ts'
import type { Client, Service } from '../client.ts'
import { createListener } from '../listener.ts'

type Exchange = Echoed<RequestHead, Client>

const TICK_MS = 20
const LIMITS = { headTicks: 3, idleTicks: 6, lingerTicks: 3 }

const RULES = { hasBody, headers: ['X-Two', 'a', 'X-Two', 'b'] }
const { reply } = createEchoService<RequestHead, Client>(RULES)

/** Answers with target and body, unless `answer` says otherwise. */
function createEcho(answer = reply) {
  return createEchoService<RequestHead, Client>({ ...RULES, answer })
}

async function listen(t: TestContext, { service }: { service: Service<Exchange> }) {
  const listener = createListener({
    ...{ service, limits: LIMITS, tickMs: TICK_MS, chooseServer: null, proxies: null },
    report: (error) => assert.fail(String(error)),
    hasH2c: true,
  })
  await listener.listen('127.0.0.1', 0)
  t.after(() => listener.drain(0))
  return listener
}

function connect(t: TestContext, port: number) {
  const session = http2.connect(`http://127.0.0.1:${port}`)
  session.on('error', () => {})
  t.after(() => session.destroy())
  return session
}

async function ask(
  session: http2.ClientHttp2Session,
  headers: http2.OutgoingHttpHeaders,
  body?: string,
) {
  const stream = session.request(headers, { endStream: body === undefined })
  if (body !== undefined) stream.end(body)
  const [head] = await once(stream, 'response')
  let text = ''
  for await (const chunk of stream) text += chunk
  return { head, text }
}

test('HTTP/2: requests beside each other, with bodies of either kind, HEAD and refusals', async (t) => {
  const echo = createEcho()
  const { port } = await listen(t, echo)
  const session = connect(t, port())
  const answers = await Promise.all([
    ask(session, { ':path': '/1?a=b' }),
    ask(session, { ':path': '/2', ':method': 'POST' }, 'abc'),
    ask(session, { ':path': '/3', ':method': 'PUT', 'content-length': 3 }, 'def'),
    ask(session, { ':path': '/4', ':method': 'HEAD' }),
  ])
  assert.deepEqual(
    answers.map(({ text }) => text),
    ['GET /1?a=b ', 'POST /2 abc', 'PUT /3 def', ''],
  )
  const [first] = answers
  assert.equal(first?.head[':status'], 200)
  assert.equal(first?.head['x-two'], 'a, b')
  assert.equal(first?.head['content-length'], '11')
  assert.ok(Date.parse(first?.head.date ?? '') > 0)
  const { request } = echo.seen[1] ?? {}
  assert.deepEqual([request?.isChunked, request?.length], [true, -1])
  assert.deepEqual([echo.seen[2]?.request.isChunked, echo.seen[2]?.request.length], [false, 3])
  assert.equal(echo.seen[0]?.request.host, `127.0.0.1:${port()}`)
  for (const { isWhole } of echo.seen) assert.equal(isWhole, true)
  assert.equal((await ask(session, { ':path': '/', ':method': 'FOO' })).head[':status'], 400)
  const other = await ask(session, { ':path': '/', ':authority': 'a', host: 'b' })
  assert.equal(other.head[':status'], 400)
  assert.equal(echo.seen.length, 4)
})

test('HTTP/2: HTTP/1.1 is served on the same port, whatever its first bytes', async (t) => {
  const { port } = await listen(t, createEcho())
  for (const method of ['GET', 'PROPFIND', 'PRI']) {
    const socket = net.connect(port(), '127.0.0.1')
    socket.write(`${method} /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
    let seen = ''
    for await (const chunk of socket) seen += chunk
    assert.match(seen, method === 'PRI' ? /^HTTP\/1\.1 400/ : /^HTTP\/1\.1 200/)
  }
})

test('HTTP/2: an answer before the body has come ends the stream, and the connection goes on', async (t) => {
  const early = createEcho(reply)
  early.service.run = (exchange) => {
    exchange.client.begin(401, ['Content-Length', '2'])
    exchange.client.end(Buffer.from('no'))
  }
  const { port } = await listen(t, early)
  const session = connect(t, port())
  const stream = session.request({ ':path': '/', ':method': 'POST' })
  stream.write('a part')
  const [head] = await once(stream, 'response')
  assert.equal(head[':status'], 401)
  stream.resume()
  await once(stream, 'close')
  assert.equal(stream.rstCode, http2.constants.NGHTTP2_NO_ERROR)
  assert.equal((await ask(session, { ':path': '/' })).text, 'no')
})

test('HTTP/2: who gives up is over at once; who is cut sees no whole answer', async (t) => {
  const waiting: Exchange[] = []
  const echo = createEcho((exchange) => void waiting.push(exchange))
  const { port } = await listen(t, echo)
  const session = connect(t, port())
  const left = session.request({ ':path': '/left' })
  left.on('error', () => {})
  while (waiting.length < 1) await new Promise(setImmediate)
  left.close(http2.constants.NGHTTP2_CANCEL)
  while (echo.seen[0]?.isWhole === undefined) await new Promise(setImmediate)
  assert.equal(echo.seen[0].isWhole, false)
  const cut = session.request({ ':path': '/cut' })
  while (waiting.length < 2) await new Promise(setImmediate)
  waiting[1]?.client.begin(200, [])
  waiting[1]?.client.write(Buffer.from('part'))
  cut.resume()
  await once(cut, 'response')
  waiting[1]?.client.destroy()
  const [error] = await once(cut, 'error')
  assert.match(String(error), /INTERNAL_ERROR/)
  assert.equal(session.destroyed, false)
})

test('HTTP/2: idle connections end, busy ones do not; draining lets requests finish', async (t) => {
  const waiting: Exchange[] = []
  const echo = createEcho((exchange) => void waiting.push(exchange))
  const listener = await listen(t, echo)
  const idle = connect(t, listener.port())
  const busy = connect(t, listener.port())
  const answer = ask(busy, { ':path': '/' })
  await once(idle, 'close')
  assert.equal(busy.destroyed, false)
  const drained = listener.drain(5_000)
  await once(busy, 'goaway')
  waiting.forEach(reply)
  assert.equal((await answer).text, 'GET / ')
  assert.equal(await drained, 0)
})

test('HTTP/2: a client that never closes is cut some time after it was told to', async (t) => {
  const listener = await listen(t, createEcho())
  const socket = net.connect({ port: listener.port(), host: '127.0.0.1', allowHalfOpen: true })
  t.after(() => socket.destroy())
  socket.on('error', () => {})
  socket.write(BEGINNING)
  socket.resume()
  await once(socket, 'end')
  while (listener.open() > 0) await new Promise(setImmediate)
})

test('HTTP/2: a client that takes nothing of its answer does not hold it for ever', async (t) => {
  const echo = createEcho(({ client }) => {
    client.begin(200, [])
    client.end(Buffer.alloc(2 ** 20))
  })
  const { port } = await listen(t, echo)
  const session = connect(t, port())
  const stream = session.request({ ':path': '/' })
  stream.on('error', () => {})
  // Nobody reads: the window closes after 64 KiB.
  await new Promise((resolve) => stream.once('close', resolve))
  assert.equal(echo.seen[0]?.isWhole, false)
})

/** Frames as they are on the wire (RFC 9113 §4.1), since no client sends such ones by itself. */
function frame(type: number, flags: number, stream: number, payload = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head.writeUInt8(type, 3)
  head.writeUInt8(flags, 4)
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

const BEGINNING = Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(4, 0, 0)])
/** `GET http://a/` by the static table of RFC 7541. */
const GET = Buffer.from([0x82, 0x86, 0x84, 0x41, 1, 97])
const POST = Buffer.from([0x83, 0x86, 0x84, 0x41, 1, 97])
const END_OF_BOTH = 5
const DATA = 0
const HEADERS = 1
const PRIORITY = 2
const RESET = 3
const SETTINGS = 4
const PING = 6
const WINDOW_UPDATE = 8
const CONTINUATION = 9

const FLOODS: Readonly<Record<string, (n: number) => Buffer>> = {
  'rapid resets': (n) => {
    const stream = 2 * n + 1
    return Buffer.concat([
      frame(HEADERS, END_OF_BOTH, stream, GET),
      frame(RESET, 0, stream, Buffer.from([0, 0, 0, 8])),
    ])
  },
  'a header block without end': (n) =>
    n === 0
      ? frame(HEADERS, 1, 1, GET)
      : frame(CONTINUATION, 0, 1, Buffer.from([0x40, 1, 120, 1, 121])),
  'a header bomb': (n) => {
    // One large header in the table, then named again and again by a single byte.
    const large = Buffer.concat([
      Buffer.from([0x40, 1, 120, 0x7f, 0xa1, 0x1e]),
      Buffer.alloc(4_000, 'y'),
    ])
    const many = Buffer.concat([GET, large, Buffer.alloc(10_000, 0xbe)])
    return frame(HEADERS, END_OF_BOTH, 2 * n + 1, many.subarray(0, 16_384))
  },
  settings: () => frame(SETTINGS, 0, 0, Buffer.from([0, 4, 0, 1, 0, 0])),
  pings: () => frame(PING, 0, 0, Buffer.alloc(8)),
  'data of no stream': () => frame(DATA, 0, 1, Buffer.from('x')),
  'data of nothing': (n) => (n === 0 ? frame(HEADERS, 4, 1, POST) : frame(DATA, 0, 1)),
}

for (const [name, make] of Object.entries(FLOODS)) {
  test(`HTTP/2: ${name}: the connection ends, memory is bounded and others are served`, async (t) => {
    const echo = createEcho()
    const { port } = await listen(t, echo)
    const isServed = async () => {
      const { text } = await ask(connect(t, port()), { ':path': '/o' })
      assert.equal(text, 'GET /o ')
    }
    const socket = net.connect(port(), '127.0.0.1')
    t.after(() => socket.destroy())
    socket.on('error', () => {})
    let isOver = false
    socket.on('close', () => {
      isOver = true
    })
    // Nothing is read: answers pile up where they are bounded, or not.
    socket.pause()
    socket.write(BEGINNING)
    const before = process.memoryUsage().rss
    let sent = 0
    while (!isOver && sent < 400_000) {
      const batch = Buffer.concat(Array.from({ length: 50 }, () => make(sent++)))
      await new Promise((resolve) => socket.write(batch, resolve))
      if (sent % 5_000 === 0) await isServed()
    }
    assert.ok(isOver, `not ended after ${sent} frames`)
    await isServed()
    assert.ok(process.memoryUsage().rss - before < 150 * 2 ** 20)
    assert.ok(echo.seen.length < 500, `${echo.seen.length} requests were begun`)
    t.diagnostic(`ended after ${sent} frames; ${echo.seen.length} requests were seen`)
  })
}

/** These are answered by nothing and kept nowhere, so a connection may send them for ever. */
const CHATTER: Readonly<Record<string, (n: number) => Buffer>> = {
  priorities: (n) => frame(PRIORITY, 0, 2 * n + 1, Buffer.from([0, 0, 0, 0, 15])),
  'windows that grow': () => frame(WINDOW_UPDATE, 0, 0, Buffer.from([0, 0, 0, 1])),
  'frames of an unknown type': () => frame(0xbe, 0, 0, Buffer.alloc(8)),
}

for (const [name, make] of Object.entries(CHATTER)) {
  test(`HTTP/2: ${name} without end: memory is bounded and others are served`, async (t) => {
    const { port } = await listen(t, createEcho())
    const socket = net.connect(port(), '127.0.0.1')
    t.after(() => socket.destroy())
    socket.on('error', () => {})
    socket.resume()
    socket.write(BEGINNING)
    const before = process.memoryUsage().rss
    for (let sent = 0; sent < 100_000 && !socket.destroyed; ) {
      const batch = Buffer.concat(Array.from({ length: 500 }, () => make(sent++)))
      await new Promise((resolve) => socket.write(batch, resolve))
      if (sent % 10_000 !== 0) continue
      assert.equal((await ask(connect(t, port()), { ':path': '/o' })).text, 'GET /o ')
    }
    assert.ok(process.memoryUsage().rss - before < 100 * 2 ** 20)
  })
}

test('HTTP/2: windows that stay shut: others are served meanwhile, and what waits is given up', async (t) => {
  const large = Buffer.alloc(2 ** 20)
  const echo = createEcho((exchange) => {
    if (exchange.request.target !== '/large') return reply(exchange)
    exchange.client.begin(200, [])
    exchange.client.end(large)
  })
  const { port } = await listen(t, echo)
  const quiet = connect(t, port())
  const before = process.memoryUsage().rss
  const stalled = Array.from({ length: 10 }, () => {
    const session = http2.connect(`http://127.0.0.1:${port()}`, {
      settings: { initialWindowSize: 0 },
    })
    session.on('error', () => {})
    t.after(() => session.destroy())
    for (let n = 0; n < 100; n++) session.request({ ':path': '/large' }).on('error', () => {})
    return session
  })
  const waiting = () =>
    echo.seen.filter(({ isWhole, request }) => request.target === '/large' && !isWhole)
  while (waiting().length < 1_000)
    assert.equal((await ask(quiet, { ':path': '/o' })).text, 'GET /o ')
  assert.ok(process.memoryUsage().rss - before < 150 * 2 ** 20)
  // Nobody ever takes a byte.
  while (waiting().some(({ isWhole }) => isWhole === undefined)) {
    assert.equal((await ask(quiet, { ':path': '/o' })).text, 'GET /o ')
  }
  assert.equal(waiting().length, 1_000)
  assert.equal(stalled.length, 10)
})
