import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { type TestContext, test } from 'node:test'
import { createEchoService, type Echoed } from '#test-kit'
import { hasBody, type RequestHead } from '../http1/parse-request.ts'
import type { Client, Service } from './client.ts'
import { createListener } from './listener.ts'

type Exchange = Echoed<RequestHead, Client>

const SHORT = { headTicks: 3, idleTicks: 6, lingerTicks: 3 }
const TICK_MS = 20

const RULES = { hasBody }
const { reply } = createEchoService<RequestHead, Client>(RULES)

/** Answers with target and body, unless `answer` says otherwise. */
function createEcho(answer = reply) {
  return createEchoService<RequestHead, Client>({ ...RULES, answer })
}

async function listen(t: TestContext, { service }: { service: Service<Exchange> }, limits = SHORT) {
  const listener = createListener({
    ...{ service, limits },
    report: (error) => assert.fail(String(error)),
    chooseServer: null,
    proxies: null,
    hasH2c: false,
    tickMs: TICK_MS,
  })
  await listener.listen('127.0.0.1', 0)
  t.after(() => listener.drain(0))
  return listener
}

async function connect(t: TestContext, port: number) {
  const socket = net.connect(port, '127.0.0.1')
  t.after(() => socket.destroy())
  let seen = ''
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(seen)))
  socket.on('error', () => {})
  socket.setEncoding('latin1').on('data', (text) => {
    seen += text
  })
  await once(socket, 'connect')
  return { socket, closed, seen: () => seen, until }

  async function until(pattern: RegExp): Promise<string> {
    while (!pattern.test(seen)) {
      if (socket.destroyed) assert.fail(`closed after ${JSON.stringify(seen)}`)
      await Promise.race([once(socket, 'data'), once(socket, 'close')])
    }
    return seen
  }
}

const passing = (ticks: number) => new Promise((resolve) => setTimeout(resolve, ticks * TICK_MS))

const bodies = (text: string) =>
  text
    .split(/HTTP\/1\.1 200 OK\r\n/)
    .slice(1)
    .map((answer) => answer.slice(answer.indexOf('\r\n\r\n') + 4))

test('requests sent ahead are answered in order, each after the one before', async (t) => {
  const waiting: Exchange[] = []
  const echo = createEcho((exchange) => {
    if (exchange.request.target === '/slow') waiting.push(exchange)
    else reply(exchange)
  })
  const { port } = await listen(t, echo)
  const { socket, until, seen } = await connect(t, port())
  socket.write(
    'GET /slow HTTP/1.1\r\nHost: a\r\n\r\nPOST /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc' +
      '\r\nPOST /3 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nd\r\n0\r\n\r\nGET /4 HTTP/1.1\r\nHost: a\r\n\r\n',
  )
  while (waiting.length === 0) await new Promise(setImmediate)
  assert.equal(echo.seen.length, 1, 'the others wait')
  for (const exchange of waiting) reply(exchange)
  await until(/GET \/4/)
  assert.deepEqual(bodies(seen()), ['GET /slow ', 'POST /2 abc', 'POST /3 d', 'GET /4 '])
  assert.ok(echo.seen.every(({ isWhole }) => isWhole === true))
})

test('a request is the same when it comes byte by byte', async (t) => {
  const { port } = await listen(t, createEcho(), { ...SHORT, headTicks: 1_000 })
  const { socket, until } = await connect(t, port())
  const text =
    'POST /1 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX: y\r\n\r\n'
  for (const byte of text) {
    socket.write(byte)
    await new Promise(setImmediate)
  }
  await until(/POST \/1 abc$/)
})

