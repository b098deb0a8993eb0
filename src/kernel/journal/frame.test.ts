import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeFrame, FRAME_BUFFER_BYTES, frameAt, MAX_RECORD_BYTES, nextFrame } from './frame.ts'

const buffer = Buffer.alloc(FRAME_BUFFER_BYTES)

function frame(text: string): Buffer {
  return Buffer.from(buffer.subarray(0, encodeFrame(buffer, text)))
}

test('a frame is found whole and only where it starts', () => {
  const bytes = Buffer.concat([frame('{"a":1}'), frame('{"b":"é"}')])
  const first = frameAt(bytes, 0)
  assert.deepEqual(first, { start: 0, end: 15 })
  assert.deepEqual(frameAt(bytes, 15), { start: 15, end: bytes.length })
  for (let at = 1; at < bytes.length; at++) {
    if (at !== 15) assert.equal(frameAt(bytes, at), undefined, `at ${at}`)
  }
})

test('a cut frame is none, at whatever byte it is cut', () => {
  const whole = frame('{"request":"abc"}')
  for (let end = 0; end < whole.length; end++) {
    assert.equal(frameAt(whole.subarray(0, end), 0), undefined, `cut at ${end}`)
  }
})

test('a flipped bit anywhere in a frame makes it none', () => {
  const whole = frame('{"request":"abc"}')
  for (let bit = 0; bit < whole.length * 8; bit++) {
    const damaged = Buffer.from(whole)
    damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    assert.equal(frameAt(damaged, 0), undefined, `bit ${bit}`)
  }
})

test('zeroed blocks hold no records', () => {
  assert.equal(nextFrame(Buffer.alloc(4096), 0), undefined)
})

test('the next frame is found behind damage', () => {
  const bytes = Buffer.concat([Buffer.alloc(100), Buffer.from('{"half'), frame('{"a":1}')])
  assert.deepEqual(nextFrame(bytes, 0), { start: 106, end: bytes.length })
})

test('a record that is too long is refused instead of cut', () => {
  assert.doesNotThrow(() => frame('x'.repeat(MAX_RECORD_BYTES)))
  assert.throws(() => frame('x'.repeat(MAX_RECORD_BYTES + 1)), RangeError)
  assert.throws(() => frame('€'.repeat(MAX_RECORD_BYTES / 3 + 1)), RangeError)
})
