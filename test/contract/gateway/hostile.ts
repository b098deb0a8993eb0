import assert from 'node:assert/strict'
import net from 'node:net'
import { after, before, test } from 'node:test'
import { createRequestFuzzer, type NginxServer, startNginx } from '#test-kit'
import { gatewaySuite, startUpstream, tally } from './support.ts'

/** What one request was to the server behind; undefined: refused. */
interface Seen {
  readonly method: string
  readonly body: string
}

interface Reading {
  readonly statuses: readonly number[]
  readonly seen: readonly Seen[]
}

const TAIL = 'GET /tail HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
const post = (headers: string, body: string) =>
  `POST / HTTP/1.1\r\nHost: a\r\n${headers}\r\n\r\n${body}`
const chunked = (body: string) => post('Transfer-Encoding: chunked', body)
const HIDDEN = 'GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n'

/** Ways to hide a request in another; every one is refused. */
const SMUGGLING = {
  'length and chunks': post(
    'Content-Length: 5\r\nTransfer-Encoding: chunked',
    `0\r\n\r\n${HIDDEN}`,
  ),
  'chunks and length': post(
    'Transfer-Encoding: chunked\r\nContent-Length: 5',
    `0\r\n\r\n${HIDDEN}`,
  ),
  'two lengths': post('Content-Length: 0\r\nContent-Length: 40', HIDDEN),
  'a list of lengths': post('Content-Length: 0, 40', HIDDEN),
  'a signed length': post('Content-Length: +5', 'abcde'),
  'a hexadecimal length': post('Content-Length: 0x5', 'abcde'),
  'a length with an underscore': post('Content_Length: 5\r\nContent-Length: 1_0', 'abcde'),
  'a folded coding': post('Transfer-Encoding:\r\n chunked', `0\r\n\r\n${HIDDEN}`),
  'a space before the colon': post('Transfer-Encoding : chunked', `0\r\n\r\n${HIDDEN}`),
  'a coding that looks like chunked': post('Transfer-Encoding: xchunked', `0\r\n\r\n${HIDDEN}`),
  'chunked and another coding': post('Transfer-Encoding: chunked, identity', `0\r\n\r\n${HIDDEN}`),
  'chunked twice': post('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked', '0\r\n\r\n'),
  'a vertical tab before the coding': post('Transfer-Encoding:\x0bchunked', `0\r\n\r\n${HIDDEN}`),
  'a header that is ended by a line feed': post('A: b\nTransfer-Encoding: chunked', '0\r\n\r\n'),
  'a header that is ended by a carriage return': post('A: b\rTransfer-Encoding: chunked', ''),
  'NUL in a value': post('A: b\0c\r\nContent-Length: 0', ''),
  'NUL in a name': post('A\0: b\r\nContent-Length: 0', ''),
  'a negative chunk': chunked(`-1\r\n${HIDDEN}`),
  'a chunk size with 0x': chunked('0x5\r\nabcde\r\n0\r\n\r\n'),
  'a chunk size that overflows': chunked('10000000000000005\r\nabcde\r\n0\r\n\r\n'),
  'a chunk size that ends in a line feed': chunked('5\nabcde\r\n0\r\n\r\n'),
  'a chunk that is longer than said': chunked('2\r\nabcde\r\n0\r\n\r\n'),
  'a chunk extension with a line feed': chunked('5;a\nb\r\nabcde\r\n0\r\n\r\n'),
  'a last chunk without its line': chunked(`0\r\n${HIDDEN}`),
  'no version': 'GET /\r\n\r\n',
  'a huge head': `GET / HTTP/1.1\r\nHost: a\r\nA: ${'b'.repeat(300_000)}\r\n\r\n`,
  'two hosts': 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n',
  'an absolute target with a user': 'GET http://u@a/ HTTP/1.1\r\nHost: a\r\n\r\n',
}

/** One way of framing, for all three. */
const PLAIN = {
  'no body': 'GET / HTTP/1.1\r\nHost: a\r\n\r\n',
  'a length': post('Content-Length: 5', 'abcde'),
  chunks: chunked('3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nT: 1\r\n\r\n'),
  'a length that Connection names': post(
    'Connection: Content-Length\r\nContent-Length: 37',
    'GET /hidden HTTP/1.1\r\nHost: hidden\r\n\r\n'.slice(0, 37),
  ),
  'an absolute target': 'GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n',
  'empty lines before': '\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n',
}
/** For bodies that never come, which are few. */
const SILENT_MS = 10_000
const FUZZED = 1_200
const HOSTILE = 10_000