test('HTTP/1.0 closes unless asked to stay, and an unknown length ends with the connection', async (t) => {
  const echo = createEcho(({ request, client }) => {
    client.begin(200, [])
    client.write(Buffer.from('one,'))
    client.end(Buffer.from(request.target))
  })
  const { port } = await listen(t, echo)
  const old = await connect(t, port())
  old.socket.write('GET /old HTTP/1.0\r\nConnection: keep-alive\r\n\r\n')
  const answer = await old.closed
  assert.match(answer, /Connection: close\r\n\r\none,\/old$/)
  assert.doesNotMatch(answer, /chunked/i)
  const today = await connect(t, port())
  today.socket.write('GET /new HTTP/1.1\r\nHost: a\r\n\r\n')
  const chunks = await today.until(/0\r\n\r\n$/)
  assert.match(chunks, /Transfer-Encoding: chunked\r\n/)
  assert.match(chunks, /\r\n\r\n4\r\none,\r\n4\r\n\/new\r\n0\r\n\r\n$/)
})

test('HEAD, 204 and 304 have no body, whatever is written', async (t) => {
  const echo = createEcho(({ request, client }) => {
    client.begin(request.target === '/204' ? 204 : 200, [])
    client.write(Buffer.from('hidden'))
    client.end(Buffer.from('hidden'))
  })
  const { port } = await listen(t, echo)
  const { socket, closed } = await connect(t, port())
  socket.write(
    'HEAD / HTTP/1.1\r\nHost: a\r\n\r\nGET /204 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
  )
  const answers = await closed
  assert.equal(answers.match(/HTTP\/1\.1 20/g)?.length, 2)
  assert.doesNotMatch(answers, /hidden|chunked/)
})

test('a client that waits for leave gets it when the body is wanted, else the last answer', async (t) => {
  const wanted = await listen(t, createEcho())
  const text = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n'
  const one = await connect(t, wanted.port())
  one.socket.write(text)
  await one.until(/^HTTP\/1\.1 100 Continue\r\n\r\n$/)
  one.socket.write('abc')
  assert.match(await one.until(/abc$/), /Connection: keep-alive/)
  const { service } = createEcho()
  const refusing: Service<Exchange> = { ...service, run: reply }
  const refused = await listen(t, { service: refusing })
  const two = await connect(t, refused.port())
  two.socket.write(text)
  // Nobody knows whether the body follows.
  assert.match(await two.closed, /^HTTP\/1\.1 200 .*Connection: close/s)
})

test('a body nobody wanted is passed over, and the next request is found', async (t) => {
  const { service, seen } = createEcho()
  const early: Service<Exchange> = { ...service, run: reply }
  const { port } = await listen(t, { service: early })
  const { socket, until } = await connect(t, port())
  const size = 300_000
  socket.write(`POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: ${size}\r\n\r\n`)
  socket.write('GET /hidden HTTP/1.1\r\n\r\n'.padEnd(size, 'x'))
  socket.write('GET /2 HTTP/1.1\r\nHost: a\r\n\r\n')
  await until(/GET \/2 $/)
  assert.deepEqual(
    seen.map(({ request }) => request.target),
    ['/1', '/2'],
  )
})

test('a broken body ends the connection after one answer', async (t) => {
  const echo = createEcho()
  const { port } = await listen(t, echo)
  const { socket, closed } = await connect(t, port())
  const head = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n'
  socket.write(`${head}zz\r\nGET /hidden HTTP/1.1\r\nHost: a\r\n\r\n`)
  const answer = await closed
  assert.match(answer, /^HTTP\/1\.1 400 /)
  assert.equal(answer.match(/HTTP\//g)?.length, 1)
  assert.deepEqual([echo.seen.length, echo.faults], [1, [400]])
})

for (const [name, text, status] of [
  ['what is not HTTP', '\x16\x03\x01\x02\x00', 400],
  ['a bare line feed, before the head is whole', 'GET / HTTP/1.1\nHost: a\n\n', 400],
  ['a head without an end', `GET / HTTP/1.1\r\nX: ${'x'.repeat(70_000)}`, 431],
  ['a head that is too large', `GET /${'x'.repeat(70_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 431],
  ['CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n', 405],
] as const) {
  test(`${name} is answered ${status} and nothing after it is looked at`, async (t) => {
    const echo = createEcho()
    const { port } = await listen(t, echo)
    const { socket, closed } = await connect(t, port())
    socket.write(`${text}GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n`, 'latin1')
    const answer = await closed
    assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `))
    assert.equal(answer.match(/HTTP\/1\.1 \d/g)?.length, 1)
    assert.equal(echo.seen.length, 0)
  })
}

