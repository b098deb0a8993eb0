import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import http, { type RequestListener } from 'node:http'
import http2 from 'node:http2'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { type NginxServer, needPrograms, startNginx } from '#test-kit'
import {
  DATA,
  END_HEADERS,
  END_STREAM,
  frame,
  HEADERS,
  literals,
  sendFrames,
} from './http2-frames.ts'
import { echo, gatewayServer, startUpstream, type Upstream } from './support.ts'

const run = promisify(execFile)
const MIB = randomBytes(2 ** 20)
const HEAD = END_STREAM | END_HEADERS

interface Case {
  readonly headers: http2.OutgoingHttpHeaders
  readonly body?: Buffer
}

const CASES: Readonly<Record<string, Case>> = {
  'a query and escapes': { headers: { ':path': '/a%20b/c?x=1&y=%20&&z' } },
  'repeated headers': { headers: { ':path': '/', 'x-many': ['1', '2'] } },
  'cookies in pieces': { headers: { ':path': '/', cookie: ['c=3', 'd=4'] } },
  HEAD: { headers: { ':path': '/', ':method': 'HEAD' } },
  OPTIONS: { headers: { ':path': '/', ':method': 'OPTIONS' } },
  DELETE: { headers: { ':path': '/x', ':method': 'DELETE' } },
  'a body of a length': {
    headers: { ':path': '/', ':method': 'POST', 'content-length': 3 },
    body: Buffer.from('abc'),
  },
  'a body without a length': {
    headers: { ':path': '/', ':method': 'POST' },
    body: Buffer.from('abc'),
  },
  'an empty body': { headers: { ':path': '/', ':method': 'POST' }, body: Buffer.alloc(0) },
  'a large body': { headers: { ':path': '/', ':method': 'PUT' }, body: MIB },
  'a large answer': { headers: { ':path': '/large' } },
  'a header of 30 KiB': { headers: { ':path': '/', 'x-large': 'y'.repeat(30_000) } },
  ...Object.fromEntries(
    [201, 204, 302, 304, 404, 500, 503].map((status) => [
      `an answer of ${status}`,
      { headers: { ':path': `/status/${status}` } },
    ]),
  ),
  'two cookies to set': { headers: { ':path': '/cookies' } },
  'an upstream that says nothing': { headers: { ':path': '/close' } },
  'an upstream that breaks off': { headers: { ':path': '/cut' } },
}

const PSEUDO = [
  [':method', 'GET'],
  [':scheme', 'http'],
  [':path', '/'],
  [':authority', 'a.test'],
] as const
const get = (...more: (readonly [string, string])[]) => [
  frame(HEADERS, HEAD, 1, literals([...PSEUDO, ...more])),
]
const only = (...headers: (readonly [string, string])[]) => [
  frame(HEADERS, HEAD, 1, literals(headers)),
]
const post = (length: string, ...bodies: string[]) => [
  frame(
    HEADERS,
    END_HEADERS,
    1,
    literals([[':method', 'POST'], ...PSEUDO.slice(1), ['content-length', length]]),
  ),
  ...bodies.map((body, at) =>
    frame(DATA, at === bodies.length - 1 ? END_STREAM : 0, 1, Buffer.from(body)),
  ),
]