export const hostile = gatewaySuite('hostile clients', ({ server, put }) => {
  let gatewayPort = 0
  /** Of nginx, and of `node:http` itself. */
  const references: number[] = []
  let nginx: NginxServer | undefined
  before(async () => {
    const { port, node } = await startUpstream()
    await put('/upstreams/up', { nodes: { [node]: 1 } })
    await put('/routes/all', { uri: '/*', upstream_id: 'up' })
    gatewayPort = Number(new URL(server().gatewayUrl).port)
    nginx = await startNginx(port)
    references.push(nginx.port, port)
  })
  after(() => nginx?.stop())

  test('gateway 16: ways to hide a request in another are refused, and nothing of them is forwarded', async () => {
    for (const [name, text] of Object.entries(SMUGGLING)) {
      const { statuses, seen } = await read(gatewayPort, text)
      assert.ok((statuses[0] ?? 0) >= 400, `${name}: ${statuses}`)
      assert.equal(statuses.length, 1, `${name}: ${statuses}`)
      assert.deepEqual(seen, [], name)
    }
  })

  test('gateway 16: what is taken is framed as nginx and node:http frame it', async () => {
    for (const [name, text] of Object.entries(PLAIN)) {
      const ours = await read(gatewayPort, text)
      assert.deepEqual(ours.statuses, [200, 200], name)
      for (const port of references) assert.deepEqual(await read(port, text), ours, name)
    }
  })

  test('gateway 16: changed at random, nothing passes that nginx or node:http refuses or frames otherwise', async () => {
    const next = createRequestFuzzer(20_262)
    let taken = 0
    await inParallel(FUZZED, 16, async () => {
      const text = next()
      const ours = await read(gatewayPort, text)
      if (ours.statuses[0] !== 200) return
      taken++
      for (const port of references) {
        const theirs = await read(port, text)
        const about = JSON.stringify({ text, ours, theirs, isNginx: port === references[0] })
        // `node:http` reads ahead: what is wrong behind a request takes the place of its answer.
        const isRightBehind = ours.statuses[1] === 200
        if (port === references[0] || isRightBehind) assert.equal(theirs.statuses[0], 200, about)
        if (theirs.statuses[0] === 200) assert.deepEqual(ours.seen[0], theirs.seen[0], about)
      }
    })
    assert.ok(taken > FUZZED / 20, `${taken} were requests at all`)
  })

  test('gateway finding 2: 10,000 hostile requests, no 500 and no thread lost', async () => {
    const next = createRequestFuzzer(20_263)
    const statuses: string[] = []
    await inParallel(
      HOSTILE,
      64,
      async () => void statuses.push(await firstStatus(gatewayPort, next())),
    )
    const counts = tally(statuses)
    assert.equal(statuses.length, HOSTILE)
    assert.equal(counts['500'] ?? 0, 0, JSON.stringify(counts))
    for (const status of ['200', '400']) {
      assert.ok((counts[status] ?? 0) > HOSTILE / 10, JSON.stringify(counts))
    }
    assert.doesNotMatch(server().log(), /a thread (died|is replaced)/)
  })
})

async function inParallel(times: number, atOnce: number, work: () => Promise<void>): Promise<void> {
  let left = times
  const lane = async () => {
    while (left-- > 0) await work()
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
}

/** What a server makes of these bytes and the request behind them, which closes the connection. */
async function read(port: number, text: string): Promise<Reading> {
  const answers = await collect(port, text + TAIL, () => false)
  const bodies = answers.match(/\{"method":.*\}/g) ?? []
  const all = bodies.map((body): Seen & { url: string } => JSON.parse(body))
  return {
    statuses: (answers.match(/HTTP\/1\.1 \d{3} /g) ?? []).map((line) => Number(line.slice(9, 12))),
    seen: all.map(({ method, body }) => ({ method, body })),
  }
}

async function firstStatus(port: number, text: string): Promise<string> {
  const answer = await collect(port, text + TAIL, (seen) => seen.length > 12)
  return answer.slice(9, 12)
}

/** All that comes until the other side closes, is silent, or there is enough. */
function collect(port: number, text: string, isEnough: (seen: string) => boolean): Promise<string> {
  return new Promise((resolve) => {
    let seen = ''
    const socket = net.connect(port, '127.0.0.1', () => socket.write(text, 'latin1'))
    const done = () => {
      clearTimeout(timer)
      socket.destroy()
      resolve(seen)
    }
    const timer = setTimeout(done, SILENT_MS)
    socket.on('error', () => {})
    socket.on('close', done)
    socket.on('data', (chunk: Buffer) => {
      seen += chunk.toString('latin1')
      timer.refresh()
      if (isEnough(seen)) done()
    })
  })
}