test('time limits: a whole answer of which nothing is taken; one that is taken slowly is not cut', async (t) => {
  const large = Buffer.alloc(16 * 1024 * 1024, 'x')
  const echo = createEcho(({ request, client }) => {
    client.closes = request.target === '/last'
    client.begin(200, ['Content-Length', String(large.length)])
    client.end(large)
  })
  const limits = { headTicks: 1_000, idleTicks: 20, lingerTicks: 3 }
  const listener = await listen(t, echo, limits)
  for (const target of ['/', '/last']) {
    const { socket } = await connect(t, listener.port())
    socket.pause()
    socket.write(`GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`)
    while (listener.open() > 0) await passing(1)
  }
  const { socket, seen } = await connect(t, listener.port())
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  // More than the limit in all, less between two pieces.
  for (let pause = 0; pause < 10; pause++) {
    socket.pause()
    await passing(5)
    socket.resume()
    await passing(1)
  }
  while (seen().length < large.length && !socket.destroyed) await passing(1)
  assert.ok(seen().length > large.length)
})

test('time limits: a slow head, silence, and a body nobody wants that does not come', async (t) => {
  const { service } = createEcho()
  const early: Service<Exchange> = { ...service, run: reply }
  const { port } = await listen(t, { service: early })
  const slow = await connect(t, port())
  slow.socket.write('GET / HTTP/1.1\r\nHost')
  assert.match(await slow.closed, /^HTTP\/1\.1 408 /)
  const silent = await connect(t, port())
  assert.equal(await silent.closed, '')
  const idle = await connect(t, port())
  idle.socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  assert.match(await idle.closed, /^HTTP\/1\.1 200 /)
  const stuck = await connect(t, port())
  stuck.socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc')
  assert.match(await stuck.closed, /^HTTP\/1\.1 200 /)
})

test('a request under way has no time limit of its own', async (t) => {
  const waiting: Exchange[] = []
  const echo = createEcho((exchange) => void waiting.push(exchange))
  const { port } = await listen(t, echo)
  const { socket, until } = await connect(t, port())
  socket.write('GET /long HTTP/1.1\r\nHost: a\r\n\r\n')
  await new Promise((resolve) => setTimeout(resolve, 10 * TICK_MS))
  for (const exchange of waiting) reply(exchange)
  await until(/GET \/long/)
})

test('a client that leaves is noticed at once, also when it only stops sending', async (t) => {
  for (const leave of ['destroy', 'end'] as const) {
    const waiting = Promise.withResolvers<Exchange>()
    const echo = createEcho(waiting.resolve)
    const over = Promise.withResolvers<boolean>()
    const service: Service<Exchange> = { ...echo.service, over: (_, is) => over.resolve(is) }
    const { port } = await listen(t, { service })
    const { socket } = await connect(t, port())
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    const { client } = await waiting.promise
    socket[leave]()
    assert.equal(await over.promise, false)
    // What comes too late is lost and harms nobody.
    client.begin(200, [])
    client.write(Buffer.from('late'))
    client.end(null)
  }
})

test('a client that does not read holds up who writes, and the rest arrives', async (t) => {
  const chunk = Buffer.alloc(100_000, 120)
  let sent = 0
  let waits = 0
  const total = 200
  const more = ({ client }: Exchange) => {
    while (sent < total) {
      sent++
      if (!client.write(chunk)) {
        waits++
        return
      }
    }
    client.end(null)
  }
  const echo = createEcho((exchange) => {
    exchange.client.begin(200, ['Content-Length', String(total * chunk.length)])
    more(exchange)
  })
  const { port } = await listen(t, { service: { ...echo.service, drained: more } })
  const socket = net.connect(port(), '127.0.0.1')
  t.after(() => socket.destroy())
  socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
  await new Promise((resolve) => setTimeout(resolve, 5 * TICK_MS))
  assert.ok(sent < total, 'not all of it is in memory')
  let got = 0
  for await (const data of socket) got += data.length
  assert.ok(got > total * chunk.length)
  assert.ok(waits > 0)
  assert.equal(echo.seen[0]?.isWhole, true)
})

