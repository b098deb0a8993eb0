import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAsked, createKept } from './kept.ts'

test('what is used stays, what is not makes room, and no more is kept than allowed', () => {
  const kept = createKept<number>(100)
  kept.keep('used', 1)
  kept.keep('once', 2)
  for (let n = 0; n < 200; n++) {
    kept.keep(`key ${n}`, n)
    assert.equal(kept.find('used'), 1)
  }
  assert.equal(kept.find('once'), undefined)
  assert.equal(kept.find('key 0'), undefined)
  assert.equal(kept.find('key 199'), 199)
})

test('a text is worth keeping when it comes again', () => {
  const isAskedAgain = createAsked()
  assert.deepEqual(['a', 'b', 'a', 'a', 'b', 'c'].map(isAskedAgain), [
    false,
    false,
    true,
    true,
    true,
    false,
  ])
})