/** Taken by both. */
const RIGHT: Readonly<Record<string, Buffer[]>> = {
  'a plain request': get(),
  'a host in place of the authority': only(...PSEUDO.slice(0, 3), ['host', 'a.test']),
  'te: trailers': get(['te', 'trailers']),
  'a body in pieces': post('6', 'abc', 'def'),
}
/** Taken by us, as RFC 9113 §8.3.1 has it; nginx takes one of both for a repetition. */
const ALLOWED: Readonly<Record<string, Buffer[]>> = {
  'a host that is the authority': get(['host', 'a.test']),
}
/** Refused by both (RFC 9113 §8.1.1, §8.2, §8.3). */
const WRONG: Readonly<Record<string, Buffer[]>> = {
  'capitals in a name': get(['X-Upper', '1']),
  'no path': only(...PSEUDO.slice(0, 2), [':authority', 'a.test']),
  'an empty path': only(
    [':method', 'GET'],
    [':scheme', 'http'],
    [':path', ''],
    [':authority', 'a'],
  ),
  'two methods': only([':method', 'GET'], ...PSEUDO),
  'an unknown pseudo header': only([':other', '1'], ...PSEUDO),
  'no method': only(...PSEUDO.slice(1)),
  'a body longer than it says': post('3', 'abcdef'),
  'a body shorter than it says': post('9', 'abc'),
  'a length that is none': post('x', 'abc'),
  'a stream of the server': [frame(HEADERS, HEAD, 2, literals(PSEUDO))],
  'headers of the connection': [frame(HEADERS, HEAD, 0, literals(PSEUDO))],
  'a frame larger than allowed': [frame(HEADERS, HEAD, 1, Buffer.alloc(20_000, 0x82))],
}
/** Refused by nginx; nghttp2 leaves the header out, and nothing of it reaches the upstream. */
const DROPPED: Readonly<Record<string, Buffer[]>> = {
  'a line end in a value': get(['x-a', 'b\nx-c: d']),
  'another line end in a value': get(['x-a', 'b\r\nx-c: d']),
  'a zero in a value': get(['x-a', 'b\0c']),
}
/** nginx lets these pass; RFC 9113 §8.2.2 and §8.3.1 do not. */
const STRICTER: Readonly<Record<string, Buffer[]>> = {
  'a header of the connection': get(['connection', 'keep-alive']),
  'a coding of the transfer': get(['transfer-encoding', 'chunked']),
  'te of another kind': get(['te', 'gzip']),
  'a pseudo header at the end': only(['x-a', '1'], ...PSEUDO),
  'another host beside the authority': get(['host', 'b.test']),
}

const answer: RequestListener = (request, response) => {
  const [, word, status] = request.url?.split('/') ?? []
  if (word === 'close') return void request.socket.destroy()
  if (word === 'large') return void response.end(MIB)
  if (word === 'status')
    return void response.writeHead(Number(status), { location: '/there' }).end()
  if (word === 'cookies') response.setHeader('set-cookie', ['a=1', 'b=2'])
  if (word !== 'cut') return echo(request, response)
  response.writeHead(200, { 'content-length': 100 })
  response.write('a part', () => response.destroy())
}

