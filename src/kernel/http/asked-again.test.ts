import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAskedAgain } from './asked-again.ts'

test('a text is worth keeping when it comes again', () => {
  const isAskedAgain = createAskedAgain(4_096)
  assert.deepEqual(['a', 'b', 'a', 'a', 'b', 'c'].map(isAskedAgain), [
    false,
    false,
    true,
    true,
    true,
    false,
  ])
})
