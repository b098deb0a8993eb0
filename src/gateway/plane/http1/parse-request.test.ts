import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isHopeless } from './head-text.ts'
import {
  isFault,
  parseRequest,
  type RequestHead,
  wantsKeepAlive,
  wantsSwitch,
} from './parse-request.ts'

function parse(...lines: string[]): RequestHead {
  const parsed = parseRequest(lines.join('\r\n'))
  if (isFault(parsed)) assert.fail(parsed.message)
  return parsed
}

test('a head is read once, and names and values stay as they came', () => {
  const head = parse(
    'POST /a%20b?c=d HTTP/1.1',
    'Host: example.org:8080',
    'X-MiXed:  two words \t',
    'x-empty:',
    'Content-Length: 12',
    'X-Request-Id: one',
    'Connection: keep-alive',
    'Connection: X-Named',
  )
  const { rawHeaders, kinds, ...rest } = head
  assert.deepEqual(rawHeaders.slice(2, 6), ['X-MiXed', 'two words', 'x-empty', ''])
  assert.equal(kinds.length, rawHeaders.length / 2)
  assert.deepEqual(rest, {
    method: 'POST',
    target: '/a%20b?c=d',
    isOld: false,
    hosts: 1,
    host: 'example.org:8080',
    requestIds: 1,
    requestId: 'one',
    length: 12,
    isChunked: false,
    connection: 'keep-alive, X-Named',
    upgrade: undefined,
    expect: undefined,
  })
})

test('what the client wants after the answer', () => {
  const wants = (version: string, connection?: string) =>
    wantsKeepAlive(
      parse(`GET / HTTP/1.${version}`, ...(connection ? [`Connection: ${connection}`] : [])),
    )
  assert.equal(wants('1'), true)
  assert.equal(wants('1', 'Upgrade, Close'), false)
  assert.equal(wants('1', 'x-named'), true)
  assert.equal(wants('0'), false)
  assert.equal(wants('0', 'Keep-Alive'), true)
  assert.equal(wants('0', 'x-named'), false)
  assert.equal(wants('1', 'keep-alive, close'), false)
})

test('only a plain request of HTTP/1.1 for WebSocket may switch', () => {
  const upgrade = ['Connection: keep-alive, Upgrade', 'Upgrade: WebSocket']
  assert.equal(wantsSwitch(parse('GET / HTTP/1.1', ...upgrade)), true)
  assert.equal(wantsSwitch(parse('GET / HTTP/1.0', ...upgrade)), false)
  assert.equal(wantsSwitch(parse('GET / HTTP/1.1', ...upgrade, 'Content-Length: 1')), false)
  assert.equal(wantsSwitch(parse('GET / HTTP/1.1', 'Upgrade: websocket')), false)
  assert.equal(wantsSwitch(parse('GET / HTTP/1.1', 'Connection: Upgrade', 'Upgrade: h2c')), false)
})

