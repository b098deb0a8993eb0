import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLru } from './lru.ts'

test('the longest unused value is forgotten first', () => {
  const lru = createLru<number>(2)
  lru.set('a', 1)
  lru.set('b', 2)
  assert.equal(lru.get('a'), 1)
  lru.set('c', 3)
  assert.equal(lru.get('b'), undefined)
  assert.equal(lru.get('a'), 1)
  assert.equal(lru.get('c'), 3)
  assert.equal(lru.size, 2)
})

test('setting a value again does not make it two', () => {
  const lru = createLru<number>(2)
  lru.set('a', 1)
  lru.set('b', 2)
  lru.set('a', 3)
  assert.equal(lru.size, 2)
  assert.equal(lru.get('b'), 2)
  lru.dropWhere((value) => value === 3)
  assert.equal(lru.get('a'), undefined)
  assert.equal(lru.size, 1)
})
