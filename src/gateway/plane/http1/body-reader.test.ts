import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBodyReader } from './body-reader.ts'
import { createInbox } from './inbox.ts'

/** Reads a body in pieces that end at the given places, as a connection does. */
function read(text: string, cuts: readonly number[], { length = -1 } = {}) {
  let body = ''
  const inbox = createInbox()
  const reader = createBodyReader((chunk) => {
    body += chunk.toString('latin1')
    return true
  })
  reader.start(length, length < 0)
  const bytes = Buffer.from(text, 'latin1')
  let from = 0
  for (const cut of [...cuts, bytes.length]) {
    inbox.add(bytes.subarray(from, cut))
    from = cut
    if (reader.fault() === null) inbox.use(reader.read(inbox.bytes(), inbox.start()))
  }
  const rest = inbox.bytes().toString('latin1', inbox.start())
  return { body, rest, isDone: reader.isDone(), fault: reader.fault() }
}

const NEXT = 'GET /next HTTP/1.1\r\n'

for (const [name, text] of Object.entries({
  plain: '3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n',
  extensions: '3;name=value;other\r\nabc\r\n2;x="y z"\r\nde\r\n0\r\n\r\n',
  trailers: '5\r\nabcde\r\n0\r\nX-Sum: 1\r\nX-Other:\r\n\r\n',
  'leading zeros': '0003\r\nabc\r\n000000000002\r\nde\r\n00\r\n\r\n',
})) {
  test(`chunks (${name}) are the same however the bytes arrive, and what follows is left`, () => {
    const whole = { body: 'abcde', rest: NEXT, isDone: true, fault: null }
    for (let cut = 0; cut <= text.length; cut++) assert.deepEqual(read(text + NEXT, [cut]), whole)
    const each = Array.from({ length: text.length }, (_, n) => n + 1)
    assert.deepEqual(read(text + NEXT, each), whole)
  })
}

test('a length ends a body at its last byte', () => {
  for (let cut = 0; cut <= 5; cut++) {
    const seen = read(`abcde${NEXT}`, [cut], { length: 5 })
    assert.deepEqual(seen, { body: 'abcde', rest: NEXT, isDone: true, fault: null })
  }
  assert.equal(read('', [], { length: 0 }).isDone, true)
  assert.equal(read('abc', [], { length: 5 }).isDone, false)
})

for (const [name, text] of Object.entries({
  'a negative size': '-1\r\nabc\r\n',
  'a signed size': '+3\r\nabc\r\n',
  'a size with 0x': '0x3\r\nabc\r\n',
  'no size': '\r\nabc\r\n',
  'a giant size': '1000000000000000\r\nabc\r\n',
  'a space before the size': ' 3\r\nabc\r\n',
  'a space after the size': '3 \r\nabc\r\n',
  'a size that ends in a bare line feed': '3\nabc\r\n',
  'an extension with a bare carriage return': '3;a\rb\r\nabc\r\n',
  'a space before an extension': '3 ;a\r\nabc\r\n',
  'a tab in an extension': '3;a=\tb\r\nabc\r\n',
  'an empty extension': '3;\r\nabc\r\n',
  'a chunk longer than said': '3\r\nabcd\r\n0\r\n\r\n',
  'a chunk longer than said, without an end': '3\r\nabcdefgh',
  'a chunk that ends in a bare line feed': '3\r\nabc\n0\r\n\r\n',
  'a last chunk that ends in a bare line feed': '0\r\n\n',
  'a trailer that is no header': '0\r\nGET / HTTP/1.1\r\n\r\n',
  'a trailer with a space before its colon': '0\r\nX : 1\r\n\r\n',
  'a length in a trailer': '0\r\nContent-Length: 1\r\n\r\n',
  'a coding in a trailer': '0\r\nTransfer-Encoding: chunked\r\n\r\n',
  'a folded trailer': '0\r\nX: 1\r\n 2\r\n\r\n',
  'a trailer with NUL': '0\r\nX: \0\r\n\r\n',
})) {
  test(`${name} is refused`, () => {
    for (let cut = 0; cut <= text.length; cut++) {
      const { fault, isDone } = read(text, [cut])
      assert.deepEqual([fault, isDone], ['malformed', false], `cut at ${cut}`)
    }
  })
}

test('trailers are kept until the next body', () => {
  const reader = createBodyReader(() => true)
  reader.start(-1, true)
  reader.read(Buffer.from('1\r\na\r\n0\r\nX-Sum:  1 \r\nX-Other:\r\n\r\n'), 0)
  assert.deepEqual(reader.trailers(), ['X-Sum', '1', 'X-Other', ''])
  reader.start(0, false)
  assert.deepEqual(reader.trailers(), [])
})

test('extensions and trailers have limits', () => {
  const long = `;${'x'.repeat(5_000)}`
  assert.equal(read(`1${long}\r\na\r\n`.repeat(4), []).fault, 'extensions')
  assert.equal(read(`0\r\n${`X: ${'y'.repeat(5_000)}\r\n`.repeat(14)}\r\n`, []).fault, 'trailers')
  assert.equal(read('1'.repeat(20_000), []).fault, 'malformed')
})

test('reading stops where the taker has enough', () => {
  const seen: string[] = []
  const reader = createBodyReader((chunk) => {
    seen.push(chunk.toString('latin1'))
    return seen.length > 1
  })
  reader.start(-1, true)
  const bytes = Buffer.from('1\r\na\r\n1\r\nb\r\n0\r\n\r\n')
  const at = reader.read(bytes, 0)
  assert.deepEqual([seen, at], [['a'], 4])
  assert.equal(reader.read(bytes, at), bytes.length)
  assert.deepEqual([seen, reader.isDone()], [['a', 'b'], true])
})
