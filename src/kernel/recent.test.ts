import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRecent } from './recent.ts'

test('what was not used for longest is forgotten first', () => {
  const recent = createRecent<string, { n: number }>(2)
  recent.keep('a', { n: 1 })
  recent.keep('b', { n: 2 })
  assert.deepEqual(recent.find('a'), { n: 1 })
  recent.keep('c', { n: 3 })
  assert.equal(recent.find('b'), undefined)
  assert.deepEqual(recent.find('a'), { n: 1 })
  assert.deepEqual(recent.find('c'), { n: 3 })
})

test('a value kept again replaces the one before and counts once', () => {
  const recent = createRecent<string, { n: number }>(2)
  recent.keep('a', { n: 1 })
  recent.keep('b', { n: 2 })
  recent.keep('a', { n: 3 })
  assert.deepEqual(recent.find('a'), { n: 3 })
  assert.deepEqual(recent.find('b'), { n: 2 })
  recent.clear()
  assert.equal(recent.find('a'), undefined)
})
