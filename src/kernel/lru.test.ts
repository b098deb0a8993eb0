import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLru } from './lru.ts'

test('the longest unused value is forgotten first', () => {
  const lru = createLru<string, number>(2)
  lru.keep('a', 1)
  lru.keep('b', 2)
  assert.equal(lru.find('a'), 1)
  lru.keep('c', 3)
  assert.equal(lru.find('b'), undefined)
  assert.equal(lru.find('a'), 1)
  assert.equal(lru.find('c'), 3)
  assert.equal(lru.size, 2)
})

test('what is used all the time stays while others come and go', () => {
  const lru = createLru<string, number>(80)
  lru.keep('busy', 1)
  for (let n = 0; n < 1_000; n++) {
    lru.keep(`n${n}`, n)
    if (n % 20 === 0) assert.equal(lru.find('busy'), 1)
  }
  assert.equal(lru.find('n919'), undefined)
  assert.equal(lru.find('n950'), 950)
  assert.equal(lru.size, 80)
})

test('setting a value again does not make it two', () => {
  const lru = createLru<string, number>(2)
  lru.keep('a', 1)
  lru.keep('b', 2)
  lru.keep('a', 3)
  assert.equal(lru.size, 2)
  assert.equal(lru.find('b'), 2)
  lru.dropWhere((value) => value === 3)
  assert.equal(lru.find('a'), undefined)
  assert.equal(lru.size, 1)
})

test('a cache that was cleared knows nothing, and keeps anything that is given to it', () => {
  const lru = createLru<number, null | 0>(2)
  assert.equal(lru.keep(1, null), null)
  assert.equal(lru.keep(2, 0), 0)
  assert.equal(lru.find(1), null)
  assert.equal(lru.find(2), 0)
  lru.clear()
  assert.equal(lru.size, 0)
  assert.equal(lru.find(2), undefined)
})

test('a value costs as much in a large cache that is full as in a small one', () => {
  const millisecondsOf = (capacity: number) => {
    const lru = createLru<number, number>(capacity)
    for (let n = 0; n < 2 * capacity; n++) lru.keep(n, n)
    const startedMs = performance.now()
    for (let n = 0; n < 20_000; n++) lru.keep(-n, n)
    assert.ok(lru.size > 0.98 * capacity && lru.size <= capacity, `${lru.size} of ${capacity}`)
    return performance.now() - startedMs
  }
  millisecondsOf(500)
  const [small, large] = [millisecondsOf(500), millisecondsOf(50_000)]
  assert.ok(large < 10 * small, `${large.toFixed(1)} ms and ${small.toFixed(1)} ms`)
})