test('an upstream that does not take a body holds up the client', async (t) => {
  const echo = createEcho()
  const held = Promise.withResolvers<Exchange>()
  let taken = 0
  let isOpen = false
  const service: Service<Exchange> = {
    ...echo.service,
    body(exchange, chunk) {
      taken += chunk.length
      held.resolve(exchange)
      return isOpen
    },
  }
  const { port } = await listen(t, { service })
  const { socket, until } = await connect(t, port())
  const size = 20_000_000
  socket.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${size}\r\n\r\n`)
  socket.write(Buffer.alloc(size))
  const { client } = await held.promise
  await new Promise((resolve) => setTimeout(resolve, 5 * TICK_MS))
  assert.ok(taken < 1_000_000, `${taken} bytes`)
  isOpen = true
  client.resumeBody()
  await until(/POST/)
  assert.equal(taken, size)
})

test('draining: what is under way is answered with close, idle connections end', async (t) => {
  const waiting = Promise.withResolvers<Exchange>()
  const echo = createEcho((exchange) =>
    exchange.request.target === '/slow' ? waiting.resolve(exchange) : reply(exchange),
  )
  const listener = await listen(t, echo, { headTicks: 1_000, idleTicks: 1_000, lingerTicks: 3 })
  const idle = await connect(t, listener.port())
  idle.socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  await idle.until(/GET/)
  const busy = await connect(t, listener.port())
  busy.socket.write('GET /slow HTTP/1.1\r\nHost: a\r\n\r\n')
  const exchange = await waiting.promise
  assert.equal(listener.open(), 2)
  const cut = listener.drain(10_000)
  await idle.closed
  reply(exchange)
  assert.match(await busy.closed, /Connection: close\r\n\r\nGET \/slow $/)
  assert.equal(await cut, 0)
})

test('gateway finding 2: a fault before there is an exchange is 500, and one connection is all it costs', async (t) => {
  const echo = createEcho()
  const reported: unknown[] = []
  const service: Service<Exchange> = {
    ...echo.service,
    open(request, client) {
      if (request.target === '/broken') throw new Error('cannot be opened')
      return echo.service.open(request, client)
    },
  }
  const listener = createListener({
    ...{ service, limits: SHORT, chooseServer: null, proxies: null, hasH2c: false },
    report: (error) => void reported.push(error),
  })
  await listener.listen('127.0.0.1', 0)
  t.after(() => listener.drain(0))
  const other = await connect(t, listener.port())
  const broken = await connect(t, listener.port())
  broken.socket.write('GET /broken HTTP/1.1\r\nHost: a\r\n\r\n')
  assert.match(await broken.until(/\}$/), /^HTTP\/1\.1 500 .*Connection: close/s)
  other.socket.write('GET /whole HTTP/1.1\r\nHost: a\r\n\r\n')
  assert.match(await other.until(/GET \/whole/), /^HTTP\/1\.1 200 /)
  assert.equal(reported.length, 1)
})

test('gateway finding 13: Date follows the clock, however long a connection stays', async (t) => {
  let nowMs = Date.UTC(2026, 10, 15)
  const { service } = createEcho()
  const listener = createListener({
    ...{
      service,
      limits: SHORT,
      chooseServer: null,
      proxies: null,
      hasH2c: false,
      now: () => nowMs,
    },
    report: (error) => assert.fail(String(error)),
  })
  await listener.listen('127.0.0.1', 0)
  t.after(() => listener.drain(0))
  const { socket, until } = await connect(t, listener.port())
  socket.write('GET /1 HTTP/1.1\r\nHost: a\r\n\r\n')
  assert.match(await until(/GET \/1/), /Date: Sun, 15 Nov 2026 00:00:00 GMT/)
  nowMs += 1_000
  socket.write('GET /2 HTTP/1.1\r\nHost: a\r\n\r\n')
  assert.match(await until(/GET \/2/), /Date: Sun, 15 Nov 2026 00:00:01 GMT/)
})