for (const [name, text] of Object.entries({
  'no target': 'GET HTTP/1.1',
  'an empty target': 'DELETE  HTTP/1.1',
  'a relative target': 'DELETE a/b HTTP/1.1',
  'a target of another scheme': 'GET ftp://a/b HTTP/1.1',
  'an authority': 'GET a:80 HTTP/1.1',
  'a target with a space': 'GET /a b HTTP/1.1',
  'a target with a tab': 'GET /a\tb HTTP/1.1',
  'a target with an umlaut': 'GET /\xe4 HTTP/1.1',
  'a target with a control character': 'GET /a\x01 HTTP/1.1',
  'HTTP/0.9': 'GET /',
  'HTTP/2': 'GET / HTTP/2.0',
  'HTTP/1.2': 'GET / HTTP/1.2',
  'a lower-case version': 'GET / http/1.1',
  'an unknown method': 'FETCH / HTTP/1.1',
  'a lower-case method': 'get / HTTP/1.1',
  'the preface of HTTP/2': 'PRI * HTTP/2.0',
  'a space before the method': ' GET / HTTP/1.1',
  'a space after the version': 'GET / HTTP/1.1 ',
  'two spaces before the version': 'GET /  HTTP/1.1',
  'no colon': 'GET / HTTP/1.1\r\nHost',
  'no name': 'GET / HTTP/1.1\r\n: a',
  'a space before the colon': 'GET / HTTP/1.1\r\nHost : a',
  'a space in a name': 'GET / HTTP/1.1\r\nA B: c',
  'a folded header': 'GET / HTTP/1.1\r\nA: b\r\n c',
  'a folded header by a tab': 'GET / HTTP/1.1\r\nA: b\r\n\tc: d',
  'a folded first line': 'GET / HTTP/1.1\r\n A: b',
  'a bare line feed': 'GET / HTTP/1.1\r\nA: b\nC: d',
  'a bare carriage return': 'GET / HTTP/1.1\r\nA: b\rC: d',
  'a bare line feed after the request line': 'GET / HTTP/1.1\nA: b',
  'NUL in a value': 'GET / HTTP/1.1\r\nA: \0',
  'DEL in a value': 'GET / HTTP/1.1\r\nA: \x7f',
  'a vertical tab in a value': 'GET / HTTP/1.1\r\nA: b\x0bc',
  'an umlaut in a name': 'GET / HTTP/1.1\r\n\xe4: b',
  'two lengths': 'GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2',
  'the same length twice': 'GET / HTTP/1.1\r\nContent-Length: 1\r\ncontent-length: 1',
  'a list of lengths': 'GET / HTTP/1.1\r\nContent-Length: 1, 1',
  'a signed length': 'GET / HTTP/1.1\r\nContent-Length: +1',
  'a negative length': 'GET / HTTP/1.1\r\nContent-Length: -1',
  'a hexadecimal length': 'GET / HTTP/1.1\r\nContent-Length: 0x1',
  'an empty length': 'GET / HTTP/1.1\r\nContent-Length:',
  'a length with a space': 'GET / HTTP/1.1\r\nContent-Length: 1 1',
  'a giant length': 'GET / HTTP/1.1\r\nContent-Length: 99999999999999999999',
  'length and chunks': 'GET / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked',
  'chunks and length': 'GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 1',
  'chunked twice': 'GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked',
  'chunked and identity': 'GET / HTTP/1.1\r\nTransfer-Encoding: chunked, identity',
  'another coding': 'GET / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked',
  'an unknown coding': 'GET / HTTP/1.1\r\nTransfer-Encoding: xchunked',
  'a quoted coding': 'GET / HTTP/1.1\r\nTransfer-Encoding: "chunked"',
  'a coding after a vertical tab': 'GET / HTTP/1.1\r\nTransfer-Encoding:\x0bchunked',
  'a coding before a tab': 'GET / HTTP/1.1\r\nTransfer-Encoding: chunked\t',
  'an empty coding': 'GET / HTTP/1.1\r\nTransfer-Encoding:',
  'chunks in HTTP/1.0': 'GET / HTTP/1.0\r\nTransfer-Encoding: chunked',
})) {
  test(`${name} is refused`, () => {
    const parsed = parseRequest(text)
    assert.ok(isFault(parsed), JSON.stringify(parsed))
    assert.equal(parsed.status, 400)
  })
}

test('too many headers are refused', () => {
  const parsed = parseRequest(`GET / HTTP/1.1${'\r\na:'.repeat(1_001)}`)
  assert.ok(isFault(parsed))
  assert.equal(parsed.status, 431)
})

test('what cannot become a head is known before its end', () => {
  for (const part of [
    '\x16\x03\x01',
    'get / HT',
    'GET / HTTP/1.1\nHost',
    'GET /\r\r',
    '\nGET',
    '{',
  ]) {
    assert.equal(isHopeless(part, true), true, JSON.stringify(part))
  }
  for (const part of ['G', '\r', 'GET / HTTP/1.1\r', 'GET / HTTP/1.1\r\nHost: a\r\n\r']) {
    assert.equal(isHopeless(part, true), false, JSON.stringify(part))
  }
  // A part may begin within a line break.
  assert.equal(isHopeless('\nHost: a', false), false)
})
