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

test('what is used all the time stays while others come and go', () => {
  const lru = createLru<number>(80)
  lru.set('busy', 1)
  for (let n = 0; n < 1_000; n++) {
    lru.set(`n${n}`, n)
    if (n % 20 === 0) assert.equal(lru.get('busy'), 1)
  }
  assert.equal(lru.get('n919'), undefined)
  assert.equal(lru.get('n950'), 950)
  assert.equal(lru.size, 80)
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