describe('gateway over HTTP/2 beside nginx', () => {
  // On one thread: what holds up one client holds up the others.
  const { server, put } = gatewayServer('sqlite', {
    ...{ ENTREPOT_GATEWAY_H2C: 'true', ENTREPOT_GATEWAY_THREADS: '1' },
  })
  let upstream: Upstream
  let nginx: NginxServer
  let port = 0
  before(async () => {
    upstream = await startUpstream(answer)
    nginx = await startNginx(upstream.port)
    port = Number(new URL(server().gatewayUrl).port)
    await put('/routes/all', { uri: '/*', upstream: { nodes: { [upstream.node]: 1 } } })
    await put('/routes/nginx', {
      ...{ uri: '/nginx/*', upstream: { nodes: { [`127.0.0.1:${nginx.port}`]: 1 } } },
      plugins: { 'proxy-rewrite': { regex_uri: ['^/nginx/(.*)', '/$1'] } },
    })
  })
  after(() => nginx?.stop())

  async function ask(at: number, { headers, body }: Case, prefix = '') {
    const session = http2.connect(`http://127.0.0.1:${at}`)
    session.on('error', () => {})
    try {
      const path = `${prefix}${headers[':path']}`
      const stream = session.request(
        { ...headers, ':path': path },
        { endStream: body === undefined },
      )
      if (body) stream.end(body)
      const [head] = await once(stream, 'response')
      const chunks: Buffer[] = []
      for await (const chunk of stream) chunks.push(chunk)
      return render(head, Buffer.concat(chunks))
    } catch {
      return 'broken off'
    } finally {
      session.destroy()
    }
  }

  function render(head: http2.IncomingHttpHeaders, body: Buffer) {
    const { ':status': status, location, 'set-cookie': cookies } = head
    // What a gateway says of itself is its own affair.
    if (Number(status) === 502) return { status }
    if (!String(head['content-type']).includes('json')) return { status, location, cookies, body }
    if (body.length === 0) return { status, cookies }
    const { method, url, headers, body: sent } = JSON.parse(body.toString())
    const { cookie, 'x-many': many, 'x-large': large } = headers
    return { status, cookies, method, url, sent, cookie, many, large }
  }

  for (const [name, given] of Object.entries(CASES)) {
    test(`gateway protocols: ${name}: the same through nginx, through us, and through us to nginx`, async () => {
      const theirs = await ask(nginx.http2Port, given)
      assert.deepEqual(await ask(port, given), theirs)
      assert.deepEqual(await ask(port, given, '/nginx'), theirs)
    })
  }

  test('gateway protocols: frames that are right are taken, wrong ones refused, as nginx does', async () => {
    for (const [name, frames] of Object.entries(RIGHT)) {
      assert.equal(await sendFrames(nginx.http2Port, frames), 'answered', `nginx: ${name}`)
      assert.equal(await sendFrames(port, frames), 'answered', name)
    }
    for (const [name, frames] of Object.entries(ALLOWED)) {
      assert.equal(await sendFrames(port, frames), 'answered', name)
    }
    for (const [name, frames] of Object.entries(WRONG)) {
      assert.equal(await sendFrames(nginx.http2Port, frames), 'refused', `nginx: ${name}`)
      assert.equal(await sendFrames(port, frames), 'refused', name)
    }
    for (const [name, frames] of Object.entries(DROPPED)) {
      assert.equal(await sendFrames(nginx.http2Port, frames), 'refused', `nginx: ${name}`)
      const before = upstream.seen.length
      await sendFrames(port, frames)
      for (const { headers } of upstream.seen.slice(before)) {
        assert.deepEqual([headers['x-a'], headers['x-c']], [undefined, undefined], name)
      }
    }
    for (const [name, frames] of Object.entries(STRICTER)) {
      assert.equal(await sendFrames(port, frames), 'refused', name)
    }
  })

  test('gateway protocols: beside clients that fill one thread with streams an HTTP/1.1 client is served', async (t) => {
    needPrograms('h2load')
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
    t.after(() => agent.destroy())
    const quiet = async () => {
      const startedMs = performance.now()
      const request = http.get({ port, host: '127.0.0.1', path: '/nginx/of-nginx', agent })
      const [response] = await once(request, 'response')
      response.resume()
      await once(response, 'end')
      assert.equal(response.statusCode, 200)
      return performance.now() - startedMs
    }
    await quiet()
    const url = `${server().gatewayUrl}/nginx/of-nginx`
    const greedy = run('h2load', ['-c4', '-m100', '-D4', url])
    let isOver = false
    void greedy.finally(() => {
      isOver = true
    })
    const waits: number[] = []
    while (!isOver) waits.push(await quiet())
    const { stdout } = await greedy
    assert.match(stdout, / 0 failed, 0 errored, 0 timeout/)
    // Least, most and mean; both clients share a machine that may have much else to do.
    const [, mean = '', unit = ''] =
      /time for request: +\S+ +\S+ +([\d.]+)(us|ms|s)/.exec(stdout) ?? []
    const meanMs = Number(mean) * ({ us: 0.001, ms: 1 }[unit] ?? 1_000)
    const sorted = waits.toSorted((a, b) => a - b)
    const median = sorted[sorted.length >> 1] ?? 0
    const most = sorted.at(-1) ?? 0
    t.diagnostic(
      `${waits.length} requests, ${median.toFixed(1)} ms in the middle, ${most.toFixed(1)} ms at most; a greedy one ${meanMs.toFixed(1)} ms`,
    )
    assert.ok(waits.length >= 5, `${waits.length} requests`)
    assert.ok(
      median <= meanMs,
      'who sends one request at a time waits no longer than who sends 400',
    )
  })
})
