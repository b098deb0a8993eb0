import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inOnePiece, ONE_PIECE_BYTES } from './one-piece.ts'

test('a short text leaves as a string of the same bytes', () => {
  for (const text of ['', '{"a":"é 😀"}', '\u{feff}mark', 'x'.repeat(ONE_PIECE_BYTES)]) {
    assert.equal(inOnePiece(Buffer.from(text)), text)
  }
})

test('what is long, or no text, stays as it is', () => {
  const long = Buffer.from('x'.repeat(ONE_PIECE_BYTES + 1))
  const picture = Buffer.from([0xff, 0xd8, 0xff, 0xe0])
  for (const payload of [long, picture, 'text', null, undefined]) {
    assert.equal(inOnePiece(payload), payload)
  }
})
