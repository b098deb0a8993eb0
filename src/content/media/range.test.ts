import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseRange } from './range.ts'

const ask = (range: string, condition?: string) =>
  parseRange({ range, ...(condition ? { 'if-range': condition } : {}) }, '"a"', 10)

test('one range of bytes is read from its beginning, its end, or both', () => {
  assert.deepEqual(ask('bytes=2-4'), { first: 2, last: 4 })
  assert.deepEqual(ask('bytes=2-'), { first: 2, last: 9 })
  assert.deepEqual(ask('bytes=-3'), { first: 7, last: 9 })
  assert.deepEqual(ask('bytes=-30'), { first: 0, last: 9 })
  assert.deepEqual(ask('bytes=8-900'), { first: 8, last: 9 })
})

test('what begins behind the end is outside; what is no single range is the whole', () => {
  assert.equal(ask('bytes=10-'), 'outside')
  assert.equal(ask('bytes=-0'), 'outside')
  for (const range of ['bytes=4-2', 'bytes=1-2,4-5', 'lines=1-2', 'bytes=-', 'bytes=x-']) {
    assert.equal(ask(range), undefined, range)
  }
  assert.equal(parseRange({ range: 'bytes=0-' }, '"a"', 0), 'outside')
})

test('who has a part of something else gets the whole', () => {
  assert.equal(ask('bytes=2-4', '"b"'), undefined)
  assert.deepEqual(ask('bytes=2-4', '"a"'), { first: 2, last: 4 })
})
