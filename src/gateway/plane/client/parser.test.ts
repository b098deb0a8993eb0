import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createParser } from './parser.ts'

interface Read {
  status: number
  headers: string[]
  body: string
  end: boolean | null
  isMalformed: boolean
  switched: string | null
  hints: string[]
  trailers: readonly string[]
}

/** Reads an answer in pieces that end at the given places. */
function read(
  text: string,
  cuts: readonly number[] = [],
  { method = 'GET', close = false } = {},
): Read {
  const seen: Read = {
    status: 0,
    headers: [],
    body: '',
    end: null,
    isMalformed: false,
    switched: null,
    hints: [],
    trailers: [],
  }
  const parser = createParser({
    head({ status, headers }) {
      seen.status = status
      seen.headers = headers
      return status !== 101
    },
    data(chunk) {
      seen.body += chunk.toString('latin1')
    },
    hints(headers) {
      seen.hints.push(...headers)
    },
    trailers(trailers) {
      seen.trailers = trailers
    },
    end(isReusable) {
      seen.end = isReusable
    },
    malformed() {
      seen.isMalformed = true
    },
    switched(rest) {
      seen.switched = rest.toString('latin1')
    },
  })
  parser.expect(method)
  const bytes = Buffer.from(text, 'latin1')
  let from = 0
  for (const cut of [...cuts, bytes.length]) {
    if (seen.isMalformed || seen.end !== null || seen.switched !== null) break
    parser.push(bytes.subarray(from, cut))
    from = cut
  }
  if (close) parser.finish()
  return seen
}

const ANSWERS: Record<string, [string, Partial<Read>]> = {
  length: ['HTTP/1.1 200 OK\r\nContent-Length: 3\r\nX: y\r\n\r\nabc', { body: 'abc', end: true }],
  empty: ['HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n', { body: '', end: true }],
  chunked: [
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1;ext=1\r\nc\r\n0\r\nT: 1\r\n\r\n',
    { body: 'abc', end: true, trailers: ['T', '1'] },
  ],
  closing: ['HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\na', { end: false }],
  old: ['HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\na', { end: false }],
  interim: [
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n',
    { status: 204, end: true, hints: ['Link', 'x'] },
  ],
  switched: ['HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\n\r\n', { switched: '' }],
}

for (const [name, [text, expected]] of Object.entries(ANSWERS)) {
  test(`${name}: the same however the bytes arrive`, () => {
    for (let cut = 1; cut < text.length; cut++) {
      const seen = read(text, [cut])
      assert.deepEqual({ ...seen, ...expected }, seen, `cut at ${cut}`)
      assert.equal(seen.isMalformed, false)
    }
    const each = Array.from({ length: text.length - 1 }, (_, n) => n + 1)
    assert.deepEqual({ ...read(text, each), ...expected }, read(text, each))
  })
}

test('an answer without length ends when the other side closes', () => {
  const seen = read('HTTP/1.1 200 OK\r\n\r\nabc', [], { close: true })
  assert.deepEqual([seen.body, seen.end], ['abc', false])
})

test('a HEAD has no body, whatever its headers say', () => {
  const seen = read('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n', [], { method: 'HEAD' })
  assert.equal(seen.end, true)
  assert.deepEqual(seen.headers, ['Content-Length', '9'])
})

test('bytes that nobody asked for make the connection unusable', () => {
  const seen = read('HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\naHTTP/1.1 200 OK\r\n\r\n')
  assert.deepEqual([seen.body, seen.end], ['a', false])
})

test('headers of the connection stay here', () => {
  const { headers } = read(
    'HTTP/1.1 200 OK\r\nConnection: keep-alive, X-Own\r\nX-Own: 1\r\nKeep-Alive: timeout=5\r\nUpgrade: h2c\r\nA: b\r\nContent-Length: 0\r\n\r\n',
  )
  assert.deepEqual(headers, ['A', 'b', 'Content-Length', '0'])
})

for (const [name, text] of Object.entries({
  'no status': 'HTTP/1.1 OK\r\n\r\n',
  'another protocol': 'ICY 200 OK\r\n\r\n',
  'two lengths': 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
  'length and chunks': 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
  'another coding': 'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n',
  'a negative length': 'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n',
  'a folded header': 'HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n',
  'a bare line feed': 'HTTP/1.1 200 OK\r\nA: b\nC: d\r\n\r\n',
  'a space before the colon': 'HTTP/1.1 200 OK\r\nA : b\r\n\r\n',
  'a bad chunk size': 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n',
  'the same length twice': 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na',
  'chunks in HTTP/1.0': 'HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'a control character': 'HTTP/1.1 200 OK\r\nA: b\x01\r\n\r\n',
  'a tab after the coding': 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\t\r\n\r\n',
  'a space after a chunk size':
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1 \r\na\r\n0\r\n\r\n',
  'a length in a trailer':
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nContent-Length: 1\r\n\r\n',
  'a head that never ends': `HTTP/1.1 200 OK\r\nA: ${'b'.repeat(140_000)}`,
  'a chunk longer than said': 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n',
})) {
  test(`${name} is refused`, () => {
    const seen = read(text)
    assert.equal(seen.isMalformed, true)
    assert.equal(seen.end, null)
  })
}
